// What members show to each other beside what they draw. A feature is a kind of event that a member
// chooses from a menu of the toolbar and that everybody is shown at once; all that the page around
// the board has of it is said in one module.
import { body } from "../../protocol/records.js";
import { h, icon, setLabel } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Part } from "./part.js";
import { reactions } from "./reactions.js";

/**
 * @typedef {object} Feature
 * @property {string} kind of the command and of its event
 * @property {string} name of its menu and of its picture in icons.svg; its words are `tools.NAME`
 * @property {string} key a letter, which opens the menu
 * @property {string} attribute of the menu's buttons, with what is chosen
 * @property {[value: string, label: string][]} choices what the menu offers, and its words
 * @property {(app: App, value: string) => any} bodyOf gives the body of the command
 * @property {(board: Board) => FeatureLayer} makeLayer makes what shows events over the board
 * @property {(body: any, author: string) => string} announcement for those who do not see; "": none
 *
 * @typedef {{add(revision: number, body: any): void}} FeatureLayer
 */

/** @type {Feature[]} in the order of their buttons */
export const FEATURES = [reactions];

export class Features extends Part {
  /** @type {Map<string, {feature: Feature, layer: FeatureLayer}>} by kind */
  #features = new Map(
    FEATURES.map((feature) => [
      feature.kind,
      { feature, layer: feature.makeLayer(this.app.board) },
    ]),
  );

  /**
   * Shows an event over the board. What an outage held back would be shown too late.
   * @param {Record_} rec
   */
  show(rec) {
    if (this.app.session.phase !== "connected") return;
    this.#features.get(rec.name)?.layer.add(rec.rev, body(rec) ?? {});
  }

  /**
   * @param {Record_} rec
   * @param {string} author
   * @returns {string} what is said of an event; "": nothing
   */
  announcement(rec, author) {
    return this.#features.get(rec.name)?.feature.announcement(body(rec) ?? {}, author) ?? "";
  }

  /**
   * @param {string} code of a key
   * @returns whether it is the key of a menu, which is open now
   */
  openMenu(code) {
    const feature = FEATURES.find(({ key }) => code === `Key${key}`);
    if (!feature || !this.app.board.canWrite) return false;
    this.app.toolbar.openMenu(feature.name);
    return true;
  }

  /**
   * @param {Feature} feature
   * @returns {HTMLButtonElement[]} the buttons of its menu
   */
  choicesOf({ kind, attribute, choices, bodyOf }) {
    return choices.map(([value, label]) => {
      const onclick = () => this.app.send(kind, bodyOf(this.app, value));
      const props = { type: "button", class: "tool menu-choice", [`data-${attribute}`]: value };
      const button = h("button", { ...props, onclick }, value);
      setLabel(button, t(label));
      return button;
    });
  }
}

/**
 * @param {Feature} feature
 * @returns {HTMLButtonElement} the button of the toolbar that opens its menu
 */
export function menuButton({ name, key }) {
  const props = { type: "button", class: `tool ${name}-open`, "data-icon": name };
  const button = h("button", { ...props, "aria-keyshortcuts": key }, icon(name));
  setLabel(button, t(`tools.${name}`));
  return button;
}

/**
 * @param {Feature} feature
 * @returns {HTMLElement[]} its row of the help
 */
export const helpRow = ({ name, key }) => [
  h("dt", {}, t(`tools.${name}`)),
  h("dd", {}, h("kbd", {}, key)),
];
