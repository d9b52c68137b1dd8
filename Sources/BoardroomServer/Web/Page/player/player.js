import { Board } from "../board/board.js";
import { hasHandUp, nameOf, toneOf } from "../board/people.js";
import { Change } from "../core/fold.js";
import { apply, copyState, emptyState, sceneElements } from "../core/model.js";
import { cameraOf as seenBy } from "../core/roomstate.js";
import { cameraOf } from "../core/view.js";
import { t } from "../ui/i18n.js";
import { Inspector } from "./inspector.js";
import { FAMILY_OF, FIRST_MARKED } from "./log.js";
import { at, leapt, nextEvent, nextSpeed, Pacing, played, START, to } from "./playback.js";
import { Query } from "./query.js";
import { NEAR } from "./source.js";
import { Timeline } from "./timeline.js";

// A room as it was: a place in its log, the state of that place, and what shows both. Whoever moves the place (hands,
// keys, time, a link) sets it; the state follows as soon as its events are there.

const TONES = ["#1f5fd6", "#7a3fb8", "#147a46", "#b3261e", "#8a5a00", "#0f6d7a", "#a8327a", "#51606f"];
/** In ms: the timeline is drawn anew so often while blocks are read, panels while it plays. */
const [REFRESH, GLANCE] = [400, 250];
/** In ms: the room is asked for news so often by who watches it live, and by who looks elsewhere. */
const [SOON, LATER] = [800, 4_000];
const STILL = { isPlaying: false, isLive: false };

export class Player {
  state = emptyState();
  place = START;
  skipsIdle = true;
  pacing = new Pacing({ times: [], count: 0 }, true);
  /** @type {number[]} revisions of what was found */
  hits = [];
  /** @type {Uint8Array | undefined} 1 at the place of each; nothing: nothing is looked for */
  fits = undefined;
  /** @type {{a?: number, b?: number}} */
  marks = {};
  /** @type {number | undefined} */
  followed = undefined;
  isRunning = false;
  isReaching = false;
  rests = 0;
  glanced = 0;
  /** @type {Set<(ids: any) => void>} */
  listeners = new Set();

  /** @param {{root: HTMLElement, source: import("./source.js").Source, clock: Clock, theme: Theme, onShown(): void,
   *   onProblem(why: any): void}} parts */
  constructor({ root, source, clock, theme, onShown, onProblem }) {
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (root.querySelector(name));
    const player = this;
    this.source = source;
    this.clock = clock;
    this.onShown = onShown;
    this.onProblem = onProblem;
    /** @type {Source} */
    this.drawn = {
      get scene() { return player.state.currentScene; },
      elements: (scene) => /** @type {any} */ (sceneElements(player.state, scene)),
      element: (id) => /** @type {any} */ (player.state.element(id)),
      onChanged: (listener) => { player.listeners.add(listener); return () => player.listeners.delete(listener); },
      ppt: (scene) => player.state.scene(scene)?.ppt,
    };
    this.board = new Board({ root: part(".paper"), source: this.drawn, clock, theme });
    this.board.onView = (_, byHand) => {
      if (byHand && this.followed !== undefined) this.follow(undefined);
      else this.onShown();
    };
    const name = (/** @type {number} */ member) => this.nameOf(member);
    this.timeline = new Timeline(part(".tracks"), {
      clock, seek: (time) => void this.set({ ...at(this.place, time, this.log), isLive: false }),
      range: (a, b) => this.mark({ a: this.log.revisionAt(a), b: this.log.revisionAt(b) }), nameOf: name,
      follow: (member) => this.follow(member === this.followed ? undefined : member),
      followed: () => this.followed, drawn: () => this.#placed(),
    });
    this.inspector = new Inspector(part(".inspector"), { go: (revision) => void this.seek(revision), nameOf: name });
    this.query = new Query("", this.log, () => []);
  }

  get log() { return this.source.log; }
  get people() { return [...new Set([...this.log.people.keys(), ...this.state.members.keys()])].sort((a, b) => a - b); }
  /** Behind `a`, up to `b`: between the marks, else all there is. */
  get range() {
    const { a = this.source.first, b = this.log.last } = this.marks;
    return { a: Math.min(a, b), b: Math.max(a, b) };
  }

  /** @param {number} number @returns {string} */
  nameOf(number) {
    const member = this.state.members.get(number);
    return member ? nameOf(member) : this.log.people.get(number)?.name || t("members.guest", { number: number + 1 });
  }

  /** The event that is shown, in words. */
  words() {
    const { log, place: { revision } } = this;
    const author = log.author(revision);
    return `#${revision} ${log.kindName(revision)}, ${author < 0 ? t("player.server") : this.nameOf(author)}`;
  }

