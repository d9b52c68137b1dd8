// Words for people: one JSON file a language, of which a page loads the one that is spoken. A test keeps
// their keys equal.

/** @typedef {Record<string, string>} Words */

/** @type {Record<string, URL>} */
const FILES = { en: new URL("words/en.json", import.meta.url),
  zh: new URL("words/zh.json", import.meta.url) };

/** @type {Words} */
let words = {};
let chosen = "en";

/** The first wanted language that is spoken here. */
/** @param {readonly string[]} wanted @returns {string} */
export function languageFor(wanted) {
  const found = wanted.map((one) => one.toLowerCase().split("-")[0]).find((one) => one in FILES);
  return found ?? "en";
}

/** Loads a language and speaks it from here on. */
/** @param {string} language */
export async function speak(language) {
  chosen = language in FILES ? language : "en";
  words = await (await fetch(FILES[chosen])).json();
}

/** Speaks these words, wherever they come from. */
/** @param {string} language @param {Words} given */
export function speakWords(language, given) {
  [chosen, words] = [language, given];
}

export const language = () => chosen;

/** A language as HTML has it: it decides which letters Chinese is written with. */
export const languageTag = () => (chosen === "zh" ? "zh-Hans" : chosen);

/** @param {string} key @param {Record<string, string | number>} [values] what stands for `{name}` */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * Why something was not done, in the reader's language; what has no words here is told as the server says it.
 */
/** @param {{code: string, cause: string, cure: string, actual?: number, allowed?: number}} refusal */
export function refusalText(refusal) {
  const own = words[`refusal.${refusal.code}`];
  const sizes = refusal.allowed === undefined || refusal.actual === undefined ? ""
    : ` ${t("refusal.sizes", { actual: refusal.actual, allowed: refusal.allowed })}`;
  return (own ?? `${refusal.cause} ${refusal.cure}`) + sizes;
}
