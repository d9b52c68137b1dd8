// The board page in one element; `main.js` puts it into a page of its own, `embed.js` into somebody
// else's.
import { realClock } from "../../protocol/clock.js";
import { body } from "../../protocol/records.js";
import { Rest, rightsOf } from "../../protocol/rest.js";
import { Overlay } from "../../state/overlay.js";
import { RoomSession } from "../../state/session.js";
import { find, h, piece } from "../../ui/dom.js";
import { languageTag, refusalText, t } from "../../ui/i18n.js";
import { hasHandUp, nameOf, TONES, toneOf } from "../../ui/people.js";
import { Voice } from "../../ui/voice.js";
import { Board } from "../board.js";
import { Banner, endText } from "./banner.js";
import { Bars } from "./bars.js";
import { Dialogs } from "./dialogs.js";
import { Follow } from "./follow.js";
import { Members } from "./members.js";
import { Mirror } from "./mirror.js";
import { Pages } from "./pages.js";
import { Seats } from "./seats.js";
import { takeKey } from "./shortcuts.js";
import { Toolbar } from "./toolbar.js";

/** Parts of the state that the bars and panels show. */
const SHOWN = [
  "roster",
  "audience",
  "memberState",
  "phase",
  "writable",
  "broadcaster",
  "viewModes",
  "hands",
  "lock",
  "globalState",
];

const NARROW = 720;
const GIVE_UP = 20 * 60_000; // pixels; ms: a lesson outlasts a broken router

export class App {
  isNarrow = false;
  pixels = devicePixelRatio; // of the screen, for one of the page

  /** @type {Promise<{member: number}> | undefined} the entry under way */
  joining = undefined;

