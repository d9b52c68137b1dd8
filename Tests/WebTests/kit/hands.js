// Mouse, pen, fingers and keys of a page.
import { setTimeout } from "node:timers/promises";

/** @typedef {{x: number, y: number, force?: number, tiltX?: number, tiltY?: number}} Spot */

const modifierBits = { alt: 1, ctrl: 2, meta: 4, shift: 8 };

/**
 * Keys with a name: code, number, text. What is not here is a character.
 * @type {Record<string, [string, number, string?]>}
 */
const named = {
  Enter: ["Enter", 13, "\r"],
  Tab: ["Tab", 9],
  Escape: ["Escape", 27],
  Backspace: ["Backspace", 8],
  Delete: ["Delete", 46],
  ArrowLeft: ["ArrowLeft", 37],
  ArrowUp: ["ArrowUp", 38],
  ArrowRight: ["ArrowRight", 39],
  ArrowDown: ["ArrowDown", 40],
  Home: ["Home", 36],
  End: ["End", 35],
  PageUp: ["PageUp", 33],
  PageDown: ["PageDown", 34],
  F1: ["F1", 112],
  F10: ["F10", 121],
  ContextMenu: ["ContextMenu", 93],
  Space: ["Space", 32, " "],
};

/**
 * Characters that do not stand on a key of their name.
 * @type {Record<string, string>}
 */
const codes = {
  ",": "Comma",
  ".": "Period",
  "/": "Slash",
  "?": "Slash",
  "[": "BracketLeft",
  "]": "BracketRight",
  "-": "Minus",
  "=": "Equal",
  "+": "Equal",
  ";": "Semicolon",
  "'": "Quote",
  "\\": "Backslash",
  "`": "Backquote",
};

export class Hands {
  #send;
  #at = { x: 0, y: 0 };
  #held = 0;

  /** @param {(method: string, params: object) => Promise<any>} send */
  constructor(send) {
    this.#send = send;
  }

