// A network between a page and a server that can be made to fail: cut, refused, silent, slow.
import { connect, createServer } from "node:net";

/** @typedef {import("node:net").Socket} Socket */

/** One connection through the proxy: both sockets, and what waits to go on. */
class Link {
  /** @type {{to: import("node:net").Socket, bytes: Buffer | null, due: number}[]} */
  #queue = [];

  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {FaultProxy} proxy
   * @param {Socket} near
   * @param {Socket} far
   */
  constructor(proxy, near, far) {
    this.proxy = proxy;
    this.near = near;
    this.far = far;
    this.#carry(near, far, "up");
    this.#carry(far, near, "down");
  }

  /**
   * @param {Socket} from
   * @param {Socket} to
   * @param {"up" | "down"} way
   */
  #carry(from, to, way) {
    from.setNoDelay(true);
    from.on("data", (bytes) => {
      this.proxy.bytes[way] += bytes.length;
      this.#put(to, bytes);
    });
    from.on("end", () => this.#put(to, null));
    from.on("error", () => this.cut());
    from.on("close", () => this.proxy.forget(this));
  }

  /**
   * @param {import("node:net").Socket} to
   * @param {Buffer | null} bytes null: the end
   */
  #put(to, bytes) {
    this.#queue.push({ to, bytes, due: performance.now() + this.proxy.latency });
    this.pass();
  }

  /** Sends on what is due; while the proxy is silent nothing is. */
  pass() {
    clearTimeout(this.#timer);
    while (!this.proxy.isSilent && this.#queue.length > 0) {
      const wait = this.#queue[0].due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.pass(), Math.ceil(wait));
        return;
      }
      const { to, bytes } = /** @type {any} */ (this.#queue.shift());
      if (bytes === null) to.end();
      else to.write(bytes);
    }
  }

  /** As when somebody pulls a plug: a reset at both ends. */
  cut() {
    clearTimeout(this.#timer);
    for (const socket of [this.near, this.far]) {
      if (!socket.destroyed) socket.resetAndDestroy();
    }
  }
}

export class FaultProxy {
  /** Milliseconds that every piece waits, in order. */
  latency = 0;

  isSilent = false;

  /** Carried so far, to the server and from it. */
  bytes = { up: 0, down: 0 };

  /** How many connections have been opened. */
  opened = 0;

  port = 0;
  #target;

  /** @type {Set<Link>} */
  #links = new Set();

  /** @type {import("node:net").Server | undefined} */
  #server;

  /** @param {number} target port on this machine */
  constructor(target) {
    this.#target = target;
  }

  /** @param {number} target port on this machine */
  static async to(target) {
    const proxy = new FaultProxy(target);
    await proxy.#listen();
    return proxy;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get connections() {
    return this.#links.size;
  }

  /** @param {Link} link */
  forget(link) {
    if (link.near.destroyed && link.far.destroyed) this.#links.delete(link);
  }

  async #listen() {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      this.opened += 1;
      const far = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
      this.#links.add(new Link(this, near, far));
    });
    server.unref();
    await new Promise((done, failed) => {
      server.once("error", failed).listen(this.port, "127.0.0.1", () => done(undefined));
    });
    this.port = /** @type {import("node:net").AddressInfo} */ (server.address()).port;
    this.#server = server;
  }

  /** Ends all connections at once; new ones are taken. */
  cut() {
    for (const link of this.#links) {
      link.cut();
    }
  }

  /** Nothing listens any more; what is open stays. */
  async refuse() {
    const server = this.#server;
    this.#server = undefined;
    // Its callback waits for the connections that are open; the port is free before.
    server?.close();
    await new Promise((done) => setImmediate(done));
  }

  /** A black hole: connections stand, new ones are taken, and no byte goes through. */
  silence() {
    this.isSilent = true;
  }

  /** As if nothing had been; what was held back goes on. */
  async heal() {
    this.isSilent = false;
    if (!this.#server) await this.#listen();
    for (const link of this.#links) {
      link.pass();
    }
  }

  async close() {
    this.cut();
    await this.refuse();
  }
}
