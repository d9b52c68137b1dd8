// The story of what was clicked: who made it, changed it, erased it, with which client, and when.
// Reads the past of the room as far as it is asked for, shows it in the inspector and over the
// picture, and puts back what was erased.
import { fill, find } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { thingName } from "../ui/things.js";
import { Ghosts } from "./ghosts.js";
import { Past } from "./past.js";
import { Picking } from "./pick.js";
import { restore, takeBack } from "./restore.js";
import { storyNodes } from "./story-view.js";

/** Events of a story that are shown at once when more of them are asked for. */
const MORE_SHOWN = 200;

/**
 * Who looks at the room, and what for.
 * @typedef {object} Access
 * @property {string} room
 * @property {string} token for joining; "": the server is open
 * @property {{host: boolean, write: boolean, look: boolean, uid?: string}} rights of the token
 * @property {() => string} name of who restores
 *
 * @typedef {object} StoryUses
 * @property {Access} access
 * @property {(text: string) => void} search
 * @property {(words: string) => void} say to who does not see
 * @property {(why: any) => void} onProblem
 */

export class Story {
  /** @type {string | undefined} of the element whose story is told */
  id = undefined;

  /** @type {import("./life.js").Life | undefined} */
  life = undefined;

  /** @type {Replay.Grave[]} other things that were where the click was */
  others = [];

  /** @type {number | undefined} the part that has been read, while it is read */
  progress = undefined;

  /** Events of the story that are shown beyond those that are at first. */
  moreShown = 0;

  /** A word that is said instead of a story; "": none. */
  note = "";

  /**
   * What restoring has led to; `ids`: of what is back, `count`: how many were taken back.
   * @type {{word: string, revision?: number, ids?: string[], count?: number} | undefined}
   */
  outcome = undefined;

  /** What is wanted now; anything else that is being read ends. */
  #wanted = {};

  /** The last event of the log that has been read for the story. */
  #readTo = 0;

  /**
   * @param {HTMLElement} page
   * @param {Replay.Player} player
   * @param {StoryUses} uses
   */
  constructor(page, player, uses) {
    this.player = player;
    this.uses = uses;
    this.section = find(page, ".inspector .story", HTMLDetailsElement);
    this.page = page;
    const { board } = player;
    this.ghosts = new Ghosts(board);
    this.past = new Past(player, (part) => {
      this.progress = part;
      this.render();
    });
    this.picking = new Picking(find(page, ".paper"), board, {
      pick: (at, reach) => void this.#run((isWanted) => this.#pick(at, reach, isWanted)),
      draw: (box) => this.#showArea(box),
      search: (box) => uses.search(player.query.withArea(box, player.scene)),
    });
  }

  get isReading() {
    return this.progress !== undefined;
  }

  /** Whether the element is on the board now, at the end of the log. */
  get isOnBoard() {
    return this.life?.element !== undefined;
  }

  /** Whether something is being sent to the live room. */
  get isSending() {
    return ["story.restoring", "story.takingBack"].includes(this.outcome?.word ?? "");
  }

  /** The element whose story is told, as it was last. */
  get element() {
    return this.life?.last ?? this.others.find(({ element }) => element.id === this.id)?.element;
  }

  /** @returns {RoomElement[]} what the same event erased, and is not back */
  get together() {
    const erased = [...(this.life?.entries ?? [])].reverse().find(({ together }) => together);
    return erased && !this.isOnBoard ? this.past.graveyard.erasedBy(erased.revision) : [];
  }

  /** @returns {string} the word that says why this token may not restore; "": it may */
  get hindrance() {
    const { rights, token } = this.uses.access;
    const { banned, deleted } = this.player.state;
    if (banned || deleted) return "story.closed";
    return token === "" || rights.write ? "" : "story.readOnly";
  }

  /** Whether the one who restores is in the room as the same member, which would be replaced. */
  get replacesMember() {
    const { uid } = this.uses.access.rights;
    const members = [...this.player.state.members.values()];
    return uid !== undefined && members.some((member) => member.uid === uid);
  }

