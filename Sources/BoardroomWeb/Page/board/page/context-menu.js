// The menu at the pointer: the right button, a finger that stays down, the menu key and Shift+F10
// open it for what is under the pointer, or for what is selected.
import { t } from "../../ui/i18n.js";
import { Menu } from "../../ui/menu.js";
import { keep, kept } from "../../ui/storage.js";
import { act } from "../keys.js";
import { Part } from "./part.js";
import { showWhoMade } from "./who-made.js";

/** @typedef {import("../../ui/menu.js").MenuItem} MenuItem */

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform ?? "");

/** @param {string} keys such as `Ctrl+⇧+G` */
const shownKeys = (keys) => (isMac ? keys.replace("Ctrl", "⌘").replace("Alt", "⌥") : keys);

export class ContextMenu extends Part {
  /** @type {Menu | undefined} */
  menu = undefined;

  /** @param {App} app */
  constructor(app) {
    super(app);
    app.board.snapping.isAlways = kept("snap") === "true";
    app.board.keepsTool = kept("keepsTool") === "true";
    app.board.onMenu = (at) => this.openAt(at);
    app.paper.setAttribute("aria-haspopup", "menu");
    app.paper.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const isKey = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
    if (!isKey || event.target !== this.app.paper) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(this.#middle, undefined);
  }

  /** In the middle of what is selected, or of the view. */
  get #middle() {
    const { selected, view } = this.app.board;
    const { frame } = selected;
    const at = frame ? view.toScreen(frame.middle) : { x: view.width / 2, y: view.height / 2 };
    const x = Math.min(Math.max(at.x, 0), view.width);
    const y = Math.min(Math.max(at.y, 0), view.height);
    return { x, y };
  }

  /**
   * For what is at a place, which is selected with its group.
   * @param {Point} point
   */
  openAt(point) {
    const { board } = this.app;
    const { selected, groups } = board;
    const hit = board.sceneContent.index.hit(point.at, board.hitRadius(point));
    const isMeant = hit ? selected.ids.has(hit.id) : selected.surrounds(point.at);
    if (!isMeant) {
      groups.leaveFor(hit);
      if (hit) board.tool = "select";
      board.select(hit ? groups.whole([hit]) : []);
    }
    this.#show(point.screen, point.screen);
  }

