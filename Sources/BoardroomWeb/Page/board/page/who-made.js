// "Who made this": of an element on the board, its author, when it was made and with which client,
// and the way to its whole story in the player. The state knows who is here; the rest is read from
// the log, from its beginning to the event that made the element.
import { readPieces } from "../../protocol/messages.js";
import { body } from "../../protocol/records.js";
import { readStroke } from "../../protocol/strokes.js";
import { carryToken } from "../../ui/carry.js";
import { fill, h } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { thingName } from "../../ui/things.js";

/** Requests of 1 MiB that are read of the log, at most: the player reads all of it. */
const MOST_REQUESTS = 16;

/** @typedef {{ by: number; time: number; name: string; client: string }} Making */

/**
 * Shows who made an element, at once what is known and the rest when it has been read.
 * @param {App} app
 * @param {string | undefined} id
 */
export async function showWhoMade(app, id) {
  const element = id === undefined ? undefined : app.overlay.element(id);
  if (!element) return;
  const { member } = element;
  const author = app.session.state.members.get(member);
  const facts = h("dl", { class: "facts", role: "status" });
  const link = h("a", { class: "button", target: "_blank", rel: "noopener" }, t("who.story"));
  const address = `${app.origin}/replay/${app.room}#e=${element.id}`;
  carryToken(link, address, () => app.options.token ?? "", app.clock);
  const actions = h("div", { class: "dialog-actions" }, link);
  app.dialogs.open(t("who.title"), h("p", {}, thingName(element)), facts, actions);
  showFacts(facts, { name: author && app.authorOf(member), client: author?.client });
  // Without the log, what the state knows stays.
  const making = await makingOf(app, element.id).catch(() => undefined);
  const name = author ? app.authorOf(member) : making?.name || t("members.gone");
  showFacts(facts, { name, client: making?.client || author?.client, time: making?.time });
}

/**
 * @param {HTMLElement} facts
 * @param {{name?: string, client?: string, time?: number}} known
 */
function showFacts(facts, { name, client, time }) {
  const said = {
    "who.by": name ?? "…",
    "who.when": time === undefined ? "" : new Date(time).toLocaleString(),
    "who.with": client ?? "",
  };
  const rows = Object.entries(said).filter(([, words]) => words !== "");
  fill(facts, ...rows.flatMap(([word, words]) => [h("dt", {}, t(word)), h("dd", {}, words)]));
}

/**
 * @param {Pick<App, "origin" | "room" | "rest">} app
 * @param {string} id
 * @returns {Promise<Making | undefined>} undefined: the log begins later, or is too long for this
 */
async function makingOf({ origin, room, rest }, id) {
  /** @type {Map<number, {name: string, client: string}>} */
  const people = new Map();
  const path = `${origin}/v5/rooms/${room}/replay/runs`;
  let after = 0;
  for (let asked = 0; asked < MOST_REQUESTS; asked++) {
    const records = await recordsAfter(`${path}?after=${after}`, rest.token);
    for (const rec of records) {
      notePerson(people, rec);
      const by = rec.by ?? -1;
      if (makes(rec, id)) return { by, time: rec.t, name: "", client: "", ...people.get(by) };
    }
    const last = records[records.length - 1]?.rev ?? after;
    if (last <= after) break;
    after = last;
  }
  return undefined;
}

/**
 * @param {string} path
 * @param {string} token
 * @returns {Promise<Record_[]>} none: the log has none there
 */
async function recordsAfter(path, token) {
  const answer = await fetch(path, { headers: token ? { token } : {} });
  if (!answer.ok) return [];
  const pieces = readPieces(new Uint8Array(await answer.arrayBuffer()));
  return pieces.flatMap((piece) => piece.records);
}

/**
 * @param {Map<number, {name: string, client: string}>} people
 * @param {Record_} rec
 */
function notePerson(people, rec) {
  if (rec.by === null || (rec.name !== "memberJoined" && rec.name !== "memberState")) return;
  const said = body(rec) ?? {};
  const { name, client } = people.get(rec.by) ?? { name: "", client: "" };
  const given = rec.name === "memberJoined" ? said.payload : said;
  const written = [given?.name, given?.nickName].find((one) => typeof one === "string" && one);
  people.set(rec.by, { name: written ?? name, client: said.client ?? client });
}

/**
 * @param {Record_} rec
 * @param {string} id
 * @returns {boolean} whether it puts the element on the board
 */
function makes(rec, id) {
  if (rec.name === "elementPut") return body(rec)?.id === id;
  if (rec.name === "elementsCopied") {
    return body(rec)?.copies?.some((/** @type {any} */ copy) => copy.id === id) === true;
  }
  if (rec.name !== "stroke" || !id.startsWith(`${rec.by}.`)) return false;
  const { number, begin } = readStroke(rec.reader);
  return begin !== null && id === `${rec.by}.${number}`;
}
