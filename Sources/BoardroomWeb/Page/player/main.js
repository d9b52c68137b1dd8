// The page of the player: what its address says, and what is shown where there is nothing to be
// seen.
import { realClock } from "../protocol/clock.js";
import { Rest, rightsOf } from "../protocol/rest.js";
import { applyTheme, followTheme, loadLanguage, theme } from "../ui/appearance.js";
import { piece } from "../ui/dom.js";
import { refusalText, t } from "../ui/i18n.js";
import { forget, keep, kept, showAddress } from "../ui/storage.js";
import { roomTitle } from "../ui/title.js";
import { Voice } from "../ui/voice.js";
import { showBars, showStoryButtons } from "./bars.js";
import { Controls } from "./controls.js";
import { each, listen, part } from "./parts.js";
import { Player } from "./player.js";
import { momentIn, momentText } from "./query.js";
import { requester, Source } from "./source.js";
import { Story } from "./story.js";

/** Ms that a note about a problem is shown. */
const NOTE_TIME = 8_000;

/** What a page that frames this one is told when it is there (`mountPlayer` of boardroom-client). */
const READY = "boardroom.player";

/** After that it is told once what became of it: the recording is shown, or the room refuses. */
const OPENED = { type: "boardroom.player.opened" };
const REFUSED = "boardroom.player.refused";

/** Codes of refusals that another token may help against. */
const OF_TOKENS = ["tokenInvalid", "tokenExpired", "forbidden"];

const clock = realClock();
const [, room = ""] = /^\/replay\/([0-9a-f]{32})\/?$/.exec(location.pathname) ?? [];
const tokenKey = `token.${room}`;

/** @type {Replay.Player} */
export let player;

/** @type {Story} */
export let story;

/** @type {Controls} */
let controls;

/** @param {Theme} worn */
function showTheme(worn) {
  each(".br", (element) => {
    element.dataset.theme = worn;
  });
  if (!player) return;
  player.board.theme = worn;
  player.timeline.requestFrame();
}

/** @param {Replay.Moment} moment */
async function goTo({ seq, m, p, f, view, e }) {
  if (f !== player.query.source) controls.search(f);
  if (seq !== undefined) await player.seek(seq);
  if (m !== undefined) player.follow(m);
  if (p !== undefined) player.turnTo(p);
  if (view) player.board.view.set(view);
  if (e && e !== story.id) void story.open(e);
}

let isOutcomeTold = false;

/**
 * Tells a page around this one what became of the player, once.
 * @param {Record<string, string>} outcome
 */
function tellOutcome(outcome) {
  if (isOutcomeTold || parent === window) return;
  isOutcomeTold = true;
  parent.postMessage(outcome, "*");
}

/** @param {any} why a refusal, or a fault, which is thrown on */
function showProblem(why) {
  const isFault = why?.code === undefined;
  const words = isFault ? `${t("player.fault")} ${why}` : refusalText(why);
  if (player?.log.last) {
    showNote(words);
    tellOutcome(OPENED);
  } else {
    refuse(words, OF_TOKENS.includes(why?.code));
    const { code = "internal", cause = words, cure = "" } = isFault ? {} : why;
    tellOutcome({ type: REFUSED, code, cause, cure });
  }
  if (isFault) throw why;
}

/** @param {string} words */
function showNote(words) {
  part(".problem-note").textContent = words;
  clock.after(NOTE_TIME, () => {
    part(".problem-note").textContent = "";
  });
}

/**
 * @param {string} words why there is nothing to be seen
 * @param {boolean} needsToken another token may help
 */
function refuse(words, needsToken) {
  forget(tokenKey, "tab");
  document.body.replaceChildren(piece(needsToken ? "ask" : "nothing"));
  applyTheme();
  if (needsToken) {
    listen("form", "submit", () => {
      keep(tokenKey, part("input").value.trim(), "tab");
      location.reload();
    });
  } else {
    part("p").textContent = words;
  }
}

/**
 * @param {string} given the token of the address, where the tab cannot keep it; "": it has none
 * @returns {Promise<{source: Source, own: string, rest: Rest, isOpen: boolean}>} the room's log, with
 *   the token that this tab has, or that everybody is given; `own`: the former
 */
async function openSource(given) {
  const server = await new Rest({ origin: location.origin }).server();
  const own = kept(tokenKey, "tab") ?? given;
  const token = own || (server.token ?? "");
  const rest = new Rest({ origin: location.origin, room, token, isOpen: server.open && !own });
  return { source: new Source(room, requester(token)), own, rest, isOpen: server.open };
}

/**
 * @param {HTMLElement} page
 * @param {string} token the own one; "": the server is open
 * @param {Voice} voice
 */
function makeStory(page, token, voice) {
  const name = () => kept("name") ?? "";
  return new Story(page, player, {
    access: { room, token, rights: rightsOf(token), name },
    search: (text) => void controls.search(text),
    say: (words) => voice.announce(words, "story"),
    onProblem: showProblem,
  });
}

function onShown() {
  showBars(player);
  const title = `${roomTitle(player.state.created?.name ?? "", room)} · ${t("player.replay")}`;
  if (document.title !== title) document.title = title;
  if (!story) return;
  showStoryButtons(story);
  story.update();
}

async function start() {
  followTheme(showTheme);
  await loadLanguage();
  if (parent !== window) parent.postMessage(READY, "*");
  const wanted = momentIn(location.hash);
  if (wanted.token) {
    // A token is for this tab only: it is removed from the address before anything else happens.
    keep(tokenKey, wanted.token, "tab");
    showAddress(momentText(room, wanted));
  }
  const { source, own, rest, isOpen } = await openSource(wanted.token ?? "");
  const voice = new Voice(clock);
  document.body.prepend(piece("player"));
  const page = part(".player");
  part(".room").textContent = room.slice(0, 8);
  page.append(voice.element);
  player = new Player(page, {
    source,
    clock,
    theme: theme(),
    images: { origin: location.origin, room },
    onShown,
    onProblem: showProblem,
  });
  story = makeStory(page, own, voice);
  const access = { rest, isOpen: isOpen && !own };
  controls = new Controls(player, { room, voice, story, ...access, onProblem: showProblem });
  addEventListener("hashchange", () => goTo(momentIn(location.hash)).catch(showProblem));
  applyTheme();
  await player.open(wanted.seq);
  tellOutcome(OPENED);
  if (!wanted.view && wanted.m === undefined) player.board.fit();
  await goTo(wanted);
}

start().catch(showProblem);