  /** Index first; what is in the blocks comes while one looks.
   * @param {number} [revision] */
  async open(revision) {
    await this.source.open();
    this.refresh();
    const shown = this.seek(revision ?? this.source.home);
    void this.#readAll();
    this.#listen(LATER);
    await shown;
  }

  // The place

  /** @param {Replay.Place} place */
  set(place) {
    this.place = { ...place, revision: Math.max(place.revision, this.source.first) };
    this.#placed();
    if (place.isPlaying) this.#run();
    return this.#reach();
  }

  /** @param {number} revision */
  seek(revision) { return this.set({ ...to(this.place, revision, this.log), isLive: false }); }
  /** @param {1 | -1} step */
  step(step) { return this.set({ ...to(this.place, this.place.revision + step, this.log), ...STILL }); }
  /** @param {number} ms */
  leap(ms) { return this.set({ ...leapt(this.place, ms, this.log, this.pacing), isLive: false }); }
  /** @param {number} tenth */
  tenth(tenth) { return this.leap((this.pacing.length * tenth) / 10 - this.pacing.shown(this.place.at)); }
  /** @param {number} step */
  speedUp(step) { return this.set({ ...this.place, speed: nextSpeed(this.place.speed, step) }); }

  /** To the next event of this kind; else to the next that was looked for, or has a marker.
   * @param {1 | -1} step @param {boolean} [isAlike] */
  next(step, isAlike = false) {
    const { log, place: { revision }, fits } = this;
    const kind = log.kind(revision);
    const found = nextEvent(revision, step, log, (one) => isAlike ? log.kind(one) === kind
      : fits ? fits[one - log.low] === 1 : log.kind(one) > 0 && FAMILY_OF[log.kind(one)] >= FIRST_MARKED);
    return found === undefined ? undefined : this.seek(found);
  }

  play(isPlaying = !this.place.isPlaying) {
    const isOver = isPlaying && this.place.revision >= this.log.last;
    return this.set({ ...isOver ? to(this.place, this.source.first, this.log) : this.place, isPlaying, isLive: false });
  }

  /** With the room, as it goes on. */
  goLive() {
    this.#listen(0);
    return this.set({ ...to(this.place, this.log.last, this.log), isLive: true, isPlaying: true });
  }

