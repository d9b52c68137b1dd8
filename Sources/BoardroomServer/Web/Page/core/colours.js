// How colours are shown: as they are on white paper; in the dark with their lightness turned round and their hue kept, so
// that whatever could be told apart on white can be told apart on dark paper, letters on notes too. OKLab's lightness
// (Ottosson, 2020), because HSL's calls pure blue and pure yellow equally light.

/** @typedef {"light" | "dark"} Theme */

export const PAPER = { light: "#ffffff", dark: "#171c22" };
/** OKLab's lightness of the paper; the bend keeps dark inks well above it and pale grounds well below them. */
const DARKEST = 0.22;
const BEND = 0.7;

/** @type {Map<string, string>} */
const known = new Map();

/** @param {string} hex @param {Theme} theme */
export function shown(hex, theme) {
  if (theme === "light") return hex;
  let dark = known.get(hex);
  if (dark === undefined) {
    dark = turned(hex);
    if (known.size > 4096) known.clear();
    known.set(hex, dark);
  }
  return dark;
}

/** @param {string} hex */
function turned(hex) {
  const [r, g, b] = [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const before = Math.min(0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1);
  const light = DARKEST + (1 - DARKEST) * (1 - before) ** BEND;
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const blue = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  // A hue that cannot be so light or so dark pales until it can.
  for (let share = 1; share >= 0; share -= 0.1) {
    const levels = fromLab(light, a * share, blue * share);
    if (share < 0.1 || levels.every((level) => level > -0.004 && level < 1.004)) return `#${levels.map(byte).join("")}`;
  }
  return hex;
}

/** @param {number} light @param {number} a @param {number} b */
function fromLab(light, a, b) {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** @param {number} level */
const linear = (level) => (level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);
/** @param {number} level */
function byte(level) {
  const value = level <= 0.0031308 ? level * 12.92 : 1.055 * level ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(Math.max(value, 0), 1) * 255).toString(16).padStart(2, "0");
}
