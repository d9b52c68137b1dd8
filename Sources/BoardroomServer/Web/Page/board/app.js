import { realClock } from "../core/clock.js";
import { body } from "../core/records.js";
import { Overlay } from "../core/overlay.js";
import { RoomSession } from "../core/session.js";
import { Board } from "./board.js";
import { Follow } from "./follow.js";
import { Pages } from "./pages.js";
import { People, hasHandUp, nameOf, toneOf } from "./people.js";
import { Rest } from "./rest.js";
import { takeKey } from "./shortcuts.js";
import { Mirror, Voice } from "../ui/a11y.js";
import { Banner } from "../ui/banner.js";
import { Bars } from "../ui/bars.js";
import { Dialogs } from "../ui/dialogs.js";
import { h } from "../ui/dom.js";
import { languageTag, refusalText, t } from "../ui/i18n.js";
import { Members } from "../ui/members.js";
import { Toolbar } from "../ui/toolbar.js";

// The board page in one element: session, drawing and chrome together. `main.js` puts it into a page of its
// own, `embed.js` into somebody else's.

/** @typedef {import("../core/session.js").Callbacks} Callbacks */
/**
 * @typedef {object} AppOptions
 * @property {HTMLElement} root filled by the board
 * @property {string} origin of the server
 * @property {string} room
 * @property {string} [token]
 * @property {string} [restToken] for HTTP, where another one is needed than for joining
 * @property {string} [uid]
 * @property {any} [payload]
 * @property {boolean} [isOpen]
 * @property {boolean} [isWritable]
 * @property {number} [imageLimit] in bytes
 * @property {"light" | "dark"} [theme]
 * @property {Callbacks} [callbacks]
 * @property {Record<string, () => void>} [actions] what the menu can do beyond the board: theme, language,
 *   home
 * @property {(name: string) => void} [onRenamed]
 */

/** Parts of the state that the bars and panels show. */
const SHOWN = [
  "roster", "audience", "memberState", "phase", "writable", "broadcaster", "viewModes", "globalState",
];
const KEYS = ["keydown", "keyup"];
const NARROW = 720;
/** Keeps trying for so long, in ms: a lesson outlasts a broken router (the seed's 20 minutes). */
const GIVE_UP = 20 * 60_000;

/** White letters can be read on these; `board.css` has the same for faces. */
const TONES = ["#1f5fd6", "#7a3fb8", "#147a46", "#b3261e", "#8a5a00", "#0f6d7a", "#a8327a", "#51606f"];

export class App {
  /** @param {AppOptions} options */
  constructor(options) {
    const { origin, room, token = "", restToken = token, callbacks = {} } = options;
    this.options = options;
    this.origin = origin;
    this.room = room;
    this.isOpen = options.isOpen ?? false;
    this.imageLimit = options.imageLimit ?? 4 << 20;
    this.clock = realClock();
    this.given = callbacks;
    this.actions = options.actions ?? {};
    this.rest = new Rest({ origin, token: restToken, room });
    this.session = new RoomSession({ origin, clock: this.clock, giveUpAfter: GIVE_UP });
    this.overlay = new Overlay(this.session);
    this.people = new People(this.session, this.rest);
    this.isNarrow = false;
    this.paper = h("div", { class: "paper", tabindex: 0, role: "application", "aria-label": t("board.paper"),
      "aria-roledescription": t("board.role") });
    this.element = h("div", { class: "br", lang: languageTag(), "data-theme": options.theme ?? "light" },
      this.paper);
    options.root.append(this.element);
    this.board = new Board({
      root: this.paper, source: /** @type {any} */ (this.overlay), session: this.#hands(), clock: this.clock,
      theme: options.theme, words: { text: t("board.text") },
      // A worker has to be of the page's own origin.
      isLocal: origin !== location.origin,
    });
    this.banner = new Banner({
      clock: this.clock, trying: () => this.session.trying, retry: () => this.session.networkBack(),
      again: () => this.join(), home: () => this.actions.home?.(),
    });
    this.voice = new Voice(this.clock);
    this.dialogs = new Dialogs(this);
    this.toolbar = new Toolbar(this);
    this.pages = new Pages(this);
    this.members = new Members(this);
    this.follow = new Follow(this);
    this.mirror = new Mirror(this);
    this.bars = new Bars(this);
    const middle = h("div", { class: "middle" }, this.banner.element, this.follow.element);
    this.element.append(this.bars.top, middle, this.toolbar.element, this.bars.readOnly,
      this.bars.bottom, this.mirror.element, this.banner.notes,
      this.voice.element);
    this.#listen();
  }

