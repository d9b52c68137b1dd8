// One page: what a test sees of it and does to it.
import { Hands } from "./hands.js";
import { until } from "./places.js";

/**
 * @typedef {object} Looks How a page is seen.
 * @property {number} [width] @property {number} [height] CSS pixels; 1280 × 800
 * @property {number} [scale] device pixels for one of them; 1
 * @property {boolean} [mobile] a telephone: viewport tag, touch
 * @property {string} [locale] such as zh-CN; en-US
 * @property {"light" | "dark"} [scheme]
 * @property {boolean} [reducedMotion]
 * @property {boolean} [forcedColors]
 */

/** An exception in the page, as a test's error. */
export class PageError extends Error {}

export class Page {
  #pipe;
  #session;
  #target;
  hands;

  /**
   * What the page printed as an error or warning, exceptions, what its policy forbade.
   * @type {string[]}
   */
  complaints = [];

  /**
   * Addresses that it asked for, sockets too.
   * @type {string[]}
   */
  requests = [];

  /** Its clock passes by `passTime` alone. */
  standsStill = false;

  /**
   * @param {import("./pipe.js").Pipe} pipe
   * @param {string} session
   * @param {string} target
   */
  constructor(pipe, session, target) {
    this.#pipe = pipe;
    this.#session = session;
    this.#target = target;
    this.hands = new Hands((method, params) => this.send(method, params));
    this.#listen();
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<any>}
   */
  send(method, params) {
    return this.#pipe.send(method, params, this.#session);
  }

