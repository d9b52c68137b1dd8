import { sceneSVG } from "../board/export.js";
import { Rest } from "../board/rest.js";
import { forget, keep, kept, place } from "../board/start.js";
import { realClock } from "../core/clock.js";
import { Voice } from "../ui/a11y.js";
import { fill, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { language, languageFor, languageTag, refusalText, speak, t } from "../ui/i18n.js";
import { clockText } from "./layout.js";
import { Player } from "./player.js";
import { momentIn, momentText, revisionOf } from "./query.js";
import { asking, Source } from "./source.js";

// The page of the player: what its address says, what buttons and keys do (replay.html says which), and the bars.

const clock = realClock();
const voice = new Voice(clock);
const dark = matchMedia("(prefers-color-scheme: dark)");
const [, room = ""] = /^\/replay\/([0-9a-f]{32})\/?$/.exec(location.pathname) ?? [];
/** @type {Player} */
export let player;

/** @param {string} selector @returns {any} an element of replay.html */
const part = (selector) => document.querySelector(selector);
/** @param {string} selector @param {(element: any) => void} run */
const each = (selector, run) => document.querySelectorAll(selector).forEach(run);
const theme = () => /** @type {Theme} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));

function dress() {
  document.documentElement.dataset.theme = theme();
  each(".br", (one) => { one.dataset.theme = theme(); });
  if (!player) return;
  player.board.theme = theme();
  player.timeline.ask();
}

const moment = () => ({ seq: player.place.revision, m: player.followed, f: player.query.source, view: player.board.view.camera });

/** @param {ReturnType<typeof momentIn>} to */
async function goTo({ seq, m, f, view }) {
  if (f !== player.query.source) ask(f);
  if (seq !== undefined) await player.seek(seq);
  if (m !== undefined) player.follow(m);
  if (view) player.board.view.set(view);
}

/** @type {Record<string, (event: Event) => unknown>} */
const ACTIONS = {
  play: () => player.play(), first: () => player.seek(player.source.first), last: () => player.seek(player.log.last),
  stepBack: () => player.step(-1), stepOn: () => player.step(1), leapBack: () => player.leap(-5000),
  leapOn: () => player.leap(5000), alikeBack: () => player.next(-1, true), alikeOn: () => player.next(1, true),
  hitBack: () => player.next(-1), hitOn: () => player.next(1), slower: () => player.speedUp(-1), faster: () => player.speedUp(1),
  events: () => player.set({ ...player.place, byEvent: !player.place.byEvent }),
  live: () => (player.place.isLive ? player.play(false) : player.goLive()), idle: () => player.skipIdle(!player.skipsIdle),
  markA: () => player.mark({ ...player.marks, a: player.place.revision }),
  markB: () => player.mark({ ...player.marks, b: player.place.revision }), unmark: () => player.mark({}),
  fit: () => player.board.fit(), zoomIn: () => player.board.view.zoomStep(1), zoomOut: () => player.board.view.zoomStep(-1),
  search: () => part(".search input").focus(), help: () => part("dialog.help").showModal(), copy,
  exports() {
    const { a, b } = player.range;
    part(".range-words").textContent = t("player.jsonl", { a: a + 1, b });
    part("dialog.exports").showModal();
  },
  share() {
    part("dialog.share input").value = location.origin + momentText(room, moment());
    part("dialog.share").showModal();
  },
  theme: () => { keep("theme", theme() === "dark" ? "light" : "dark"); dress(); },
  language: () => { keep("language", language() === "zh" ? "en" : "zh"); place(momentText(room, moment())); location.reload(); },
  sheet: () => part(".player").classList.toggle("has-sheet"),
};

/** @param {KeyboardEvent} event */
function press(event) {
  const { code, shiftKey, isComposing, ctrlKey, metaKey, altKey } = event;
  const target = /** @type {Element} */ (event.target);
  if (isComposing || ctrlKey || metaKey || altKey || target.closest("input, select, dialog")) return;
  if (code === "Space" && target.closest("button, summary, a")) return;
  const action = part(`[data-key="${shiftKey ? "+" : ""}${code}"]`)?.dataset.do;
  if (/^Digit\d$/.test(code) && !shiftKey) player.tenth(Number(code[5]));
  else if (action) ACTIONS[action](event);
  else return;
  event.preventDefault();
  if (/^(step|alike|hit)/.test(action)) voice.say(player.words(), "event");
}

/** @param {string} text */
function ask(text) {
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
  const { board, drawn, source, state: { revision }, range: { a, b } } = player;
  const blob = format === "png" ? await board.picture()
    : new Blob([format === "svg" ? sceneSVG(drawn.elements(drawn.scene), board.content()) : await source.lines(a, b)]);
  const href = URL.createObjectURL(blob);
  h("a", { href, download: `boardroom-${room.slice(0, 8)}-${format === "jsonl" ? `${a + 1}-${b}` : revision}.${format}` }).click();
  clock.after(10_000, () => URL.revokeObjectURL(href));
}

/** What stands in the bars. */
function show() {
  const { place: now, log, board, state, query, followed, marks: { a, b }, hits } = player;
  const put = (/** @type {string} */ selector, /** @type {Record<string, any>} */ values) => {
    const one = part(selector);
    for (const [key, value] of Object.entries(values)) {
      if (key in one && one[key] !== value) one[key] = value;
      else if (!(key in one) && one.getAttribute(key) !== String(value)) one.setAttribute(key, value);
    }
  };
  const marked = (/** @type {string} */ name, /** @type {number | undefined} */ at) => `${name}${at === undefined ? "" : ` #${at.toLocaleString()}`}`;
  if (document.activeElement !== part(".now")) put(".now", { value: clockText(now.at - log.begin) });
  put(".of", { textContent: `/ ${clockText(log.end - log.begin)} · #${now.revision.toLocaleString()}` });
  put(".zoom", { textContent: `${Math.round(board.view.scale * 100)} %` });
  put(".page", { textContent: t("pages.count", {
    at: state.scenes.findIndex(({ id }) => id === state.currentScene) + 1, all: state.scenes.length }) });
  put(".play", { "aria-label": t(now.isPlaying ? "player.pause" : "player.play"), "data-is": now.isPlaying });
  if (part(".play").firstChild?.dataset.name !== String(now.isPlaying)) {
    fill(part(".play"), icon(now.isPlaying ? "pause" : "play"));
    part(".play").firstChild.dataset.name = now.isPlaying;
  }
  put("[data-do=live]", { "aria-pressed": now.isLive });
  put("[data-do=idle]", { "aria-pressed": player.skipsIdle });
  put("[data-do=events]", { "aria-pressed": now.byEvent });
  put(".speed", { value: `${now.speed}×` });
  put(".heat", { "aria-valuemin": player.source.first, "aria-valuemax": log.last, "aria-valuenow": now.revision,
    "aria-valuetext": `${clockText(now.at - log.begin)}, ${player.words()}` });
  put("[data-do=markA]", { textContent: marked("A", a) });
  put("[data-do=markB]", { textContent: marked("B", b) });
  put(".count", { textContent: query.isEmpty ? "" : hits.length.toLocaleString() });
  put(".query-problem", { textContent: query.problems.map(({ word, why }) => t(`player.bad.${why}`, { word })).join(" ") });
  each("[data-family]", (one) => one.setAttribute("aria-pressed", query.source.split(" ").includes(`kind:${one.dataset.family}`)));
  const names = player.people.map((number) => h("option", { value: number }, t("player.followOne", { name: player.nameOf(number) })));
  if (part(".follow").childElementCount !== names.length + 1) fill(part(".follow"), h("option", { value: "" }, t("player.free")), ...names);
  put(".follow", { value: String(followed ?? "") });
  const phase = state.members.get(followed ?? -1)?.phase;
  put(".phase-note", { hidden: followed === undefined, "data-phase": phase ?? "gone", textContent: followed === undefined ? ""
    : `${player.nameOf(followed)} · ${phase ? t(`phase.${phase}`) : t("player.gone")}` });
}

/** @param {any} why */
function problem(why) {
  if (why?.code === undefined) throw why;
  if (!player?.log.last) return refuse(why);
  const note = part(".problem-note");
  [note.hidden, note.textContent] = [false, refusalText(why)];
  clock.after(8_000, () => { note.hidden = true; });
}

/** There is nothing to be seen; another token may help.
 * @param {any} why */
function refuse(why) {
  const isToken = ["tokenInvalid", "tokenExpired", "forbidden"].includes(why.code);
  part(".player").hidden = !(part(".card-page").hidden = false);
  part(".card h1").textContent = t(isToken ? "start.needsToken" : "player.nothing");
  part(".card p").textContent = isToken ? t("start.needsTokenAbout") : refusalText(why);
  part(".card .field").hidden = part(".card button").hidden = !isToken;
  forget(`token.${room}`, sessionStorage);
}

/** Listens to what replay.html has, and gives it its words. */
function wire() {
  each("[data-word]", (one) => { one.textContent = t(one.dataset.word); });
  each("[data-label]", (one) => { one.setAttribute("aria-label", one.title = t(one.dataset.label)); });
  each("[data-icon]", (one) => one.prepend(icon(one.dataset.icon)));
  each("[data-do]", (one) => one.addEventListener("click", (/** @type {Event} */ event) => ACTIONS[one.dataset.do](event)));
  each("[data-family]", (one) => {
    one.append(t(`player.family.${one.dataset.family}`));
    one.addEventListener("click", () => ask(player.query.toggled(`kind:${one.dataset.family}`)));
  });
  const hear = (/** @type {string} */ selector, /** @type {string} */ type, /** @type {(own: any) => void} */ run) =>
    part(selector).addEventListener(type, (/** @type {Event} */ event) => { if (type === "submit") event.preventDefault(); run(event.target); });
  hear(".speed", "change", ({ value }) => void player.set({ ...player.place, speed: parseFloat(value) }));
  hear(".follow", "change", ({ value }) => player.follow(value === "" ? undefined : Number(value)));
  hear(".search", "submit", () => { ask(part(".search input").value); player.next(1); });
  hear(".search input", "change", ({ value }) => ask(value));
  hear(".jump", "submit", () => {
    const revision = revisionOf(part(".now").value, player.log);
    if (revision !== undefined) void player.seek(revision);
    part(".now").blur();
  });
  hear(".card", "submit", () => { keep(`token.${room}`, part(".card input").value.trim(), sessionStorage); location.reload(); });
  hear("dialog.exports", "close", ({ returnValue }) => { if (returnValue) save(returnValue).catch(problem); });
  document.addEventListener("keydown", press);
  addEventListener("hashchange", () => void goTo(momentIn(location.hash)));
  dark.addEventListener("change", dress);
}

async function start() {
  dress();
  await speak(kept("language") ?? languageFor(navigator.languages));
  document.documentElement.lang = languageTag();
  const wanted = momentIn(location.hash);
  // A token is nobody's business but this tab's: it leaves the address before anything else happens.
  if (wanted.token) keep(`token.${room}`, wanted.token, sessionStorage);
  if (wanted.token) place(momentText(room, wanted));
  wire();
  const server = await new Rest({ origin: location.origin }).server();
  const token = kept(`token.${room}`, sessionStorage) ?? server.token ?? "";
  part(".player").hidden = false;
  part(".room").textContent = room.slice(0, 8);
  part(".player").append(voice.element);
  const source = new Source({ room, ask: asking(location.origin, token) });
  player = new Player({ root: part(".player"), source, clock, theme: theme(), onShown: show, onProblem: problem });
  await player.open(wanted.seq);
  if (wanted.view) player.board.view.set(wanted.view);
  else player.board.fit();
  await goTo(wanted);
}

start().catch(problem);
