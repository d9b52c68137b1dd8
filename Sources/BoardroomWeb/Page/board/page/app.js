// The board with all that is around it, in one element; `main.js` puts it into a page of its own,
// `embed.js` into a page of another site.
import { realClock } from "../../protocol/clock.js";
import { Rest, rightsOf } from "../../protocol/rest.js";
import { Overlay } from "../../state/overlay.js";
import { RoomSession } from "../../state/session.js";
import { find, h, piece } from "../../ui/dom.js";
import { focused, markReached } from "../../ui/focus.js";
import { languageTag, refusalText, t } from "../../ui/i18n.js";
import { boundedName, nameOf, presenceOf } from "../../ui/people.js";
import { Popover } from "../../ui/popover.js";
import { Voice } from "../../ui/voice.js";
import { Board } from "../board.js";
import { actionsOf } from "./actions.js";
import { AskName } from "./ask-name.js";
import { Banner, endText } from "./banner.js";
import { Bars } from "./bars.js";
import { callbacksOf } from "./callbacks.js";
import { Clipboard } from "./clipboard.js";
import { ContextMenu } from "./context-menu.js";
import { Dialogs } from "./dialogs.js";
import { ElementList } from "./element-list.js";
import { Exports } from "./exports.js";
import { Features } from "./features.js";
import { Files } from "./files.js";
import { Follow } from "./follow.js";
import { Members } from "./members.js";
import { Pages } from "./pages.js";
import { handleKey } from "./shortcuts.js";
import { Toolbar } from "./toolbar.js";
import { VisitorTab } from "./visitor-tab.js";

