// The board page in one element; `main.js` puts it into a page of its own, `embed.js` into somebody
// else's.
import { realClock } from "../../protocol/clock.js";
import { Rest, rightsOf } from "../../protocol/rest.js";
import { Overlay } from "../../state/overlay.js";
import { RoomSession } from "../../state/session.js";
import { find, h, piece } from "../../ui/dom.js";
import { languageTag, refusalText, t } from "../../ui/i18n.js";
import { nameOf, presenceOf } from "../../ui/people.js";
import { Voice } from "../../ui/voice.js";
import { Board } from "../board.js";
import { reactionOf } from "../reactions.js";
import { actionsOf } from "./actions.js";
import { Banner, endText } from "./banner.js";
import { Bars } from "./bars.js";
import { callbacksOf } from "./callbacks.js";
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

/** A board of fewer pixels in width is narrow. */
const NARROW = 720;

/** Ms of an outage after which the page gives up: a lesson outlasts a broken router. */
const GIVE_UP = 20 * 60_000;

/** Bytes of an image, if the server says nothing. */
const IMAGE_LIMIT = 4 << 20;

export class App {
  isNarrow = false;

  /** Pixels of the screen for one of the page. */
  pixels = devicePixelRatio;

  /** @type {Spot | undefined} where the pointer was last, on the board */
  hand = undefined;

  /** @type {Promise<{member: number}> | undefined} the entry under way */
  joining = undefined;

  clock = realClock();

  /** Ends what listens outside of the board. */
  leaving = new AbortController();

  sizes = new ResizeObserver(() => this.#sized());

  /** @param {AppOptions} options */
  constructor(options) {
    const { origin, room, token, restToken = token, theme = "light", isOpen } = options;
    this.options = options;
    this.origin = origin;
    this.room = room;
    this.imageLimit = options.imageLimit ?? IMAGE_LIMIT;
    this.rest = new Rest({ origin, token: restToken, room, isOpen: isOpen && !token });
    // Whoever is named neither by a token nor by the site around the board is a visitor.
    const isNamed = options.uid !== undefined || rightsOf(token ?? "").uid !== undefined;
    this.seats = isNamed ? undefined : new Seats(room, this.clock);
    this.session = new RoomSession({ origin, clock: this.clock, giveUpAfter: GIVE_UP });
    this.overlay = new Overlay(this.session);
    const look = { class: "br", lang: languageTag(), "data-theme": theme };
    this.element = h("div", look, piece("board"));
    this.paper = find(this.element, ".paper");
    this.paper.setAttribute("aria-roledescription", t("board.role"));
    options.root.append(this.element);
    this.board = this.#makeBoard(theme);
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
    this.#followBoard();
    this.#listenToButtons();
    this.#listenToKeys();
    this.#listenToPaper();
    this.#watchSize();
    this.update();
  }

  /** The own member; none: this page is not in the room. */
  get me() {
    return this.session.state.members.get(this.session.member ?? -1);
  }

  get others() {
    return [...this.session.state.members.values()].filter((member) => member !== this.me);
  }

  get isHost() {
    return this.me?.role === "admin";
  }

  /** @param {Theme} theme */
  #makeBoard(theme) {
    return new Board({
      root: this.paper,
      source: /** @type {any} */ (this.overlay),
      session: this.#boardSession(),
      clock: this.clock,
      theme,
      words: { text: t("board.text") },
      // A worker has to be of the page's own origin.
      isLocal: this.origin !== location.origin,
    });
  }

  /**
   * @returns {Session} as the board has it: drawing goes on over a short outage, and waits to go
   *   out
   */
  #boardSession() {
    const { session } = this;
    const isWritable = () => this.#isHere && this.me?.writable === true;
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

