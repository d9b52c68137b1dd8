// The files of the page as the tools see them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

export const pageFolder = join(root, "Sources/BoardroomWeb/Page");

/** The package boardroom-client: what it has beside modules of the page. */
export const clientFolder = join(root, "Sources/BoardroomWeb/Client");

/**
 * Files below a folder by their path from it, with slashes, sorted; hidden ones are left out.
 * @param {string} folder
 * @returns {string[]}
 */
export function filesBelow(folder) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} place */
  const walk = (place) => {
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const path = join(place, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(folder, path).split(sep).join("/"));
    }
  };
  walk(folder);
  return found.sort();
}

/**
 * What browsers load: not the declarations that only the type checker reads.
 * @returns {{path: string, bytes: Buffer}[]}
 */
export function pageFiles(folder = pageFolder) {
  return filesBelow(folder)
    .filter((path) => !path.endsWith(".d.ts") && path !== "jsconfig.json")
    .map((path) => ({ path, bytes: readFileSync(join(folder, path)) }));
}

/**
 * The declarations that only the type checker reads.
 * @returns {{path: string, text: string}[]}
 */
export function typeFiles(folder = pageFolder) {
  return filesBelow(folder)
    .filter((path) => path.endsWith(".d.ts"))
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}