/** Parts of the state that the bars and panels show. */
const SHOWN_FIELDS = [
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

/** A board with less width, in CSS pixels, is narrow. */
const NARROW_WIDTH = 720;

/** One with less height has its bars in one row, if it is narrow; for fingers it is narrow then. */
const SHORT_HEIGHT = 500;

/** One with less height has its tools in two columns: for the mouse, for fingers. */
const LOW_HEIGHTS = { fine: 660, coarse: 800 };

/**
 * Ms of an outage after which the page gives up: longer than the restart of a router takes in a
 * lesson.
 */
const GIVE_UP_AFTER = 20 * 60_000;

/** Bytes of an image at most, if the server names no limit. */
const IMAGE_LIMIT = 4 << 20;

export class App {
  isNarrow = false;

  /** Panels come from below: for fingers, and where there is no room beside the bars. */
  hasSheets = false;

  /** Device pixels of one CSS pixel. */
  pixelRatio = devicePixelRatio;

  /** @type {Spot | undefined} the last position of the pointer, on the board */
  lastPointer = undefined;

  /** The scene that was shown last. */
  shownScene = 0;

  /** @type {Promise<{member: number}> | undefined} the join that is under way */
  joining = undefined;

  clock = realClock();

  /** Ends the listeners outside of the board. */
  abort = new AbortController();

  sizes = new ResizeObserver(() => this.#onResize());

  /** @param {AppOptions} options */
  constructor(options) {
    const { origin, room, token, restToken = token, theme = "light", isOpen } = options;
    this.options = options;
    this.origin = origin;
    this.room = room;
    this.imageLimit = options.imageLimit ?? IMAGE_LIMIT;
    this.rest = new Rest({ origin, token: restToken, room, isOpen: isOpen && !token });
    // Someone whom neither the token nor the site around the board names is a visitor.
    const isNamed = options.uid !== undefined || rightsOf(token ?? "").uid !== undefined;
    this.visitorTab = isNamed ? undefined : new VisitorTab(room, this.clock);
    const { servers = origin } = options;
    this.session = new RoomSession({
      origin: servers,
      clock: this.clock,
      giveUpAfter: GIVE_UP_AFTER,
    });
    this.overlay = new Overlay(this.session);
    const look = { class: "br", lang: languageTag(), "data-theme": theme };
    this.element = h("div", look, piece("board"));
    this.paper = find(this.element, ".paper");
    this.paper.setAttribute("aria-roledescription", t("board.role"));
    options.root.append(this.element);
    this.board = this.#makeBoard(theme);
    this.features = new Features(this);
    this.banner = new Banner(this);
    this.voice = new Voice(this.clock);
    this.element.append(this.voice.element);
    this.dialogs = new Dialogs(this);
    this.exports = new Exports(this);
    this.files = new Files(this);
    this.clipboard = new Clipboard(this);
    this.toolbar = new Toolbar(this);
    this.pages = new Pages(this);
    this.members = new Members(this);
    this.follow = new Follow(this);
    this.elementList = new ElementList(this);
    this.bars = new Bars(this);
    this.askName = new AskName(this);
    this.contextMenu = new ContextMenu(this);
    this.#followBoard();
    this.#listenToButtons();
    this.#listenToKeys();
    this.#listenToPaper();
    this.#watchSize();
    this.update();
  }

  /** The own member; undefined: this page is not in the room. */
  get me() {
    return this.session.me;
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
      images: { origin: this.origin, room: this.room },
      // A worker has to come from the page's own origin.
      isLocal: this.origin !== location.origin,
    });
  }

  /**
   * @returns {Session} for the board: drawing goes on in a short outage, and is sent
   *   after it
   */
  #boardSession() {
    const { session } = this;
    const isWritable = () => this.#isPresent && this.me?.writable === true;
    return {
      get member() {
        return session.member;
      },
      get limits() {
        return session.limits;
      },
      get epoch() {
        return session.epoch;
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

  /** Whether this page is in the room, or is likely to be in it again soon. */
  get #isPresent() {
    const { phase, trying } = this.session;
    return phase === "connected" || (phase === "reconnecting" && !trying.isLost);
  }

  #followBoard() {
    const { board, toolbar } = this;
    board.onTool = () => toolbar.update();
    board.onStyle = () => toolbar.update();
    board.onSelection = (ids) => {
      toolbar.onSelection(ids);
      if (ids.length) this.voice.announce(t("select.count", { count: ids.length }), "selection");
    };
    board.onView = (_, byHand) => {
      this.bars.showZoom();
      this.follow.onViewMoved(byHand);
    };
    board.onImage = () => this.pages.markStale();
    // A tap on the paper that closes a panel draws nothing.
    board.onPress = (event) => this.hasSheets && Popover.closedBy === event;
    board.onRefused = (refusal) => this.showRefusal(refusal);
  }

  #listenToButtons() {
    const actions = actionsOf(this);
    this.element.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("[data-do], [data-tool]");
      const dataset = /** @type {HTMLElement | null} */ (button)?.dataset ?? {};
      const { tool, do: action = "" } = dataset;
      if (tool) this.board.tool = tool;
      actions[action]?.();
    });
  }

  /** Keys: anywhere in a page of its own, else in the element of the board. */
  #listenToKeys() {
    const isWholePage = this.options.root === document.body;
    const around = /** @type {HTMLElement} */ (isWholePage ? document : this.element);
    const { signal } = this.abort;
    around.addEventListener("keydown", (event) => handleKey(this, event), { signal });
    around.addEventListener("keyup", (event) => handleKey(this, event), { signal });
  }

  #listenToPaper() {
    const { paper } = this;
    markReached(paper, this.abort.signal);
    paper.addEventListener("dragover", (event) => event.preventDefault());
    paper.addEventListener("drop", (event) => this.files.drop(event));
    paper.addEventListener("pointermove", (event) => {
      this.lastPointer = this.placeOf(event);
    });
    paper.addEventListener("pointerdown", () => paper.focus({ preventScroll: true }), true);
  }

  /** @param {MouseEvent} event @returns {Spot} of the scene */
  placeOf({ clientX, clientY }) {
    const { left, top } = this.paper.getBoundingClientRect();
    return this.board.view.toScene({ x: clientX - left, y: clientY - top });
  }

  #watchSize() {
    this.sizes.observe(this.element);
    this.#watchPixels();
    this.#onResize();
  }

  /** The size of a device pixel can change without any other change of size. */
  #watchPixels() {
    const { signal } = this.abort;
    const turned = () => {
      this.#onResize();
      this.board.stage.requestFrame();
      this.#watchPixels();
    };
    const now = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    if (!signal.aborted) now.addEventListener("change", turned, { signal, once: true });
  }

  #onResize() {
    if (this.pixelRatio !== devicePixelRatio) this.pages.repaint();
    this.pixelRatio = devicePixelRatio;
    const wasNarrow = this.isNarrow;
    this.#measure();
    this.toolbar.resize();
    if (wasNarrow === this.isNarrow) return;
    this.pages.popover.close(false);
    this.pages.render();
    this.members.render();
  }

  /** Decides how the bars are laid out: board.css says how. */
  #measure() {
    const { width, height } = this.element.getBoundingClientRect();
    const isCoarse = matchMedia("(pointer: coarse)").matches;
    const isShort = height < SHORT_HEIGHT;
    this.isNarrow = width < NARROW_WIDTH || (isCoarse && isShort);
    this.hasSheets = this.isNarrow || isCoarse;
    const { classList } = this.element;
    classList.toggle("is-narrow", this.isNarrow);
    classList.toggle("is-short", this.isNarrow && isShort && width > height);
    classList.toggle("is-low", height < LOW_HEIGHTS[isCoarse ? "coarse" : "fine"]);
    classList.toggle("has-sheets", this.hasSheets);
  }

  get #openPanels() {
    return [...Popover.opened].filter(({ panel }) => this.element.contains(panel));
  }

  /**
   * Closes the panel that was opened last.
   * @returns whether there is one; that of the style stays beside what it is about
   */
  closePanel() {
    const { board, element, toolbar } = this;
    const open = this.#openPanels.at(-1);
    const isBeside = open === toolbar.style && !this.hasSheets && board.selection.length > 0;
    if (!open || isBeside || board.input.drag) return false;
    open.close(open.panel.contains(focused(element)));
    return true;
  }

  /** @param {string} given what this member is called from here on; "": as a guest */
  rename(given) {
    const name = boundedName(given);
    this.options.onRenamed?.(name);
    return this.send("memberState", { name: name || null });
  }

  /**
   * Joins the room; a second call while one is under way waits for the same join.
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
    const { room, token = "", payload, isWritable = true, page } = options;
    const uid = this.visitorTab ? await this.visitorTab.chooseUid() : options.uid;
    const callbacks = callbacksOf(this);
    const joining = session.join({ room, token, uid, payload, isWritable, callbacks });
    const joined = await joining.catch((refusal) => {
      this.showEnd(refusal);
      throw refusal;
    });
    const isFree = this.follow.mode !== "follower";
    if (page !== undefined && isFree && session.state.scene(page)) session.lookAt(page);
    return joined;
  }

  /** @param {any} why why the session ended */
  showEnd(why) {
    this.banner.show(this.session.phase, why);
    this.voice.announce(endText(why));
  }

  /**
   * The machine is awake, the network is back, or the page is in sight again: what is due is done
   * now, and if the session was given up in an outage, the page joins again.
   */
  resume() {
    const { session, banner } = this;
    session.networkBack();
    const isGivenUp = session.phase === "disconnected" && banner.end?.code === "timeout";
    if (isGivenUp) this.join().catch(() => {});
  }

  /**
   * Leaves the room at once: the browser takes the page away, perhaps to bring it back.
   * @returns whether it was in the room
   */
  leaveAtOnce() {
    const wasHere = this.joining !== undefined || this.session.phase !== "disconnected";
    this.session.leaveAtOnce();
    return wasHere;
  }

  /** A member that is not allowed to write gets the hand tool. */
  restrictTool() {
    if (this.me?.writable === false) this.board.tool = "hand";
  }

  /** @param {FoldChange} change of the room's state */
  changed({ all, fields, scenes }) {
    const has = (/** @type {string[]} */ ...names) => all || names.some((name) => fields.has(name));
    if (has("created")) this.options.onTitle?.(this.session.state.created?.name ?? "");
    const isTurned = this.shownScene !== this.session.scene;
    this.shownScene = this.session.scene;
    if (isTurned || has("scenes", "currentScene")) {
      this.pages.render();
      this.#keepPage();
    }
    this.pages.markStale(all ? undefined : scenes);
    if (isTurned || has("scenes", "currentScene", ...SHOWN_FIELDS)) this.update();
    else if (fields.has("pointer")) this.#showOthers();
    if (has("camera")) this.follow.update();
  }

  /** The page that this member looks at alone is that with which it joins again. */
  #keepPage() {
    const { options, session, pages } = this;
    options.page = pages.isElsewhere ? session.scene : undefined;
    options.onTurned?.(options.page);
  }

  update() {
    this.members.render();
    this.#showOthers();
    this.toolbar.update();
    this.follow.update();
    this.bars.update();
    this.askName.update();
  }

  #showOthers() {
    const { state } = this.session;
    this.board.presence.update(this.others.map((member) => presenceOf(state, member)));
  }

  /** @param {number} member @returns what to call them */
  authorOf(member) {
    if (member === this.session.member) return t("members.you");
    const found = this.session.state.members.get(member);
    return found ? nameOf(found) : t("members.gone");
  }

  /** @param {any} why is shown, if it is a refusal */
  showRefusal(why) {
    if (why?.code === undefined) throw why;
    this.banner.addNote(refusalText(why), true);
    this.voice.announce(refusalText(why));
    return false;
  }

  /**
   * @param {Promise<any>} task
   * @returns whether it was done; if not, the refusal is shown
   */
  succeeds(task) {
    return task.then(
      () => true,
      (why) => this.showRefusal(why),
    );
  }

  /**
   * @param {string} name of a command
   * @param {any} payload
   */
  send(name, payload) {
    return this.succeeds(this.session.send(name, payload));
  }

  /** @param {Theme} theme */
  setTheme(theme) {
    this.element.dataset.theme = theme;
    this.board.theme = theme;
    this.toolbar.update();
    this.pages.markStale();
  }

  /** Leaves the room and removes the board. */
  async close() {
    await this.session.disconnect();
    this.remove();
  }

  remove() {
    this.abort.abort();
    this.sizes.disconnect();
    this.banner.stopCounting();
    for (const open of this.#openPanels) {
      open.close(false);
    }
    this.board.close();
    this.element.remove();
  }
}
