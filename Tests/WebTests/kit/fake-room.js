// A room without a server, for tests and measurements of the board: commands take effect at once,
// as if the log had them.

/**
 * @typedef {import("../../../Sources/BoardroomWeb/Page/render/display.js").Element} Element
 */

export class FakeRoom {
  constructor() {
    this.member = 0;
    this.writable = true;
    this.scene = 1;
    /** @type {Map<string, Element>} */
    this.all = new Map();
    /** @type {Set<(ids: any) => void>} */
    this.listeners = new Set();
    /** Commands, as they were sent. @type {{name: string, body: any}[]} */
    this.sent = [];
    this.places = 0;
    this.lastElement = 0;
  }

  nextElement() {
    return `${this.member}.${++this.lastElement}`;
  }

  /** @param {number} scene */
  elements(scene) {
    return [...this.all.values()].filter((element) => element.scene === scene);
  }

  /** @param {string} id */
  element(id) {
    return this.all.get(id);
  }

  /** @param {(ids: any) => void} listener */
  onChanged(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param {any} ids */
  tell(ids) {
    for (const listener of this.listeners) {
      listener(ids);
    }
  }

  /** @param {Partial<Element> & {id: string}} element */
  put(element) {
    const place = this.all.get(element.id)?.place ?? this.places++;
    this.all.set(element.id, /** @type {Element} */ ({ scene: this.scene, ...element, place }));
  }

  /**
   * @param {string} name
   * @param {any} body
   * @returns {Promise<any>}
   */
  send(name, body) {
    this.sent.push({ name, body });
    this.take(name, body, this.member);
    return Promise.resolve({ revision: this.sent.length });
  }

  /**
   * @param {string} name
   * @param {any} body
   * @param {number} member
   */
  take(name, body, member) {
    const ids = new Set(this.#carriedOut(name, body, member));
    if (ids.size) this.tell(ids);
  }

  /**
   * @param {string} name
   * @param {any} body
   * @param {number} member
   * @returns {string[]} ids of what is another now
   */
  #carriedOut(name, body, member) {
    switch (name) {
      case "stroke":
        return [this.#stroke(body, `${member}.${body.stroke}`)];
      case "elementPut":
        return [this.#put(body)];
      case "erased":
        return body.elements.filter((/** @type {string} */ id) => this.all.delete(id));
      case "elementsChanged":
        return body.changes.map((/** @type {any} */ { id, set }) => this.#change(id, set));
      case "elementsCopied":
        return body.copies.flatMap((/** @type {any} */ copy) => this.#copy(copy));
      default:
        return [];
    }
  }

  /** @param {any} body */
  #put({ id, scene, set, ...shape }) {
    this.put({ id, scene, shape, set });
    return id;
  }

  /** @param {any} copy @returns {string[]} */
  #copy({ from, id, scene, set }) {
    const element = this.all.get(from);
    if (!element) return [];
    this.put({ ...element, id, scene });
    return [this.#change(id, set)];
  }

  /**
   * @param {any} body
   * @param {string} id
   */
  #stroke({ begin, end, dx, dy, dt, dp }, id) {
    const old = this.all.get(id);
    const segments = [...(old?.stroke?.segments ?? []), { dx, dy, dt, ...(dp ? { dp } : {}) }];
    const points = (old?.stroke?.points ?? 0) + dx.length;
    const stroke = { begin: begin ?? old?.stroke?.begin, ended: end, segments, points };
    this.put({ ...old, id, scene: stroke.begin.scene, stroke });
    return id;
  }

  /**
   * @param {string} id
   * @param {Record<string, any>} set
   */
  #change(id, set) {
    const element = this.all.get(id);
    if (!element) return id;
    const next = { ...element.set, ...set };
    for (const key of Object.keys(next)) {
      if (next[key] === null) delete next[key];
    }
    this.all.set(id, { ...element, set: next });
    return id;
  }
}

/**
 * A wavy stroke of so many points.
 * @param {number} x
 * @param {number} y
 * @param {number} count
 * @param {(n?: number) => number} random
 */
export function wave(x, y, count, random) {
  const turns = random() * 6;
  const size = 2 + random() * 3;
  const steps = Array.from({ length: count }, (_, at) => [
    Math.round(size * 4 * Math.cos(turns + at / 9)),
    Math.round(size * 4 * Math.sin(turns + at / 5)),
  ]);
  const begin = {
    scene: 1,
    unit: -2,
    tool: "pencil",
    width: 8 + Math.floor(random() * 12),
    opacity: 255,
    colour: [0, 1, 2].map(() => Math.floor(random() * 200)),
  };
  const dx = steps.map(([step], at) => (at ? step : Math.round(x * 4)));
  const dy = steps.map(([, step], at) => (at ? step : Math.round(y * 4)));
  return { begin, dx, dy, dt: steps.map(() => 8) };
}

/**
 * The same numbers every time.
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
