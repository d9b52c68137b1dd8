// The package boardroom-client (docs/CLIENTS.md): its files, and what has to hold of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { clientFolder, filesBelow, pageFiles, pageFolder, root } from "./files.js";
import { importsOf } from "./layers.js";
import { tarball } from "./tarball.js";

/** What a program loads with the package, in bytes of its tarball. */
const MOST_BYTES = 90_000;

/** Where the version of the product stands, for the server too. */
const VERSION_FILE = "Sources/BoardroomVersion/ProductVersion.swift";

/** Folders of the page whose modules are in the package. */
const SHARED = ["protocol", "state"];

/** The modules that the package exports. */
const STARTS = ["Client/index.js", "Client/core.js"];

const folder = join(root, ".build/web-package");

/** @typedef {{path: string, bytes: Buffer}} PackedFile */

/** @returns {string} the version of the product, as npm takes it */
export function packageVersion(text = readFileSync(join(root, VERSION_FILE), "utf8")) {
  const [, version = ""] = /static let current = "([^"]+)"/.exec(text) ?? [];
  if (/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) return version;
  throw new Error(`${VERSION_FILE} has no version of the form 1.2.3, but "${version}".`);
}

/** @param {string} path in the package: Client/… or Page/… */
const source = (path) => readFileSync(join(root, "Sources/BoardroomWeb", path), "utf8");

/** @returns {string[]} the modules that the package's exports load */
function modules() {
  const seen = new Set(STARTS);
  for (const path of seen) {
    const code = source(path).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const target of importsOf(path, code)) {
      seen.add(target);
    }
  }
  return [...seen].sort();
}

/**
 * @param {string} path of a module that the package loads
 * @returns {boolean} whether it may
 */
const isOfPackage = (path) =>
  path.startsWith("Client/") || SHARED.some((name) => path.startsWith(`Page/${name}/`));

/**
 * @returns {PackedFile[]} the declarations, by the type checker
 */
function declarations() {
  const types = join(folder, "types");
  rmSync(types, { recursive: true, force: true });
  const config = join(root, "tools/page/client.jsconfig.json");
  try {
    execFileSync("tsc", ["--project", config, "--outDir", types], { encoding: "utf8" });
  } catch (error) {
    throw new Error(`The types do not fit.\n${/** @type {any} */ (error).stdout ?? error}`);
  }
  const written = filesBelow(types)
    .filter((path) => isOfPackage(path))
    .map((path) => ({ path, text: readFileSync(join(types, path), "utf8") }));
  rmSync(types, { recursive: true });
  return [...written, ...sharedTypes()].map(({ path, text }) => ({
    path,
    bytes: Buffer.from(path.startsWith("Page/") ? withImports(path, text) : text),
  }));
}

/** The page's own declarations, which are global there, as modules. */
function sharedTypes() {
  const client = { path: "Client/types.d.ts", text: source("Client/types.d.ts") };
  const ofPage = SHARED.map((name) => {
    const path = `Page/${name}/types.d.ts`;
    return { path, text: source(path).replace(/^type /gm, "export type ") };
  });
  return [client, ...ofPage];
}

/** Names of global types of the page, by the file that has them. */
function globalTypes() {
  return SHARED.map((name) => {
    const path = `Page/${name}/types.d.ts`;
    return { path, names: [...source(path).matchAll(/^type (\w+)/gm)].map(([, found]) => found) };
  });
}

/**
 * A program that uses the package has no global types of it: each file imports those that it names.
 * @param {string} path
 * @param {string} text
 */
function withImports(path, text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  const lines = globalTypes()
    .filter((types) => types.path !== path)
    .flatMap((types) => {
      const own = (/** @type {string} */ name) =>
        new RegExp(`(?:class|type|const|function) ${name}\\b|import \\{[^}]*\\b${name}\\b`).test(
          code,
        );
      const used = types.names.filter(
        (name) => new RegExp(`(?<![\\w.])${name}\\b`).test(code) && !own(name),
      );
      const from = posix.relative(posix.dirname(path), types.path).replace(/\.d\.ts$/, ".js");
      const address = from.startsWith(".") ? from : `./${from}`;
      return used.length > 0 ? [`import type { ${used.join(", ")} } from "${address}";`] : [];
    });
  return [...lines, text].join("\n");
}