  /** Drawing goes on over a short outage: what is drawn waits, and goes out when the connection is back. */
  get canDraw() {
    const { phase, trying } = this.session;
    const isHere = phase === "connected" || (phase === "reconnecting" && !trying.isLost);
    return isHere && (this.people.me?.writable ?? false);
  }

  #hands() {
    const app = this;
    const { session } = this;
    return {
      get member() { return session.member; },
      get writable() { return app.canDraw; },
      get limits() { return session.limits; },
      get state() { return session.state; },
      nextElement: () => session.nextElement(),
      send: (/** @type {string} */ name, /** @type {any} */ payload) => session.send(name, payload),
    };
  }

  #listen() {
    const { board, element } = this;
    board.onTool = () => this.toolbar.update();
    board.onStyle = () => this.toolbar.update();
    board.onSelection = (ids) => {
      this.toolbar.selected(ids);
      if (ids.length) this.voice.say(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (_, byHand) => {
      this.bars.showZoom();
      this.follow.moved(byHand);
    };
    board.onRefused = (refusal) => this.refused(refusal);
    this.keys = (/** @type {KeyboardEvent} */ event) => takeKey(this, event);
    this.keysFrom = this.options.root === document.body ? document : element;
    for (const type of KEYS) this.keysFrom.addEventListener(type, /** @type {EventListener} */ (this.keys));
    this.sizes = new ResizeObserver(() => this.#sized());
    this.sizes.observe(element);
    this.paper.addEventListener("dragover", (event) => event.preventDefault());
    this.paper.addEventListener("drop", (event) => this.#dropped(event));
    this.pasted = (/** @type {ClipboardEvent} */ event) => this.#pasted(event);
    this.keysFrom.addEventListener("paste", /** @type {EventListener} */ (this.pasted));
    this.paper.addEventListener("pointerdown", () => this.paper.focus({ preventScroll: true }), true);
    this.#sized();
    this.update();
  }

  #sized() {
    const { width } = this.element.getBoundingClientRect();
    const isNarrow = width < NARROW;
    this.element.classList.toggle("is-narrow", isNarrow);
    if (isNarrow === this.isNarrow) return;
    this.isNarrow = isNarrow;
    this.pages.popover.close(false);
    this.pages.render();
    this.members.render();
  }

  /** @param {DragEvent} event */
  #dropped(event) {
    event.preventDefault();
    const { left, top } = this.paper.getBoundingClientRect();
    const at = this.board.view.toScene({ x: event.clientX - left, y: event.clientY - top });
    if (this.session.writable) this.dialogs.upload([...event.dataTransfer?.files ?? []], at);
  }

  /** @param {ClipboardEvent} event */
  #pasted(event) {
    const files = [...event.clipboardData?.files ?? []];
    const isInField = event.composedPath()[0] instanceof HTMLInputElement;
    if (!files.length || !this.session.writable || isInField) return;
    event.preventDefault();
    this.dialogs.upload(files);
  }

  // The room

  /** @returns {Promise<{member: number}>} */
  async join() {
    const { room, options } = this;
    const { token = "", uid, payload, isWritable = true } = options;
    const { given } = this;
    /** @type {Callbacks} */
    const own = {
      firePhaseChanged: (phase) => {
        this.banner.show(phase, phase === "connected" ? null : undefined);
        this.update();
      },
      attempting: () => {
        this.banner.render();
        this.toolbar.update();
      },
      fireBeingAbleToCommitChange: (isAble) => this.#wroteChanged(isAble),
      fireKickedWithReason: (reason) => this.#ended({ code: "kicked", kick: reason }),
      fireDisconnectWithError: (refusal) => this.#ended(refusal),
      fireCatchErrorWhenAppendFrame: (member) =>
        this.banner.note(t("note.misfit", { name: this.authorOf(member ?? -1) }), true),
      fireCanUndoStepsUpdate: (undo) => this.bars.setSteps({ undo }),
      fireCanRedoStepsUpdate: (redo) => this.bars.setSteps({ redo }),
      changed: (change, rec) => this.#changed(change, rec),
    };
    const callbacks = both(own, given);
    this.banner.show("connecting", null);
    this.bars.setSteps({ undo: 0, redo: 0 });
    return this.session.join({ room, token, uid, payload, isWritable, callbacks }).catch((refusal) => {
      this.#ended(refusal);
      throw refusal;
    });
  }

  /** @param {any} refusal */
  #ended(refusal) {
    this.banner.show(this.session.phase, refusal);
    this.voice.say(refusal.kick ? t("kick.kickByAdmin") : refusalText(refusal));
  }

  /** @param {import("../core/folding.js").Change} change @param {import("../core/records.js").Rec | null} rec */
  #changed({ all, fields, scenes }, rec) {
    this.people.obey(rec);
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    if (has("scenes", "currentScene")) this.pages.render();
    if (all) this.pages.touched();
    else if (scenes.size) this.pages.touched(scenes);
    if (has(...SHOWN)) this.update();
    else if (fields.has("pointer")) this.#presence();
    if (has("camera", "broadcaster", "viewModes")) this.follow.update();
    if (rec) this.#tell(rec);
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

  /** @param {boolean} isAble */
  #wroteChanged(isAble) {
    if (isAble && this.board.tool === "hand") this.board.tool = "pen";
    if (!isAble && this.people.me && !this.people.me.writable) this.board.tool = "hand";
    this.pages.render();
    this.update();
  }

  /** What a listener is told of the others. */
  /** @param {import("../core/records.js").Rec} rec */
  #tell(rec) {
    if (rec.by === this.session.member) return;
    const name = this.authorOf(rec.by ?? -1);
    if (rec.name === "memberJoined") this.voice.say(t("says.joined", { name }));
    if (rec.name === "elementPut") {
      const type = body(rec)?.type;
      if (type) this.voice.say(t("says.added", { name, thing: t(`thing.${type}`) }), `added ${name}`);
    }
    const isHandUp = rec.name === "memberState" && body(rec)?.isHandRaised === true;
    if (isHandUp) this.banner.note(t("says.hand", { name }), false, "raise");
    if (rec.name === "sceneSwitched") this.voice.say(t("says.turned", { name }), "page");
  }

  /** @param {number} member @returns {string} */
  authorOf(member) {
    const found = this.session.state.members.get(member);
    if (member === this.session.member) return t("members.you");
    return found ? nameOf(found) : t("members.gone");
  }

  // What goes wrong is said

  /** @param {any} why */
  refused(why) {
    if (why?.code === undefined) throw why;
    const text = refusalText(why);
    this.banner.note(text, true);
    this.voice.say(text);
  }

  /** Whether it was done. */
  /** @param {Promise<any>} promise */
  async done(promise) {
    try {
      await promise;
      return true;
    } catch (why) {
      this.refused(why);
      return false;
    }
  }

  /** @param {string} name @param {any} payload */
  send(name, payload) { return this.done(this.session.send(name, payload)); }
  /** @param {string} question @param {string} yes @param {() => void} run */
  confirm(question, yes, run) { this.dialogs.confirm(question, yes, run); }
  /** @param {string} label @param {string} value @param {(value: string) => void} run */
  ask(label, value, run) { this.dialogs.ask(label, value, run); }

  /** @param {string} name */
  rename(name) {
    this.done(this.people.rename(name));
    this.options.onRenamed?.(name.trim());
  }

  /** @param {"light" | "dark"} theme */
  dress(theme) {
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
    for (const type of KEYS) this.keysFrom?.removeEventListener(type, /** @type {any} */ (this.keys));
    this.keysFrom?.removeEventListener("paste", /** @type {EventListener} */ (this.pasted));
    this.sizes?.disconnect();
    this.banner.close();
    this.board.close();
    this.element.remove();
  }
}

/** The page hears everything first, then whoever has put it into theirs. */
/** @param {Record<string, any>} own @param {Record<string, any>} given @returns {Callbacks} */
const both = (own, given) => ({
  ...given,
  ...Object.fromEntries(Object.entries(own).map(([name, hear]) => [name, (/** @type {any[]} */ ...said) => {
    hear(...said);
    given[name]?.(...said);
  }])),
});
