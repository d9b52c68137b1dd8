// How colours are shown: as they are on white paper; in the dark with their lightness turned round and their
// hue kept, so that whatever could be told apart on white can be told apart on dark paper, letters on notes
// too. OKLab's lightness (Ottosson, 2020), because HSL's calls pure blue and pure yellow equally light.

/** @type {Record<Theme, string>} */
export const PAPER = { light: "#ffffff", dark: "#171c22" };
/** OKLab's lightness of the paper; the bend keeps dark inks well above it and pale grounds well below
 *  them. */
const DARKEST = 0.22;
const BEND = 0.7;
/** To the cone's answers, from them to the lab, and back. */
const CONES = [
  [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const LAB = [
  [0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
const BACK = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548]];
const LEVELS = [
  [4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
];

/** @type {Map<string, string>} */
const known = new Map();

/** @param {string} hex @param {Theme} theme */
export function shown(hex, theme) {
  if (theme === "light") return hex;
  if (known.size > 4096) known.clear();
  if (!known.has(hex)) known.set(hex, turned(hex));
  return known.get(hex) ?? hex;
}

/** @param {string} hex */
function turned(hex) {
  const cones = product(CONES, [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255)));
  const [before, a, b] = product(LAB, cones.map(Math.cbrt));
  const light = DARKEST + (1 - DARKEST) * (1 - Math.min(before, 1)) ** BEND;
  // A hue that cannot be so light or so dark pales until it can.
  for (let share = 1; ; share -= 0.1) {
    const levels = product(LEVELS, product(BACK, [light, a * share, b * share]).map((cone) => cone ** 3));
    const isColour = levels.every((level) => level > -0.004 && level < 1.004);
    if (isColour || share < 0.1) return `#${levels.map(byte).join("")}`;
  }
}

/** @param {number[][]} rows @param {number[]} values */
const product = (rows, [x, y, z]) => rows.map(([a, b, c]) => a * x + b * y + c * z);
/** @param {number} level */
const linear = (level) => level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
/** @param {number} level */
function byte(level) {
  const value = level <= 0.0031308 ? level * 12.92 : 1.055 * level ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(Math.max(value, 0), 1) * 255).toString(16).padStart(2, "0");
}
