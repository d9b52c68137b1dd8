// The pages of the board, with small pictures of what is on them.
import { sceneOf } from "../../state/roomstate.js";
import { fill, find, h, icon, iconButton } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Popover } from "../../ui/popover.js";
import { Part } from "./part.js";

/** Ms from the last change until a picture is drawn again: none is drawn while a pen is moving. */
const PICTURE_DELAY = 400;

/** CSS pixels of a picture of a page. */
const PICTURE = { width: 112, height: 70 };

/** Device pixels of one CSS pixel of a picture, at most. */
const MOST_RATIO = 2;

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
  popover = new Popover(this.open, {
    label: t("pages.title"),
    class: "pages-sheet",
    build: (panel) => this.render(panel),
  });

  /** @type {Set<number>} scenes whose pictures have to be drawn again */
  stale = new Set();

  /** @type {Map<number, HTMLCanvasElement>} */
  pictures = new Map();

  stopWaiting = () => {};

  get #state() {
    return this.app.session.state;
  }

  /** The page that this member looks at. */
  get #current() {
    return this.#state.scene(this.app.session.scene);
  }

  /** Whether this member looks at another page than the room. */
  get isElsewhere() {
    return this.app.session.scene !== this.#state.currentScene;
  }

  /** Whether somebody looks at another page than this member, as far as it is known. */
  get isSpread() {
    const { session, others } = this.app;
    return others.some(({ id }) => sceneOf(session.state, id) !== session.scene);
  }

  /**
   * @param {number} id
   * @returns {string} what the page is called
   */
  labelOf(id) {
    const scene = this.#state.scene(id);
    if (!scene) return "";
    const beside = this.#state.scenes.filter(({ directory }) => directory === scene.directory);
    return pageLabel(scene, beside.indexOf(scene));
  }

  get scenes() {
    return this.#state.scenes.filter((one) => one.directory === this.#current?.directory);
  }

  /** The size of a device pixel has changed. */
  repaint() {
    this.pictures.clear();
    this.render();
  }

  /** @param {HTMLElement} [sheet] that opens: a narrow screen has the pages there */
  render(sheet) {
    const { scenes } = this;
    const { isNarrow, element, session } = this.app;
    const strip = find(element, ".page-strip");
    if (isNarrow && strip.contains(this.list)) fill(strip);
    const within = sheet ?? (isNarrow ? undefined : strip);
    if (within) fill(within, this.list, this.add);
    const at = scenes.findIndex((scene) => scene === this.#current);
    this.open.classList.toggle("is-elsewhere", this.isElsewhere);
    find(this.open, "span").textContent = t("pages.count", { at: at + 1, all: scenes.length });
    this.add.hidden = !session.writable;
    this.#forgetPictures();
    const cells = scenes.map((scene, place) =>
      this.#page(scene, pageLabel(scene, place), place === at),
    );
    fill(this.list, cells);
    const current = this.list.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Removes the pictures of pages that were removed. */
  #forgetPictures() {
    for (const id of this.pictures.keys()) {
      if (!this.#state.scene(id)) this.pictures.delete(id);
    }
  }

  /**
   * @param {RoomScene} scene
   * @param {string} label
   * @param {boolean} isCurrent
   */
  #page(scene, label, isCurrent) {
    const rename = () => this.#rename(scene, label);
    const isRooms = this.isElsewhere && scene.id === this.#state.currentScene;
    const props = {
      class: "page",
      title: isRooms ? t("pages.rooms", { label }) : label,
      "aria-label": t(isRooms ? "pages.showRooms" : "pages.show", { label }),
      "aria-current": isCurrent && "page",
      onclick: () => this.lookAt(scene.id),
      ondblclick: rename,
      onkeydown: (/** @type {KeyboardEvent} */ { code }) => {
        if (code === "F2") rename();
      },
    };
    const name = h("span", { class: "page-name" }, label);
    const mark = isRooms && h("span", { class: "page-mark" }, icon("members"));
    const show = h("button", props, this.#picture(scene.id), name, mark);
    const remove = isCurrent && this.#removeButton(scene, label);
    return h("div", { class: "page-cell" }, show, remove);
  }

  /**
   * @param {RoomScene} scene
   * @param {string} label
   * @returns false: it is the only one, or this member may not
   */
  #removeButton(scene, label) {
    const { app } = this;
    if (this.scenes.length < 2 || !app.session.writable) return false;
    const remove = () => app.send("scenesRemoved", { path: scene.path });
    const ask = () =>
      app.dialogs.confirm(t("pages.removeAsk", { label }), t("pages.removeDo"), remove);
    return iconButton("close", t("pages.remove", { label }), ask, { class: "tool page-remove" });
  }

  /**
   * @param {number} scene
   * @returns {HTMLCanvasElement | undefined} its picture as it is now, if there is such a page
   */
  pictureOf(scene) {
    const picture = this.pictures.get(scene);
    if (!picture || !this.stale.delete(scene)) return picture;
    this.app.board.preview(picture, scene);
    return picture;
  }

  /** @param {number} scene */
  #picture(scene) {
    const known = this.pictures.get(scene);
    if (known) return known;
    const ratio = Math.min(devicePixelRatio || 1, MOST_RATIO);
    const width = PICTURE.width * ratio;
    const height = PICTURE.height * ratio;
    const canvas = h("canvas", { width, height, "aria-hidden": "true" });
    this.pictures.set(scene, canvas);
    this.markStale([scene]);
    return canvas;
  }

  /** @param {Iterable<number>} [scenes] */
  markStale(scenes = this.pictures.keys()) {
    const { app, pictures, stale } = this;
    for (const scene of scenes) {
      if (pictures.has(scene)) stale.add(scene);
    }
    if (stale.size === 0) return;
    this.stopWaiting();
    this.stopWaiting = app.clock.after(PICTURE_DELAY, () => {
      for (const [scene, picture] of pictures) {
        if (stale.has(scene)) app.board.preview(picture, scene);
      }
      stale.clear();
    });
  }

  /**
   * Turns to a page, for this member only. A presenter takes along those who follow. Where nobody
   * else is, the room is turned: whoever comes next sees what is worked on. Whoever turns a page
   * ends following.
   * @param {number} scene
   */
  lookAt(scene) {
    const { session, follow, others, me } = this.app;
    if (scene === session.scene) return;
    const isAlone = others.length === 0 && me?.writable;
    if (isAlone || follow.mode === "broadcaster") return void this.#switch(scene);
    if (follow.mode === "follower") follow.setMode("freedom");
    session.lookAt(scene);
  }

  /** @param {number} scene for everybody */
  #switch(scene) {
    return this.app.send("sceneSwitched", { path: this.#state.scene(scene)?.path });
  }

  /** Takes everybody to the page that this member looks at, if it may. */
  async bringEverybody() {
    const { session, follow, me, banner } = this.app;
    if (!me?.writable) return banner.tell(t("pages.mayNotBring"));
    const isPresenting = follow.mode === "broadcaster";
    if (!isPresenting || this.isElsewhere) await this.#switch(session.scene);
    // Those who had stopped following this presenter follow again.
    if (isPresenting) await follow.setMode("broadcaster");
  }

  /** Takes everybody along who follows from now on. */
  async present() {
    if (this.isElsewhere) await this.#switch(this.app.session.scene);
    await this.app.follow.setMode("broadcaster");
  }

  /** @param {1 | -1} step */
  showBeside(step) {
    const at = this.scenes.findIndex((scene) => scene === this.#current);
    const next = this.scenes[at + step];
    if (next) this.lookAt(next.id);
  }

  async #addPage() {
    const { scenes, app } = this;
    const current = this.#current;
    if (!current) return;
    const name = freshName(scenes);
    const { directory } = current;
    const index = scenes.indexOf(current) + 1;
    const isPut = await app.send("scenesPut", { directory, index, scenes: [{ name }] });
    const path = beside(current, name);
    const added = this.#state.scenes.find((scene) => scene.path === path);
    if (isPut && added) this.lookAt(added.id);
  }

  /**
   * @param {RoomScene} scene
   * @param {string} label
   */
  #rename(scene, label) {
    if (!this.app.session.writable) return;
    this.app.dialogs.prompt(t("pages.rename", { label }), scene.name, (given) => {
      const name = given.replace(/\//g, " ").trim();
      const target = beside(scene, name);
      if (name && name !== scene.name) this.app.send("sceneMoved", { path: scene.path, target });
    });
  }
}
