import { realClock } from "../core/clock.js";
import { body } from "../core/records.js";
import { Overlay } from "../core/overlay.js";
import { RoomSession } from "../core/session.js";
import { Board } from "./board.js";
import { Follow } from "./follow.js";
import { Pages } from "./pages.js";
import { People, TONES, hasHandUp, nameOf, toneOf } from "./people.js";
import { Rest } from "./rest.js";
import { takeKey } from "./shortcuts.js";
import { Mirror, Voice } from "../ui/a11y.js";
import { Banner, endText } from "../ui/banner.js";
import { Bars } from "../ui/bars.js";
import { Dialogs } from "../ui/dialogs.js";
import { find, h, piece } from "../ui/dom.js";
import { languageTag, refusalText, t } from "../ui/i18n.js";
import { Members } from "../ui/members.js";
import { Toolbar } from "../ui/toolbar.js";

// The board page in one element: session, drawing and chrome together. `main.js` puts it into a page of its
// own, `embed.js` into somebody else's.

/** Parts of the state that the bars and panels show. */
const SHOWN = [
  "roster", "audience", "memberState", "phase", "writable", "hands", "lock", "broadcaster", "viewModes",
  "globalState",
];
const NARROW = 720;
/** Keeps trying for so long, in ms: a lesson outlasts a broken router (the seed's 20 minutes). */
const GIVE_UP = 20 * 60_000;

export class App {
  isNarrow = false;
  clock = realClock();
  /** Ends what listens outside of the board. */
  leaving = new AbortController();

  constructor(/** @type {AppOptions} */ options) {
    const { origin, room, token, restToken = token, theme = "light", imageLimit = 4 << 20 } = options;
    this.options = options;
    this.origin = origin;
    this.room = room;
    this.imageLimit = imageLimit;
    this.rest = new Rest({ origin, token: restToken, room });
    this.session = new RoomSession({ origin, clock: this.clock, giveUpAfter: GIVE_UP });
    this.overlay = new Overlay(this.session);
    this.people = new People(this);
    this.element = h("div", { class: "br", lang: languageTag(), "data-theme": theme }, piece("board"));
    this.paper = find(this.element, ".paper");
    this.paper.setAttribute("aria-roledescription", t("board.role"));
    options.root.append(this.element);
    this.board = new Board({
      root: this.paper, source: /** @type {any} */ (this.overlay), session: this.#hands(), clock: this.clock,
      // A worker has to be of the page's own origin.
      theme, words: { text: t("board.text") }, isLocal: origin !== location.origin,
    });
    this.banner = new Banner(this);
    this.voice = new Voice(this.clock);
    this.element.append(this.voice.element);
    this.dialogs = new Dialogs(this);
    this.toolbar = new Toolbar(this);
    this.pages = new Pages(this);
    this.members = new Members(this);
    this.follow = new Follow(this);
    this.mirror = new Mirror(this);
    this.bars = new Bars(this);
    this.#listen();
    this.update();
  }

