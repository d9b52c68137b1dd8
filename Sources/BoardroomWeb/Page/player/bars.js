// The contents of the bars of the player.
import { sceneOf } from "../state/roomstate.js";
import { fill, h, setLabel } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText } from "./layout.js";
import { each, part } from "./parts.js";

/** @param {Replay.Player} player */
export function showBars(player) {
  showTexts(player);
  showPages(player);
  showPlayhead(player);
  showButtons(player);
  showSearching(player);
}

/**
 * @param {Replay.Player} player
 * @returns the phase of the member that is followed; nobody: "gone"
 */
const followedPhase = ({ state, followed }) => state.members.get(followed ?? -1)?.phase ?? "gone";

/** @param {Replay.Player} player */
function showTexts(player) {
  const { log, place, board, query, marks, range } = player;
  const problems = query.problems.map(({ word, why }) => t(`player.bad.${why}`, { word }));
  /** @type {Record<string, string>} */
  const texts = {
    ".of": `/ ${clockText(log.end - log.begin)} · #${place.revision.toLocaleString()}`,
    ".zoom": `${Math.round(board.view.scale * 100)} %`,
    ".reaction-counts": reactionText(player),
    ".count": query.isEmpty ? "" : countText(player),
    "[data-do=markA]": `A ${marks.a?.toLocaleString() ?? ""}`,
    "[data-do=markB]": `B ${marks.b?.toLocaleString() ?? ""}`,
    ".range-words": t("player.jsonl", { a: range.a + 1, b: range.b }),
    ".query-problem": problems.join(" "),
    ".phase-note": phaseText(player),
  };
  each(".clip-words", (element) => {
    element.textContent = t("player.clip", { a: range.a + 1, b: range.b });
  });
  for (const [selector, text] of Object.entries(texts)) {
    const element = part(selector);
    if (element.textContent !== text) element.textContent = text;
  }
  part(".phase-note").dataset.phase = followedPhase(player);
}

/**
 * The choice of a page: the first one is the page of the room, or of the member who is followed.
 * @param {Replay.Player} player
 */
function showPages({ state, followed, page }) {
  const { scenes } = state;
  const led = sceneOf(state, followed ?? null);
  const labelOf = (/** @type {number} */ at) => t("pages.count", { at, all: scenes.length });
  const at = scenes.findIndex(({ id }) => id === led) + 1;
  const options = [
    [
      "",
      t(followed === undefined ? "player.roomsPage" : "player.membersPage", { page: labelOf(at) }),
    ],
    ...scenes.map(({ id }, place) => [String(id), labelOf(place + 1)]),
  ];
  const select = part(".page");
  const said = JSON.stringify(options);
  if (select.dataset.said !== said) {
    const made = options.map(([value, words]) => h("option", { value }, words));
    fill(select, made);
    select.dataset.said = said;
  }
  select.value = scenes.some(({ id }) => id === page) ? String(page) : "";
  select.hidden = scenes.length < 2;
}

/**
 * @param {Replay.Player} player
 * @returns {string} how many events were found, and how far the search has come
 */
function countText({ hits, searching, stoppedAt }) {
  const count = hits.length.toLocaleString();
  const part = searching ?? stoppedAt;
  if (part === undefined) return count;
  const word = searching === undefined ? "player.stopped" : "player.searching";
  return t(word, { count, percent: Math.round(part * 100) });
}

/** @param {Replay.Player} player */
function showSearching({ searching }) {
  const bar = part(".search progress");
  bar.hidden = searching === undefined;
  bar.value = searching ?? 0;
  part("[data-do=stopSearch]").hidden = searching === undefined;
}

/** @param {Replay.Player} player */
function reactionText({ log, place }) {
  return log
    .reactionsUpTo(place.revision)
    .map((one) => one.join(" "))
    .join("  ");
}

/** @param {Replay.Player} player */
function phaseText(player) {
  const { followed } = player;
  if (followed === undefined) return "";
  const phase = followedPhase(player);
  const words = t(phase === "gone" ? "player.gone" : `phase.${phase}`);
  return `${player.memberName(followed)} · ${words}`;
}

/** @param {Replay.Player} player */
function showPlayhead(player) {
  const { place, log, source } = player;
  const time = clockText(place.at - log.begin);
  Object.assign(part(".heat"), {
    ariaValueMin: source.first,
    ariaValueMax: log.last,
    ariaValueNow: place.revision,
    ariaValueText: `${time}, ${player.eventText()}`,
  });
  const now = part(".now");
  // A text that is being written stays.
  if (document.activeElement !== now) now.value = time;
}

/** @param {Replay.Player} player */
function showButtons({ place, query, skipsIdle }) {
  const play = part(".play");
  setLabel(play, t(place.isPlaying ? "player.pause" : "player.play"));
  play.dataset.is = place.isPlaying;
  part(".speed").value = `${place.speed}×`;
  const pressed = { live: place.isLive, idle: skipsIdle, events: place.byEvent };
  for (const [name, isPressed] of Object.entries(pressed)) {
    part(`[data-do=${name}]`).ariaPressed = isPressed;
  }
  const words = query.source.split(" ");
  each("[data-marker]", (button) => {
    button.ariaPressed = words.includes(`kind:${button.dataset.marker}`);
  });
}

/** @param {import("./story.js").Story} story */
export function showStoryButtons({ ghosts, picking }) {
  part("[data-do=ghosts]").ariaPressed = ghosts.isShown;
  part("[data-do=area]").ariaPressed = picking.isDrawing;
}
