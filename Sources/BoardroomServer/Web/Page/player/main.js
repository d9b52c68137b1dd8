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

// The page of the player: what its address says, what buttons and keys do (replay.html says which), and the bars.

const clock = realClock();
const voice = new Voice(clock);
const dark = matchMedia("(prefers-color-scheme: dark)");
const [, room = ""] = /^\/replay\/([0-9a-f]{32})\/?$/.exec(location.pathname) ?? [];
/** @type {Replay.Player} */
export let player;

/** @param {string} selector @returns {any} an element of replay.html */
const part = (selector) => find(document, selector);
/** @param {string} selector @param {(element: any) => void} run */
const each = (selector, run) => document.querySelectorAll(selector).forEach(run);
const theme = () => /** @type {Theme} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));

function dress() {
  each(":root, .br", (one) => { one.dataset.theme = theme(); });
  if (!player) return;
  player.board.theme = theme();
  player.timeline.ask();
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

const mark = (/** @type {"a" | "b"} */ name) => player.mark({ ...player.marks, [name]: player.place.revision });
const speed = (/** @type {number} */ step) =>
  player.set({ ...player.place, speed: nextSpeed(player.place.speed, step) });

/** @type {Record<string, () => unknown>} */
const ACTIONS = {
  play: () => player.play(), first: () => player.seek(player.source.first), last: () => player.seek(player.log.last),
  stepBack: () => player.step(-1), stepOn: () => player.step(1),
  leapBack: () => player.leap(-5000), leapOn: () => player.leap(5000),
  alikeBack: () => player.next(-1, true), alikeOn: () => player.next(1, true),
  hitBack: () => player.next(-1), hitOn: () => player.next(1), slower: () => speed(-1), faster: () => speed(1),
  events: () => player.set({ ...player.place, byEvent: !player.place.byEvent }),
  live: () => (player.place.isLive ? player.play(false) : player.goLive()),
  idle: () => player.skipIdle(!player.skipsIdle),
  markA: () => mark("a"), markB: () => mark("b"), unmark: () => player.mark({}),
  fit: () => player.board.fit(), zoomIn: () => player.board.view.zoomStep(1), zoomOut: () => player.board.view.zoomStep(-1),
  search: () => part(".search input").focus(), help: () => part("dialog.help").showModal(), copy,
  sheet: () => part(".player").classList.toggle("has-sheet"),
  exports() {
    const { a, b } = player.range;
    part(".range-words").textContent = t("player.jsonl", { a: a + 1, b });
    part("dialog.exports").showModal();
  },
  share() {
    part("dialog.share input").value = location.origin + here();
    part("dialog.share").showModal();
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
  if (isComposing || ctrlKey || metaKey || altKey || target.closest("input, select, dialog")) return;
  if (code === "Space" && target.closest("button, summary, a")) return;
  const key = /** @type {HTMLElement | null} */ (document.querySelector(`[data-key="${shiftKey ? "+" : ""}${code}"]`));
  const action = key?.dataset.do ?? "";
  if (/^Digit\d$/.test(code) && !shiftKey) void player.tenth(Number(code[5]));
  else if (action) ACTIONS[action]();
  else return;
  event.preventDefault();
  if (/^(step|alike|hit)/.test(action)) voice.say(player.words(), "event");
}

function look(/** @type {string} */ text) {
  part(".search input").value = text;
  void player.search(text);
}

async function copy() {
  const field = part("dialog.share input");
  field.select();
  // Plain HTTP has no clipboard: then the field is selected, and the old way tried.
  const isDone = navigator.clipboard ? await navigator.clipboard.writeText(field.value).then(() => true, () => false)
    : document.execCommand("copy");
  part("dialog.share p").textContent = t(isDone ? "share.copied" : "share.selected");
}

/** @param {string} format of what is saved: the picture, or the events between the marks */
async function save(format) {
  const { board, drawn: overlay, source, range: { a, b } } = player;
  const lines = `${source.room}/log?after=${a}&to=${b}`;
  const blob = format === "jsonl" ? new Blob([await source.ask(lines)])
    : await exported(/** @type {any} */ ({ board, overlay }), format);
  const href = URL.createObjectURL(blob);
  const what = format === "jsonl" ? `${a + 1}-${b}` : player.state.revision;
  h("a", { href, download: `boardroom-${room.slice(0, 8)}-${what}.${format}` }).click();
  clock.after(10_000, () => URL.revokeObjectURL(href));
}

/** What stands in the bars. */
function show() {
  const { place: now, log, board, state, query, followed, marks, hits, skipsIdle, source } = player;
  const phase = state.members.get(followed ?? -1)?.phase ?? "gone";
  const words = `${clockText(now.at - log.begin)}, ${player.words()}`;
  /** @type {Record<string, string>} */
  const texts = {
    ".of": `/ ${clockText(log.end - log.begin)} · #${now.revision.toLocaleString()}`,
    ".zoom": `${Math.round(board.view.scale * 100)} %`, ".count": query.isEmpty ? "" : hits.length.toLocaleString(),
    ".page": t("pages.count", {
      at: state.scenes.findIndex(({ id }) => id === state.currentScene) + 1, all: state.scenes.length }),
    "[data-do=markA]": `A ${marks.a?.toLocaleString() ?? ""}`, "[data-do=markB]": `B ${marks.b?.toLocaleString() ?? ""}`,
    ".query-problem": query.problems.map(({ word, why }) => t(`player.bad.${why}`, { word })).join(" "),
    ".phase-note": followed === undefined ? ""
      : `${player.nameOf(followed)} · ${t(phase === "gone" ? "player.gone" : `phase.${phase}`)}`,
  };
  for (const [at, text] of Object.entries(texts)) if (part(at).textContent !== text) part(at).textContent = text;
  Object.assign(part(".phase-note").dataset, { phase });
  Object.assign(part(".heat"),
    { ariaValueMin: source.first, ariaValueMax: log.last, ariaValueNow: now.revision, ariaValueText: words });
  part(".speed").value = `${now.speed}×`;
  if (document.activeElement !== part(".now")) part(".now").value = clockText(now.at - log.begin);
  if (part(".play").dataset.is !== String(now.isPlaying)) called(part(".play"), t(now.isPlaying ? "player.pause" : "player.play"));
  part(".play").dataset.is = now.isPlaying;
  const pressed = { live: now.isLive, idle: skipsIdle, events: now.byEvent };
  for (const [name, isPressed] of Object.entries(pressed)) part(`[data-do=${name}]`).ariaPressed = isPressed;
  each("[data-family]", (one) => { one.ariaPressed = query.source.split(" ").includes(`kind:${one.dataset.family}`); });
}

function problem(/** @type {any} */ why) {
  if (why?.code === undefined) throw why;
  if (!player?.log.last) return refuse(why);
  part(".problem-note").textContent = refusalText(why);
  clock.after(8_000, () => { part(".problem-note").textContent = ""; });
}

/** There is nothing to be seen; another token may help. */
function refuse(/** @type {any} */ why) {
  const isToken = ["tokenInvalid", "tokenExpired", "forbidden"].includes(why.code);
  document.body.replaceChildren(piece("ask"));
  dress();
  part("h1").textContent = t(isToken ? "start.needsToken" : "player.nothing");
  part("form p").textContent = isToken ? t("start.needsTokenAbout") : refusalText(why);
  part(".field").hidden = part("form button").hidden = !isToken;
  forget(`token.${room}`, sessionStorage);
  hear("form", "submit", () => {
    keep(`token.${room}`, part("input").value.trim(), sessionStorage);
    location.reload();
  });
}

/** @param {string} selector @param {string} type @param {(own: any) => void} run */
const hear = (selector, type, run) => part(selector).addEventListener(type, (/** @type {Event} */ event) => {
  if (type === "submit" && selector !== "dialog form") event.preventDefault();
  run(event.target);
});

/** Listens to what replay.html has. */
function wire() {
  each("[data-do]", (one) => one.addEventListener("click", () => ACTIONS[one.dataset.do]()));
  each("[data-family]", (one) => one.addEventListener("click", () => look(player.query.toggled(`kind:${one.dataset.family}`))));
  hear(".speed", "change", ({ value }) => void player.set({ ...player.place, speed: parseFloat(value) }));
  hear(".search input", "change", ({ value }) => look(value));
  hear(".search", "submit", async () => {
    await player.search(part(".search input").value);
    player.next(1);
  });
  hear(".jump", "submit", () => {
    const revision = revisionOf(part(".now").value, player.log);
    if (revision !== undefined) void player.seek(revision);
    part(".now").blur();
  });
  hear("dialog.exports", "close", ({ returnValue }) => { if (returnValue) save(returnValue).catch(problem); });
  document.addEventListener("keydown", press);
  addEventListener("hashchange", () => void goTo(momentIn(location.hash)));
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
  const token = kept(`token.${room}`, sessionStorage) ?? server.token ?? "";
  const source = new Source({ room, ask: asking(location.origin, token) });
  player = new Player(part(".player"), { source, clock, theme: theme(), onShown: show, onProblem: problem });
  dress();
  wire();
  await player.open(wanted.seq);
  if (!wanted.view && wanted.m === undefined) player.board.fit();
  await goTo(wanted);
}

start().catch(problem);