  clock = realClock();
  leaving = new AbortController(); // ends what listens outside of the board
  sizes = new ResizeObserver(() => this.#sized());

  /** @param {AppOptions} options */
  constructor(options) {
    const {
      origin,
      room,
      token,
      restToken = token,
      theme = "light",
      imageLimit = 4 << 20,
      isOpen,
    } = options;
    this.options = options;
    this.origin = origin;
    this.room = room;
    this.imageLimit = imageLimit;
    this.rest = new Rest({ origin, token: restToken, room, isOpen: isOpen && !token });
    // Whoever is named neither by a token nor by the site around the board is a visitor.
    const isNamed = options.uid !== undefined || rightsOf(token ?? "").uid !== undefined;
    this.seats = isNamed ? undefined : new Seats(room, this.clock);
    this.session = new RoomSession({ origin, clock: this.clock, giveUpAfter: GIVE_UP });
    this.overlay = new Overlay(this.session);
    this.element = h(
      "div",
      { class: "br", lang: languageTag(), "data-theme": theme },
      piece("board"),
    );
    this.paper = find(this.element, ".paper");
    this.paper.setAttribute("aria-roledescription", t("board.role"));
    options.root.append(this.element);
    // A worker has to be of the page's own origin.
    const words = { text: t("board.text") };
    const isLocal = origin !== location.origin;
    const source = this.overlay;
    this.board = new Board({
      root: this.paper,
      source: /** @type {any} */ (source),
      session: this.#hands(),
      clock: this.clock,
      theme,
      words,
      isLocal,
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

  get me() {
    return this.session.state.members.get(this.session.member ?? -1);
  }

  get others() {
    return [...this.session.state.members.values()].filter((member) => member !== this.me);
  }

  get isHost() {
    return this.me?.role === "admin";
  }

  /**
   * @returns {Session} as the board has it: drawing goes on over a short outage, and waits to go
   *   out
   */
  #hands() {
    const { session } = this;
    const holds = () => session.phase === "reconnecting" && !session.trying.isLost;
    const isWritable = () =>
      (session.phase === "connected" || holds()) && this.me?.writable === true;
    return {
      get member() {
        return session.member;
      },
      get limits() {
        return session.limits;
      },
      get state() {
        return session.state;
      },
      get writable() {
        return isWritable();
      },
      nextElement: () => session.nextElement(),
      send: (name, payload) => session.send(name, payload),
    };
  }

  #listen() {
    const { board, element, paper, session, options, toolbar, dialogs, follow } = this;
    board.onTool = board.onStyle = () => toolbar.update();
    board.onSelection = (ids) => {
      toolbar.selected(ids);
      if (ids.length) this.voice.say(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (_, byHand) => {
      this.bars.showZoom();
      follow.moved(byHand);
    };
    board.onImage = () => this.pages.touched();
    board.onRefused = (refusal) => this.refused(refusal);
    const zoom = (/** @type {1 | -1} */ by) => board.moveView(() => board.view.zoomStep(by));
    const clear = () => this.send("sceneCleaned", { retainPPT: true });
    /** @type {Record<string, (() => void) | undefined>} what buttons do, by their `data-do` */
    const doings = {
      undo: () => board.undo(),
      redo: () => board.redo(),
      zoomIn: () => zoom(1),
      zoomOut: () => zoom(-1),
      zoomFull: () => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 })),
      fit: () => board.fit(),
      front: () => board.order("front"),
      back: () => board.order("back"),
      copy: () => board.duplicate(),
      lock: () => board.lock(true),
      unlock: () => board.lock(false),
      remove: () => board.remove(),
      hand: () => this.send("handRaised", { raised: !hasHandUp(this.me) }),
      present: () => follow.choose(follow.mode === "broadcaster" ? "freedom" : "broadcaster"),
      follow: () => follow.choose(follow.mode === "freedom" ? "follower" : "freedom"),
      write: () => this.send("memberWritable", { writable: true }),
      now: () => this.wake(),
      again: () => this.join().catch(() => {}),
      lockBoard: () => this.send("roomLocked", { locked: session.state.lock === undefined }),
      clear: () => dialogs.confirm(t("members.clearAsk"), t("members.clear"), clear),
      share: () => dialogs.share(),
      export: () => dialogs.export(),
      image: () => dialogs.image(),
      help: () => dialogs.help(),
      ...options.actions,
    };
    element.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("[data-do], [data-tool]");
      const { tool, do: doing = "" } = /** @type {HTMLElement | null} */ (button)?.dataset ?? {};
      if (tool) board.tool = tool;
      doings[doing]?.();
    });
    const from = /** @type {HTMLElement} */ (options.root === document.body ? document : element);
    const { signal } = this.leaving;
    from.addEventListener("keydown", (event) => takeKey(this, event), { signal });
    from.addEventListener("keyup", (event) => takeKey(this, event), { signal });
    from.addEventListener("paste", (event) => dialogs.takeImages(event), { signal });
    paper.addEventListener("dragover", (event) => event.preventDefault());
    paper.addEventListener("drop", (event) => dialogs.takeImages(event));
    paper.addEventListener("pointerdown", () => paper.focus({ preventScroll: true }), true);
    // Pixels that become finer change sizes in them only.
    this.sizes.observe(element);
    this.#watchPixels();
    this.#sized();
  }

  #watchPixels() {
    const { signal } = this.leaving;
    const turned = () => {
      this.#sized();
      this.board.stage.ask();
      this.#watchPixels();
    };
    const now = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    if (!signal.aborted) now.addEventListener("change", turned, { signal, once: true });
  }

  #sized() {
    if (this.pixels !== devicePixelRatio) this.pages.repaint();
    this.pixels = devicePixelRatio;
    const isNarrow = this.element.getBoundingClientRect().width < NARROW;
    this.element.classList.toggle("is-narrow", isNarrow);
    if (isNarrow === this.isNarrow) return;
    this.isNarrow = isNarrow;
    this.pages.popover.close(false);
    this.pages.render();
    this.members.render();
  }

  /**
   * Enters the room; who asks again meanwhile waits for the same.
   * @returns {Promise<{member: number}>}
   */
  join() {
    this.joining ??= this.#join().finally(() => {
      this.joining = undefined;
    });
    return this.joining;
  }

  async #join() {
    const { session, banner, bars, options } = this;
    banner.show("connecting", null);
    bars.undo.disabled = bars.redo.disabled = true;
    const { room, token = "", payload, isWritable = true } = options;
    const uid = this.seats ? await this.seats.take() : options.uid;
    const callbacks = this.#callbacks();
    return session.join({ room, token, uid, payload, isWritable, callbacks }).catch((refusal) => {
      this.#ended(refusal);
      throw refusal;
    });
  }

  /** @param {any} why */
  #ended(why) {
    this.banner.show(this.session.phase, why);
    this.voice.say(endText(why));
  }

  /** What the session tells: the page first, then whoever has put it into theirs. */
  #callbacks() {
    const { session, banner, bars, board, options } = this;
    /** @type {Record<string, (...said: any[]) => void>} */
    const own = {
      firePhaseChanged: (phase) => {
        banner.show(phase, phase === "connected" ? null : undefined);
        if (phase === "connected") this.#settleTool();
        if (phase === "disconnected") this.seats?.leave();
        this.update();
      },
      attempting: () => {
        banner.render();
        this.toolbar.update();
      },
      fireBeingAbleToCommitChange: (isAble) => {
        if (isAble && board.tool === "hand") board.tool = "pen";
        this.#settleTool();
        this.pages.render();
        this.update();
      },
      fireKickedWithReason: (kick) => this.#ended({ code: "kicked", kick }),
      fireDisconnectWithError: (refusal) => this.#ended(refusal),
      hosting: (token) => {
        this.rest.token = options.token = token;
        options.onHosting?.(token);
      },
      fireCatchErrorWhenAppendFrame: (member) =>
        banner.note(t("note.misfit", { name: this.authorOf(member ?? -1) }), true),
      fireCanUndoStepsUpdate: (steps) => {
        bars.undo.disabled = steps === 0;
      },
      fireCanRedoStepsUpdate: (steps) => {
        bars.redo.disabled = steps === 0;
      },
      changed: (change, rec) => this.#changed(change, rec),
    };
    const given = /** @type {Record<string, any>} */ (options.callbacks ?? {});
    const callbacks = { ...given };
    for (const [name, hear] of Object.entries(own)) {
      callbacks[name] = (/** @type {any[]} */ ...said) => {
        hear(...said);
        given[name]?.(...said);
      };
    }
    return callbacks;
  }

  /**
   * The machine is awake, the network back, the page in sight again: what was waited for is done
   * now. An outage that was given up is no reason to stay away.
   */
  wake() {
    const { session, banner } = this;
    session.networkBack();
    if (session.phase === "disconnected" && banner.end?.code === "timeout")
      this.join().catch(() => {});
  }

  /**
   * The page goes, perhaps to come back.
   * @returns whether it was in the room
   */
  part() {
    const wasHere = this.joining !== undefined || this.session.phase !== "disconnected";
    this.session.part();
    return wasHere;
  }

  /** Who may not write has the hand in hand, also who comes and never might. */
  #settleTool() {
    if (this.me?.writable === false) this.board.tool = "hand";
  }

  /**
   * @param {FoldChange} foldChange
   * @param {Record_ | null} rec
   */
  #changed({ all, fields, scenes }, rec) {
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    if (has("scenes", "currentScene")) this.pages.render();
    this.pages.touched(all ? undefined : scenes);
    if (has(...SHOWN)) this.update();
    else if (fields.has("pointer")) this.#presence();
    if (has("camera")) this.follow.update();
    if (rec && rec.by !== this.session.member) this.#tell(rec);
  }

  update() {
    this.members.render();
    this.#presence();
    this.toolbar.update();
    this.follow.update();
    this.bars.update();
  }

  #presence() {
    this.board.presence.set(
      this.others.map((member) => ({
        number: member.id,
        name: nameOf(member),
        colour: TONES[toneOf(member.id)],
        pointer: member.pointer,
        isAway: member.phase === "reconnecting",
        isPointing: member.state.plain().isPointing === true,
        hasRaised: hasHandUp(member),
      })),
    );
  }

  /**
   * Of somebody else: what a listener is told of it.
   * @param {Record_} rec
   */
  #tell(rec) {
    const name = this.authorOf(rec.by ?? -1);
    const said = /** @type {any} */ (
      (["elementPut", "handRaised"].includes(rec.name) && body(rec)) || {}
    );
    if (rec.name === "memberJoined") this.voice.say(t("says.joined", { name }));
    if (rec.name === "sceneSwitched") this.voice.say(t("says.turned", { name }), "page");
    if (said.type)
      this.voice.say(t("says.added", { name, thing: t(`thing.${said.type}`) }), `added ${name}`);
    if (said.raised === true) this.banner.note(t("says.hand", { name }), false, "raise");
  }

  /** @param {number} member */
  authorOf(member) {
    const found = this.session.state.members.get(member);
    return member === this.session.member
      ? t("members.you")
      : found
        ? nameOf(found)
        : t("members.gone");
  }

  /** @param {any} why is said, if it is a refusal */
  refused(why) {
    if (why?.code === undefined) throw why;
    this.banner.note(refusalText(why), true);
    this.voice.say(refusalText(why));
    return false;
  }

  /**
   * Was it done? Why not, is said.
   * @param {Promise<any>} task
   */
  done(task) {
    return task.then(
      () => true,
      (why) => this.refused(why),
    );
  }

  /**
   * @param {string} name
   * @param {any} of
   */
  send(name, of) {
    return this.done(this.session.send(name, of));
  }

  /** @param {Theme} theme */
  dress(theme) {
    this.element.dataset.theme = theme;
    this.board.theme = theme;
    this.toolbar.update();
    this.pages.touched();
  }

  /** Leaves the room and takes the board away. */
  close() {
    return this.session.disconnect().then(() => this.remove());
  }

  remove() {
    this.leaving.abort();
    this.sizes.disconnect();
    this.banner.stopCounting();
    this.board.close();
    this.element.remove();
  }
}