  /** @returns {Session} as the board has it: drawing goes on over a short outage, and waits to go out */
  #hands() {
    const { session, people } = this;
    const holds = () => session.phase === "reconnecting" && !session.trying.isLost;
    return {
      get member() { return session.member; }, get limits() { return session.limits; },
      get writable() { return (session.phase === "connected" || holds()) && people.me?.writable === true; },
      get state() { return session.state; },
      nextElement: () => session.nextElement(), send: (name, payload) => session.send(name, payload),
    };
  }

  /** @returns {Record<string, (() => void) | undefined>} what buttons do, by their `data-do` */
  #doings() {
    const { board, dialogs, follow, people, options } = this;
    const zoom = (/** @type {1 | -1} */ by) => board.moveView(() => board.view.zoomStep(by));
    return {
      undo: () => board.undo(), redo: () => board.redo(), zoomIn: () => zoom(1), zoomOut: () => zoom(-1),
      zoomFull: () => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 })),
      fit: () => board.fit(),
      front: () => board.order("front"), back: () => board.order("back"), copy: () => board.duplicate(),
      lock: () => board.lock(true), unlock: () => board.lock(false), remove: () => board.remove(),
      hand: () => this.send("handRaised", { raised: !people.isHandUp }),
      present: () => follow.choose(follow.mode === "broadcaster" ? "freedom" : "broadcaster"),
      write: () => this.send("memberWritable", { writable: true }),
      now: () => this.session.networkBack(), again: () => this.join().catch(() => {}),
      lockBoard: () => this.send("roomLocked", { locked: this.session.state.lock === undefined }),
      clear: () => dialogs.confirm(t("members.clearAsk"), t("members.clear"),
        () => this.send("sceneCleaned", { retainPPT: true })),
      share: () => dialogs.share(), export: () => dialogs.export(), image: () => dialogs.image(),
      help: () => dialogs.help(), ...options.actions,
    };
  }

  #listen() {
    const { board, element, paper, options, toolbar, leaving: { signal } } = this;
    board.onTool = board.onStyle = () => toolbar.update();
    board.onSelection = (ids) => {
      toolbar.selected(ids);
      if (ids.length) this.voice.say(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (_, byHand) => {
      this.bars.showZoom();
      this.follow.moved(byHand);
    };
    board.onRefused = (refusal) => this.refused(refusal);
    const doings = this.#doings();
    element.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("[data-do], [data-tool]");
      const { tool, do: doing = "" } = /** @type {HTMLElement | null} */ (button)?.dataset ?? {};
      if (tool) board.tool = tool;
      doings[doing]?.();
    });
    const from = options.root === document.body ? document : element;
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ hear) =>
      from.addEventListener(type, hear, { signal });
    on("keydown", (event) => takeKey(this, event));
    on("keyup", (event) => takeKey(this, event));
    on("paste", (event) => this.dialogs.takeImages(event));
    paper.addEventListener("dragover", (event) => event.preventDefault());
    paper.addEventListener("drop", (event) => this.dialogs.takeImages(event));
    paper.addEventListener("pointerdown", () => paper.focus({ preventScroll: true }), true);
    const sizes = new ResizeObserver(() => this.#sized());
    sizes.observe(element);
    signal.addEventListener("abort", () => sizes.disconnect());
    this.#sized();
  }

  #sized() {
    const isNarrow = this.element.getBoundingClientRect().width < NARROW;
    this.element.classList.toggle("is-narrow", isNarrow);
    if (isNarrow === this.isNarrow) return;
    this.isNarrow = isNarrow;
    this.pages.popover.close(false);
    this.pages.render();
    this.members.render();
  }

  // The room

  /** @returns {Promise<{member: number}>} */
  join() {
    const { room, session, banner, bars, options: { token = "", uid, payload, isWritable = true } } = this;
    /** @type {RoomCallbacks} */
    const own = {
      firePhaseChanged: (phase) => {
        banner.show(phase, phase === "connected" ? null : undefined);
        this.update();
      },
      attempting: () => {
        banner.render();
        this.toolbar.update();
      },
      fireBeingAbleToCommitChange: (isAble) => this.#writableChanged(isAble),
      fireKickedWithReason: (kick) => this.#ended(/** @type {any} */ ({ code: "kicked", kick })),
      fireDisconnectWithError: (refusal) => this.#ended(refusal),
      fireCatchErrorWhenAppendFrame: (member) =>
        banner.note(t("note.misfit", { name: this.authorOf(member ?? -1) }), true),
      fireCanUndoStepsUpdate: (undo) => bars.setSteps({ undo }),
      fireCanRedoStepsUpdate: (redo) => bars.setSteps({ redo }),
      changed: (change, rec) => this.#changed(change, rec),
    };
    const callbacks = both(own, this.options.callbacks ?? {});
    banner.show("connecting", null);
    bars.setSteps({ undo: 0, redo: 0 });
    return session.join({ room, token, uid, payload, isWritable, callbacks }).catch((refusal) => {
      this.#ended(refusal);
      throw refusal;
    });
  }

  #ended(/** @type {RoomRefusal} why the stay is over */ end) {
    this.banner.show(this.session.phase, end);
    this.voice.say(endText(end));
  }

  /** @param {import("../core/folding.js").Change} change @param {Record_ | null} rec */
  #changed({ all, fields, scenes }, rec) {
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    if (has("scenes", "currentScene")) this.pages.render();
    this.pages.touched(all ? undefined : scenes);
    if (has(...SHOWN)) this.update();
    else if (fields.has("pointer")) this.#presence();
    if (has("camera")) this.follow.update();
    if (rec && rec.by !== this.session.member) this.#tell(rec);
  }

  /** Something new for everybody to see. */
  update() {
    this.members.render();
    this.#presence();
    this.toolbar.update();
    this.follow.update();
    this.bars.update();
  }

  #presence() {
    this.board.presence.set(this.people.others.map((member) => ({
      number: member.id, name: nameOf(member), colour: TONES[toneOf(member.id)], pointer: member.pointer,
      isPointing: member.state.plain().isPointing === true, hasRaised: hasHandUp(member),
      isAway: member.phase === "reconnecting",
    })));
  }

  #writableChanged(/** @type {boolean} */ isAble) {
    if (isAble && this.board.tool === "hand") this.board.tool = "pen";
    if (!isAble && this.people.me && !this.people.me.writable) this.board.tool = "hand";
    this.pages.render();
    this.update();
  }

  /** @param {Record_} rec of somebody else: what a listener is told of it */
  #tell(rec) {
    const name = this.authorOf(rec.by ?? -1);
    /** @type {any} */
    const { type, raised } = (["elementPut", "handRaised"].includes(rec.name) && body(rec)) || {};
    if (rec.name === "memberJoined") this.voice.say(t("says.joined", { name }));
    if (rec.name === "sceneSwitched") this.voice.say(t("says.turned", { name }), "page");
    if (type) this.voice.say(t("says.added", { name, thing: t(`thing.${type}`) }), `added ${name}`);
    if (raised === true) this.banner.note(t("says.hand", { name }), false, "raise");
  }

  authorOf(/** @type {number} */ member) {
    const found = this.session.state.members.get(member);
    if (member === this.session.member) return t("members.you");
    return found ? nameOf(found) : t("members.gone");
  }

  /** @param {any} why is said, if it is a refusal */
  refused(why) {
    if (why?.code === undefined) throw why;
    this.banner.note(refusalText(why), true);
    this.voice.say(refusalText(why));
    return false;
  }

  /** @param {Promise<any>} promise @returns whether it was done; why not, is said */
  done(promise) { return promise.then(() => true, (why) => this.refused(why)); }
  /** @param {string} name @param {any} payload */
  send(name, payload) { return this.done(this.session.send(name, payload)); }

  dress(/** @type {Theme} */ theme) {
    this.element.dataset.theme = theme;
    this.board.theme = theme;
    this.toolbar.update();
    this.pages.touched();
  }

  /** Leaves the room and takes the board away. */
  async close() {
    await this.session.disconnect();
    this.remove();
  }

  remove() {
    this.leaving.abort();
    this.banner.stopCounting();
    this.board.close();
    this.element.remove();
  }
}

/** The page hears everything first, then whoever has put it into theirs.
 * @param {Record<string, any>} own @param {Record<string, any>} given @returns {RoomCallbacks} */
function both(own, given) {
  const heard = Object.keys(own).map((name) => [name, (/** @type {any[]} */ ...said) => {
    own[name](...said);
    given[name]?.(...said);
  }]);
  return { ...given, ...Object.fromEntries(heard) };
}
