// What has to hold of the page without running it: size, weight, addresses, and that every file is
// used.
import { posix } from "node:path";
import { gzipSync } from "node:zlib";
import { pageFiles, typeFiles } from "./files.js";
import { importsOf, lateImportsOf, layerWrongs } from "./layers.js";
import { packageWeight, packageWrongs } from "./package.js";

/**
 * What one page loads before it can be used, in bytes as they are sent: packed, as the server does
 * it. Modules that a script imports when they are needed come later.
 */
const mostBytes = 300_000;

/** Names of XML, which nothing fetches. */
const namespaces = ["2000/svg", "1999/xlink", "1999/xhtml"].map(
  (name) => `http://www.w3.org/${name}`,
);

/** @typedef {{path: string, text: string, bytes: number, sent: number}} PageText */

/**
 * What a policy of `default-src 'self'` would forbid, or a review: in which files, sign, sentence.
 * @type {[RegExp, RegExp, string][]}
 */
const forbidden = [
  [/\.js$/, /\beval\s*\(|\bnew\s+Function\s*\(/, "makes code of text"],
  [/\.js$/, /\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/, "makes elements of text"],
  [
    /\.js$/,
    /setAttribute\(\s*["']style["']|\.cssText\b/,
    "sets a style attribute: use its properties",
  ],
  [/\.html$/, /<script(?![^>]*\ssrc=)/i, "has a script in the page"],
  [/\.html$/, /<style\b|\sstyle\s*=/i, "has a style in the page"],
  [/\.html$/, /\son[a-z]+\s*=/i, "has a handler in an attribute"],
  [/\.css$/, /@import\b/, "imports a style sheet: link it"],
];

/**
 * @param {{path: string, bytes: Buffer}[]} [files]
 * @returns {{wrong: string[], notes: string[]}} what is wrong, and numbers
 */
export function check(files = pageFiles()) {
  const texts = files.map(({ path, bytes }) => ({
    path,
    text: bytes.toString("utf8"),
    bytes: bytes.length,
    sent: packedSize(bytes),
  }));
  const wrong = [formWrongs, outsideWrongs, layerWrongs].flatMap((look) => texts.flatMap(look));
  const links = linksOf(texts, wrong);
  const first = firstLinks(texts, links);
  const scripts = texts.filter(({ path }) => path.endsWith(".js"));
  const lines = sum(scripts.map(({ text }) => text.split("\n").length - 1));
  const notes = [`${texts.length} files, ${lines} lines of JavaScript`];
  const used = new Set(["embed.js"]);
  const starts = texts.map(({ path }) => path).filter((path) => path.endsWith(".html"));
  for (const start of [...starts, "embed.js"]) {
    const loaded = reach(start, links);
    const early = reach(start, first);
    const parts = texts.filter(({ path }) => early.has(path));
    const later = texts.filter(({ path }) => loaded.has(path) && !early.has(path));
    const weight = sum(parts.map(({ sent }) => sent));
    const whole = sum(parts.map(({ bytes }) => bytes));
    if (weight >= mostBytes) {
      wrong.push(`${start} loads ${weight} bytes, ${mostBytes} are too many.`);
    }
    if (parts.length > 0) {
      const more =
        later.length > 0 ? `, and ${kB(sum(later.map(({ sent }) => sent)))} kB later` : "";
      notes.push(
        `${start} loads ${kB(weight)} kB of ${mostBytes / 1_000} packed (${kB(whole)} kB as they are)${more}`,
      );
    }
    for (const path of loaded) {
      used.add(path);
    }
  }
  for (const { path } of texts) {
    if (!used.has(path)) wrong.push(`${path} is loaded by nothing.`);
  }
  return { wrong, notes };
}

/**
 * As Gzip.swift packs.
 * @param {Buffer} bytes
 */
const packedSize = (bytes) => gzipSync(bytes, { level: 9, memLevel: 9 }).length;

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

/** @param {number} bytes */
const kB = (bytes) => (bytes / 1_000).toFixed(1);

/** @param {PageText} file */
function formWrongs({ path, text }) {
  const wrong = forbidden
    .filter(([kind, sign]) => kind.test(path) && sign.test(text))
    .map(([, , sentence]) => `${path} ${sentence}.`);
  return wrong;
}

/**
 * Addresses of elsewhere; in comments, and in what people read, they fetch nothing.
 * @param {PageText} file
 */
function outsideWrongs({ path, text: all }) {
  if (path.endsWith(".json")) return [];
  const text = path.endsWith(".js") ? withoutComments(all) : all;
  const elsewhere = /\b(?:https?|wss?):\/\/[\w.[\]:@-]+[\w/.-]*|(?:url\(|["'`])\/\/\w[\w.-]+/g;
  const found = [...text.matchAll(elsewhere)];
  return found
    .map(([address]) => address)
    .filter((address) => !namespaces.includes(address))
    .map((address) => `${path} names ${address}, which is not of its own origin.`);
}

/**
 * Which files a file loads. What leads nowhere is added to `wrong`.
 * @param {PageText[]} files
 * @param {string[]} wrong
 */
function linksOf(files, wrong) {
  const there = new Set(files.map(({ path }) => path));
  /** @type {Map<string, string[]>} */
  const links = new Map();
  for (const file of files) {
    const targets = targetsOf(file).flatMap((target) => filled(target, [...there]));
    links.set(file.path, targets);
    for (const target of targets.filter((target) => !there.has(target))) {
      wrong.push(`${file.path} loads ${target}, which is not there.`);
    }
  }
  return links;
}

/**
 * Which files a file loads with itself.
 * @param {PageText[]} files
 * @param {Map<string, string[]>} links
 */
function firstLinks(files, links) {
  const pairs = files.map(({ path, text }) => {
    const late = path.endsWith(".js") ? lateImportsOf(path, withoutComments(text)) : [];
    return /** @type {const} */ ([
      path,
      (links.get(path) ?? []).filter((target) => !late.includes(target)),
    ]);
  });
  return new Map(pairs);
}

/**
 * All files that an address with a gap, as `words/${language}.json`, may mean.
 * @param {string} target
 * @param {string[]} there
 */
function filled(target, there) {
  const [before, after] = target.split(/\$\{[^}]*\}/);
  if (after === undefined) return [target];
  const meant = there.filter((path) => path.startsWith(before) && path.endsWith(after));
  return meant.length > 0 ? meant : [target];
}

/** @param {PageText} file */
function targetsOf(file) {
  if (file.path.endsWith(".html")) return ofPage(file);
  if (file.path.endsWith(".css")) return ofStyle(file);
  return file.path.endsWith(".js") ? ofScript(file) : [];
}

/** @param {PageText} file */
function ofPage({ text }) {
  const found = [...text.matchAll(/\s(?:src|href)="(\/[^"#?]*)/g)].map(([, address]) => address);
  const assets = "/assets/";
  return found
    .filter((address) => address.startsWith(assets))
    .map((address) => address.slice(assets.length));
}

/** @param {PageText} file */
function ofStyle({ path, text }) {
  return [...text.matchAll(/url\(\s*["']?([^)"']+)/g)]
    .map(([, address]) => address)
    .filter((address) => !/^(?:[a-z]+:|\/\/|#)/.test(address))
    .map((address) => posix.join(posix.dirname(path), address));
}

/** @param {PageText} file */
function ofScript({ path, text }) {
  return importsOf(path, withoutComments(text));
}

/**
 * Without comments that have lines of their own.
 * @param {string} text
 */
const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/**
 * @param {string} start
 * @param {Map<string, string[]>} links
 */
function reach(start, links) {
  const seen = new Set(links.has(start) ? [start] : []);
  for (const path of seen) {
    for (const next of links.get(path) ?? []) {
      if (links.has(next)) seen.add(next);
    }
  }
  return seen;
}

/**
 * Prints what is wrong.
 * @returns whether nothing is
 */
export function report() {
  const { wrong, notes } = check();
  const weight = packageWeight();
  const all = [...wrong, ...typeFiles().flatMap(layerWrongs), ...packageWrongs(), ...weight.wrong];
  for (const line of all) {
    console.error(`✘ ${line}`);
  }
  for (const line of [...notes, ...weight.notes]) {
    console.error(`  ${line}`);
  }
  return all.length === 0;
}