  /**
   * @param {Spot} at of the paper
   * @param {Spot | undefined} pointer where something is put
   */
  #show(at, pointer) {
    const { app } = this;
    this.menu?.close();
    app.toolbar.style.close(false);
    const items =
      app.board.selection.length > 0 ? this.#ofSelection(pointer) : this.#ofPaper(pointer);
    const onClose = () => app.paper.focus({ preventScroll: true });
    const label = t("context.title");
    this.menu = new Menu(app.element, { label, items: tidied(items), at, onClose });
  }

  /**
   * @param {string} word
   * @param {string} keys
   * @param {() => void} run
   * @returns {MenuItem}
   */
  #item(word, keys, run) {
    return { label: t(word), keys: shownKeys(keys), run };
  }

  /**
   * @param {Spot | undefined} at where the pointer has asked for it
   * @returns {(MenuItem | false)[]}
   */
  #ofSelection(at) {
    const { board, clipboard } = this.app;
    const { canWrite, selected } = board;
    const isFree = canWrite && selected.free.length > 0;
    const count = selected.free.length;
    return [
      isFree && this.#item("context.cut", "Ctrl+X", () => void clipboard.cut()),
      this.#item("context.copy", "Ctrl+C", () => void clipboard.copy()),
      ...this.#pasting(at),
      canWrite && this.#item("context.duplicate", "Ctrl+D", () => board.duplicate()),
      "",
      isFree && { label: t("context.order"), items: this.#orders() },
      isFree && { label: t("context.arrange"), items: this.#arrangements(count) },
      isFree &&
        count > 1 &&
        !board.groups.isOne &&
        this.#item("context.group", "Ctrl+G", () => board.groups.group()),
      isFree &&
        board.groups.isAny &&
        this.#item("context.ungroup", "Ctrl+⇧+G", () => board.groups.ungroup()),
      canWrite && this.#locking(),
      "",
      this.#item("context.zoom", "⇧+2", () => board.fitSelection()),
      this.#item("context.all", "Ctrl+A", () => board.selectAll()),
      this.#copying(),
      { label: t("context.export"), items: this.app.exports.items },
      { label: t("who.title"), run: () => void showWhoMade(this.app, selected.topmost?.id) },
      "",
      isFree && this.#item("context.remove", "Delete", () => board.remove()),
    ];
  }

  /** @returns {MenuItem} */
  #locking() {
    const { board } = this.app;
    const { isLocked } = board.selected;
    const word = isLocked ? "context.unlock" : "context.lock";
    return this.#item(word, "Ctrl+⇧+L", () => board.lock(!isLocked));
  }

  /**
   * @param {Spot | undefined} at
   * @returns {(MenuItem | false)[]}
   */
  #pasting(at) {
    const { board, clipboard } = this.app;
    if (!board.canWrite) return [];
    return [
      this.#item("context.paste", "Ctrl+V", () => void clipboard.paste({ at })),
      this.#item(
        "context.pasteInPlace",
        "Ctrl+⇧+V",
        () => void clipboard.paste({ isInPlace: true }),
      ),
    ];
  }

  /** @returns {MenuItem} of what is selected, or of the whole page */
  #copying() {
    const { clipboard } = this.app;
    return {
      label: t("context.copyAs"),
      items: [
        this.#item("context.copyPNG", "Alt+⇧+C", () => void clipboard.copyAs("png")),
        this.#item("context.copySVG", "Ctrl+⇧+C", () => void clipboard.copyAs("svg")),
      ],
    };
  }

  /** @returns {MenuItem[]} */
  #orders() {
    const { board } = this.app;
    return [
      this.#item("context.front", "Ctrl+⇧+]", () => board.reorder("front")),
      this.#item("context.forward", "Ctrl+]", () => board.reorder("forward")),
      this.#item("context.backward", "Ctrl+[", () => board.reorder("backward")),
      this.#item("context.back", "Ctrl+⇧+[", () => board.reorder("back")),
    ];
  }

  /**
   * @param {number} count of elements
   * @returns {MenuItem[]}
   */
  #arrangements(count) {
    const { board } = this.app;
    const isOff = { few: count < 2, two: count < 3 };
    const align = (/** @type {import("../align.js").Side} */ side, /** @type {string} */ key) => ({
      label: t(`align.${side}`),
      keys: shownKeys(`Alt+${key}`),
      isOff: isOff.few,
      run: () => board.align(side),
    });
    const spread = (/** @type {import("../align.js").Axis} */ axis, /** @type {string} */ key) => ({
      label: t(`distribute.${axis}`),
      keys: shownKeys(`Alt+⇧+${key}`),
      isOff: isOff.two,
      run: () => board.distribute(axis),
    });
    return [
      align("left", "A"),
      align("centre", "H"),
      align("right", "D"),
      align("top", "W"),
      align("middle", "V"),
      align("bottom", "S"),
      "",
      spread("x", "H"),
      spread("y", "V"),
      "",
      this.#item("flip.x", "⇧+H", () => board.flip("x")),
      this.#item("flip.y", "⇧+V", () => board.flip("y")),
    ];
  }

  /**
   * A choice that the browser keeps.
   * @param {string} word
   * @param {string} name under which it does
   * @param {any} part of the board
   * @param {string} key of the part
   * @returns {MenuItem}
   */
  #choice(word, name, part, key) {
    const run = () => {
      part[key] = !part[key];
      keep(name, String(part[key]));
    };
    return { label: t(word), isOn: part[key], run };
  }

  /**
   * @param {Spot | undefined} at
   * @returns {(MenuItem | false)[]}
   */
  #ofPaper(at) {
    const { board } = this.app;
    return [
      ...this.#pasting(at),
      this.#copying(),
      this.#item("context.all", "Ctrl+A", () => board.selectAll()),
      "",
      this.#item("view.fit", "⇧+1", () => board.fit()),
      this.#item("view.full", "⇧+0", () => act(board, "shift+Digit0")),
      "",
      board.canWrite && { label: t("file.open"), run: () => this.app.files.choose() },
      { label: t("export.open"), run: () => this.app.exports.ask() },
      "",
      board.canWrite && this.#choice("context.snap", "snap", board.snapping, "isAlways"),
      board.canWrite && this.#choice("context.keepTool", "keepsTool", board, "keepsTool"),
    ];
  }
}

/**
 * @param {(MenuItem | false)[]} items
 * @returns {MenuItem[]} without those that are not there, and lines with nothing between them
 */
function tidied(items) {
  const there = items.flatMap((item) => (item === false ? [] : item));
  return there.filter(
    (item, at) => item !== "" || (at > 0 && there[at - 1] !== "" && at < there.length - 1),
  );
}
