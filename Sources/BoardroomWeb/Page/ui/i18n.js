// The texts of the page: one JSON file for each language, of which a page loads one.
const LANGUAGES = ["en", "zh"];

let chosen = "en";

/** @type {Record<string, string>} */
let words = {};

/**
 * @param {readonly string[]} wanted
 * @returns the first of them that is spoken here
 */
export function languageFor(wanted) {
  const names = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return names.find((name) => LANGUAGES.includes(name)) ?? "en";
}

/** @param {string} name of the language that is spoken from here on */
export async function loadWords(name) {
  const known = languageFor([name]);
  const answer = await fetch(new URL(`words/${known}.json`, import.meta.url));
  useWords(known, await answer.json());
}

/**
 * @param {string} name
 * @param {Record<string, string>} given
 */
export function useWords(name, given) {
  chosen = name;
  words = given;
}

export const language = () => chosen;

/** The language tag for HTML: it decides which letters Chinese is written with. */
export const languageTag = () => (chosen === "zh" ? "zh-Hans" : chosen);

/**
 * @param {string} key
 * @param {Record<string, any>} [values] what stands for `{name}`
 */
export const t = (key, values = {}) =>
  (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/**
 * Why something was not done, in the language of the reader; without a text for it, as the server
 * says it.
 * @param {{code: string, cause: string, cure: string, actual?: number, allowed?: number}} refusal
 */
export function refusalText({ code, cause, cure, actual, allowed }) {
  const isSized = allowed !== undefined && actual !== undefined;
  const sizes = isSized ? ` ${t("refusal.sizes", { actual, allowed })}` : "";
  return (words[`refusal.${code}`] ?? `${cause} ${cure}`) + sizes;
}