  /**
   * Reads something, unless something else is wanted meanwhile.
   * @param {(isWanted: () => boolean) => Promise<void>} task
   */
  async #run(task) {
    const wanted = {};
    this.#wanted = wanted;
    const isWanted = () => this.#wanted === wanted;
    this.progress = 0;
    this.render();
    try {
      await task(isWanted);
    } catch (why) {
      this.uses.onProblem(why);
    }
    if (!isWanted()) return;
    this.progress = undefined;
    this.render();
    this.update();
  }

  /** Ends what is being read; what has been read stays. */
  stop() {
    this.#wanted = {};
    this.progress = undefined;
    this.picking.cancel();
    this.render();
  }

  close() {
    this.id = undefined;
    this.life = undefined;
    this.others = [];
    this.note = "";
    this.outcome = undefined;
    this.ghosts.chosen = undefined;
    this.page.classList.remove("has-sheet");
    this.stop();
    this.player.onShown();
    this.player.board.refresh();
  }

  /**
   * @param {Spot} at
   * @param {number} reach
   * @param {() => boolean} isWanted
   */
  async #pick(at, reach, isWanted) {
    const live = this.player.board.sceneContent.index.hit(at, reach);
    this.others = [];
    this.note = "";
    this.#openSection();
    if (live) await this.#tell(live.id, isWanted);
    if (!(await this.past.readGraves(isWanted))) return;
    const graves = this.past.gravesAt(at, reach);
    const first = live?.id ?? graves[0]?.element.id;
    if (!first) {
      this.id = undefined;
      this.life = undefined;
      this.ghosts.chosen = undefined;
      this.note = "story.nothing";
      this.uses.say(t(this.note));
    } else if (!live) {
      this.ghosts.chosen = graves[0].element;
      await this.#tell(first, isWanted);
    }
    this.others = graves.filter(({ element }) => element.id !== first);
  }

  /** @param {string} id of an element, whose story is told */
  open(id) {
    this.others = [];
    this.note = "";
    this.#openSection();
    return this.#run((isWanted) => this.#tell(id, isWanted));
  }

  #openSection() {
    this.section.hidden = false;
    this.section.open = true;
    // On a phone the inspector is a sheet.
    this.page.classList.add("has-sheet");
  }

  /**
   * @param {string} id
   * @param {() => boolean} isWanted
   */
  async #tell(id, isWanted) {
    const { player, ghosts, past } = this;
    const isOther = this.id !== id;
    const known = isOther ? undefined : this.life?.entries.length;
    if (isOther) {
      this.outcome = undefined;
      this.life = undefined;
      this.moreShown = 0;
    }
    this.id = id;
    ghosts.chosen = player.element(id) ?? ghosts.chosen;
    this.player.onShown();
    const life = await past.lifeOf(id, isWanted);
    if (!life) return;
    this.life = life;
    this.#readTo = player.log.last;
    ghosts.chosen = player.element(id) ?? life.last;
    const scene = ghosts.chosen?.scene;
    if (isOther && scene !== undefined && scene !== player.scene) player.turnTo(scene);
    if (life.entries.length === 0) this.note = "story.unknown";
    this.render();
    if (life.entries.length !== known) this.uses.say(this.#summary());
    // What was erased together with it can be put back together with it.
    const isErased = life.last !== undefined && !life.element;
    if (isErased) await past.readGraves(isWanted);
  }

  /** @returns {string} the last that happened to it, in words */
  #summary() {
    const { element } = this;
    const last = this.life?.entries[this.life.entries.length - 1];
    if (!last || !element) return t("story.unknown");
    const name = this.player.memberName(last.by);
    return t("story.said", { thing: thingName(element), act: t(`story.${last.act}`), name });
  }

  /** Shows more of the events of the story. */
  showMore() {
    this.moreShown += MORE_SHOWN;
    this.render();
  }

  /** Shows or hides what was erased. */
  async toggleGhosts() {
    const { ghosts } = this;
    ghosts.isShown = !ghosts.isShown;
    this.player.onShown();
    if (ghosts.isShown) {
      await this.#run((isWanted) => this.#readMore(isWanted));
    }
    this.update();
  }

  /**
   * Reads what is shown and not read yet: what was erased, and the story that is open.
   * @param {() => boolean} isWanted
   */
  async #readMore(isWanted) {
    this.#readTo = this.player.log.last;
    if (this.ghosts.isShown && !(await this.past.readGraves(isWanted))) return;
    if (this.id) await this.#tell(this.id, isWanted);
  }

  /** Follows the place of the player, and the log when it grows. */
  update() {
    const { ghosts, player, id } = this;
    ghosts.isGone = id !== undefined && player.element(id) === undefined;
    ghosts.chosen = (id && player.element(id)) || this.element || ghosts.chosen;
    if (!id) ghosts.chosen = undefined;
    ghosts.chosenPage = ghosts.chosen && this.past.pageOf(ghosts.chosen);
    ghosts.area = player.query.area;
    ghosts.update(ghosts.isShown ? this.past.erased : []);
    this.#markCurrent();
    const isShown = this.life !== undefined || ghosts.isShown;
    const hasGrown = isShown && player.log.last > this.#readTo;
    if (hasGrown && !this.isReading) void this.#run((isWanted) => this.#readMore(isWanted));
  }

  /** The event that is shown is marked in the story. */
  #markCurrent() {
    const { revision } = this.player.place;
    for (const row of this.section.querySelectorAll("[data-revision]")) {
      const isCurrent = /** @type {HTMLElement} */ (row).dataset.revision === String(revision);
      row.setAttribute("aria-current", String(isCurrent));
    }
  }

  /** @param {Box | undefined} box that is being drawn; none: the one that is searched */
  #showArea(box) {
    this.ghosts.area = box ? { ...box, page: this.player.scene } : this.player.query.area;
    this.player.board.refresh();
  }

  /**
   * Puts elements back on the board of the live room.
   * @param {RoomElement[]} elements
   */
  async restore(elements) {
    const { say } = this.uses;
    if (this.isSending) return;
    this.outcome = { word: "story.restoring" };
    this.render();
    const back = await restore(this.#joined, elements).catch((why) => this.uses.onProblem(why));
    this.outcome = back
      ? { word: "story.isBack", revision: back.revision, ids: back.ids }
      : undefined;
    if (back?.problem) this.uses.onProblem(back.problem);
    if (back) {
      say(t("story.isBack", { count: back.ids.length, revision: back.revision }));
      await this.#goTo(back.revision).catch(this.uses.onProblem);
    }
    this.render();
    this.update();
  }

  /** Takes back what was put back, all of it at once. */
  async takeBack() {
    const { outcome } = this;
    if (!outcome?.ids || this.isSending) return;
    const { ids } = outcome;
    this.outcome = { word: "story.takingBack" };
    this.render();
    const taken = await takeBack(this.#joined, ids).catch((why) => this.uses.onProblem(why));
    this.outcome = taken ? { word: "story.isTakenBack", ...taken } : outcome;
    if (taken?.revision) await this.#goTo(taken.revision).catch(this.uses.onProblem);
    this.render();
    this.update();
  }

  /** How the live room is joined for a moment. */
  get #joined() {
    const { room, token, name } = this.uses.access;
    return { origin: location.origin, room, token, name: name(), clock: this.player.clock };
  }

  /** @param {number} revision that the log has by now */
  async #goTo(revision) {
    await this.player.source.readNew();
    this.player.showNew();
    await this.player.seek(revision, { isPlaying: false });
  }

  render() {
    const isEmpty = !this.id && !this.note && !this.isReading;
    this.section.hidden = isEmpty;
    fill(find(this.section, ".body"), ...storyNodes(this));
    this.#markCurrent();
  }
}
