// The pages of the board, with small pictures of what is on them.
import { fill, find, h, iconButton, popover } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Part } from "./part.js";

/** Ms from the last change until a picture is drawn again: not while a pen is moving. */
const REST = 400;

/**
 * @param {RoomScene} scene
 * @param {number} place
 */
export const pageLabel = ({ name }, place) =>
  /^(init|page-\d+)$/.test(name) ? String(place + 1) : `${place + 1} · ${name}`;

/** @param {RoomScene[]} scenes */
export function freshName(scenes) {
  let number = scenes.length + 1;
  while (scenes.some(({ name }) => name === `page-${number}`)) {
    number++;
  }
  return `page-${number}`;
}

/**
 * @param {RoomScene} scene
 * @param {string} name
 * @returns the path of a page beside it
 */
const beside = ({ directory }, name) => `${directory === "/" ? "" : directory}/${name}`;

export class Pages extends Part {
  list = h("div", { class: "page-list", role: "group", "aria-label": t("pages.title") });
  add = iconButton("plus", t("pages.add"), () => this.#addPage(), { class: "tool page-add" });
  open = find(this.app.element, ".pages-open", HTMLButtonElement);
  popover = popover(this.open, {
    label: t("pages.title"),
    class: "pages-sheet",
    build: (panel) => this.render(panel),
  });

  /** @type {Set<number>} scenes whose pictures are old */
  stale = new Set();

  /** @type {Map<number, HTMLCanvasElement>} */
  pictures = new Map();

  stopResting = () => {};

  get #state() {
    return this.app.session.state;
  }

  get #current() {
    return this.#state.scene(this.#state.currentScene);
  }

  get scenes() {
    return this.#state.scenes.filter((one) => one.directory === this.#current?.directory);
  }

  /** The screen has other pixels. */
  repaint() {
    this.pictures.clear();
    this.render();
  }

  /** @param {HTMLElement | undefined} [sheet] a sheet that opens */
  render(sheet = undefined) {
    const { scenes } = this;
    const { isNarrow, element } = this.app;
    const strip = find(element, ".page-strip");
    // A narrow screen has them in a sheet.
    if (isNarrow && strip.contains(this.list)) fill(strip);
    const within = sheet ?? (isNarrow ? undefined : strip);
    if (within) fill(within, this.list, this.add);
    const at = scenes.findIndex((scene) => scene === this.#current);
    find(this.open, "span").textContent = t("pages.count", { at: at + 1, all: scenes.length });
    this.add.hidden = !this.app.session.writable;
    for (const id of this.pictures.keys()) {
      if (!this.#state.scene(id)) this.pictures.delete(id);
    }
    fill(
      this.list,
      scenes.map((scene, place) => this.#page(scene, pageLabel(scene, place), place === at)),
    );
    this.list
      .querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /**
   * @param {RoomScene} scene
   * @param {string} label
   * @param {boolean} isCurrent
   */
  #page(scene, label, isCurrent) {
    const { app, scenes } = this;
    const ondblclick = () => this.#rename(scene, label);
    const onkeydown = (/** @type {KeyboardEvent} */ { code }) => {
      if (code === "F2") ondblclick();
    };
    const show = h(
      "button",
      {
        class: "page",
        title: label,
        "aria-label": t("pages.show", { label }),
        "aria-current": isCurrent && "page",
        onclick: () => this.#show(scene),
        ondblclick,
        onkeydown,
      },
      this.#picture(scene.id),
      h("span", { class: "page-name" }, label),
    );
    const remove = () =>
      app.dialogs.confirm(t("pages.removeAsk", { label }), t("pages.removeDo"), () =>
        app.send("scenesRemoved", { path: scene.path }),
      );
    return h(
      "div",
      { class: "page-cell" },
      show,
      isCurrent &&
        scenes.length > 1 &&
        app.session.writable &&
        iconButton("close", t("pages.remove", { label }), remove, { class: "tool page-remove" }),
    );
  }

  /** @param {number} scene */
  #picture(scene) {
    const known = this.pictures.get(scene);
    if (known) return known;
    const width = 112 * Math.min(devicePixelRatio || 1, 2);
    const height = 70 * Math.min(devicePixelRatio || 1, 2);
    const canvas = h("canvas", { width, height, "aria-hidden": "true" });
    this.pictures.set(scene, canvas);
    this.touched([scene]);
    return canvas;
  }

  /** @param {Iterable<number>} [scenes] */
  touched(scenes = this.pictures.keys()) {
    const { app, pictures, stale } = this;
    for (const scene of scenes) {
      if (pictures.has(scene)) stale.add(scene);
    }
    if (stale.size === 0) return;
    this.stopResting();
    this.stopResting = app.clock.after(REST, () => {
      for (const [scene, picture] of pictures) {
        if (stale.has(scene)) app.board.preview(picture, scene);
      }
      stale.clear();
    });
  }

  /** @param {RoomScene} scene */
  #show(scene) {
    if (scene !== this.#current) this.app.send("sceneSwitched", { path: scene.path });
  }

  /** @param {1 | -1} step */
  turn(step) {
    const next = this.scenes[this.scenes.findIndex((scene) => scene === this.#current) + step];
    if (next) this.#show(next);
  }

  async #addPage() {
    const { scenes, app } = this;
    const current = this.#current;
    if (!current) return;
    const name = freshName(scenes);
    const put = {
      directory: current.directory,
      index: scenes.indexOf(current) + 1,
      scenes: [{ name }],
    };
    if (await app.send("scenesPut", put)) {
      await app.send("sceneSwitched", { path: beside(current, name) });
    }
  }

  /**
   * @param {RoomScene} scene
   * @param {string} label
   */
  #rename(scene, label) {
    if (!this.app.session.writable) return;
    this.app.dialogs.ask(t("pages.rename", { label }), scene.name, (given) => {
      const name = given.replace(/\//g, " ").trim();
      const target = beside(scene, name);
      if (name && name !== scene.name) this.app.send("sceneMoved", { path: scene.path, target });
    });
  }
}
