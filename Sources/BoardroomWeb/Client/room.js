// A room in which this program is a member: what is in it, what happens, and what can be done.
import { mirror } from "../Page/protocol/records.js";
import { attributesOf, shapeOf, viewOf } from "./elements.js";
import { badOption, localError, RoomError, roomError } from "./errors.js";
import { Emitter, iterate } from "./events.js";
import { memberView, pointerView, sceneView } from "./people.js";
import { StrokeWriter } from "./strokes.js";
import { Views } from "./views.js";
import { orAborted, whenAborted } from "./waiting.js";

/**
 * @typedef {import("./types.js").RoomEvents} RoomEvents
 * @typedef {import("./types.js").RoomPhase} RoomPhase
 * @typedef {import("./types.js").CommandOptions} CommandOptions
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {import("./types.js").BoardElement} BoardElement
 * @typedef {import("./types.js").Member} Member
 * @typedef {import("./types.js").Scene} Scene
 * @typedef {import("./types.js").Pen} Pen
 * @typedef {import("./types.js").StrokePoint} StrokePoint
 */

/** Fields of a change that are shown with the members. */
const OF_MEMBERS = [
  "roster",
  "audience",
  "memberState",
  "phase",
  "writable",
  "viewModes",
  "broadcaster",
  "hands",
  "lock",
];

/** A member of a room. `joinRoom` makes it. */
export class Room {
  #emitter = new Emitter();

  /** @type {any} */
  #session;

  /** @type {any} */
  #overlay;

  /** @type {(options: CommandOptions) => Promise<unknown>} */
  #join;

  /** @type {() => Promise<void>} */
  #leave;

  /** Views of parts of the state, which stay the same objects until they change. */
  #views = new Map();

  /** Views of the members, and of their pointers: one is made anew when its member changes. */
  #people = new Views(() => this.#session.state.members, memberView);
  #pointers = new Views(() => this.#session.state.members, pointerView);

  /** @type {AbortController | null} ends the join that is under way */
  #joining = null;

  /**
   * Why the stay ended.
   * @type {import("./types.js").Closed}
   */
  #closed = { reason: "left" };

  #isJoined = false;

  #uuid;

  /** @param {any} core by `joinRoom` and `mountBoard`; `reveal` gives them what only they use */
  constructor({ uuid, join, leave, reveal }) {
    this.#uuid = /** @type {string} */ (uuid);
    this.#join = join;
    this.#leave = leave;
    reveal({
      attach: (/** @type {any} */ parts) => this.#attach(parts),
      callbacks: (/** @type {any} */ hooks) => this.#callbacks(hooks),
      tellProblem: (/** @type {RoomError} */ error) => this.#emitter.emit("problem", { error }),
    });
  }

  // What is in the room.

  /** The room's name: 32 hexadecimal digits. */
  get uuid() {
    return this.#uuid;
  }

  /** @returns {RoomPhase} */
  get phase() {
    return this.#session?.phase ?? "disconnected";
  }

