// A room as it was: a place in its log, the state at that place, and what shows both. Buttons,
// keys, time and links set the place; the state follows as soon as its events have been read.
import { Board } from "../board/board.js";
import { cameraOf } from "../render/view.js";
import { apply, Change, copyState, emptyState, sceneElements } from "../state/model.js";
import { sceneOf, screenOf, cameraOf as seenBy } from "../state/roomstate.js";
import { find } from "../ui/dom.js";
import { markReached } from "../ui/focus.js";
import { t } from "../ui/i18n.js";
import { nameOf, presenceOf } from "../ui/people.js";
import { Inspector } from "./inspector.js";
import { FIRST_MARKED, MARKER_OF_KIND } from "./log.js";
import { leapt, makePacing, nextEvent, placeAfter, placeAt, played, START } from "./playback.js";
import { Polling } from "./polling.js";
import { ReplayedReactions } from "./reactions.js";
import { Running } from "./running.js";
import { Search } from "./search.js";
import { NEAR_DISTANCE } from "./source.js";
import { Timeline } from "./timeline.js";

/**
 * @typedef {{
 *   source: Replay.Source;
 *   clock: Clock;
 *   theme: Theme;
 *   images: import("../render/image-source.js").ImageHome;
 *   onShown(): void;
 *   onProblem(why: any): void;
 * }} PlayerUses
 */

/** Ms between updates of the timeline while blocks are read. */
const REFRESH_PERIOD = 400;

/** Ms between updates of the panels while it plays. */
const PANEL_PERIOD = 250;

const PAUSED = { isPlaying: false, isLive: false };

/** Ms: a search that took less is done again when the log has grown. */
const FOLLOWING_SEARCH = 400;

export class Player {
  state = emptyState();
  place = START;
  skipsIdle = true;
  pacing = makePacing({ times: [], count: 0 }, true);

  /** @type {Search} */
  #search;

  /** @type {{a?: number, b?: number}} revisions */
  marks = {};

  /** @type {number | undefined} the member whose camera is followed */
  followed = undefined;

  /** @type {number | undefined} the page that was chosen; else that of the member, or of the room */
  page = undefined;

  /** The scene that was shown last, and the size of the board for which a camera was set. */
  #shown = { scene: 0, width: 0, height: 0 };

  /** Notifies the board of elements that changed. */
  notifyBoard = (/** @type {any} */ _ids) => {};

  /** @type {Running} */
  #running;

  /** Whether the state of the place is being loaded. */
  isLoading = false;

  /** The timeline is not updated before this time. */
  refreshNotBefore = 0;

  /** When the panels were updated last. */
  panelsShownAt = 0;

  #polling = new Polling(this);

  /**
   * @param {HTMLElement} page
   * @param {PlayerUses} uses
   */
  constructor(page, { source, clock, theme, images, onShown, onProblem }) {
    this.source = source;
    this.clock = clock;
    this.#running = new Running(clock, (ms) => this.#advance(ms));
    this.onShown = onShown;
    this.onProblem = onProblem;
    markReached(find(page, ".paper"));
    this.board = new Board({ root: find(page, ".paper"), source: this, clock, theme, images });
    this.board.onView = (_, byHand) => this.#viewed(byHand);
    this.reactions = new ReplayedReactions(this);
    this.timeline = new Timeline(page, this.#timelineUses());
    this.inspector = new Inspector(page, {
      go: (at) => void this.seek(at),
      by: (member) => this.memberName(member),
    });
    this.#search = new Search(source, (member) => this.memberName(member), clock);
  }

  /** @returns {Replay.TimelineUses} */
  #timelineUses() {
    return {
      clock: this.clock,
      nameOf: (member) => this.memberName(member),
      followed: () => this.followed,
      drawn: () => this.#showPlace(),
      seek: (time) => void this.set({ ...placeAt(this.place, time, this.log), isLive: false }),
      range: (a, b) => this.mark({ a: this.log.revisionAt(a), b: this.log.revisionAt(b) }),
      follow: (member) => this.follow(member === this.followed ? undefined : member),
    };
  }

