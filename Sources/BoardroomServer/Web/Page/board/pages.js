import { h, fill, iconButton, popover, wordButton } from "../ui/dom.js";
import { t } from "../ui/i18n.js";

// The pages of the board, with small pictures of what is on them.

/** @typedef {import("../core/state.js").Scene} Scene */

/** A picture is drawn again so long after the last change, in ms: not while a pen is moving. */
const REST = 400;
const [WIDTH, HEIGHT] = [112, 70];

/** What a page is called: its place, and its name if somebody gave it one. */
/** @param {Scene} scene @param {number} place */
export function pageLabel(scene, place) {
  const isOwn = !/^(init|page-\d+)$/.test(scene.name);
  return isOwn ? `${place + 1} · ${scene.name}` : String(place + 1);
}

/** A name that no page of the directory has. */
/** @param {Scene[]} scenes */
export function freshName(scenes) {
  const names = new Set(scenes.map(({ name }) => name));
  let number = scenes.length + 1;
  while (names.has(`page-${number}`)) number++;
  return `page-${number}`;
}

/** The pages of the directory that is shown. */
/** @param {import("../core/state.js").RoomState} state */
export function pagesOf(state) {
  const directory = state.scene(state.currentScene)?.directory;
  return state.scenes.filter((scene) => scene.directory === directory);
}

export class Pages {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    /** Scenes whose pictures are old. */
    /** @type {Set<number>} */
    this.stale = new Set();
    /** @type {(() => void) | null} */
    this.resting = null;
    /** @type {Map<number, HTMLCanvasElement>} */
    this.pictures = new Map();
    this.list = h("div", { class: "page-list", role: "group", "aria-label": t("pages.title") });
    this.add = iconButton("plus", t("pages.add"), () => this.addPage(), { class: "tool page-add" });
    const open = wordButton("pages", "", () => {},
      { class: "button pages-open", "aria-label": t("pages.title") });
    this.count = /** @type {HTMLElement} */ (open.querySelector("span"));
    const build = (/** @type {HTMLElement} */ panel) => { panel.append(this.list, this.add); this.render(); };
    this.popover = popover(open, { label: t("pages.title"), class: "pages-sheet", build });
    this.strip = h("div", { class: "page-strip" });
    this.element = h("div", { class: "pages bar" }, this.strip, this.popover.anchor);
  }

  get #state() { return this.app.session.state; }
  get scenes() { return pagesOf(this.#state); }

  render() {
    const { scenes } = this;
    const isNarrow = this.app.isNarrow;
    if (!isNarrow) fill(this.strip, this.list, this.add);
    const current = this.#state.currentScene;
    const at = scenes.findIndex(({ id }) => id === current);
    this.count.textContent = t("pages.count", { at: at + 1, all: scenes.length });
    this.add.hidden = !this.app.session.writable;
    for (const id of this.pictures.keys()) if (!this.#state.scene(id)) this.pictures.delete(id);
    fill(this.list, ...scenes.map((scene, place) => this.#page(scene, place, scene.id === current)));
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {Scene} scene @param {number} place @param {boolean} isCurrent */
  #page(scene, place, isCurrent) {
    const label = pageLabel(scene, place);
    const show = h("button", {
      type: "button", class: "page", "aria-label": t("pages.show", { label }),
      "aria-current": isCurrent && "page",
      title: label, onclick: () => this.show(scene), ondblclick: () => this.#rename(scene, label),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.code === "F2") this.#rename(scene, label);
      },
    }, this.#picture(scene.id), h("span", { class: "page-name" }, label));
    const canRemove = isCurrent && this.scenes.length > 1 && this.app.session.writable;
    const remove = canRemove
      && iconButton("close", t("pages.remove", { label }), () => this.#remove(scene, label),
      { class: "tool page-remove" });
    return h("div", { class: "page-cell" }, show, remove);
  }

  /** @param {number} scene */
  #picture(scene) {
    const known = this.pictures.get(scene);
    if (known) return known;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const canvas = h("canvas", { width: WIDTH * ratio, height: HEIGHT * ratio, "aria-hidden": "true" });
    this.pictures.set(scene, canvas);
    this.touched([scene]);
    return canvas;
  }

  /** What is on these scenes changed; nothing named: on all of them. */
  /** @param {Iterable<number>} [scenes] */
  touched(scenes = this.pictures.keys()) {
    for (const scene of scenes) if (this.pictures.has(scene)) this.stale.add(scene);
    if (this.stale.size === 0) return;
    this.resting?.();
    this.resting = this.app.clock.after(REST, () => {
      this.resting = null;
      for (const scene of this.stale) {
        const picture = this.pictures.get(scene);
        if (picture) this.app.board.preview(picture, scene);
      }
      this.stale.clear();
    });
  }

  /** @param {Scene} scene */
  show(scene) {
    if (scene.id !== this.#state.currentScene) this.app.send("sceneSwitched", { path: scene.path });
  }

  /** The page before (-1) or after (1) the current one. */
  /** @param {number} step */
  turn(step) {
    const at = this.scenes.findIndex(({ id }) => id === this.#state.currentScene);
    const next = this.scenes[at + step];
    if (next) this.show(next);
  }

  async addPage() {
    const { scenes } = this;
    const current = this.#state.scene(this.#state.currentScene);
    if (!current) return;
    const name = freshName(scenes);
    const index = scenes.indexOf(current) + 1;
    const path = `${current.directory === "/" ? "" : current.directory}/${name}`;
    const put = { directory: current.directory, index, scenes: [{ name }] };
    const isPut = await this.app.send("scenesPut", put);
    if (isPut) await this.app.send("sceneSwitched", { path });
  }

  /** @param {Scene} scene @param {string} label */
  #remove(scene, label) {
    this.app.confirm(t("pages.removeAsk", { label }), t("pages.removeDo"), () => {
      this.app.send("scenesRemoved", { path: scene.path });
    });
  }

  /** @param {Scene} scene @param {string} label */
  #rename(scene, label) {
    if (!this.app.session.writable) return;
    this.app.ask(t("pages.rename", { label }), scene.name, (name) => {
      const plain = name.replace(/\//g, " ").trim();
      const directory = scene.directory === "/" ? "" : scene.directory;
      if (!plain || plain === scene.name) return;
      this.app.send("sceneMoved", { path: scene.path, target: `${directory}/${plain}` });
    });
  }
}
