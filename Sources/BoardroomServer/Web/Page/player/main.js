import { exported } from "../board/export.js";
import { Rest } from "../board/rest.js";
import { forget, keep, kept, place } from "../board/start.js";
import { realClock } from "../core/clock.js";
import { Voice } from "../ui/a11y.js";
import { called, find, h, piece } from "../ui/dom.js";
import { language, languageFor, languageTag, refusalText, speak, t } from "../ui/i18n.js";
import { clockText } from "./layout.js";
import { nextSpeed } from "./playback.js";
import { Player } from "./player.js";
import { momentIn, momentText, revisionOf } from "./query.js";
import { asking, Source } from "./source.js";

// The page of the player: what its address says, what buttons and keys do (replay.html says which), the bars.
const clock = realClock();
const voice = new Voice(clock);
const dark = matchMedia("(prefers-color-scheme: dark)");
const [, room = ""] = /^\/replay\/([0-9a-f]{32})\/?$/.exec(location.pathname) ?? [];
/** @type {Replay.Player} */
export let player;
const part = (/** @type {string} */ selector) => /** @type {any} */ (find(document, selector));
/** @param {string} selector @param {(element: any) => void} run */
const each = (selector, run) => document.querySelectorAll(selector).forEach(run);
const theme = () => /** @type {Theme} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));

function dress() {
  each(":root, .br", (one) => { one.dataset.theme = theme(); });
  if (player) player.board.theme = theme();
  player?.timeline.ask();
}
const here = () => momentText(room, {
  seq: player.place.revision, m: player.followed, f: player.query.source, view: player.board.view.camera,
});

async function goTo(/** @type {Replay.Moment} */ { seq, m, f, view }) {
  if (f !== player.query.source) look(f);
  if (seq !== undefined) await player.seek(seq);
  if (m !== undefined) player.follow(m);
  if (view) player.board.view.set(view);
}
function look(/** @type {string} */ text) {
  part(".search input").value = text;
  return player.search(text);
}

const turn = (/** @type {Partial<Replay.Place>} */ how) => player.set({ ...player.place, ...how });
const mark = (/** @type {string} */ name) => player.mark({ ...player.marks, [name]: player.place.revision });
const speed = (/** @type {number} */ step) => turn({ speed: nextSpeed(player.place.speed, step) });
/** @type {Record<string, () => unknown>} */
const ACTIONS = {
  play: () => player.play(),
  first: () => player.seek(player.source.first), last: () => player.seek(player.log.last),
  stepBack: () => player.step(-1), stepOn: () => player.step(1),
  leapBack: () => player.leap(-5000), leapOn: () => player.leap(5000),
  alikeBack: () => player.next(-1, true), alikeOn: () => player.next(1, true),
  hitBack: () => player.next(-1), hitOn: () => player.next(1),
  slower: () => speed(-1), faster: () => speed(1),
  events: () => turn({ byEvent: !player.place.byEvent }),
  live: () => (player.place.isLive ? player.play(false) : player.goLive()),
  idle: () => player.refresh(!player.skipsIdle),
  markA: () => mark("a"), markB: () => mark("b"), unmark: () => player.mark({}),
  fit: () => player.board.fit(),
  zoomIn: () => player.board.view.zoomStep(1), zoomOut: () => player.board.view.zoomStep(-1),
  search: () => part(".search input").focus(), help: () => part("dialog.help").showModal(),
  sheet: () => part(".player").classList.toggle("has-sheet"),
  exports: () => part("dialog.exports").showModal(),
  share() {
    part("dialog.share input").value = location.origin + here();
    part("dialog.share").showModal();
  },
  async copy() {
    const field = part("dialog.share input");
    field.select();
    // Plain HTTP has no clipboard: then the field is selected, and the old way tried.
    const isDone = await navigator.clipboard?.writeText(field.value).then(() => true, () => false)
      ?? document.execCommand("copy");
    part("dialog.share p").textContent = t(isDone ? "share.copied" : "share.selected");
  },
  theme() {
    keep("theme", theme() === "dark" ? "light" : "dark");
    dress();
  },
  language() {
    keep("language", language() === "zh" ? "en" : "zh");
    place(here());
    location.reload();
  },
};

