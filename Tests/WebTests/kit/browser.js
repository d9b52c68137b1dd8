// Chromium, driven over a pipe: no port, no package.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Page } from "./page.js";
import { Pipe } from "./pipe.js";
import { keepTrack, removeFolder, temporaryFolder, until } from "./places.js";

const flags = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--hide-scrollbars",
  "--mute-audio",
  // Nothing of the browser's own goes out.
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
  "--disable-extensions",
  "--disable-default-apps",
  "--no-pings",
  "--password-store=basic",
  // A page that is not in front lives on as if it were: two people are two pages.
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  // A name that is not this machine's, so that a page from it has what plain HTTP on a network has.
  "--host-resolver-rules=MAP board.test 127.0.0.1",
  "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,Translate,MediaRouter",
  "--force-color-profile=srgb",
  "--font-render-hinting=none",
  "--lang=en-US",
];

/**
 * The path of a browser; $CHROMIUM names another.
 * @param {boolean} isWhole not the headless shell: the same engine without windows of its own,
 *   which needs a third of the time, and which keeps no page that was left
 */
export function findChromium(isWhole) {
  // The shell's script in /usr/bin stays as its parent, and would hold our pipe open.
  const shell = isWhole ? [] : ["/usr/lib/chromium/chromium-headless-shell"];
  const names = [process.env.CHROMIUM, ...shell, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const found = names.find((name) => name && existsSync(name));
  if (found) return found;
  throw new Error(
    "There is no Chromium. Run: apt-get install -y chromium (or name one with CHROMIUM).",
  );
}

export class Browser {
  #pipe;
  #child;
  #profile;

  /** @type {Set<Person>} */
  #people = new Set();

  /**
   * @param {Pipe} pipe
   * @param {import("node:child_process").ChildProcess} child
   * @param {string} profile
   */
  constructor(pipe, child, profile) {
    this.#pipe = pipe;
    this.#child = child;
    this.#profile = profile;
  }

  static async launch({ isWhole = false } = {}) {
    const program = findChromium(isWhole);
    const profile = temporaryFolder("boardroom-browser-");
    // Debian's wrapper script replaces itself by the browser, so that the process is the one we
    // know.
    const isRoot = process.getuid?.() === 0;
    const own = [...(isRoot ? ["--no-sandbox"] : []), `--user-data-dir=${profile}`];
    const stdio = /** @type {any} */ (["ignore", "ignore", "ignore", "pipe", "pipe"]);
    const child = spawn(program, [...flags, ...own], { stdio });
    keepTrack(child, program);
    const streams = /** @type {any[]} */ (child.stdio);
    const pipe = new Pipe(streams[3], streams[4]);
    child.unref();
    const browser = new Browser(pipe, child, profile);
    await pipe.send("Browser.getVersion");
    return browser;
  }

  get version() {
    return this.#pipe.send("Browser.getVersion").then((version) => version.product);
  }

  get people() {
    return [...this.#people];
  }

  /**
   * Somebody with cookies, storage and a window of their own.
   * @param {import("./page.js").Looks} [looks]
   */
  async person(looks = {}) {
    const made = await this.#pipe.send("Target.createBrowserContext", { disposeOnDetach: true });
    const person = new Person(this.#pipe, made.browserContextId, looks, () =>
      this.#people.delete(person),
    );
    this.#people.add(person);
    return person;
  }

  /**
   * What the browser writes down of itself while something is done.
   * @param {string[]} categories
   * @param {() => Promise<unknown>} work
   * @returns {Promise<any[]>} trace events
   */
  async trace(categories, work) {
    /** @type {any[]} */
    const events = [];
    /** @param {any} params */
    const heard = ({ value }) => events.push(...value);
    this.#pipe.on("Tracing.dataCollected", heard);
    try {
      await this.#pipe.send("Tracing.start", { traceConfig: { includedCategories: categories } });
      await work();
    } finally {
      const ended = this.#pipe.event("Tracing.tracingComplete", undefined);
      await this.#pipe.send("Tracing.end");
      await ended;
      this.#pipe.off("Tracing.dataCollected", heard);
    }
    return events;
  }

  async close() {
    const gone = new Promise((done) => this.#child.once("exit", done));
    const patience = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#pipe.send("Browser.close").catch(() => {});
      await gone;
    }
    clearTimeout(patience);
    removeFolder(this.#profile);
  }
}

/** A browser's context: one user, with any number of pages. */
export class Person {
  #pipe;
  #context;
  #looks;
  #forget;

  /** @type {Page[]} */
  pages = [];

  /**
   * @param {Pipe} pipe
   * @param {string} context
   * @param {import("./page.js").Looks} looks
   * @param {() => void} forget
   */
  constructor(pipe, context, looks, forget) {
    this.#pipe = pipe;
    this.#context = context;
    this.#looks = looks;
    this.#forget = forget;
  }

  /**
   * Opens a page; it is there when its load event has come.
   * @param {string} [url]
   * @param {import("./page.js").Looks} [looks] beyond those of the person
   */
  async open(url, looks = {}) {
    const { targetId } = await this.#pipe.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: this.#context,
    });
    const page = await this.#attach(targetId, looks);
    if (url !== undefined) await page.open(url);
    return page;
  }

  /**
   * The page that opens when something is done, such as a link that wants a tab of its own.
   * @param {() => Promise<unknown>} act
   */
  async next(act) {
    const known = new Set(await this.#targets());
    await act();
    const targetId = await until(
      async () => (await this.#targets()).find((one) => !known.has(one)),
      { what: "another page" },
    );
    return this.#attach(targetId, {});
  }

  /** @returns {Promise<string[]>} */
  async #targets() {
    const { targetInfos } = await this.#pipe.send("Target.getTargets", {});
    return targetInfos
      .filter(
        (/** @type {any} */ one) => one.type === "page" && one.browserContextId === this.#context,
      )
      .map((/** @type {any} */ one) => one.targetId);
  }

  /**
   * @param {string} targetId
   * @param {import("./page.js").Looks} looks
   */
  async #attach(targetId, looks) {
    const { sessionId } = await this.#pipe.send("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    const page = new Page(this.#pipe, sessionId, targetId);
    this.pages.push(page);
    await page.begin({ ...this.#looks, ...looks });
    return page;
  }

  /** @param {string} folder where files go that a page saves */
  async saveDownloadsIn(folder) {
    await this.#pipe.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      browserContextId: this.#context,
      downloadPath: folder,
      eventsEnabled: true,
    });
  }

  /**
   * @param {string[]} permissions such as clipboardReadWrite
   * @param {string} origin
   */
  async grant(permissions, origin) {
    const browserContextId = this.#context;
    await this.#pipe.send("Browser.grantPermissions", { permissions, origin, browserContextId });
  }

  async close() {
    this.#forget();
    await this.#pipe.send("Target.disposeBrowserContext", { browserContextId: this.#context });
  }
}
