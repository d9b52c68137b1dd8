// The package boardroom-client as a program has it: packed, unpacked, and found by its name.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { pageFiles } from "../../../tools/page/files.js";
import { pack } from "../../../tools/page/package.js";
import { keepTrack, root, temporaryFolder } from "./places.js";

export const examples = join(root, "docs/examples/client");

/** @type {Record<string, string>} */
const TYPES = { js: "text/javascript", html: "text/html; charset=utf-8", json: "application/json" };

/** The folder of a program that has installed the tarball. */
export class Installed {
  constructor() {
    this.tarball = pack();
    this.folder = temporaryFolder("boardroom-package-");
    this.package = join(this.folder, "node_modules/boardroom-client");
    mkdirSync(this.package, { recursive: true });
    execFileSync("tar", ["-xzf", this.tarball, "-C", this.package, "--strip-components=1"]);
    this.write("package.json", JSON.stringify({ type: "module", private: true }));
  }

  /** What the package exports, found by its name. */
  async load() {
    const entry = this.write("entry.js", 'export * from "boardroom-client";\n');
    return import(pathToFileURL(entry).href);
  }

  /**
   * @param {string} name
   * @param {string} text
   * @returns {string} the path
   */
  write(name, text) {
    const path = join(this.folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /**
   * Puts an example, or a file of the kit, where the package is found.
   * @param {string} path
   * @param {string} [name] in the folder
   */
  copy(path, name = basename(path)) {
    const target = join(this.folder, name);
    mkdirSync(join(target, ".."), { recursive: true });
    copyFileSync(path, target);
    return target;
  }

  /**
   * Runs a program of the folder under Node, with a WebSocket.
   * @param {string} path
   * @param {string[]} args
   * @param {Record<string, string>} [variables]
   */
  run(path, args, variables = {}) {
    const child = spawn(process.execPath, [...socketFlags(), path, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    keepTrack(child, process.execPath);
    const program = { child, output: "", errors: "", status: Promise.resolve(-1) };
    child.stdout?.on("data", (bytes) => {
      program.output += bytes;
    });
    child.stderr?.on("data", (bytes) => {
      program.errors += bytes;
    });
    program.status = new Promise((done) => child.once("close", done));
    return program;
  }

  /** A site with the folder's files. */
  async serve() {
    const site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const path = pathname.slice(1);
      const file = pageFiles(this.folder).find((one) => one.path === path);
      const type = TYPES[path.split(".").pop() ?? ""] ?? "application/octet-stream";
      if (!file) return response.writeHead(404).end();
      return response.writeHead(200, { "content-type": type }).end(file.bytes);
    });
    await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (site.address());
    return {
      url: `http://127.0.0.1:${port}`,
      async close() {
        site.closeAllConnections();
        site.close();
      },
    };
  }
}

/** Node 22 has a WebSocket, Node 20 has the same one behind a flag; the kit's is for what is older. */
function socketFlags() {
  if (typeof globalThis.WebSocket === "function") return [];
  const flag = "--experimental-websocket";
  if (process.allowedNodeEnvironmentFlags.has(flag)) return [flag, "--no-warnings"];
  return ["--import", pathToFileURL(join(root, "Tests/WebTests/kit/node-socket.js")).href];
}
