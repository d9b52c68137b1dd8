// Painters of the layers of a board: one for all elements, and while hands carry very many of them
// another one for those, so that both are pictures that only have to be moved.
import { TilePainter } from "./tile-painter.js";

export class PainterGroup {
  /** @type {Map<number, TilePainter>} */
  #painters = new Map();

  /** @type {Map<string, CanvasImageSource | undefined>} */
  #images = new Map();

  /** @param {import("./tile-painter.js").PaintHost} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {number} number */
  painter(number) {
    const known = this.#painters.get(number);
    if (known) return known;
    const { host } = this;
    const made = new TilePainter({
      ...host,
      answer: (message, transfer) => host.answer({ ...message, painter: number }, transfer),
    });
    made.images = this.#images;
    this.#painters.set(number, made);
    return made;
  }

  /** @param {ToPainter} message */
  handleMessage(message) {
    const { painter: number = 0 } = message;
    if (message.do === "end") {
      this.painter(number).handleMessage({ do: "reset" });
      this.#painters.delete(number);
    } else if (message.do === "move") {
      this.#move(this.painter(number), message);
    } else if (message.do === "image") {
      this.#images.set(message.src, message.image);
      for (const painter of this.#painters.values()) {
        painter.handleMessage(message);
      }
    } else {
      this.painter(number).handleMessage(message);
    }
  }

  /**
   * @param {TilePainter} from
   * @param {ToPainter & { do: "move" }} message
   */
  #move(from, { to, ids, except, version }) {
    const stays = new Set(except);
    const wanted = ids ?? [...from.index.entries.keys()].filter((id) => !stays.has(id));
    const elements = wanted.flatMap((id) => {
      const entry = from.index.entries.get(id);
      return entry ? { ...entry.element, key: entry.key } : [];
    });
    from.handleMessage({ do: "put", version, elements: [], gone: wanted });
    this.painter(to).handleMessage({ do: "put", version, elements, gone: [] });
  }
}
