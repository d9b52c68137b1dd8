// What buttons, fields and keys of the player do; replay.html says which button does what
// (`data-do`), and which key it has (`data-key`).
import { union } from "../render/geom.js";
import { toggleLanguage, toggleTheme } from "../ui/appearance.js";
import { showEdges } from "../ui/edges.js";
import { t } from "../ui/i18n.js";
import { copyText, download } from "../ui/saving.js";
import { showAddress } from "../ui/storage.js";
import { clipSVG, makeClip } from "./clip.js";
import { each, listen, part } from "./parts.js";
import { nextSpeed } from "./playback.js";
import { momentText, revisionOf } from "./query.js";
import { recordClip, recordedType } from "./recording.js";

/**
 * @typedef {{
 *   room: string;
 *   voice: import("../ui/voice.js").Voice;
 *   story: import("./story.js").Story;
 *   rest: import("../protocol/rest.js").Rest;
 *   isOpen: boolean;
 *   onProblem(why: any): void;
 * }} ControlsUses
 */

/**
 * What buttons do, by their `data-do`.
 * @typedef {Record<string, () => unknown>} Actions
 */

/** Ms of a step back or forward. */
const LEAP = 5_000;

export class Controls {
  /**
   * @param {Replay.Player} player
   * @param {ControlsUses} uses
   */
  constructor(player, { room, voice, story, rest, isOpen, onProblem }) {
    this.player = player;
    this.room = room;
    this.voice = voice;
    this.story = story;
    this.rest = rest;
    this.isOpen = isOpen;
    this.onProblem = onProblem;
    this.actions = { ...this.#moves(), ...this.#views(), ...this.#pageActions() };
    this.#listen();
    showEdges(part(".plays"), part(".transport"));
  }

  /** The address of what is shown now. */
  get address() {
    const { place, followed, page, query, board } = this.player;
    const moment = {
      seq: place.revision,
      m: followed,
      p: page,
      f: query.source,
      view: board.view.camera,
      e: this.story.id,
    };
    return momentText(this.room, moment);
  }

  /** @param {string} text what is looked for */
  search(text) {
    part(".search input").value = text;
    return this.player.search(text);
  }

  /** @param {Partial<Replay.Place>} how it plays from here on */
  #toggle(how) {
    const { player } = this;
    return player.set({ ...player.place, ...how });
  }