  /**
   * @param {string} type
   * @param {Spot} spot
   * @param {object} more
   */
  #mouse(type, spot, more = {}) {
    this.#at = spot;
    return this.#send("Input.dispatchMouseEvent", { type, ...spot, buttons: this.#held, ...more });
  }

  /** Where the mouse is. */
  get place() {
    return this.#at;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  move(x, y) {
    return this.#mouse("mouseMoved", { x, y });
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  async click(x, y, count = 1) {
    await this.move(x, y);
    for (let n = 1; n <= count; n++) {
      await this.#mouse("mousePressed", { x, y }, { button: "left", buttons: 1, clickCount: n });
      await this.#mouse("mouseReleased", { x, y }, { button: "left", buttons: 0, clickCount: n });
    }
  }

  /**
   * Presses at the first spot, moves over the others and lets go at the last. Moves are sent
   * without waiting for each, so that they arrive coalesced, as from a real mouse.
   * @param {Spot[]} spots
   * @param {{pen?: boolean, button?: "left" | "middle" | "right", let?: boolean, steady?: boolean,
   *   keys?: string, goesOn?: boolean, interval?: number}} [how] `let: false` keeps the button down,
   *   and `goesOn` goes on with it; `steady` waits for every single move; `keys` are held, as
   *   `alt+shift`; `interval`: milliseconds between the spots, as their events say, also where
   *   this machine is slower
   */
  async drag(
    spots,
    {
      pen = false,
      button = "left",
      let: lets = true,
      steady = false,
      keys = "",
      goesOn = false,
      interval = undefined,
    } = {},
  ) {
    const kind = {
      pointerType: pen ? "pen" : "mouse",
      button,
      modifiers: modifiers(keys.split("+")),
    };
    const first = spots[0];
    const last = spots[spots.length - 1];
    if (!goesOn) await this.#mouse("mouseMoved", first, { pointerType: kind.pointerType });
    this.#held = { left: 1, right: 2, middle: 4 }[button];
    const reached = pace(interval);
    if (!goesOn) {
      const time = await reached(0);
      await this.#mouse("mousePressed", first, { ...kind, ...time, clickCount: 1 });
    }
    /** @type {Promise<any>[]} */
    const moves = [];
    for (const [n, spot] of spots.slice(1).entries()) {
      const move = this.#mouse("mouseMoved", spot, { ...kind, ...(await reached(n + 1)) });
      if (steady) await move;
      else moves.push(move);
    }
    await Promise.all(moves);
    if (lets) await this.release({ pen, button, keys, ...(await reached(spots.length - 1)) }, last);
  }

  /**
   * Lets go of what `drag` held.
   * @param {{pen?: boolean, button?: string, keys?: string, timestamp?: number}} [how] `timestamp`:
   *   seconds since 1970; without one it is now
   */
  async release({ pen = false, button = "left", keys = "", ...time } = {}, spot = this.#at) {
    this.#held = 0;
    await this.#mouse("mouseReleased", spot, {
      ...time,
      pointerType: pen ? "pen" : "mouse",
      button,
      clickCount: 1,
      modifiers: modifiers(keys.split("+")),
    });
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} deltaX
   * @param {number} deltaY
   * @param {string} [keys] as `ctrl`
   */
  wheel(x, y, deltaX, deltaY, keys = "") {
    return this.#mouse(
      "mouseWheel",
      { x, y },
      { deltaX, deltaY, modifiers: modifiers(keys.split("+")) },
    );
  }

  /**
   * All fingers that are down now.
   * @param {Spot[]} spots
   */
  async touch(spots) {
    const touchPoints = spots.map((spot, id) => ({ ...spot, id }));
    const goesOn = this.#touching ? "touchMove" : "touchStart";
    const type = spots.length === 0 ? "touchEnd" : goesOn;
    this.#touching = spots.length;
    await this.#send("Input.dispatchTouchEvent", { type, touchPoints });
  }

  #touching = 0;

  /** @param {Spot[]} spots of one finger */
  async swipe(spots) {
    for (const spot of spots) {
      await this.touch([spot]);
    }
    await this.touch([]);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  async tap(x, y) {
    await this.swipe([{ x, y }]);
  }

  /**
   * Two fingers around a place, side by side, that move apart or together.
   * @param {number} x
   * @param {number} y
   * @param {number} scale how far apart they are in the end, as a multiple of the beginning
   * @param {{apart?: number, steps?: number}} [how] `apart`: half of the distance at the beginning
   */
  async pinch(x, y, scale, { apart = 40, steps = 8 } = {}) {
    for (let n = 0; n <= steps; n++) {
      const reach = apart * (1 + ((scale - 1) * n) / steps);
      await this.touch([
        { x: x - reach, y },
        { x: x + reach, y },
      ]);
    }
    await this.touch([]);
  }

  /**
   * Presses a key, or several together.
   * @param {string} keys such as `a`, `Escape`, `ctrl+shift+Z`
   */
  async press(keys) {
    const parts = keys === "+" ? ["+"] : keys.split("+");
    const key = /** @type {string} */ (parts.pop());
    const held = modifiers(parts);
    const [code, number, text] = described(key);
    // With a modifier no text comes of it, but for what Shift gives.
    const written = held & ~modifierBits.shift ? undefined : text;
    const params = {
      key: key === "Space" ? " " : key,
      code,
      windowsVirtualKeyCode: number,
      modifiers: held,
    };
    const type = written ? "keyDown" : "rawKeyDown";
    await this.#send("Input.dispatchKeyEvent", { type, text: written, ...params });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
  }

  /** @param {string} text */
  async type(text) {
    for (const sign of text) {
      if (/[\x20-\x7e]/.test(sign)) await this.press(sign === " " ? "Space" : sign);
      else if (sign === "\n") await this.press("Enter");
      else await this.#send("Input.insertText", { text: sign });
    }
  }

  /**
   * Writes as with a Chinese input method: a composition, then what was chosen.
   * @param {string} letters
   * @param {string} text
   */
  async compose(letters, text) {
    for (let n = 1; n <= letters.length; n++) {
      const begun = letters.slice(0, n);
      await this.#send("Input.imeSetComposition", {
        text: begun,
        selectionStart: n,
        selectionEnd: n,
      });
    }
    await this.#send("Input.insertText", { text });
  }
}

/**
 * When a hand reaches a spot, as its event says it: a machine that is slower says it all the same,
 * and none is earlier.
 * @param {number | undefined} interval ms between two spots; none: whenever the event is sent
 * @returns {(n: number) => Promise<{timestamp?: number}>} seconds since 1970
 */
function pace(interval) {
  const began = Date.now();
  return async (n) => {
    if (interval === undefined) return {};
    const time = began + n * interval;
    if (time > Date.now()) await setTimeout(time - Date.now());
    return { timestamp: time / 1000 };
  };
}

/** @param {string[]} names */
function modifiers(names) {
  return names
    .filter((name) => name !== "")
    .reduce((bits, name) => {
      if (!(name in modifierBits)) {
        throw new Error(`${name} is no modifier: alt, ctrl, meta, shift`);
      }
      return bits | modifierBits[/** @type {keyof typeof modifierBits} */ (name)];
    }, 0);
}

/**
 * @param {string} key
 * @returns {[string, number, string?]} code, number, text
 */
function described(key) {
  if (named[key]) return named[key];
  if (key.length !== 1) throw new Error(`there is no key ${key}`);
  if (/[a-z]/i.test(key)) return [`Key${key.toUpperCase()}`, key.toUpperCase().charCodeAt(0), key];
  if (/[0-9]/.test(key)) return [`Digit${key}`, key.charCodeAt(0), key];
  return [codes[key] ?? "", 0, key];
}
