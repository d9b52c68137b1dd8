// Who is writing a text now: a name over each text that another member has open (`writing` in its
// state). It is told to screen readers, too.
import { spot } from "../render/geom.js";
import { t } from "../ui/i18n.js";

/** Pixels of the screen between a text and the name over it. */
const GAP = 10;

export class Writers {
  /** @type {Map<number, {root: HTMLElement, element: string}>} by the member's number */
  shown = new Map();

  layer = document.createElement("div");

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.layer.className = "writers";
    this.layer.setAttribute("role", "status");
    board.root.append(this.layer);
  }

  /** @param {Iterable<Other>} others */
  update(others) {
    const before = this.shown;
    const writing = [...others].filter((other) => other.writing && !other.isAway);
    this.shown = new Map(writing.map((other) => [other.number, this.#label(other)]));
    for (const [number, { root }] of before) {
      if (!this.shown.has(number)) root.remove();
    }
  }

  /** @param {Other} other */
  #label({ number, name, colour, writing: element = "" }) {
    const root = this.shown.get(number)?.root ?? document.createElement("div");
    const text = t("board.writing", { name });
    root.className = "writer";
    root.style.setProperty("--tone", colour);
    if (root.textContent !== text) root.textContent = text;
    if (!root.isConnected) this.layer.append(root);
    return { root, element };
  }

  /** Moves each name to its text; one whose text is on another page is not shown. */
  draw() {
    const { board } = this;
    for (const { root, element } of this.shown.values()) {
      const box = board.box(element);
      root.hidden = box === undefined;
      if (!box) continue;
      const { x, y } = board.view.toScreen(spot(box.left, box.top));
      root.style.transform = `translate(${Math.round(x)}px, ${Math.round(y - GAP)}px)`;
    }
  }

  close() {
    this.layer.remove();
  }
}