  /** @param {number} step */
  #changeSpeed(step) {
    return this.#toggle({ speed: nextSpeed(this.player.place.speed, step) });
  }

  /** @param {"a" | "b"} name */
  #mark(name) {
    const { player } = this;
    player.mark({ ...player.marks, [name]: player.place.revision });
  }

  /** @returns {Actions} what moves the place in the log */
  #moves() {
    const { player } = this;
    return {
      play: () => player.play(),
      first: () => player.seek(player.source.first),
      last: () => player.seek(player.log.last),
      stepBack: () => player.step(-1),
      stepOn: () => player.step(1),
      leapBack: () => player.leap(-LEAP),
      leapOn: () => player.leap(LEAP),
      alikeBack: () => player.next(-1, true),
      alikeOn: () => player.next(1, true),
      hitBack: () => player.next(-1),
      hitOn: () => player.next(1),
      slower: () => this.#changeSpeed(-1),
      faster: () => this.#changeSpeed(1),
      events: () => this.#toggle({ byEvent: !player.place.byEvent }),
      live: () => (player.place.isLive ? player.play(false) : player.goLive()),
      idle: () => player.refresh(!player.skipsIdle),
      markA: () => this.#mark("a"),
      markB: () => this.#mark("b"),
      unmark: () => player.mark({}),
    };
  }

  /** @returns {Actions} how the board is looked at, and what opens */
  #views() {
    const { board } = this.player;
    return {
      fit: () => this.#fit(),
      zoomIn: () => board.view.zoomStep(1),
      zoomOut: () => board.view.zoomStep(-1),
      search: () => part(".search input").focus(),
      help: () => this.#showHelp(),
      sheet: () => part(".player").classList.toggle("has-sheet"),
      exports: () => {
        part("dialog.exports [value=webm]").hidden = recordedType() === undefined;
        part("dialog.exports").showModal();
      },
      stopSearch: () => {
        this.player.stopSearch();
        // The button is gone.
        part(".search input").focus();
      },
      stopClip: () => part("dialog.clip").close(),
      share: () => this.#share(),
      copy: () => this.#copy(),
      access: () => this.#shareAccess(),
      ...this.#storyActions(),
    };
  }

  /** @returns {Actions} what is asked of the picture */
  #storyActions() {
    const { story, player } = this;
    return {
      ghosts: () => void story.toggleGhosts(),
      area: () => {
        if (story.picking.isDrawing) story.picking.cancel();
        else story.picking.begin();
        player.onShown();
      },
      escape: () => {
        if (story.picking.isDrawing || story.isReading) story.stop();
        else if (player.searching !== undefined) player.stopSearch();
        else story.close();
        player.onShown();
      },
    };
  }

  /** @returns {Actions} */
  #pageActions() {
    return {
      theme: toggleTheme,
      language: async () => {
        await toggleLanguage();
        showAddress(this.address);
        location.reload();
      },
    };
  }

  /** Shows everything, and what was erased if it is shown. */
  #fit() {
    const { board } = this.player;
    const ghosts = this.story.ghosts.box;
    const box = union(board.content(), ghosts);
    if (ghosts && box) board.moveView(() => board.glide(board.view.cameraFor(box)));
    else board.fit();
  }

  async #showHelp() {
    part("dialog.help").showModal();
    const version = await this.rest.version();
    if (version) part("dialog.help .version").textContent = t("help.version", { version });
  }

  #share() {
    part("dialog.share input").value = location.origin + this.address;
    part("dialog.share p").textContent = t("player.shareAbout");
    part("[data-do=access]").hidden = this.isOpen;
    part("dialog.share").showModal();
  }

  /** @returns whether it could be; if not, the link is selected */
  async #copy() {
    const isCopied = await copyText(part("dialog.share input"));
    part("dialog.share p").textContent = t(isCopied ? "share.copied" : "share.selected");
    return isCopied;
  }

  /** Makes the link one that lets in: with a token of its own, which may look and no more. */
  async #shareAccess() {
    const { rest } = this;
    try {
      const token = await rest.roomToken("reader");
      const [path, fields] = this.address.split("#");
      part("dialog.share input").value = `${location.origin}${path}#${token}&${fields}`;
      if (await this.#copy()) part("dialog.share p").textContent = t("player.accessCopied");
    } catch (why) {
      this.onProblem(why);
    }
  }

  #listen() {
    const { player } = this;
    each("[data-do]", (button) =>
      button.addEventListener("click", () => this.actions[button.dataset.do]()),
    );
    each("[data-marker]", (button) =>
      button.addEventListener("click", () =>
        this.search(player.query.toggled(`kind:${button.dataset.marker}`)),
      ),
    );
    listen(".speed", "change", ({ value }) => this.#toggle({ speed: parseFloat(value) }));
    listen(".page", "change", ({ value }) => player.turnTo(value ? Number(value) : undefined));
    listen(".search input", "change", ({ value }) => this.search(value));
    listen(".search", "submit", async () => {
      await this.search(part(".search input").value);
      player.next(1);
    });
    listen(".jump", "submit", () => this.#jump());
    listen("dialog.exports", "close", ({ returnValue }) => {
      if (returnValue) this.#save(returnValue).catch(this.onProblem);
    });
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** To the revision or time that is written in the field of the clock. */
  #jump() {
    const field = part(".now");
    const revision = revisionOf(field.value, this.player.log);
    if (revision !== undefined) void this.player.seek(revision);
    field.blur();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { code, shiftKey, isComposing, ctrlKey, metaKey, altKey } = event;
    const target = /** @type {Element} */ (event.target);
    if (isComposing || ctrlKey || metaKey || altKey) return;
    if (target.closest("input, select, dialog[open]")) return;
    if (code === "Space" && target.closest("button, summary, a")) return;
    const button = document.querySelector(`[data-key="${shiftKey ? "+" : ""}${code}"]`);
    const action = button?.getAttribute("data-do") ?? "";
    const tenth = shiftKey ? undefined : /^Digit(\d)$/.exec(code)?.[1];
    if (tenth !== undefined) this.#goToTenth(Number(tenth));
    else if (action) this.actions[action]();
    else return;
    event.preventDefault();
    if (/^(step|alike|hit)/.test(action)) this.voice.announce(this.player.eventText(), "event");
  }

  /** @param {number} tenths of the whole replay */
  #goToTenth(tenths) {
    const { pacing, place } = this.player;
    void this.player.leap((pacing.length * tenths) / 10 - pacing.shown(place.at));
  }

  /** @param {string} format of what is saved: the picture, or the events between the marks */
  async #save(format) {
    const { player, room } = this;
    if (format === "clip" || format === "webm") return this.#saveClip(format);
    const isLog = format === "jsonl";
    const { a, b } = player.range;
    const file = isLog ? await this.#logBetween(a, b) : await this.#picture(format);
    const what = isLog ? `${a + 1}-${b}` : player.state.revision;
    download(file, `boardroom-${room.slice(0, 8)}-${what}.${format}`);
  }

  /**
   * Saves what was to be seen between the marks, as it is played: an SVG that plays by itself, or a
   * video.
   * @param {string} format clip or webm
   */
  async #saveClip(format) {
    const { player, room } = this;
    const { a, b } = player.range;
    const dialog = part("dialog.clip");
    dialog.showModal();
    const goesOn = (/** @type {number} */ done) => {
      part("dialog.clip progress").value = done;
      return dialog.open;
    };
    const isVideo = format === "webm";
    const make = async () => {
      const clip = await makeClip(player, a, b, goesOn);
      if (!clip) return undefined;
      if (isVideo) return recordClip(clip, player.board, goesOn);
      return new Blob([clipSVG(clip)], { type: "image/svg+xml" });
    };
    const made = await make().finally(() => dialog.close());
    const ending = isVideo ? "webm" : "svg";
    if (made) download(made, `boardroom-${room.slice(0, 8)}-${a + 1}-${b}-clip.${ending}`);
  }

  /**
   * @param {number} after a revision
   * @param {number} to
   */
  async #logBetween(after, to) {
    const path = `/v5/rooms/${this.room}/log?after=${after}&to=${to}`;
    return new Blob([await this.player.source.ask(path)]);
  }

  /** @param {string} format */
  async #picture(format) {
    const { exported } = await import("../ui/export.js");
    const { file } = await exported(this.player.board, format);
    return file;
  }
}