function press(/** @type {KeyboardEvent} */ event) {
  const { code, shiftKey, isComposing, ctrlKey, metaKey, altKey } = event;
  const target = /** @type {Element} */ (event.target);
  if (isComposing || ctrlKey || metaKey || altKey || target.closest("input, select, dialog[open]")) return;
  if (code === "Space" && target.closest("button, summary, a")) return;
  const key = document.querySelector(`[data-key="${shiftKey ? "+" : ""}${code}"]`);
  const action = key?.getAttribute("data-do") ?? "";
  const [{ pacing, place: { at } }, [, tenth]] = [player, /^Digit(\d)$/.exec(code) ?? []];
  if (tenth && !shiftKey) void player.leap((pacing.length * Number(tenth)) / 10 - pacing.shown(at));
  else if (action) ACTIONS[action]();
  else return;
  event.preventDefault();
  if (/^(step|alike|hit)/.test(action)) voice.say(player.words(), "event");
}
/** @param {string} format of what is saved: the picture, or the events between the marks */
async function save(format) {
  const { a, b } = player.range;
  const [isLog, rest] = [format === "jsonl", new Rest({ origin: "", room })];
  const blob = isLog ? new Blob([await player.source.ask(`/v5/rooms/${room}/log?after=${a}&to=${b}`)])
    : await exported(/** @type {any} */ ({ board: player.board, overlay: player, rest, room }), format);
  const href = URL.createObjectURL(blob);
  const what = isLog ? `${a + 1}-${b}` : player.state.revision;
  h("a", { href, download: `boardroom-${room.slice(0, 8)}-${what}.${format}` }).click();
  clock.after(10_000, () => URL.revokeObjectURL(href));
}
/** What stands in the bars. */
function show() {
  const { place: now, log, board, state, query, followed, marks, range, hits, skipsIdle, source } = player;
  const phase = state.members.get(followed ?? -1)?.phase ?? "gone";
  const at = state.scenes.findIndex(({ id }) => id === state.currentScene) + 1;
  const time = clockText(now.at - log.begin);
  /** @type {Record<string, string>} */
  const texts = {
    ".of": `/ ${clockText(log.end - log.begin)} · #${now.revision.toLocaleString()}`,
    ".zoom": `${Math.round(board.view.scale * 100)} %`,
    ".page": t("pages.count", { at, all: state.scenes.length }),
    ".count": query.isEmpty ? "" : hits.length.toLocaleString(),
    "[data-do=markA]": `A ${marks.a?.toLocaleString() ?? ""}`,
    "[data-do=markB]": `B ${marks.b?.toLocaleString() ?? ""}`,
    ".range-words": t("player.jsonl", { a: range.a + 1, b: range.b }),
    ".query-problem": query.problems.map(({ word, why }) => t(`player.bad.${why}`, { word })).join(" "),
    ".phase-note": followed === undefined ? ""
      : `${player.by(followed)} · ${t(phase === "gone" ? "player.gone" : `phase.${phase}`)}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    if (part(name).textContent !== text) part(name).textContent = text;
  }
  const aria = { ariaValueMin: source.first, ariaValueMax: log.last, ariaValueNow: now.revision };
  Object.assign(part(".heat"), aria, { ariaValueText: `${time}, ${player.words()}` });
  part(".phase-note").dataset.phase = phase;
  part(".speed").value = `${now.speed}×`;
  if (document.activeElement !== part(".now")) part(".now").value = time;
  called(part(".play"), t(now.isPlaying ? "player.pause" : "player.play"));
  part(".play").dataset.is = now.isPlaying;
  const pressed = { live: now.isLive, idle: skipsIdle, events: now.byEvent };
  for (const [name, isPressed] of Object.entries(pressed)) part(`[data-do=${name}]`).ariaPressed = isPressed;
  const words = query.source.split(" ");
  each("[data-family]", (one) => { one.ariaPressed = words.includes(`kind:${one.dataset.family}`); });
}

function problem(/** @type {any} */ why) {
  const isFault = why?.code === undefined;
  const words = isFault ? `${t("player.fault")} ${why}` : refusalText(why);
  if (player?.log.last) {
    part(".problem-note").textContent = words;
    clock.after(8_000, () => { part(".problem-note").textContent = ""; });
  } else refuse(words, ["tokenInvalid", "tokenExpired", "forbidden"].includes(why?.code));
  if (isFault) throw why;
}
/** @param {string} words why there is nothing to be seen @param {boolean} isToken another one may help */
function refuse(words, isToken) {
  forget(`token.${room}`, sessionStorage);
  document.body.replaceChildren(piece(isToken ? "ask" : "nothing"));
  dress();
  if (!isToken) part("p").textContent = words;
  else hear("form", "submit", () => {
    keep(`token.${room}`, part("input").value.trim(), sessionStorage);
    location.reload();
  });
}
/** @param {string} selector @param {string} type @param {(own: any) => unknown} run */
const hear = (selector, type, run) => part(selector).addEventListener(type, (/** @type {Event} */ event) => {
  if (type === "submit") event.preventDefault();
  run(event.target);
});
/** Listens to what replay.html has. */
function wire() {
  each("[data-do]", (one) => one.addEventListener("click", () => ACTIONS[one.dataset.do]()));
  each("[data-family]", (one) =>
    one.addEventListener("click", () => look(player.query.toggled(`kind:${one.dataset.family}`))));
  hear(".speed", "change", ({ value }) => turn({ speed: parseFloat(value) }));
  hear(".search input", "change", ({ value }) => look(value));
  hear(".search", "submit", () => look(part(".search input").value).then(() => player.next(1)));
  hear(".jump", "submit", () => {
    const revision = revisionOf(part(".now").value, player.log);
    if (revision !== undefined) void player.seek(revision);
    part(".now").blur();
  });
  hear("dialog.exports", "close", ({ returnValue }) => returnValue && save(returnValue).catch(problem));
  document.addEventListener("keydown", press);
  addEventListener("hashchange", () => goTo(momentIn(location.hash)).catch(problem));
  dark.addEventListener("change", dress);
}

async function start() {
  await speak(kept("language") ?? languageFor(navigator.languages));
  document.documentElement.lang = languageTag();
  const wanted = momentIn(location.hash);
  // A token is nobody's business but this tab's: it leaves the address before anything else happens.
  if (wanted.token) keep(`token.${room}`, wanted.token, sessionStorage);
  if (wanted.token) place(momentText(room, wanted));
  const server = await new Rest({ origin: location.origin }).server();
  document.body.prepend(piece("player"));
  part(".room").textContent = room.slice(0, 8);
  part(".player").append(voice.element);
  const source = new Source(room, asking(kept(`token.${room}`, sessionStorage) ?? server.token ?? ""));
  player = new Player(part(".player"), { source, clock, theme: theme(), onShown: show, onProblem: problem });
  dress();
  wire();
  await player.open(wanted.seq);
  if (!wanted.view && wanted.m === undefined) player.board.fit();
  await goTo(wanted);
}

start().catch(problem);
