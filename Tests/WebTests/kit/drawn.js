// Elements, canvases and colours for tests of drawing.

/**
 * @param {string} id "member.number"
 * @param {any} parts
 */
export const element = (id, parts) => {
  const [member, number] = id.split(".").map(Number);
  return { id, member, number, place: number - 1, scene: 1, ...parts };
};

/**
 * An ended stroke through these points, in quarters of a pixel.
 * @param {string} id
 * @param {number[][]} points
 */
export function strokeAt(id, points) {
  const steps = (/** @type {number} */ axis) => {
    const places = points.map((point) => Math.round(point[axis] * 4));
    return places.map((place, at) => place - (places[at - 1] ?? 0));
  };
  const begin = { scene: 1, unit: -2, tool: "pencil", colour: [0, 0, 0], opacity: 255, width: 8 };
  const segments = [{ dx: steps(0), dy: steps(1), dt: points.map(() => 8) }];
  return element(id, { stroke: { begin, ended: true, segments, points: points.length } });
}

/**
 * As a shelf keeps them, one above the other.
 * @param {number} count
 */
export const entries = (count) =>
  Array.from({ length: count }, (_, place) => ({
    element: element(`0.${place + 1}`, {}),
    key: `V000000${place}`,
    box: { left: 0, top: 0, right: 1, bottom: 1 },
  }));

/** Counts what is drawn on any of them. */
export class FakeCanvas {
  static drawn = 0;

  getContext() {
    return {
      canvas: { width: 512, height: 512 },
      setTransform() {},
      setLineDash() {},
      drawImage() {},
      fill: () => FakeCanvas.drawn++,
      stroke: () => FakeCanvas.drawn++,
    };
  }

  transferToImageBitmap() {
    return { close() {} };
  }
}

/**
 * Tiles that only remember what they were given.
 * @returns {any}
 */
export const fakeTiles = () => ({
  version: 0,
  resets: 0,
  elements: new Map(),
  /**
   * @param {any[]} elements
   * @param {string[]} gone
   */
  update(elements, gone) {
    for (const id of gone) {
      this.elements.delete(id);
    }
    for (const one of elements) {
      this.elements.set(one.id, one);
    }
    this.version += 1;
    return this.version;
  },
  reset() {
    this.elements.clear();
    this.resets += 1;
  },
});

/**
 * Of two colours, as WCAG has it.
 * @param {string} a
 * @param {string} b
 */
export function contrast(a, b) {
  const light = (/** @type {string} */ hex) => {
    const [r, g, blue] = [1, 3, 5]
      .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((level) => (level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [high, low] = [light(a), light(b)].sort((one, other) => other - one);
  return (high + 0.05) / (low + 0.05);
}
