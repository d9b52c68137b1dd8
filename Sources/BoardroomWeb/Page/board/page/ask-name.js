// Asks a visitor once what to call them, without keeping them from drawing. The browser keeps the answer
// for all rooms; who gives none is a guest with a number. The list of members changes the name.
import { find } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Part } from "./part.js";

export class AskName extends Part {
  form = find(this.app.element, ".ask-name", HTMLFormElement);
  input = find(this.form, "input", HTMLInputElement);

  isAnswered = false;

  /** @param {App} app */
  constructor(app) {
    super(app);
    const { form } = this;
    form.onsubmit = (event) => {
      event.preventDefault();
      this.#answer(this.input.value);
    };
    find(form, "[type=button]").onclick = () => this.#answer("");
    form.onkeydown = (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      this.#answer("");
    };
  }

  /** Who may only look has no name to change. */
  update() {
    const { form, app } = this;
    const { me, options, session, voice } = app;
    const isHere = session.phase === "connected" && me?.writable === true;
    const isAsked = isHere && !this.isAnswered && options.asksName?.() === true;
    if (isAsked && form.hidden) voice.announce(t("name.ask"));
    form.hidden = !isAsked;
  }

  /** @param {string} name "": none */
  #answer(name) {
    const { app } = this;
    this.isAnswered = true;
    app.rename(name);
    this.update();
    app.paper.focus({ preventScroll: true });
  }
}
