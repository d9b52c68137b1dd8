import { realClock } from "../core/clock.js";
import { body } from "../core/records.js";
import { Overlay } from "../core/overlay.js";
import { RoomSession } from "../core/session.js";
import { Board } from "./board.js";
import { Follow } from "./follow.js";
import { Pages } from "./pages.js";
import { People, hasHandUp, lockOf, mayWrite, nameOf, toneOf } from "./people.js";
import { Rest } from "./rest.js";
import { takeKey } from "./shortcuts.js";
import { Mirror, Voice } from "../ui/a11y.js";
import { Banner } from "../ui/banner.js";
import { Dialogs } from "../ui/dialogs.js";
import { h, iconButton, popover, wordButton } from "../ui/dom.js";
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
    this.hand = iconButton("raise", t("hand.raise"), () => this.done(this.people.raiseHand(!this.isHandUp)),
      { "aria-pressed": "false" });
    const undo = iconButton("undo", t("edit.undo"), () => this.board.undo());
    const redo = iconButton("redo", t("edit.redo"), () => this.board.redo());
    this.steps = { undo, redo };
    this.zoom = h("button", { type: "button", class: "button zoom", title: t("view.full"),
      onclick: () => this.#byHand(() => this.board.glide({ ...this.board.view.camera, scale: 1 })) });
    this.readOnly = h("div", { class: "read-only bar", hidden: true });
    const more = iconButton("menu", t("menu.title"), () => {});
    this.menu = popover(more,
      { label: t("menu.title"), class: "menu", build: (panel) => this.#fillMenu(panel) });
    const top = h("header", { class: "top" },
      h("div", { class: "bar room" }, h("strong", { class: "brand" }, "Boardroom"), this.banner.status),
      h("div", { class: "bar people" }, this.members.element, this.hand,
        wordButton("share", t("share.open"), () => this.dialogs.share(),
          { class: "button primary share-open", "aria-label": t("share.open") }), this.menu.anchor));
    const bar = { class: "bar view", role: "group", "aria-label": t("view.title") };
    const bottom = h("footer", { class: "bottom" }, this.pages.element, h("div", bar,
      undo, redo, h("span", { class: "rule" }),
      iconButton("minus", t("view.out"), () => this.#byHand(() => this.board.view.zoomStep(-1)),
        { class: "tool only-wide" }), this.zoom,
      iconButton("plus", t("view.in"), () => this.#byHand(() => this.board.view.zoomStep(1)),
        { class: "tool only-wide" }),
      iconButton("fit", t("view.fit"), () => this.board.fit())));
    this.element.append(top, h("div", { class: "middle" }, this.banner.element, this.follow.element),
      this.toolbar.element, this.readOnly,
      bottom, this.mirror.element, this.banner.notes, this.voice.element);
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

  /** @param {HTMLElement} panel */
  #fillMenu(panel) {
    const item = (/** @type {string} */ picture, /** @type {string} */ words,
      /** @type {() => void} */ run) =>
      wordButton(picture, words, () => { this.menu.close(); run(); }, { class: "menu-item" });
    const { mode } = this.follow;
    const canPresent = this.session.writable;
    const { theme, language: turn, home } = this.actions;
    panel.append(
      canPresent ? item("present", t(mode === "broadcaster" ? "follow.stopPresenting" : "follow.present"),
        () => this.follow.choose(mode === "broadcaster" ? "freedom" : "broadcaster")) : "",
      item("download", t("export.open"), () => this.dialogs.export()),
      h("a", { class: "menu-item", href: `${this.origin}/replay/${this.room}`, target: "_blank",
        rel: "noopener" }, wordIcon("replay"), h("span", {}, t("menu.replay"))),
      theme ? item(this.board.theme === "dark" ? "sun" : "moon",
        t(this.board.theme === "dark" ? "menu.light" : "menu.dark"), theme) : "",
      turn ? item("language", t("menu.language"), turn) : "",
      item("keyboard", t("help.title"), () => this.dialogs.help()),
      home ? item("plus", t("menu.new"), home) : "");
  }

  #listen() {
    const { board, element } = this;
    board.onTool = () => this.toolbar.update();
    board.onStyle = () => this.toolbar.update();
    board.onSelection = (ids) => {
      this.toolbar.selected(ids);
      if (ids.length) this.voice.say(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (view, byHand) => {
      this.zoom.textContent = `${Math.round(view.scale * 100)}%`;
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
    if (!files.length || !this.session.writable
      || event.composedPath()[0] instanceof HTMLInputElement) return;
    event.preventDefault();
    this.dialogs.upload(files);
  }

  /** @param {() => void} move */
  #byHand(move) { this.board.moveView(move); }

  // The room

  /** @returns {Promise<{member: number}>} */
  async join() {
    const { room, options } = this;
    const { token = "", uid, payload, isWritable = true } = options;
    const { given } = this;
    /** @type {Callbacks} */
    const callbacks = {
      ...given,
      firePhaseChanged: (phase, trying) => {
        this.banner.show(phase, phase === "connected" ? null : undefined);
        this.update();
        given.firePhaseChanged?.(phase, trying);
      },
      attempting: (trying) => { this.banner.render(); this.toolbar.update(); given.attempting?.(trying); },
      fireBeingAbleToCommitChange: (isAble) => {
        this.#wroteChanged(isAble);
        given.fireBeingAbleToCommitChange?.(isAble);
      },
      fireKickedWithReason: (reason) => {
        this.#ended({ code: "kicked", kick: reason });
        given.fireKickedWithReason?.(reason);
      },
      fireDisconnectWithError: (refusal) => {
        this.#ended(refusal);
        given.fireDisconnectWithError?.(refusal);
      },
      fireCatchErrorWhenAppendFrame: (member, refusal) => {
        this.banner.note(t("note.misfit", { name: this.authorOf(member ?? -1) }), true);
        given.fireCatchErrorWhenAppendFrame?.(member, refusal);
      },
      fireCanUndoStepsUpdate: (steps) => {
        this.steps.undo.disabled = steps === 0;
        given.fireCanUndoStepsUpdate?.(steps);
      },
      fireCanRedoStepsUpdate: (steps) => {
        this.steps.redo.disabled = steps === 0;
        given.fireCanRedoStepsUpdate?.(steps);
      },
      changed: (change, rec) => { this.#changed(change, rec); given.changed?.(change, rec); },
    };
    this.banner.show("connecting", null);
    this.steps.undo.disabled = true;
    this.steps.redo.disabled = true;
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

  /** @param {import("../core/fold.js").Change} change @param {import("../core/records.js").Rec | null} rec */
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
    this.zoom.textContent = `${Math.round(this.board.view.scale * 100)}%`;
    this.members.render();
    this.#presence();
    this.toolbar.update();
    this.follow.update();
    this.hand.setAttribute("aria-pressed", String(this.isHandUp));
    const label = t(this.isHandUp ? "hand.lower" : "hand.raise");
    this.hand.setAttribute("aria-label", label);
    this.hand.title = label;
    this.hand.disabled = !this.session.writable;
    this.#showReadOnly();
  }

  get isHandUp() { return this.people.me !== undefined && hasHandUp(this.people.me); }

  #presence() {
    this.board.presence.set(this.people.others.map((member) => ({
      number: member.id, name: nameOf(member), colour: TONES[toneOf(member.id)], pointer: member.pointer,
      isPointing: member.state.plain().isPointing === true, hasRaised: hasHandUp(member),
      isAway: member.phase === "reconnecting",
    })));
  }

  #showReadOnly() {
    const { me } = this.people;
    const isReading = this.session.phase === "connected" && me !== undefined && !me.writable;
    this.element.classList.toggle("is-reading", isReading);
    this.readOnly.hidden = !isReading;
    if (!isReading) return;
    const lock = lockOf(this.session.state);
    const why = !mayWrite(me) ? t("reading.token") : this.people.isLockedOut && lock
      ? t("reading.locked", { name: lock.name }) : t("reading.asked");
    const { isHost, isLockedOut } = this.people;
    const write = () => (isLockedOut ? this.done(this.people.lock(false))
      : this.send("memberWritable", { writable: true }));
    const again = mayWrite(me) && (isHost || !isLockedOut) && wordButton(isLockedOut ? "unlock" : "pen",
      t(isLockedOut ? "members.unlockBoard" : "reading.write"), write, { class: "button small" });
    this.readOnly.replaceChildren(wordIcon("eye"), h("span", {}, why), ...(again ? [again] : []));
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
    for (const type of KEYS) this.keysFrom?.removeEventListener(
      type, /** @type {EventListener} */ (this.keys));
    this.keysFrom?.removeEventListener("paste", /** @type {EventListener} */ (this.pasted));
    this.sizes?.disconnect();
    this.banner.close();
    this.board.close();
    this.element.remove();
  }
}

/** @param {string} name */
const wordIcon = (name) => /** @type {SVGSVGElement} */ (wordButton(name, "", () => {}).firstElementChild);
