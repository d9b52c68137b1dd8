// The addresses of one server, or of several that have the same rooms and keys: which lists can be
// used, and which address is tried next (docs/SPEC.md, ADDR-1 to ADDR-8).
import { Refusal } from "./refusal.js";

/** Addresses of a list, at most. */
export const MOST_SERVERS = 16;

/** @param {string} cause @param {string} cure */
const wrong = (cause, cure) => new Refusal({ code: "badParameter", cause, cure });

/**
 * @param {unknown} server
 * @returns {string} its origin
 * @throws {Refusal}
 */
function originOf(server) {
  try {
    const { protocol, origin } = new URL(String(server));
    if (/^https?:$/.test(protocol)) return origin;
  } catch {
    // The same sentence for what is no address at all.
  }
  throw wrong(
    "The server is not an address that begins with http: or https: and names a host.",
    "Write scheme and host, and the port if it is not the usual one.",
  );
}

/**
 * @param {unknown} servers one address, or a list of them
 * @returns {string[]} their origins
 * @throws {Refusal} for a list that is empty or too long, that has an address twice, and for one of
 *   which some speak TLS and some do not: whoever is on the way could keep a client from those that
 *   prove who they are
 */
export function originsOf(servers) {
  if (!Array.isArray(servers)) return [originOf(servers)];
  const { length } = servers;
  if (length === 0 || length > MOST_SERVERS) {
    throw wrong(
      `The list of servers has ${length} addresses; it may have 1 to ${MOST_SERVERS}.`,
      "Name the nearest ones, or a name that leads to all.",
    );
  }
  const origins = servers.map(originOf);
  const again = origins.find((origin, place) => origins.indexOf(origin) !== place);
  if (again !== undefined) {
    throw wrong(
      `The list of servers has ${again} twice.`,
      "Name each address once; another path at it is no other address.",
    );
  }
  if (new Set(origins.map((origin) => new URL(origin).protocol)).size > 1) {
    throw wrong(
      "Some servers of the list speak TLS and some do not.",
      "Name all with TLS, or all without.",
    );
  }
  return origins;
}

/**
 * As a URL has it: names in lower case, an address of version 6 in its shortest form.
 * @param {string} host without brackets
 * @param {string} protocol of the URL
 */
function hostnameOf(host, protocol) {
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(host)) return host.toLowerCase();
  try {
    return new URL(`${protocol}//[${host}]`).hostname;
  } catch {
    return host;
  }
}

/**
 * The place of the address that a server names. A token goes where the program has said, and nowhere
 * else.
 * @param {readonly string[]} urls
 * @param {ServerAddress} address
 * @returns {number} -1: it is none of these
 */
export function placeOf(urls, address) {
  return urls.findIndex((url) => {
    const { protocol, hostname, port } = new URL(url);
    const isSecure = /^(?:https|wss):$/.test(protocol);
    const usual = isSecure ? 443 : 80;
    const number = port === "" ? usual : Number(port);
    const isThere = hostname === hostnameOf(address.host, protocol);
    return isThere && number === address.port && isSecure === address.isSecure;
  });
}

/**
 * Which address the next attempt is for (ADDR-2, ADDR-3). It knows them by their places in the list,
 * and is given chance.
 */
export class ServerTurn {
  #position = 0;

  /**
   * All orders are equally likely: of the clients that lose one server together, each next one gets
   * as many as any other.
   * @param {number} count
   * @param {() => number} chance from 0 up to 1; asked once for each address but one
   */
  constructor(count, chance) {
    /** All places, each once. */
    this.order = Array.from({ length: Math.max(count, 1) }, (_, place) => place);
    for (let last = this.order.length - 1; last > 0; last -= 1) {
      const luck = Math.min(Math.max(chance(), 0), 1);
      const other = Math.min(Math.floor(luck * (last + 1)), last);
      const place = this.order[last];
      this.order[last] = this.order[other];
      this.order[other] = place;
    }
  }

  get count() {
    return this.order.length;
  }

  /** The place of the address that is in use, or tried next. */
  get current() {
    return this.order[this.#position];
  }

  /** What is in use does not work: the next one's turn, and after the last the first one's. */
  advance() {
    this.#position = (this.#position + 1) % this.count;
  }

  /** @param {number} place has its turn, and from there on it goes in the order */
  go(place) {
    const position = this.order.indexOf(place);
    if (position >= 0) this.#position = position;
  }
}