  /** The own member number; null: not in the room. */
  get memberId() {
    return /** @type {number | null} */ (this.#session.member);
  }

  /** The own member; undefined: not in the room. */
  get me() {
    return this.#people.get(this.memberId ?? -1);
  }

  /** Whether this member can change the room now. */
  get isWritable() {
    return /** @type {boolean} */ (this.#session.writable);
  }

  /** The last event that has arrived. */
  get revision() {
    return /** @type {number} */ (this.#session.state.revision);
  }

  /** Own commands that have no answer yet. */
  get pending() {
    return /** @type {number} */ (this.#session.outbox.waiting.size);
  }

  /**
   * Sizes and counts that the server allows.
   * @returns {Readonly<Record<string, number>>}
   */
  get limits() {
    return this.#session.limits;
  }

  /**
   * All who are here, by number.
   * @returns {readonly Member[]}
   */
  get members() {
    return this.#people.all;
  }

  /** @returns {readonly import("./types.js").Pointer[]} */
  get pointers() {
    return this.#pointers.all;
  }

  /**
   * The pages of the board, in their order.
   * @returns {readonly Scene[]}
   */
  get scenes() {
    return this.#view("scenes", () => this.#session.state.scenes.map(sceneView));
  }

  /**
   * The page that is shown.
   * @returns {Scene | undefined}
   */
  get scene() {
    const { currentScene } = this.#session.state;
    return this.scenes.find(({ id }) => id === currentScene);
  }

  /** @returns {Readonly<Record<string, any>>} */
  get globalState() {
    return this.#session.state.globalState.plain();
  }

  /** @returns {Readonly<Record<string, Readonly<Record<string, any>>>>} */
  get stores() {
    return this.#session.state.stores.plain();
  }

  /**
   * Whether only one member, or only administrators, may write.
   * @returns {boolean}
   */
  get isLocked() {
    return this.#session.state.lock !== undefined;
  }

  /** How many own steps can be undone and redone on the current scene. */
  get steps() {
    const { undo, redo } = this.#session.notifier.steps;
    return { undo: /** @type {number} */ (undo), redo: /** @type {number} */ (redo) };
  }

  /**
   * The elements of a scene in the order of drawing, with own commands that have no answer yet. The
   * same array until something changes.
   * @param {number | string} [scene] id or path; the current one if nothing is said
   * @returns {readonly BoardElement[]}
   */
  elements(scene) {
    const id = this.#sceneId(scene);
    const all = this.#view("elements", () => new Map());
    const known = all.get(id) ?? this.#overlay.elements(id).map(viewOf);
    all.set(id, known);
    return known;
  }

  /**
   * @param {string} id
   * @returns {BoardElement | undefined}
   */
  element(id) {
    const element = this.#overlay.element(id);
    return element && viewOf(element);
  }

  // What happens.

  /**
   * Calls a function at each event of a name, from now on, also after an outage and after `rejoin`.
   * @template {keyof RoomEvents} Name
   * @param {Name} name
   * @param {(told: RoomEvents[Name]) => void} listener
   * @param {CommandOptions} options a signal removes the listener, too
   * @returns {() => void} removes the listener
   */
  on(name, listener, { signal } = {}) {
    return this.#emitter.on(name, listener, signal);
  }

  /**
   * The events of a name, for `for await`. The loop ends when the stay is over or the signal is
   * aborted.
   * @template {keyof RoomEvents} Name
   * @param {Name} name
   * @param {CommandOptions} options
   * @returns {AsyncIterableIterator<RoomEvents[Name]>}
   */
  watch(name, { signal } = {}) {
    return iterate(this.#emitter, name, signal);
  }

  /**
   * @param {RoomPhase} phase
   * @param {CommandOptions} options
   * @returns {Promise<void>} done when the phase is that; rejects if the stay ends before
   */
  async until(phase, { signal } = {}) {
    signal?.throwIfAborted();
    if (this.phase === phase) return;
    /** @type {Array<() => void>} */
    const stops = [];
    const reached = new Promise((resolve, reject) => {
      stops.push(
        this.on("phase", (told) => {
          if (told.phase === phase) resolve(undefined);
        }),
        this.on("closed", ({ error }) => reject(error ?? localError("notConnected"))),
      );
    });
    await orAborted(reached, signal).finally(() => {
      for (const stop of stops) {
        stop();
      }
    });
  }

  // What can be done: each is done when its event is in the log. In an outage it waits.

  /**
   * Any command of the protocol (PROTOCOL.md, section 6).
   * @param {string} kind its name
   * @param {any} body
   * @param {CommandOptions} options
   * @returns {Promise<Receipt>}
   */
  async send(kind, body, { signal } = {}) {
    signal?.throwIfAborted();
    const session = this.#session;
    const before = session.outbox.last;
    const answer = session.send(kind, body).catch((/** @type {any} */ why) => {
      throw roomError(why);
    });
    const { last, waiting } = session.outbox;
    const command = last > before ? waiting.get(last) : undefined;
    return orAborted(answer, signal, () => command && session.withdraw(command));
  }

  /**
   * Puts a shape, a text, a note or an image.
   * @param {import("./types.js").NewElement} element
   * @param {CommandOptions & import("./types.js").OnScene} options
   * @returns {Promise<string>} its id
   */
  async insert(element, { scene, ...options } = {}) {
    const id = this.#newId();
    const body = { ...shapeOf(element), id, scene: this.#sceneId(scene) };
    await this.send("elementPut", body, options);
    return id;
  }

  /**
   * Changes attributes of elements, as one step to undo.
   * @param {string | readonly string[]} ids
   * @param {import("./types.js").ElementChange} change
   * @param {CommandOptions} [options]
   */
  change(ids, change, options) {
    const set = attributesOf(change);
    return this.send(
      "elementsChanged",
      { changes: listOf(ids).map((id) => ({ id, set })) },
      options,
    );
  }

  /**
   * Copies elements, with other attributes if some are given.
   * @param {string | readonly string[]} ids
   * @param {import("./types.js").ElementChange} [change]
   * @param {CommandOptions & import("./types.js").OnScene} options
   * @returns {Promise<string[]>} the ids of the copies
   */
  async copy(ids, change = {}, { scene, ...options } = {}) {
    const set = attributesOf(change);
    const on = this.#sceneId(scene);
    const copies = listOf(ids).map((from) => ({ from, id: this.#newId(), scene: on, set }));
    await this.send("elementsCopied", { copies }, options);
    return copies.map(({ id }) => id);
  }

  /**
   * @param {string | readonly string[]} ids
   * @param {CommandOptions} [options]
   */
  erase(ids, options) {
    return this.send("erased", { elements: listOf(ids) }, options);
  }

  /**
   * Draws a whole stroke.
   * @param {readonly (StrokePoint | readonly [number, number])[]} points
   * @param {Pen & CommandOptions} options
   * @returns {Promise<string>} its id
   */
  async drawStroke(points, { signal, ...pen } = {}) {
    const stroke = this.beginStroke(pen);
    await stroke.end(points, { signal });
    return stroke.id;
  }

  /**
   * Begins a stroke that others see while it is drawn.
   * @param {Pen} pen
   */
  beginStroke({ scene, ...look } = {}) {
    const id = this.#newId();
    const writer = new StrokeWriter(Number(id.split(".")[1]), this.#sceneId(scene), look);
    /**
     * @param {readonly any[]} points
     * @param {boolean} ends
     * @param {CommandOptions} [options]
     */
    const write = async (points, ends, options) => {
      const bodies = writer.write(points, { ends, limit: this.limits.stroke });
      const receipts = await Promise.all(bodies.map((body) => this.send("stroke", body, options)));
      return receipts[receipts.length - 1];
    };
    return {
      id,
      /**
       * @param {readonly (StrokePoint | readonly [number, number])[]} points
       * @param {CommandOptions} [options]
       * @returns {Promise<Receipt>}
       */
      extend: (points, options) => write(points, false, options),
      /**
       * @param {readonly (StrokePoint | readonly [number, number])[]} [points]
       * @param {CommandOptions} [options]
       * @returns {Promise<Receipt>}
       */
      end: (points = [], options) => write(points, true, options),
    };
  }

  /**
   * Takes back the last own step on the current scene.
   * @param {CommandOptions} [options]
   */
  undo(options) {
    return this.send("undone", {}, options);
  }

  /** @param {CommandOptions} [options] */
  redo(options) {
    return this.send("redone", {}, options);
  }

  /**
   * Adds pages to a directory.
   * @param {string} directory `/`, or `/name`
   * @param {readonly import("./types.js").NewScene[]} scenes
   * @param {CommandOptions & {index?: number}} options index: before which page; at the end if
   *   nothing is said
   */
  putScenes(directory, scenes, { index, ...options } = {}) {
    const place = index ?? this.scenes.filter((scene) => scene.directory === directory).length;
    return this.send("scenesPut", { directory, index: place, scenes }, options);
  }

  /**
   * Shows another page to everybody.
   * @param {string | number} scene its path, or its index among the pages of the directory
   * @param {CommandOptions} [options]
   */
  setScene(scene, options) {
    const body = typeof scene === "number" ? { index: scene } : { path: scene };
    return this.send("sceneSwitched", body, options);
  }

  /**
   * @param {string} path of a page or a directory
   * @param {CommandOptions} [options]
   */
  removeScenes(path, options) {
    return this.send("scenesRemoved", { path }, options);
  }

  /**
   * @param {string} path
   * @param {string} target a directory that is there, or a new path
   * @param {CommandOptions & {index?: number}} options
   */
  moveScene(path, target, { index, ...options } = {}) {
    const body = index === undefined ? { path, target } : { path, target, index };
    return this.send("sceneMoved", body, options);
  }

  /**
   * Erases everything on a scene.
   * @param {CommandOptions & import("./types.js").OnScene & {retainPPT?: boolean}} options
   */
  cleanScene({ scene, retainPPT = false, ...options } = {}) {
    return this.send("sceneCleaned", { scene: this.#sceneId(scene), retainPPT }, options);
  }

  /**
   * @param {Record<string, any>} patch keys to set; null removes one
   * @param {CommandOptions} [options]
   */
  setGlobalState(patch, options) {
    return this.send("globalState", patch, options);
  }

  /**
   * The same for the own member's state.
   * @param {Record<string, any>} patch
   * @param {CommandOptions} [options]
   */
  setMemberState(patch, options) {
    return this.send("memberState", patch, options);
  }

  /**
   * The same for a store, which is made if it is not there.
   * @param {string} store
   * @param {Record<string, any>} patch
   * @param {CommandOptions & {onlyAbsent?: boolean, reset?: boolean}} options onlyAbsent: sets
   *   only keys that are not there; reset: empties the store first
   */
  setStore(store, patch, { onlyAbsent, reset, ...options } = {}) {
    const flags = { ...(onlyAbsent ? { onlyAbsent } : {}), ...(reset ? { reset } : {}) };
    return this.send("storeSet", { store, set: patch, ...flags }, options);
  }

  /**
   * @param {string} store
   * @param {CommandOptions} [options]
   */
  deleteStore(store, options) {
    return this.send("storeDeleted", { store }, options);
  }

  /**
   * Sends an event of the application's own to everybody, this member too.
   * @param {string} event
   * @param {any} [payload]
   * @param {CommandOptions} [options]
   */
  dispatchMagixEvent(event, payload = null, options) {
    return this.send("magix", { event, payload }, options);
  }

  /**
   * @param {boolean} writable
   * @param {CommandOptions} [options]
   */
  setWritable(writable, options) {
    return this.send("memberWritable", { writable }, options);
  }

  /**
   * @param {import("./types.js").ViewMode} mode
   * @param {CommandOptions} [options]
   */
  setViewMode(mode, options) {
    return this.send("viewMode", { mode }, options);
  }

  /**
   * @param {boolean} raised
   * @param {CommandOptions} [options]
   */
  raiseHand(raised, options) {
    return this.send("handRaised", { raised }, options);
  }

  /**
   * For administrators: whether a member may write.
   * @param {number} member
   * @param {boolean} allowed
   * @param {CommandOptions} [options]
   */
  allowWriting(member, allowed, options) {
    return this.send("writingAllowed", { member, allowed }, options);
  }

  /**
   * For administrators: only they write.
   * @param {boolean} locked
   * @param {CommandOptions} [options]
   */
  lockRoom(locked, options) {
    return this.send("roomLocked", { locked }, options);
  }

  /**
   * Shows an emoji to everybody for some seconds, at a place or on an element.
   * @param {string} emoji
   * @param {{x: number, y: number, scene?: number | string} | {element: string}} place
   * @param {CommandOptions} [options]
   */
  react(emoji, place, options) {
    if ("element" in place)
      return this.send("reaction", { emoji, element: place.element }, options);
    const at = { x: Math.round(place.x), y: Math.round(place.y) };
    return this.send("reaction", { emoji, scene: this.#sceneId(place.scene), ...at }, options);
  }

  /**
   * Shows the own pointer at a place. A later one replaces one that was not recorded yet.
   * @param {{x: number, y: number, scene?: number | string}} place
   * @param {CommandOptions} [options]
   */
  movePointer({ x, y, scene }, options) {
    const at = { unit: -2, x: Math.round(x * 4), y: Math.round(y * 4) };
    return this.send("pointer", { scene: this.#sceneId(scene), ...at }, options);
  }

  /**
   * What this member looks at; followers of a broadcaster look at the same.
   * @param {import("./types.js").Camera} camera
   * @param {CommandOptions} [options]
   */
  moveCamera({ x, y, scale }, options) {
    const at = { unit: -2, x: Math.round(x * 4), y: Math.round(y * 4) };
    return this.send("camera", { ...at, scale: Math.round(scale * 65536) }, options);
  }

  // The stay.

  /** The network is back: an attempt begins at once. */
  networkBack() {
    this.#session.networkBack();
  }

  /**
   * Leaves the room. A join that is under way ends: it rejects with `notConnected`.
   * @returns {Promise<void>} done when the server knows
   */
  async disconnect() {
    this.#endJoin();
    await this.#leave();
  }

  /** Leaves without waiting for the server, because the program or the page ends. */
  leaveAtOnce() {
    this.#endJoin();
    this.#session.leaveAtOnce();
  }

  /** A join that has no token yet is not known to the session. */
  #endJoin() {
    if (this.phase === "disconnected") this.#joining?.abort(localError("notConnected"));
  }

  /**
   * Joins again after the stay has ended, with the same options; listeners stay. A token provider is
   * asked for a token.
   * @param {CommandOptions} options
   * @returns {Promise<void>}
   */
  async rejoin({ signal } = {}) {
    if (this.phase !== "disconnected" || this.#joining !== null) throw localError("pending");
    signal?.throwIfAborted();
    const joining = new AbortController();
    this.#joining = joining;
    const stopWaiting = whenAborted(signal, () => joining.abort(signal?.reason));
    try {
      await this.#join({ signal: joining.signal });
    } finally {
      stopWaiting();
      this.#joining = null;
    }
  }

  /** @param {{session: any, overlay: any}} parts what the room is of */
  #attach({ session, overlay }) {
    this.#session = session;
    this.#overlay = overlay;
    this.#isJoined = session.phase === "connected";
    overlay.onChanged((/** @type {any} */ ids) => {
      this.#views.delete("elements");
      this.#emitter.emit("elements", { ids });
    });
  }

  /**
   * @param {string} name
   * @param {() => any} make
   * @returns {any} what was made last, if it has not changed
   */
  #view(name, make) {
    if (!this.#views.has(name)) this.#views.set(name, make());
    return this.#views.get(name);
  }

  /** @returns {string} the id of an element that is new */
  #newId() {
    if (this.memberId === null) throw localError("notConnected");
    return this.#session.nextElement();
  }

  /**
   * @param {number | string | undefined} scene
   * @returns {number}
   */
  #sceneId(scene) {
    if (scene === undefined) return this.#session.state.currentScene;
    if (typeof scene === "number") return scene;
    const found = this.scenes.find(({ path }) => path === scene);
    if (found) return found.id;
    throw badOption(`There is no scene "${String(scene).slice(0, 80)}" now.`);
  }

  /**
   * @param {{onConnected(): void, onClosed(): void}} hooks
   * @returns {any}
   */
  #callbacks(hooks) {
    const emit = this.#emitter.emit.bind(this.#emitter);
    return {
      firePhaseChanged: (/** @type {RoomPhase} */ phase) => {
        if (phase === "connected") {
          this.#isJoined = true;
          this.#closed = { reason: "left" };
          hooks.onConnected();
        }
        emit("phase", { phase });
        if (phase === "disconnected") this.#end(hooks);
      },
      attempting: (/** @type {any} */ { attempt, nextAttemptAt, isLost }) =>
        emit("attempt", { count: attempt, nextAt: nextAttemptAt, isLost }),
      changed: (/** @type {any} */ change, /** @type {any} */ rec) => this.#tell(change, rec),
      fireMagixEvent: (/** @type {any} */ { by, ...said }) =>
        emit("magix", { ...said, member: by }),
      fireBeingAbleToCommitChange: (/** @type {boolean} */ isWritable) =>
        emit("writable", { isWritable }),
      fireCanUndoStepsUpdate: () => emit("steps", this.steps),
      fireCanRedoStepsUpdate: () => emit("steps", this.steps),
      refused: (/** @type {any} */ { name }, /** @type {any} */ refusal) =>
        emit("refused", { kind: name, error: roomError(refusal) }),
      fireKickedWithReason: (/** @type {string} */ kick) => {
        this.#closed = { reason: "kicked", error: kicked(kick) };
      },
      fireDisconnectWithError: (/** @type {any} */ refusal) => {
        const reason = refusal.code === "timeout" ? "timeout" : "refused";
        this.#closed = { reason, error: roomError(refusal) };
      },
      fireCatchErrorWhenAppendFrame: (/** @type {any} */ _, /** @type {any} */ refusal) =>
        emit("problem", { error: roomError(refusal) }),
    };
  }

  /** @param {{onClosed(): void}} hooks */
  #end({ onClosed }) {
    onClosed();
    if (!this.#isJoined) return;
    this.#isJoined = false;
    // Why a session was given up is told after its phase.
    queueMicrotask(() => this.#emitter.emit("closed", this.#closed));
  }

  /**
   * @param {any} change
   * @param {any} rec
   */
  #tell({ all, fields, members }, rec) {
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    const emit = this.#emitter.emit.bind(this.#emitter);
    const room = this;
    /** @type {"all" | ReadonlySet<number>} */
    const ids = all ? "all" : members;
    // Lists are made when somebody reads them: an event costs what it changes.
    if (has(...OF_MEMBERS)) {
      this.#people.change(ids);
      emit("members", {
        ids,
        get members() {
          return room.members;
        },
      });
    }
    if (has("roster", "audience", "pointer")) {
      this.#pointers.change(ids);
      emit("pointers", {
        ids,
        get pointers() {
          return room.pointers;
        },
      });
    }
    if (has("scenes", "currentScene")) {
      this.#views.delete("scenes");
      emit("scenes", { scenes: this.scenes, current: this.scene });
    }
    if (has("globalState")) emit("state", { globalState: this.globalState });
    if (has("stores")) emit("stores", { stores: this.stores });
    if (rec !== null && this.#emitter.has("event")) emit("event", eventOf(rec));
  }
}

/**
 * @param {{uuid: string, join(options: CommandOptions): Promise<unknown>, leave(): Promise<void>}}
 *   core
 * @returns {{room: Room, inside: any}} `inside`: what only this package does with a room
 */
export function makeRoom(core) {
  /** @type {any} */
  let inside = null;
  const reveal = (/** @type {any} */ given) => {
    inside = given;
  };
  return { room: new Room({ ...core, reveal }), inside };
}

/**
 * @param {any} rec
 * @returns {import("./types.js").LogEvent}
 */
function eventOf(rec) {
  const { rev, t, by, kind, body } = mirror(rec);
  return { revision: rev, time: t, member: by, kind, body };
}

/** @param {string} kick */
function kicked(kick) {
  return new RoomError({
    code: kick === "replaceByOther" ? "replaced" : "kicked",
    what: `The server removed this member (${kick}).`,
    help: "Join again only when a person asks for it.",
    kick,
  });
}

/**
 * @param {string | readonly string[]} ids
 * @returns {readonly string[]}
 */
const listOf = (ids) => (typeof ids === "string" ? [ids] : ids);
