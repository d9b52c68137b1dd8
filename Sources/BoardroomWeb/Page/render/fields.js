// What an element has, as it is now.
import { clamp, plus, spot } from "./geom.js";

/** What is drawn without a colour of its own. */
export const INK = "#1e1e1e";

/**
 * An element's fields as they are now: what it was put with, and over that what was changed since.
 */
export class ElementFields {
  /** @param {Pick<Thing, "shape" | "set">} element */
  constructor(element) {
    this.element = element;
  }

  /** @param {string} key */
  value(key) {
    return own(this.element.set, key) ?? own(this.element.shape, key);
  }

  /** @param {string} name */
  style(name) {
    return own(this.element.set, `style.${name}`) ?? own(this.element.shape?.style, name);
  }

  /** @param {string} key */
  number(key) {
    return number(this.value(key));
  }

  /**
   * @param {string} key
   * @returns {string | undefined}
   */
  text(key) {
    return typeof this.value(key) === "string" ? this.value(key) : undefined;
  }

  /** @param {string} name */
  flag(name) {
    return this.style(name) === true;
  }

  /** @param {string} name */
  share(name) {
    return Number.isFinite(this.style(name)) ? clamp(this.style(name), 0, 1) : undefined;
  }

  /** @param {string} name */
  colour(name) {
    const levels = items(this.style(name));
    const isByte = (/** @type {any} */ level) =>
      Number.isInteger(level) && clamp(level, 0, 255) === level;
    return levels.length === 3 && levels.every(isByte) ? hex(levels) : undefined;
  }

  get width() {
    return number(this.style("width"));
  }

  get opacity() {
    return this.share("opacity") ?? 1;
  }

  get ink() {
    return { colour: this.colour("colour") ?? INK, opacity: this.opacity };
  }

  get box() {
    const left = this.number("x") ?? 0;
    const top = this.number("y") ?? 0;
    const width = this.number("width") ?? 0;
    const height = this.number("height") ?? 0;
    return { left, top, right: left + Math.max(width, 0), bottom: top + Math.max(height, 0) };
  }

  get points() {
    const { left, top } = this.box;
    const pairs = items(this.value("points")).map((pair) => items(pair).filter(Number.isFinite));
    return pairs
      .filter((pair) => pair.length >= 2)
      .map(([x, y]) => plus(spot(left, top), spot(x, y)));
  }

  get transform() {
    const numbers = items(this.value("transform")).filter(Number.isFinite);
    return numbers.length === 6
      ? /** @type {Transform} */ (/** @type {any} */ (numbers))
      : undefined;
  }

  get isLocked() {
    return this.value("locked") === true;
  }
}

/**
 * @param {any} value
 * @param {string} key
 */
export const own = (value, key) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined;

/** @type {(value: any) => any[]} */
export const items = (value) => (Array.isArray(value) ? value : []);

/**
 * @param {Thing} element
 * @returns {string[]} its groups, the innermost first
 */
export const groupsOf = (element) =>
  items(new ElementFields(element).style("groups")).filter((id) => typeof id === "string");

/** @param {any} one */
const number = (one) => (Number.isFinite(one) ? /** @type {number} */ (one) : undefined);

/** @param {number[]} levels */
export const hex = (levels) =>
  `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
