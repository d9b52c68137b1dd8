// A WebSocket for Node, with what of the browser's own a session uses. Frames as RFC 6455 has them.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";

const head = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** Where the payload of a frame begins whose length does not fit in one byte. */
const PAYLOAD_AT = new Map([
  [126, 4],
  [127, 10],
]);

/**
 * @param {number} opcode
 * @param {Uint8Array} payload masked, as a client's must be
 */
function frame(opcode, payload) {
  const length = lengthOf(payload.length);
  const mask = randomBytes(4);
  const masked = payload.map((byte, at) => byte ^ mask[at % 4]);
  return Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | length[0], ...length.slice(1)]),
    mask,
    masked,
  ]);
}

/**
 * @param {number} size
 * @returns {number[]} the bytes that tell it
 */
function lengthOf(size) {
  if (size < 126) return [size];
  return size < 65536 ? [126, size >> 8, size & 255] : [127, 0, 0, 0, 0, ...be32(size)];
}

/** @param {number} size */
const be32 = (size) => [size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255];

export class TestSocket {
  /**
   * @param {string} url ws://host:port/path
   * @param {string} protocol
   */
  constructor(url, protocol) {
    const { hostname, port, host, pathname } = new URL(url);
    this.binaryType = "arraybuffer";
    /** @type {((event: any) => void) | null} */
    this.onopen = null;
    /** @type {((event: any) => void) | null} */
    this.onmessage = null;
    /** @type {((event: any) => void) | null} */
    this.onclose = null;
    this.isOpen = false;
    this.bytes = Buffer.alloc(0);
    /** @type {Buffer[]} */
    this.parts = [];
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.setNoDelay(true);
    this.socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    this.socket.on("data", (bytes) => this.take(bytes));
    this.socket.on("error", () => {});
    this.socket.on("close", () => this.onclose?.({}));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    this.socket.write(frame(head.binary, bytes));
  }

  close() {
    this.socket.end(frame(head.close, new Uint8Array(0)));
  }

  /** As when a plug is pulled. */
  cut() {
    this.socket.destroy();
  }

  /** @param {Buffer} more */
  take(more) {
    this.bytes = Buffer.concat([this.bytes, more]);
    if (!this.isOpen) {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      if (!this.bytes.subarray(0, 12).toString().endsWith("101")) return void this.socket.destroy();
      this.isOpen = true;
      this.bytes = this.bytes.subarray(end + 4);
      this.onopen?.({});
    }
    while (this.next()) {}
  }

  next() {
    if (this.bytes.length < 2) return false;
    const short = this.bytes[1] & 127;
    const start = PAYLOAD_AT.get(short) ?? 2;
    if (this.bytes.length < start) return false;
    let size = short;
    if (short === 126) size = this.bytes.readUInt16BE(2);
    if (short === 127) size = Number(this.bytes.readBigUInt64BE(2));
    if (this.bytes.length < start + size) return false;
    const payload = this.bytes.subarray(start, start + size);
    this.got(this.bytes[0], payload);
    this.bytes = this.bytes.subarray(start + size);
    return true;
  }

  /**
   * @param {number} first
   * @param {Buffer} payload
   */
  got(first, payload) {
    const opcode = first & 15;
    if (opcode === head.ping) return void this.socket.write(frame(head.pong, payload));
    if (opcode === head.close) return void this.close();
    if (opcode === head.pong) return;
    this.parts.push(payload);
    if ((first & 0x80) === 0) return;
    const whole = Buffer.concat(this.parts.splice(0));
    this.onmessage?.({ data: new Uint8Array(whole).buffer });
  }
}

/** For `makeSocket` of a session; all that were made stand in `sockets`. */
export function socketMaker() {
  /** @type {TestSocket[]} */
  const sockets = [];
  return {
    sockets,
    make: (/** @type {string} */ url, /** @type {string} */ protocol) => {
      sockets.push(new TestSocket(url, protocol));
      return sockets[sockets.length - 1];
    },
  };
}
