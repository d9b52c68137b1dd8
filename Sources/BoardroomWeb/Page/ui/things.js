// What an element is called, for people.
import { t } from "./i18n.js";

/** Letters of an element's own text in its name, at most. */
const MOST_LETTERS = 80;

/**
 * @param {{shape?: Record<string, any>, stroke?: {begin: {tool: string}}, set?: Record<string, any>}}
 *   element
 * @returns {string} what it is, and its text if it has one
 */
export function thingName({ shape, stroke, set }) {
  const kind = shape?.type ?? (stroke?.begin.tool === "highlighter" ? "highlighter" : "pen");
  const text = String(set?.text ?? shape?.text ?? "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MOST_LETTERS);
  const name = t(`thing.${kind}`);
  return text ? t("thing.says", { name, text }) : name;
}