  /** @param {boolean} byHand the user moved the view, which ends following */
  #viewed(byHand) {
    if (byHand && this.followed !== undefined) return this.follow(undefined);
    const { width, height } = this.board.view;
    const isResized = width !== this.#shown.width || height !== this.#shown.height;
    Object.assign(this.#shown, { width, height });
    if (isResized) this.#followCamera();
    this.onShown();
  }

  // The source of the board: what it draws.

  get scene() {
    return this.sceneIn(this.state);
  }

  /**
   * @param {Replay.State} state
   * @returns {number} the page of it that is looked at
   */
  sceneIn(state) {
    const { page, followed } = this;
    return page !== undefined && state.scene(page) ? page : sceneOf(state, followed ?? null);
  }

  /** @param {number | undefined} page to look at; undefined: that of the member or of the room */
  turnTo(page) {
    this.page = page;
    this.#showScene();
    this.onShown();
  }

  /** @returns {boolean} whether another page is shown than before: everything on it may differ */
  #showScene() {
    const { scene } = this;
    const isOther = scene !== this.#shown.scene;
    this.#shown.scene = scene;
    if (isOther) this.notifyBoard(undefined);
    return isOther;
  }

  /** @param {number} scene */
  elements(scene) {
    return sceneElements(this.state, scene);
  }

  /** @param {string} id */
  element(id) {
    return this.state.element(id);
  }

  /** @param {number} scene */
  ppt(scene) {
    return this.state.scene(scene)?.ppt;
  }

  /** @param {(ids: any) => void} listener */
  onChanged(listener) {
    this.notifyBoard = listener;
    return () => {};
  }

  get log() {
    return this.source.log;
  }

  get query() {
    return this.#search.query;
  }

  /** Revisions of the events that were found. */
  get hits() {
    return this.#search.hits;
  }

  /** The part of the log that has been searched, while it is. */
  get searching() {
    return this.#search.progress;
  }

  /** The part of the log that was searched before the search was stopped. */
  get stoppedAt() {
    return this.#search.stoppedAt;
  }

  /** The events after `a`, up to `b`: between the marks, else all. */
  get range() {
    return { a: this.source.first, b: this.log.last, ...this.marks };
  }

  /**
   * @param {number} number of a member; below 0 the server
   * @returns what it is called
   */
  memberName(number) {
    const member = this.state.members.get(number);
    if (member) return nameOf(member);
    if (number < 0) return t("player.server");
    return this.log.people.get(number)?.name || t("members.guest", { number: number + 1 });
  }

  /** The event at the place, in words. */
  eventText() {
    const { log } = this;
    const { revision } = this.place;
    return `#${revision} ${log.kindName(revision)}, ${this.memberName(log.author(revision))}`;
  }

  /**
   * Opens the room: the index first; the blocks are read meanwhile.
   * @param {number | undefined} revision
   */
  async open(revision) {
    await this.source.open();
    this.refresh();
    void this.#readAll();
    this.#polling.begin();
    await this.seek(revision ?? this.source.home);
  }

  /** @param {Replay.Place} place */
  set(place) {
    this.place = { ...place, revision: Math.max(place.revision, this.source.first) };
    if (place.isPlaying) this.#running.start();
    this.#showPlace();
    return this.#loadPlace();
  }

  /**
   * @param {number} revision
   * @param {Partial<Replay.Place>} [how]
   */
  seek(revision, how) {
    return this.set({ ...placeAfter(this.place, revision, this.log), isLive: false, ...how });
  }

  /** @param {number} step */
  step(step) {
    return this.seek(this.place.revision + step, PAUSED);
  }

  /** @param {number} ms */
  leap(ms) {
    return this.set({ ...leapt(this.place, ms, this.log, this.pacing), isLive: false });
  }

  /**
   * @param {number} step to the next event of this kind; else to the next that was found, or has a
   *   marker
   */
  next(step, isAlike = false) {
    const { log, hits } = this;
    const { fits } = this.#search;
    const { revision } = this.place;
    const kind = log.kind(revision);
    const isWanted = (/** @type {number} */ one) => {
      if (isAlike) return log.kind(one) === kind;
      return fits ? fits[one - log.low] === 1 : isMarked(log.kind(one));
    };
    const found = nextEvent(revision, step, log, isWanted);
    // After the last event that was found, the first one follows.
    const around = fits && !isAlike ? hits[step > 0 ? 0 : hits.length - 1] : undefined;
    void this.seek(found ?? around ?? revision);
  }

  play(isPlaying = !this.place.isPlaying) {
    if (isPlaying && this.place.revision >= this.log.last) {
      return this.seek(this.source.first, { isPlaying });
    }
    return this.set({ ...this.place, isPlaying, isLive: false });
  }

  /** Follows the room as it goes on. */
  goLive() {
    this.#polling.pollNow();
    return this.seek(this.log.last, { isLive: true, isPlaying: true });
  }

  /**
   * @param {number} ms that have passed
   * @returns {boolean} whether it goes on
   */
  #advance(ms) {
    const { place, log } = this;
    // Time stands still until the state has been loaded.
    const isHeld = this.isLoading || !place.isPlaying;
    const next = isHeld ? place : played(place, ms, log, this.pacing);
    if (!isHeld) void this.set(next);
    return next.isPlaying && !(next.isLive && next.at >= log.end);
  }

  async #loadPlace() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      while (this.state.revision !== this.place.revision) {
        await this.#loadState(this.place.revision);
      }
    } catch (why) {
      this.place = { ...placeAfter(this.place, this.state.revision, this.log), ...PAUSED };
      this.onProblem(why);
    } finally {
      this.isLoading = false;
    }
    if (this.place.isPlaying && this.clock.now() - this.panelsShownAt < PANEL_PERIOD) return;
    this.panelsShownAt = this.clock.now();
    this.onShown();
    await this.#inspect().catch(this.onProblem);
  }

  /** @param {number} revision */
  async #loadState(revision) {
    const { state, source } = this;
    if (revision < state.revision || revision - state.revision > NEAR_DISTANCE) {
      const next = await source.stateAt(revision, () => this.place.revision === revision);
      if (!next) return;
      this.state = next;
      this.#showState();
      return;
    }
    const change = new Change();
    for (const rec of await source.records(state.revision, revision)) {
      apply(state, rec, change);
      this.reactions.show(rec);
    }
    source.keepState(state);
    this.#showState(change);
  }

  /** @param {Change} [change] undefined: everything may have changed */
  #showState(change) {
    const has = (/** @type {string[]} */ ...all) =>
      !change || all.some((name) => change.fields.has(name));
    if (!change) this.reactions.clear();
    const ids = has("scenes") ? undefined : change?.elements;
    if (!this.#showScene() && (!ids || ids.size)) this.notifyBoard(ids);
    if (has("camera", "viewModes", "broadcaster", "memberState")) this.#followCamera();
    if (!has("pointer", "roster", "audience", "memberState", "phase")) return;
    const { presence } = this.board;
    const { state } = this;
    const others = [...state.members.values()].map((member) => presenceOf(state, member));
    // At another place in the log cursors do not move to their positions, they are there.
    if (!change) presence.update(others.map((other) => ({ ...other, pointer: undefined })));
    presence.update(others);
  }

  /** Shows all that the followed member sees, on a screen of any size. */
  #followCamera() {
    const { state, board, followed } = this;
    const camera = followed === undefined ? undefined : seenBy(state, followed);
    if (!camera) return;
    const own = board.view.cameraLike(cameraOf(camera), screenOf(state, followed ?? null));
    if (this.place.isPlaying) board.glide(own);
    else board.view.set(own);
  }

  /** @param {number | undefined} member */
  follow(member) {
    // Who stops following goes on looking at the same page.
    this.page =
      member === undefined && this.scene !== this.state.currentScene ? this.scene : undefined;
    this.followed = member;
    this.#showScene();
    this.#followCamera();
    this.timeline.requestFrame();
  }

  /** @param {{a?: number, b?: number}} marks */
  mark(marks) {
    this.marks = marks;
    this.#showPlace();
    this.#inspect().catch(this.onProblem);
  }

  #showPlace() {
    const { log } = this;
    const { at, isPlaying } = this.place;
    const { a, b } = this.marks;
    const timeOf = (/** @type {number | undefined} */ mark) =>
      mark === undefined ? undefined : log.time(mark);
    this.timeline.place(at, isPlaying, [timeOf(a), timeOf(b)]);
    this.onShown();
  }

  /** Shows the event, what it changed, and the state; stops when another place is set meanwhile. */
  async #inspect() {
    const { source, log, inspector } = this;
    const { revision, isPlaying } = this.place;
    const isHere = () => this.place.revision === revision;
    const [rec] = revision >= log.low ? await source.records(revision - 1, revision) : [];
    if (!isHere()) return;
    this.reactions.show(rec);
    inspector.showEvent(rec, log.begin, true);
    if (isPlaying) return;
    const before = await source.stateAt(Math.max(revision - 1, source.first), isHere);
    if (!before || !isHere()) return;
    const after = copyState(before);
    if (rec && rec.rev > before.revision) {
      inspector.showEvent(rec, log.begin, apply(after, rec).fits);
    }
    inspector.showTree(after);
    this.#showFound();
    if (this.marks.a === undefined) inspector.showChanges(before, after, t("player.byEvent"));
    else await this.#showChangesBetween(this.marks.a, this.marks.b ?? revision, isHere);
  }

  /**
   * @param {number} a a revision
   * @param {number} b
   * @param {() => boolean} isWanted
   */
  async #showChangesBetween(a, b, isWanted) {
    const one = await this.source.stateAt(a, isWanted);
    const other = await this.source.stateAt(b, isWanted);
    if (one && other) this.inspector.showChanges(one, other, t("player.between", { a, b }));
  }

  #showFound() {
    const { hits, query, log } = this;
    const { revision } = this.place;
    const words = query.isEmpty ? "player.askFirst" : "player.hits";
    const count = hits.length.toLocaleString();
    this.inspector.showFound(hits, revision, t(words, { count }), log);
  }

  /** Updates the timeline; for a large log less often. */
  refresh(skipsIdle = this.skipsIdle) {
    const { log, clock } = this;
    const { fits } = this.#search;
    const begun = clock.now();
    this.skipsIdle = skipsIdle;
    this.pacing = makePacing(log, skipsIdle);
    this.timeline.set({ log, pacing: this.pacing, fits });
    this.refreshNotBefore = clock.now() + Math.max(REFRESH_PERIOD, 20 * (clock.now() - begun));
  }

  async #readAll() {
    const { log } = this;
    while (this.log === log && (await this.source.readAhead())) {
      if (this.clock.now() > this.refreshNotBefore) this.refresh();
    }
    this.refresh();
  }

  /**
   * The log has another epoch: the server was restored, or the room was imported again.
   */
  async reopen() {
    this.state = emptyState();
    await this.open(this.place.revision).catch(this.onProblem);
  }

  /** Shows events that have been added to the log. */
  showNew() {
    this.refresh();
    // What folds a long log would be at it all the time while the room is live.
    const { progress, took } = this.#search;
    const follows = !this.query.needsFold || (progress === undefined && took < FOLLOWING_SEARCH);
    const goesOn = follows && this.stoppedAt === undefined;
    if (!this.query.isEmpty && goesOn) void this.search(this.query.source);
    if (this.place.isLive) this.#running.start();
  }

  /**
   * Searches the whole log; another search ends this one.
   * @param {string} text
   */
  async search(text) {
    const onBlock = () => {
      if (this.clock.now() > this.refreshNotBefore) this.refresh();
      this.onShown();
    };
    const isDone = await this.#search.run(text, onBlock).catch((why) => this.onProblem(why));
    if (isDone) this.#showSearched();
  }

  /** Ends the search that is going on; what it found stays. */
  stopSearch() {
    if (this.searching === undefined) return;
    this.#search.stop();
    this.#showSearched();
  }

  #showSearched() {
    this.refresh();
    this.onShown();
    this.#showFound();
  }
}

/** @param {number} kind */
const isMarked = (kind) => kind > 0 && MARKER_OF_KIND[kind] >= FIRST_MARKED;