  #run() {
    if (this.isRunning) return;
    this.isRunning = true;
    let last = this.clock.now();
    const step = () => {
      const [now, { place, log }] = [this.clock.now(), this];
      // What is not there yet is waited for.
      const next = this.isReaching || !place.isPlaying ? place : played(place, Math.min(now - last, 250), log, this.pacing);
      last = now;
      this.isRunning = next.isPlaying && !(next.isLive && next.at >= log.end);
      if (next !== place) void this.set(next);
      if (this.isRunning) this.clock.frame(step);
    };
    this.clock.frame(step);
  }

  // The state

  async #reach() {
    if (this.isReaching) return;
    this.isReaching = true;
    try {
      while (this.state.revision !== this.place.revision) await this.#bring(this.place.revision);
    } catch (why) {
      this.place = { ...to(this.place, this.state.revision, this.log), ...STILL };
      this.onProblem(why);
    } finally {
      this.isReaching = false;
    }
    const now = this.clock.now();
    if (this.place.isPlaying && now - this.glanced < GLANCE) return;
    this.glanced = now;
    await this.inspect().catch(this.onProblem);
  }

  /** @param {number} revision */
  async #bring(revision) {
    const { state, source } = this;
    if (revision < state.revision || revision - state.revision > NEAR) {
      const next = await source.stateAt(revision, () => this.place.revision === revision);
      this.state = next ?? state;
      return next && this.#changed(undefined);
    }
    const change = new Change();
    const records = source.atHand(state.revision, revision) ?? await source.records(state.revision, revision);
    for (const rec of records) apply(state, rec, change);
    source.pass(state);
    return this.#changed(change);
  }

  /** @param {Change | undefined} change nothing: all may be another */
  #changed(change) {
    const has = (/** @type {string[]} */ ...names) => !change || names.some((name) => change.fields.has(name));
    const ids = has("scenes", "currentScene") ? undefined : change?.elements;
    if (!ids || ids.size) for (const listener of this.listeners) listener(ids);
    if (has("pointer", "roster", "audience", "memberState", "phase")) this.#point(!change);
    if (has("camera", "viewModes", "broadcaster")) this.#see();
  }

  /** @param {boolean} isElsewhere then cursors stand where they were left */
  #point(isElsewhere) {
    const others = [...this.state.members.values()].map((member) => ({
      number: member.id, name: nameOf(member), colour: TONES[toneOf(member.id)], pointer: member.pointer,
      isPointing: member.state.plain().isPointing === true, hasRaised: hasHandUp(member),
      isAway: member.phase === "reconnecting",
    }));
    if (isElsewhere) this.board.presence.set(others.map((other) => ({ ...other, pointer: undefined })));
    this.board.presence.set(others);
  }

  /** What the followed member sees. */
  #see() {
    const camera = this.followed === undefined ? undefined : seenBy(this.state, this.followed);
    if (camera) this.board.glide(cameraOf(camera), this.place.isPlaying ? 120 : 0);
  }

  /** @param {number | undefined} member */
  follow(member) {
    this.followed = member;
    this.#see();
    this.timeline.ask();
    this.onShown();
  }

  // What is shown of it

  #placed() {
    const { a, b } = this.marks;
    const times = [a, b].map((mark) => (mark === undefined ? undefined : this.log.time(mark)));
    this.timeline.place(this.place.at, this.place.isPlaying, times);
    this.onShown();
  }

  async inspect() {
    const { place: { revision, isPlaying }, source, log, marks: { a, b = revision }, inspector } = this;
    const isHere = () => this.place.revision === revision;
    const [rec] = revision >= log.low ? await source.records(revision - 1, revision) : [];
    if (!isHere()) return;
    inspector.showEvent(rec, log.begin, true);
    const before = isPlaying ? undefined : await source.stateAt(Math.max(revision - 1, source.first), isHere);
    if (!before || !isHere()) return;
    const after = copyState(before);
    if (rec && rec.rev > before.revision) inspector.showEvent(rec, log.begin, apply(after, rec).fits);
    inspector.showTree(after);
    this.#showFound();
    if (a === undefined) return inspector.showChanges(before, after, t("player.byEvent"));
    const [one, other] = [await source.stateAt(a, isHere), await source.stateAt(b, isHere)];
    if (one && other) inspector.showChanges(one, other, t("player.between", { a, b }));
  }

  /** @param {{a?: number, b?: number}} marks */
  mark(marks) {
    this.marks = marks;
    this.#placed();
    this.inspect().catch(this.onProblem);
  }

  /** @param {boolean} skipsIdle */
  skipIdle(skipsIdle) {
    this.skipsIdle = skipsIdle;
    this.refresh();
    this.#placed();
  }

  /** The timeline, anew. */
  refresh() {
    const begun = this.clock.now();
    this.pacing = new Pacing(this.log, this.skipsIdle);
    this.timeline.set({ log: this.log, pacing: this.pacing, fits: this.fits });
    // A large log is looked through again less often.
    this.rests = this.clock.now() + Math.max(REFRESH, 20 * (this.clock.now() - begun));
  }

  /** At most so often. */
  #refreshSoon() { if (this.clock.now() > this.rests) this.refresh(); }

  // Reading on

  async #readAll() {
    const { log } = this;
    while (this.log === log && await this.source.readAhead()) this.#refreshSoon();
    this.refresh();
  }

  stopListening = () => {};
  /** @param {number} soon */
  #listen(soon) {
    this.stopListening();
    this.stopListening = this.clock.after(soon, async () => {
      const count = await this.source.tail().catch((why) => this.#lost(why));
      if (count) this.refresh();
      if (count && !this.query.isEmpty) void this.search(this.query.source);
      if (count && this.place.isLive) this.#run();
      this.#listen(this.place.isLive ? SOON : LATER);
    });
  }

  /** @param {any} why @returns {Promise<number>} */
  async #lost(why) {
    // Another life of the log: the server was restored, or the room brought here anew.
    if (why.code === "conflict") await this.source.open().then(() => this.#readAll(), this.onProblem);
    else if (this.place.isLive) this.onProblem(why);
    return 0;
  }

  /** @param {string} text of a query */
  async search(text) {
    const { log, source } = this;
    const query = new Query(text, log, (name) => this.people.filter((number) => {
      const names = [String(number), `u${number}`, log.people.get(number)?.uid?.toLowerCase()];
      return names.includes(name) || this.nameOf(number).toLowerCase().includes(name);
    }));
    this.query = query;
    this.hits = [];
    this.fits = query.isEmpty ? undefined : new Uint8Array(log.times.length);
    for (const { first, last } of query.isEmpty ? [] : source.index.blocks) {
      const isKnown = !query.words.length && log.kind(last) > 0;
      const records = isKnown ? [] : await source.records(first - 1, last).catch(() => []);
      if (this.query !== query || !this.fits) return;
      for (let one = first; one <= last; one++) {
        if (!query.mayFit(one) || (!isKnown && !(records[one - first] && query.hasWords(records[one - first])))) continue;
        this.hits.push(one);
        this.fits[one - log.low] = 1;
      }
      this.#refreshSoon();
    }
    this.refresh();
    this.#showFound();
    this.onShown();
  }

  #showFound() {
    const { hits, query, log, place: { revision } } = this;
    const words = query.isEmpty ? t("player.askFirst") : t("player.hits", { count: hits.length.toLocaleString() });
    this.inspector.showFound(hits, revision, words, log);
  }
}
