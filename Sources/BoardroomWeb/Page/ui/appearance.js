// The theme and the language of a whole page: what the reader chose and the browser keeps, else
// what the system asks for. An embedded board is told both by its site.
import { language, languageFor, languageTag, loadWords } from "./i18n.js";
import { keep, kept } from "./storage.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** @type {((theme: Theme) => void) | undefined} */
let showTheme;

/** @returns {Theme} */
export function theme() {
  const system = dark.matches ? "dark" : "light";
  return /** @type {Theme} */ (kept("theme") ?? system);
}

/** Shows the theme on the document and on what the page has added since. */
export function applyTheme() {
  document.documentElement.dataset.theme = theme();
  showTheme?.(theme());
}

/** @param {(theme: Theme) => void} show is called each time when a theme is to be applied */
export function followTheme(show) {
  showTheme = show;
  dark.addEventListener("change", applyTheme);
  applyTheme();
}

export function toggleTheme() {
  keep("theme", theme() === "dark" ? "light" : "dark");
  applyTheme();
}

/** @param {string} chosen */
async function setLanguage(chosen) {
  await loadWords(chosen);
  document.documentElement.lang = languageTag();
}

/** Loads the words of the language that the reader chose, or that the browser prefers. */
export const loadLanguage = () => setLanguage(kept("language") ?? languageFor(navigator.languages));

/** Changes the language of what is shown from here on; texts that are shown already stay. */
export async function toggleLanguage() {
  await setLanguage(language() === "zh" ? "en" : "zh");
  keep("language", language());
}
