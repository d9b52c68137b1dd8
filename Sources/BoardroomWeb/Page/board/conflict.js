// Questions about words that were written: two people have changed the same ones, and whoever ends
// second chooses what stays; or a text was refused, and its writer keeps the words.
import { find, h, piece } from "../ui/dom.js";
import { refusalText, t } from "../ui/i18n.js";
import { copyText } from "../ui/saving.js";
import { both } from "./merge.js";

/**
 * @param {Board} board
 * @param {string} mine
 * @param {string} theirs
 * @returns {Promise<string>} the text that is chosen; both, if the question is closed
 */
export const chooseText = (board, mine, theirs) =>
  new Promise((resolve) => ask(board, { both: both(mine, theirs), mine, theirs }, resolve));

/**
 * @param {Board} board
 * @param {Record<string, string>} texts by the names of the choices
 * @param {(text: string) => void} done
 */
function ask(board, texts, done) {
  let chosen = "both";
  const dialog = opened(board, t("conflict.title"), () => done(texts[chosen]));
  const buttons = Object.keys(texts).map((name) => {
    const choose = () => {
      chosen = name;
      dialog.close();
    };
    return choice(`conflict.${name}`, choose, name === "both", { "data-choice": name });
  });
  find(dialog, ".dialog-body").append(
    h("p", {}, t("conflict.about")),
    h("div", { class: "versions" }, version("mine", texts.mine), version("theirs", texts.theirs)),
    h("div", { class: "dialog-actions" }, buttons),
  );
  dialog.showModal();
}

/**
 * Shows a text that was refused, with the reason. Its writer takes the words along, or drops them;
 * until then they are a draft, and there when the text is written the next time.
 * @param {Board} board
 * @param {string} key of the draft
 * @param {string} text
 * @param {{refusal: any, again(): void}} how `again`: goes on writing it
 */
export function showRefused(board, key, text, { refusal, again }) {
  board.drafts.set(key, text);
  const field = Object.assign(document.createElement("textarea"), {
    className: "refused",
    value: text,
    readOnly: true,
    rows: 4,
    ariaLabel: t("refused.words"),
  });
  const said = h("p", { role: "status" });
  let then = () => {};
  const dialog = opened(board, t("refused.title"), () => then());
  const end = (/** @type {() => void} */ act) => {
    then = act;
    dialog.close();
  };
  const goOn = () => {
    if (board.canWrite) end(again);
    else said.textContent = refusalText({ code: "notWritable", cause: "", cure: "" });
  };
  const copy = async () => {
    if (await copyText(field)) said.textContent = t("refused.copied");
  };
  find(dialog, ".dialog-body").append(
    h("p", {}, refusalText(refusal)),
    field,
    said,
    h("div", { class: "dialog-actions" }, [
      choice("refused.again", goOn, true),
      choice("refused.copy", copy),
      choice("refused.drop", () => end(() => board.drafts.delete(key))),
    ]),
  );
  dialog.showModal();
}

/**
 * @param {Board} board
 * @param {string} title
 * @param {() => void} done is called when it is closed
 */
function opened(board, title, done) {
  const dialog = find(piece("dialog"), "dialog", HTMLDialogElement);
  dialog.ariaLabel = title;
  find(dialog, "h2").textContent = title;
  dialog.onclose = () => {
    dialog.remove();
    board.root.focus({ preventScroll: true });
    done();
  };
  (board.root.parentElement ?? board.root).append(dialog);
  return dialog;
}

/**
 * @param {string} word
 * @param {() => void} onclick
 * @param {boolean} [isFirst]
 * @param {object} [more]
 */
function choice(word, onclick, isFirst = false, more = {}) {
  const kind = isFirst ? "button primary" : "button";
  return h(
    "button",
    { type: "button", class: kind, autofocus: isFirst, ...more, onclick },
    t(word),
  );
}

/**
 * @param {string} name
 * @param {string} text
 */
const version = (name, text) =>
  h("section", {}, h("h3", {}, t(`conflict.${name}`)), h("p", { class: "version" }, text));