/** @returns {{version: string, files: PackedFile[]}} what the package holds */
export function packedFiles() {
  const version = packageVersion();
  const about = { ...JSON.parse(source("Client/package.json")), version };
  const paths = modules();
  const code = paths.map((path) => ({ path, bytes: Buffer.from(source(path)) }));
  const stated = code.map((file) =>
    file.path === "Client/version.js"
      ? { ...file, bytes: Buffer.from(source(file.path).replace("0.0.0-source", version)) }
      : file,
  );
  const loaded = new Set(paths);
  const hasCode = ({ path = "" }) =>
    path.endsWith("/types.d.ts") || loaded.has(path.replace(/\.d\.ts$/, ".js"));
  const files = [
    { path: "package.json", bytes: Buffer.from(`${JSON.stringify(about, null, 2)}\n`) },
    { path: "README.md", bytes: readFileSync(join(clientFolder, "README.md")) },
    { path: "LICENSE", bytes: readFileSync(join(root, "LICENSE")) },
    ...stated,
    ...declarations().filter(hasCode),
  ];
  return { version, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** @returns {string} the path of the tarball that was written */
export function pack() {
  mkdirSync(folder, { recursive: true });
  const { version, files } = packedFiles();
  const bytes = tarball(files);
  const path = join(folder, `boardroom-client-${version}.tgz`);
  writeFileSync(path, bytes);
  return path;
}

/**
 * @param {number} [bytes] of the tarball
 * @param {number} [most]
 * @returns {{wrong: string[], notes: string[]}} what a program loads with the package
 */
export function packageWeight(bytes = tarball(packedFiles().files).length, most = MOST_BYTES) {
  const wrong = bytes > most ? [`boardroom-client has ${bytes} bytes, ${most} are too many.`] : [];
  return { wrong, notes: [`boardroom-client has ${bytes} of ${most} bytes as it is packed`] };
}

/** @returns {string[]} what the page uses and the package does not export, and what the package may not load */
export function packageWrongs(files = pageFiles(pageFolder), core = source("Client/core.js")) {
  const exported = exportsOf(core);
  const strange = modules().filter((path) => !isOfPackage(path));
  return [
    ...strange.map((path) => `boardroom-client loads ${path}, which is no part of it.`),
    ...files.flatMap(({ path, bytes }) => usesOf(path, bytes.toString("utf8"), exported)),
  ];
}

/**
 * @param {string} core
 * @returns {Set<string>} `module name`
 */
function exportsOf(core) {
  const lists = core.matchAll(/export \{([^}]*)\} from "\.\.\/Page\/([^"]+)"/g);
  return new Set(
    [...lists].flatMap(([, names, path]) => namesIn(names).map((name) => `${path} ${name}`)),
  );
}

/** @param {string} list of an import or export, with commas */
const namesIn = (list) =>
  list
    .split(",")
    .map((one) => one.trim().split(/\s+as\s+/)[0])
    .filter((name) => name !== "");

/**
 * @param {string} path of a file of the page
 * @param {string} text
 * @param {Set<string>} exported
 * @returns {string[]}
 */
function usesOf(path, text, exported) {
  const isBelow = SHARED.some((name) => path.startsWith(`${name}/`));
  if (!path.endsWith(".js") || isBelow) return [];
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found = code.matchAll(/\b(?:import|export)\s+([^;"]*?)\s*from\s*"([^"]+)"/g);
  return [...found].flatMap(([, what, address]) => {
    const target = posix.join(posix.dirname(path), address);
    if (!SHARED.some((name) => target.startsWith(`${name}/`))) return [];
    const [, list] = /^\{([\s\S]*)\}$/.exec(what) ?? [];
    const names = list === undefined ? ["*"] : namesIn(list);
    return names
      .filter((name) => !exported.has(`${target} ${name}`))
      .map(
        (name) =>
          `${path} uses ${name} of ${target}, which boardroom-client does not export: ` +
          "add it to Sources/BoardroomWeb/Client/core.js.",
      );
  });
}
