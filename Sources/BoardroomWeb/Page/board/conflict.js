// Two people have changed the same words of one text: whoever ends second chooses what stays.
import { find, h, piece } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
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
  const dialog = find(piece("dialog"), "dialog", HTMLDialogElement);
  dialog.ariaLabel = t("conflict.title");
  find(dialog, "h2").textContent = t("conflict.title");
  let chosen = "both";
  const choose = (/** @type {string} */ name) => {
    chosen = name;
    dialog.close();
  };
  find(dialog, ".dialog-body").append(
    h("p", {}, t("conflict.about")),
    h("div", { class: "versions" }, version("mine", texts.mine), version("theirs", texts.theirs)),
    h("div", { class: "dialog-actions" }, Object.keys(texts).map(button)),
  );
  dialog.onclose = () => {
    dialog.remove();
    board.root.focus({ preventScroll: true });
    done(texts[chosen]);
  };
  (board.root.parentElement ?? board.root).append(dialog);
  dialog.showModal();

  /** @param {string} name */
  function button(name) {
    const kind = name === "both" ? "button primary" : "button";
    const props = { type: "button", class: kind, "data-choice": name, autofocus: name === "both" };
    return h("button", { ...props, onclick: () => choose(name) }, t(`conflict.${name}`));
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
const version = (name, text) =>
  h("section", {}, h("h3", {}, t(`conflict.${name}`)), h("p", { class: "version" }, text));
