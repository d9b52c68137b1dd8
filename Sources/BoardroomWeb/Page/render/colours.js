// In the dark, colours are shown with their lightness turned round and their hue kept, so that what
// could be told apart still can: by OKLab (Ottosson, 2020), because HSL calls pure blue and pure
// yellow equally light.

/** @type {Record<Theme, string>} */
export const PAPER = { light: "#ffffff", dark: "#171c22" };

/** Lightness of the dark paper. */
const DARKEST = 0.22;

/** Keeps dark inks well above the dark paper, and pale grounds well below them. */
const BEND = 0.7;

/** Light to the cones' answers. */
const CONES = [
  [0.41222, 0.53633, 0.05145],
  [0.2119, 0.6807, 0.1074],
  [0.0883, 0.28172, 0.62998],
];

/** From the cones' answers to the lab. */
const LAB = [
  [0.21045, 0.79362, -0.00407],
  [1.978, -2.42859, 0.45059],
  [0.0259, 0.78277, -0.80868],
];

/** From the lab back to the cones' answers. */
const BACK = [
  [1, 0.3963378, 0.2158038],
  [1, -0.1055613, -0.0638542],
  [1, -0.0894842, -1.2914855],
];

/** From the cones' answers back to light. */
const LEVELS = [
  [4.07674, -3.30771, 0.23097],
  [-1.26844, 2.60976, -0.34132],
  [-0.0042, -0.70342, 1.70761],
];

/** @type {Map<string, string>} */
const known = new Map();

/**
 * @param {string} hex
 * @param {Theme} theme
 */
export function shown(hex, theme) {
  if (theme === "light") return hex;
  // White is the paper itself, which labels of lines and white shapes are not to be told from.
  if (hex === PAPER.light) return PAPER.dark;
  if (known.size > 4096) known.clear();
  const colour = known.get(hex) ?? turned(hex);
  known.set(hex, colour);
  return colour;
}

/** @param {string} hex */
function turned(hex) {
  const bytes = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const cones = product(
    CONES,
    bytes.map((level) => linear(level / 255)),
  );
  const [before, a, b] = product(LAB, cones.map(Math.cbrt));
  const light = DARKEST + (1 - DARKEST) * (1 - Math.min(before, 1)) ** BEND;
  // A hue that cannot be so light or so dark pales until it can.
  for (let share = 1; ; share -= 0.1) {
    const answers = product(BACK, [light, a * share, b * share]);
    const levels = product(
      LEVELS,
      answers.map((cone) => cone ** 3),
    );
    const isColour = levels.every((level) => level > -0.004 && level < 1.004);
    if (isColour || share < 0.1) return `#${levels.map(byte).join("")}`;
  }
}

/**
 * @param {number[][]} rows
 * @param {number[]} values
 */
const product = (rows, [x, y, z]) => rows.map(([a, b, c]) => a * x + b * y + c * z);

/** @type {(level: number) => number} */
const linear = (level) => (level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);

/** @param {number} level */
function byte(level) {
  const value = level <= 0.0031308 ? level * 12.92 : 1.055 * level ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(Math.max(value, 0), 1) * 255)
    .toString(16)
    .padStart(2, "0");
}