  #listen() {
    /**
     * @param {string} method
     * @param {(params: any) => void} hear
     */
    const on = (method, hear) =>
      this.#pipe.on(method, (params, from) => from === this.#session && hear(params));
    on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (!["error", "warning", "assert"].includes(type)) return;
      this.complaints.push(
        args.map((/** @type {any} */ arg) => arg.value ?? arg.description).join(" "),
      );
    });
    on("Runtime.exceptionThrown", ({ exceptionDetails: { exception, text, url, lineNumber } }) => {
      this.complaints.push(`${exception?.description ?? text} (${url}:${lineNumber + 1})`);
    });
    on("Log.entryAdded", ({ entry }) => {
      if (!["error", "warning"].includes(entry.level)) return;
      this.complaints.push(`${entry.text} ${entry.url ?? ""}`);
    });
    on("Network.requestWillBeSent", ({ request }) => this.requests.push(request.url));
    on("Network.webSocketCreated", ({ url }) => this.requests.push(url));
  }

  /**
   * Called once, before anything is opened: a socket that is open already would not be silenced by
   * `offline`.
   * @param {Looks} looks
   */
  async begin(looks) {
    await Promise.all(
      ["Page", "Runtime", "Log", "Network"].map((domain) => this.send(`${domain}.enable`)),
    );
    // Each page has the focus of its window, however many windows there are.
    await this.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    await this.look(looks);
  }

  /** @param {Looks} looks what is left out is as at first */
  async look({
    width = 1280,
    height = 800,
    scale = 1,
    mobile = false,
    locale = "en-US",
    scheme = "light",
    reducedMotion = false,
    forcedColors = false,
  }) {
    const { userAgent } = await this.#pipe.send("Browser.getVersion");
    const deviceScaleFactor = scale;
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor,
      mobile,
    });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile, maxTouchPoints: 5 });
    await this.send("Emulation.setUserAgentOverride", { userAgent, acceptLanguage: locale });
    // A second override of the same page is refused while one is there.
    await this.send("Emulation.setLocaleOverride", {});
    await this.send("Emulation.setLocaleOverride", { locale });
    await this.send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-color-scheme", value: scheme },
        { name: "prefers-reduced-motion", value: reducedMotion ? "reduce" : "no-preference" },
        { name: "forced-colors", value: forcedColors ? "active" : "none" },
      ],
    });
  }

  /** @param {string} url */
  async open(url) {
    const loaded = this.#pipe.event("Page.loadEventFired", this.#session);
    const { errorText, loaderId } = await this.send("Page.navigate", { url });
    if (errorText) throw new PageError(`${url}: ${errorText}`);
    // Where only the part after # is another, nothing is loaded.
    if (loaderId) await loaded;
  }

  async reload() {
    const loaded = this.#pipe.event("Page.loadEventFired", this.#session);
    await this.send("Page.reload", {});
    await loaded;
  }

  /**
   * Calls a function in the page with values that JSON can carry, and gives its result, awaited.
   * @template T
   * @param {string | ((...args: any[]) => T | Promise<T>)} what a function, or an expression
   * @param {...any} args
   * @returns {Promise<T>}
   */
  async evaluate(what, ...args) {
    const expression =
      typeof what === "string"
        ? what
        : `(${what})(${args.map((arg) => JSON.stringify(arg) ?? "undefined").join(", ")})`;
    const { result, exceptionDetails: thrown } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (thrown) throw new PageError(thrown.exception?.description ?? thrown.text);
    return result.value;
  }

  /**
   * Waits until something is true in the page.
   * @param {string | ((...args: any[]) => any)} what
   * @param {any[]} [args]
   * @param {number} [within] milliseconds
   */
  async until(what, args = [], within = 30_000) {
    return until(
      () =>
        this.evaluate(what, ...args).catch((error) => {
          // A page that is just being left has nothing to say.
          if (error instanceof PageError) throw error;
          return false;
        }),
      {
        within,
        what: () =>
          `${what} ${JSON.stringify(args)}; complaints: ${this.complaints.join("; ") || "none"}`,
      },
    );
  }

  /**
   * Waits until an element is there and seen.
   * @param {string} selector
   */
  async see(selector, within = 30_000) {
    await this.until(
      (/** @type {string} */ wanted) => {
        const found = document.querySelector(wanted);
        return found instanceof Element && found.checkVisibility({ checkVisibilityCSS: true });
      },
      [selector],
      within,
    );
  }

  /**
   * @param {string} selector
   * @returns {Promise<string | null>}
   */
  text(selector) {
    const read = (/** @type {string} */ wanted) =>
      document.querySelector(wanted)?.textContent?.trim() ?? null;
    return this.evaluate(read, selector);
  }

  /**
   * Where an element is on the page.
   * @param {string} selector
   */
  async box(selector) {
    const box = await this.evaluate((/** @type {string} */ wanted) => {
      const found = document.querySelector(wanted);
      found?.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = found?.getBoundingClientRect();
      return box && { x: box.x, y: box.y, width: box.width, height: box.height };
    }, selector);
    if (!box) throw new PageError(`there is no ${selector}`);
    return box;
  }

  /**
   * Clicks into the middle of an element, with the mouse.
   * @param {string} selector
   */
  async click(selector) {
    await this.see(selector);
    const { x, y, width, height } = await this.box(selector);
    await this.hands.click(x + width / 2, y + height / 2);
  }

  /**
   * Taps it, with a finger.
   * @param {string} selector
   */
  async tap(selector) {
    await this.see(selector);
    const { x, y, width, height } = await this.box(selector);
    await this.hands.tap(x + width / 2, y + height / 2);
  }

  /**
   * @param {string} selector of an input for files
   * @param {string[]} files
   */
  async choose(selector, files) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files });
  }

  /**
   * A PNG of what is seen, or of a part of it.
   * @param {{x: number, y: number, width: number, height: number}} [clip] CSS pixels
   */
  async screenshot(clip) {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
      ...(clip ? { clip: { ...clip, scale: 1 }, captureBeyondViewport: false } : {}),
    });
    return Buffer.from(data, "base64");
  }

  /** A network that is gone: what is open goes silent, what is new fails. */
  async offline(isOffline = true) {
    await this.send("Network.emulateNetworkConditions", {
      offline: isOffline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }

  /**
   * Lets the page's timers run for so many milliseconds without waiting for them. The page's clock
   * stands still afterwards, until this is called again.
   * @param {number} milliseconds
   */
  async passTime(milliseconds) {
    this.standsStill = true;
    const passed = this.#pipe.event("Emulation.virtualTimeBudgetExpired", this.#session);
    await this.send("Emulation.setVirtualTimePolicy", { policy: "advance", budget: milliseconds });
    await passed;
  }

  /** Nodes of the accessibility tree that a screen reader meets: role, name, and state. */
  async readAloud() {
    const { nodes } = await this.send("Accessibility.getFullAXTree");
    return /** @type {any[]} */ (nodes)
      .filter((node) => !node.ignored)
      .map(({ role, name, properties }) => ({
        role: /** @type {string} */ (role?.value),
        name: /** @type {string} */ (name?.value ?? ""),
        properties: Object.fromEntries(
          (properties ?? []).map((/** @type {any} */ property) => [
            property.name,
            property.value.value,
          ]),
        ),
      }));
  }

  /** Brings it in front of the other pages. */
  async bringToFront() {
    await this.send("Page.bringToFront");
  }

  async close() {
    await this.#pipe.send("Target.closeTarget", { targetId: this.#target });
  }
}
