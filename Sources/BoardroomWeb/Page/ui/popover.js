// A panel that a button opens beside itself. Escape, another click on the button or one elsewhere
// closes it, and on a telephone what goes back.
import { fill, h } from "./dom.js";
import { focusables, focused } from "./focus.js";

/** @type {any} what hears of the key or gesture that goes back, in browsers that have it */
const { CloseWatcher } = /** @type {any} */ (globalThis);

export class Popover {
  /** @type {Set<Popover>} those that are open, the last one last */
  static opened = new Set();

  /** @type {Event | undefined} the last press elsewhere that closed one */
  static closedBy = undefined;

  /** @type {any} */
  #watcher = undefined;

  /**
   * @param {HTMLButtonElement} button
   * @param {PopoverOptions} options
   */
  constructor(
    button,
    { label, build, staysOpen = false, closesOnClick = false, class: kind = "" },
  ) {
    this.button = button;
    this.build = build;
    this.stays = staysOpen;
    const props = { role: "dialog", "aria-label": label, hidden: true };
    this.panel = h("div", { class: `popover ${kind}`, ...props });
    this.anchor = h("div", { class: "anchor" });
    button.replaceWith(this.anchor);
    this.anchor.append(button, this.panel);
    button.ariaHasPopup = "dialog";
    button.ariaExpanded = "false";
    this.#listen(closesOnClick);
  }

  /** @param {boolean} goes a choice in the panel closes it */
  #listen(goes) {
    const { button, panel, anchor } = this;
    button.addEventListener("click", () => {
      if (panel.hidden) this.open();
      else this.close();
    });
    if (goes) {
      panel.addEventListener("click", ({ target }) => {
        if (target !== panel) this.close();
      });
    }
    anchor.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || panel.hidden) return;
      event.stopPropagation();
      this.close();
    });
  }

  open(takesFocus = true) {
    const { panel } = this;
    const held = panel.contains(focused(panel)) && focused(panel)?.ariaLabel;
    this.#setOpen(true);
    if (takesFocus) this.#focus(held || undefined);
  }

  close(takesFocus = true) {
    if (this.panel.hidden) return;
    this.#setOpen(false);
    if (takesFocus) this.button.focus();
  }

  /** Fills the panel again, if it is open. It stays where it is scrolled to. */
  rebuild() {
    const { panel } = this;
    if (panel.hidden) return;
    const { scrollTop } = panel;
    this.open(panel.contains(focused(panel)));
    panel.scrollTop = scrollTop;
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    const { panel, button } = this;
    panel.hidden = !isOpen;
    button.ariaExpanded = String(isOpen);
    fill(panel);
    Popover.opened.delete(this);
    if (isOpen) {
      Popover.opened.add(this);
      this.build(panel);
    }
    const isPassing = isOpen && !this.stays;
    if (isPassing) document.addEventListener("pointerdown", this.#closeOutside, true);
    else document.removeEventListener("pointerdown", this.#closeOutside, true);
    this.#watch(isPassing);
  }

  /** @param {boolean} isPassing going back closes the panel */
  #watch(isPassing) {
    if (isPassing && this.#watcher) return;
    this.#watcher?.destroy();
    this.#watcher = isPassing && CloseWatcher ? new CloseWatcher() : undefined;
    if (this.#watcher) this.#watcher.onclose = () => this.close();
  }

  /**
   * Gives the focus back to the element with the same name; not to a text field: a phone would show
   * its keyboard.
   * @param {string | undefined} held the name of what had it
   */
  #focus(held) {
    const inside = focusables(this.panel).filter((one) => !one.matches("input:not([type=range])"));
    const same = inside.find((one) => held && one.ariaLabel === held);
    const chosen = inside.find((one) => one.matches("[aria-checked=true], [aria-pressed=true]"));
    const first = same ?? chosen ?? inside[0] ?? this.panel;
    // Where there are fields only, the panel itself has it, so that Escape and Tab go on from here.
    if (first === this.panel) first.tabIndex = -1;
    first.focus();
  }

  #closeOutside = (/** @type {Event} */ event) => {
    const path = event.composedPath();
    const isInDialog = path.some((one) => one instanceof HTMLDialogElement);
    if (path.includes(this.anchor) || isInDialog) return;
    Popover.closedBy = event;
    this.close(false);
  };
}
