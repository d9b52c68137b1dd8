// Folders of the page's scripts point one way: what lies in one uses only what lies below it
// (docs/WEB.md).
import { posix } from "node:path";

/**
 * From the lowest to the highest; folders of one row need nothing of each other. "": beside the
 * HTML files.
 */
const layers = [
  ["protocol"],
  ["state"],
  ["render"],
  ["ui"],
  ["board"],
  ["board/page", "player"],
  [""],
];

/**
 * @param {string} path of a file
 * @returns {string | undefined} its folder among those of `layers`
 */
function folderOf(path) {
  if (!path.includes("/")) return "";
  const around = layers.flat().filter((folder) => folder !== "" && path.startsWith(`${folder}/`));
  return around.sort((a, b) => b.length - a.length)[0];
}

/** @param {string | undefined} folder */
const layerOf = (folder) => layers.findIndex((row) => row.includes(folder ?? "none"));

/**
 * @param {string} path of a script
 * @param {string} code
 * @returns {string[]} paths of what it loads: imports, types in comments, addresses made of its own
 */
export function importsOf(path, code) {
  const found = [
    ...code.matchAll(/\bfrom\s*"([^"]+)"/g),
    ...code.matchAll(/\bimport\s*\(?\s*"([^"]+)"/g),
    ...code.matchAll(/\bnew URL\(\s*["`]([^"`]+)["`],\s*import\.meta\.url/g),
  ];
  const names = found.map(([, name]) => name).filter((name) => name !== ".");
  return [...new Set(names.map((name) => posix.join(posix.dirname(path), name)))];
}

/**
 * @param {string} path of a script
 * @param {string} code
 * @returns {string[]} paths of modules that it loads when they are needed, and not with itself
 */
export function lateImportsOf(path, code) {
  const late = [...code.matchAll(/\bimport\s*\(\s*"([^"]+)"/g)].map(([, name]) => name);
  const early = new Set([...code.matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, name]) => name));
  const names = late.filter((name) => !early.has(name));
  return names.map((name) => posix.join(posix.dirname(path), name));
}

/**
 * @param {{path: string, text: string}} file of the page
 * @returns {string[]} what is wrong: imports that point up or aside, those of types too
 */
export function layerWrongs({ path, text }) {
  if (!isScript(path)) return [];
  const own = folderOf(path);
  if (own === undefined) {
    return [`${path} lies in a folder that has no layer: see tools/page/layers.js.`];
  }
  return importsOf(path, text)
    .filter((target) => isScript(target) && !mayUse(own, folderOf(target)))
    .map((target) => `${path} uses ${target}, which does not lie below it.`);
}

/** @param {string} path */
const isScript = (path) => path.endsWith(".js") || path.endsWith(".d.ts");

/**
 * @param {string} own
 * @param {string | undefined} other
 */
const mayUse = (own, other) => other === own || layerOf(other) < layerOf(own);
