// What is on the screen: whole pages, pixel by pixel.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failures, until } from "./places.js";
import { compare, isNear, readPNG, writePNG } from "./png.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./png.js").Pixels} Pixels */

/**
 * What may differ between two people, and goes by itself: who is there, notes, what each can take
 * back. Set as a sheet that changes no sizes, so that nothing is laid out or drawn anew for it.
 */
const passing = `.faces, .notes, .cursors, .swatch, [data-do=undo], [data-do=redo] { opacity: 0 !important; }
  * { outline: none !important; transition: none !important; animation: none !important; caret-color: transparent !important; }`;

/**
 * Hides what passes.
 * @param {Page} page
 * @param {string} [more] rules of a style sheet
 */
export const still = (page, more = "") =>
  page.evaluate((/** @type {string} */ rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets = [sheet];
  }, passing + more);

/**
 * Levels of a channel: thin lines and letters are smoothed a little differently from time to time.
 */
const tolerance = 48;

/** So many pixels at the edges of a picture may be smoothed otherwise. */
const few = 8;

/**
 * The whole page as it is seen now.
 * @param {Page} page
 * @returns {Promise<Pixels>}
 */
export const pixels = async (page) => readPNG(await page.screenshot());

/**
 * How many pixels of a part have ink: the dots of the paper have none.
 * @param {Page} page
 * @param {{x: number, y: number, width: number, height: number}} part
 */
export async function ink(page, { x, y, width, height }) {
  const all = await pixels(page);
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    data.set(
      all.data.subarray(((y + row) * all.width + x) * 4, ((y + row) * all.width + x + width) * 4),
      row * width * 4,
    );
  }
  const part = { width, height, data };
  return compare(part, part, { tolerance: 100 }).ink;
}

/**
 * Waits until two reads of a room's log are the same for a while: what was asked for is done.
 * @param {import("./test.js").Stage} stage
 */
export async function rested({ server, room }) {
  let last = -1;
  let since = performance.now();
  await until(
    async () => {
      const now = await server.revision(room);
      if (now !== last) {
        last = now;
        since = performance.now();
      }
      return performance.now() - since > 150;
    },
    { what: "the log rests" },
  );
}

/**
 * Waits until two pages show the same; else says how many pixels differ and leaves both pictures.
 * @param {Page} page
 * @param {Page} fresh
 * @param {string} what
 */
export async function alike(page, fresh, what, within = 15_000) {
  /** @type {Pixels[]} */
  let last = [];
  await until(
    async () => {
      const files = await Promise.all([page.screenshot(), fresh.screenshot()]);
      if (files[0].equals(files[1])) return true;
      last = files.map(readPNG);
      return isAlike(last[0], last[1]);
    },
    {
      within,
      pause: 120,
      what: () => {
        const name = join(failures, what.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-"));
        mkdirSync(failures, { recursive: true });
        writeFileSync(`${name}-here.png`, writePNG(last[0]));
        writeFileSync(`${name}-fresh.png`, writePNG(last[1]));
        return `${what}: not what a page that is loaded now shows: ${differences(last[0], last[1])}`;
      },
    },
  );
}

/**
 * As `compare` has it, quick where most is the same.
 * @param {Pixels} one
 * @param {Pixels} other
 */
function isAlike(one, other) {
  if (one.width !== other.width || one.height !== other.height) return false;
  const [a, b] = [one, other].map(
    ({ data }) => new Uint32Array(data.buffer, data.byteOffset, data.length / 4),
  );
  let count = 0;
  for (let at = 0; at < a.length && count <= few; at++) {
    if (a[at] === b[at]) continue;
    const x = at % one.width;
    const y = Math.floor(at / one.width);
    if (!isNear(one, other, x, y, tolerance, 1) || !isNear(other, one, x, y, tolerance, 1)) {
      count += 1;
    }
  }
  return count <= few;
}

/**
 * How many pixels differ, and where.
 * @param {Pixels} one
 * @param {Pixels} other
 */
function differences(one, other) {
  if (one.width !== other.width || one.height !== other.height) return "another size";
  const { differing, picture } = compare(one, other, { tolerance, reach: 1 });
  /** @type {number[]} */
  const xs = [];
  /** @type {number[]} */
  const ys = [];
  for (let at = 0; at < picture.data.length; at += 4) {
    if (picture.data[at] !== 220 || picture.data[at + 1] !== 0) continue;
    xs.push((at / 4) % one.width);
    ys.push(Math.floor(at / 4 / one.width));
  }
  const least = (/** @type {number[]} */ all) => all.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (/** @type {number[]} */ all) => all.reduce((a, b) => Math.max(a, b), -Infinity);
  return `${differing} pixels, from ${least(xs)},${least(ys)} to ${most(xs)},${most(ys)}`;
}
