// Exports from the board: the dialog, and the menu of what is selected.
import { find, piece } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { download } from "../../ui/saving.js";
import { Part } from "./part.js";

const MIB = 1 << 20;

/** Names in a message, at most. */
const MOST_NAMES = 3;

const FORMATS = ["png", "svg", "json"];

export class Exports extends Part {
  /** Asks for the format; of what is selected, or of the whole page. */
  ask() {
    const { dialogs, board } = this.app;
    const dialog = dialogs.open(t("export.title"), piece("export"));
    const only = find(dialog, "[type=checkbox]", HTMLInputElement);
    const count = board.selection.length;
    only.checked = count > 0;
    find(dialog, ".only-selected").hidden = count === 0;
    find(dialog, ".only-selected span").textContent = t("export.selected", { count });
    dialog.addEventListener("close", () => {
      if (dialog.returnValue) this.save(dialog.returnValue, only.checked);
    });
  }

  /** @returns {import("../../ui/menu.js").MenuItem[]} of what is selected */
  get items() {
    return FORMATS.map((format) => ({
      label: format.toUpperCase(),
      run: () => void this.save(format, true),
    }));
  }

  /**
   * @param {string} format png, svg or json
   * @param {boolean} isSelection
   */
  async save(format, isSelection) {
    const { app } = this;
    const { board, room, banner } = app;
    const elements = isSelection ? board.selected.elements : undefined;
    const name = `boardroom-${room.slice(0, 8)}${isSelection ? "-selection" : ""}.${format}`;
    const make = async () => (await import("../../ui/export.js")).exported(board, format, elements);
    const made = await make().catch((why) => {
      banner.addNote(t("export.failed", { why: why.message }), true);
    });
    if (!made) return;
    download(made.file, name);
    this.tellMissing(made.missing);
    banner.addNote(t("export.done", { format: format.toUpperCase() }));
  }

  /** @param {import("../../ui/export.js").Missing} missing */
  tellMissing({ gone, tooLarge, limit = 0 }) {
    if (gone.length > 0) this.#tell("export.gone", gone);
    if (tooLarge.length > 0) this.#tell("export.tooLarge", tooLarge, limit / MIB);
  }

  /**
   * @param {string} word
   * @param {string[]} names of images
   * @param {number} [size] MiB of all images that a file holds, at most
   */
  #tell(word, names, size = 0) {
    const more = names.length > MOST_NAMES ? "…" : "";
    const shown = names.slice(0, MOST_NAMES).join(", ") + more;
    const values = { count: names.length, names: shown, size };
    this.app.banner.tell(t(word, values));
  }
}
