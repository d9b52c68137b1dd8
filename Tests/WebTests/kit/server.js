// A real server in a folder of its own.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build, keepTrack, removeFolder, root, temporaryFolder, until } from "./places.js";

/** The program; $BOARDROOM names another. */
export function findProgram() {
  const path = process.env.BOARDROOM ?? join(build, "debug/boardroom");
  if (existsSync(path)) return path;
  throw new Error(
    `There is no ${path}. Run: swift build --product boardroom (or name one with BOARDROOM).`,
  );
}

/**
 * Runs the program to its end.
 * @param {string[]} args
 * @param {string} [input]
 * @returns {Promise<string>} what it printed
 */
export async function run(args, input) {
  const program = findProgram();
  const first = input === undefined ? "ignore" : "pipe";
  const child = spawn(program, args, { stdio: [first, "pipe", "pipe"], cwd: root });
  keepTrack(child, program);
  let output = "";
  let errors = "";
  child.stdout?.on("data", (bytes) => {
    output += bytes;
  });
  child.stderr?.on("data", (bytes) => {
    errors += bytes;
  });
  child.stdin?.end(input);
  const status = await new Promise((done) => child.once("close", done));
  if (status === 0) return output;
  throw new Error(`boardroom ${args.join(" ")} ended with ${status}: ${errors.slice(-800)}`);
}

export class Server {
  port = 0;

  /** What it logged. */
  log = "";

  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;

  #args;
  #folder;

  /**
   * @param {string[]} args
   * @param {string} folder
   */
  constructor(args, folder) {
    this.#args = args;
    this.#folder = folder;
  }

  /**
   * @param {{open?: boolean, args?: string[], settings?: Record<string, string>}} [options] `open`:
   *   anyone may enter any room; true if nothing is said. $WEB_ROOT names a folder with the page
   *   instead of what the program carries.
   */
  static async start({ open = true, args = [], settings = {} } = {}) {
    const folder = temporaryFolder("boardroom-web-");
    const pairs = {
      ...(process.env.WEB_ROOT ? { "page.root": process.env.WEB_ROOT } : {}),
      ...settings,
    };
    const set = Object.entries(pairs).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    const server = new Server([...(open ? ["--open"] : []), ...args, ...set], folder);
    await server.start();
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get data() {
    return join(this.#folder, "data");
  }

  /** The first time on any port, later on the same. */
  async start() {
    const program = findProgram();
    const child = spawn(
      program,
      ["serve", "--data", this.data, "--port", String(this.port), ...this.#args],
      { stdio: ["ignore", "ignore", "pipe"], cwd: root },
    );
    keepTrack(child, program);
    this.#child = child;
    let begun = "";
    child.stderr?.on("data", (bytes) => {
      begun += bytes;
      this.log += bytes;
    });
    const port = await until(
      () => {
        const { exitCode } = child;
        if (exitCode !== null) {
          throw new Error(`the server ended with ${exitCode}: ${begun.slice(-800)}`);
        }
        return /listening.*port=(\d+)/.exec(begun)?.[1];
      },
      { within: 20_000, what: "the server listens" },
    );
    this.port = Number(port);
  }

  /** As a power cut. */
  kill() {
    return this.#end("SIGKILL");
  }

  /** As an operator ends it. */
  stop() {
    return this.#end("SIGTERM");
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await gone;
  }

  async close() {
    await this.kill();
    removeFolder(this.#folder);
  }

  /**
   * A token made with the server's own key.
   * @param {"admin" | "writer" | "reader"} role
   * @param {string} [room] without it a token of the whole server
   */
  async token(role, room) {
    const whose = room === undefined ? ["sdk"] : ["room", room];
    return (await run(["token", ...whose, "--role", role, "--data", this.data])).trim();
  }

  /**
   * Makes a room.
   * @param {object} [body]
   * @returns {Promise<string>} its name
   */
  async room(body = {}) {
    return (await this.call("POST", "/v5/rooms", body)).uuid;
  }

  /**
   * Asks the HTTP interface, as an administrator.
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async call(method, path, body) {
    this.#admin ??= await this.token("admin");
    const answer = await fetch(this.url + path, {
      method,
      headers: { token: this.#admin },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  /** @type {string | undefined} */
  #admin;

  /**
   * The revision of the last event of a room.
   * @param {string} room
   */
  async revision(room) {
    return /** @type {number} */ ((await this.call("GET", `/v5/rooms/${room}/replay`)).last);
  }

  /**
   * The picture that Swift draws of a room: `boardroom replay --svg`.
   * @param {string} room
   * @param {{at?: string, args?: string[]}} [options]
   */
  async picture(room, { at = "end", args = [] } = {}) {
    const file = join(this.#folder, `picture-${room}.svg`);
    await run(["replay", room, "--data", this.data, "--at", at, "--svg", file, ...args]);
    return file;
  }

  /**
   * Performs drawings of the program's form in a room.
   * @param {string} room
   * @param {string} file
   * @param {string[]} [args]
   */
  async perform(room, file, args = []) {
    await run([
      "perform",
      file,
      "--room",
      room,
      "--data",
      this.data,
      "--server",
      this.url,
      ...args,
    ]);
  }
}