  /** Whether this page is in the room, or will soon be in it again. */
  get #isHere() {
    const { phase, trying } = this.session;
    return phase === "connected" || (phase === "reconnecting" && !trying.isLost);
  }

  #followBoard() {
    const { board, toolbar } = this;
    board.onTool = () => toolbar.update();
    board.onStyle = () => toolbar.update();
    board.onSelection = (ids) => {
      toolbar.selected(ids);
      if (ids.length) this.voice.say(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (_, byHand) => {
      this.bars.showZoom();
      this.follow.moved(byHand);
    };
    board.onImage = () => this.pages.touched();
    board.onRefused = (refusal) => this.refused(refusal);
  }

  #listenToButtons() {
    const actions = actionsOf(this);
    this.element.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest(
        "[data-do], [data-tool], [data-react]",
      );
      const dataset = /** @type {HTMLElement | null} */ (button)?.dataset ?? {};
      const { tool, react, do: action = "" } = dataset;
      if (react) this.react(react);
      if (tool) this.board.tool = tool;
      actions[action]?.();
    });
  }

  /** Keys, and images that are pasted: anywhere in a page of its own, else where the board is. */
  #listenToKeys() {
    const isWholePage = this.options.root === document.body;
    const around = /** @type {HTMLElement} */ (isWholePage ? document : this.element);
    const { signal } = this.leaving;
    around.addEventListener("keydown", (event) => takeKey(this, event), { signal });
    around.addEventListener("keyup", (event) => takeKey(this, event), { signal });
    around.addEventListener("paste", (event) => this.dialogs.takeImages(event), { signal });
  }

  #listenToPaper() {
    const { paper } = this;
    paper.addEventListener("dragover", (event) => event.preventDefault());
    paper.addEventListener("drop", (event) => this.dialogs.takeImages(event));
    paper.addEventListener("pointermove", ({ clientX, clientY }) => {
      const { left, top } = paper.getBoundingClientRect();
      this.hand = this.board.view.toScene({ x: clientX - left, y: clientY - top });
    });
    paper.addEventListener("pointerdown", () => paper.focus({ preventScroll: true }), true);
  }

  #watchSize() {
    this.sizes.observe(this.element);
    this.#watchPixels();
    this.#sized();
  }

  /** Pixels that become finer change sizes in them only. */
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
    bars.undo.disabled = true;
    bars.redo.disabled = true;
    const { room, token = "", payload, isWritable = true } = options;
    const uid = this.seats ? await this.seats.take() : options.uid;
    const callbacks = callbacksOf(this);
    return session.join({ room, token, uid, payload, isWritable, callbacks }).catch((refusal) => {
      this.ended(refusal);
      throw refusal;
    });
  }

  /** @param {any} why the stay is over */
  ended(why) {
    this.banner.show(this.session.phase, why);
    this.voice.say(endText(why));
  }

  /**
   * The machine is awake, the network back, the page in sight again: what was waited for is done
   * now. An outage that was given up is no reason to stay away.
   */
  wake() {
    const { session, banner } = this;
    session.networkBack();
    const isGivenUp = session.phase === "disconnected" && banner.end?.code === "timeout";
    if (isGivenUp) this.join().catch(() => {});
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
  settleTool() {
    if (this.me?.writable === false) this.board.tool = "hand";
  }

  /** @param {FoldChange} change of the room's state */
  changed({ all, fields, scenes }) {
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    if (has("scenes", "currentScene")) this.pages.render();
    this.pages.touched(all ? undefined : scenes);
    if (has(...SHOWN)) this.update();
    else if (fields.has("pointer")) this.#showOthers();
    if (has("camera")) this.follow.update();
  }

  update() {
    this.members.render();
    this.#showOthers();
    this.toolbar.update();
    this.follow.update();
    this.bars.update();
  }

  #showOthers() {
    this.board.presence.set(this.others.map(presenceOf));
  }

  /** @param {number} member @returns what to call them */
  authorOf(member) {
    if (member === this.session.member) return t("members.you");
    const found = this.session.state.members.get(member);
    return found ? nameOf(found) : t("members.gone");
  }

  /** @param {any} why is said, if it is a refusal */
  refused(why) {
    if (why?.code === undefined) throw why;
    this.banner.note(refusalText(why), true);
    this.voice.say(refusalText(why));
    return false;
  }

  /** @param {string} emoji is shown to everybody */
  react(emoji) {
    return this.send("reaction", reactionOf(emoji, this.board, this.hand));
  }

  /**
   * @param {Promise<any>} task
   * @returns whether it was done; why not, is said
   */
  done(task) {
    return task.then(
      () => true,
      (why) => this.refused(why),
    );
  }

  /**
   * @param {string} name of a command
   * @param {any} payload
   */
  send(name, payload) {
    return this.done(this.session.send(name, payload));
  }

  /** @param {Theme} theme */
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
    this.leaving.abort();
    this.sizes.disconnect();
    this.banner.stopCounting();
    this.board.close();
    this.element.remove();
  }
}
