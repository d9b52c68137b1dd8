// What the section "Its story" of the inspector says.

import { carryToken } from "../ui/carry.js";
import { h, iconButton } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { thingName } from "../ui/things.js";
import { FIRST_ENTRIES } from "./life.js";

/** @typedef {import("./story.js").Story} Story */

/** Events of a story that are shown at first: so many from its beginning and from its end. */
const FIRST_SHOWN = 20;
const LAST_SHOWN = 80;

/** Other things at the same place that are shown. */
const MOST_OTHERS = 20;

/**
 * @param {Story} story
 * @returns {Child[]}
 */
export function storyNodes(story) {
  const { life, note } = story;
  return [
    headOf(story),
    note !== "" && story.id !== undefined && h("p", { class: "quiet", role: "status" }, t(note)),
    story.isReading && progressOf(story),
    life !== undefined && h("ol", { class: "life" }, ...rowsOf(story, life)),
    life !== undefined && actionsOf(story),
    outcomeOf(story),
    othersOf(story),
  ];
}

/** @param {Story} story */
function headOf(story) {
  const { element, id, note, uses } = story;
  if (!id && !note) return false;
  const find = () => uses.search(`element:${id?.replace(".", "-")}`);
  const chip = h("button", { class: "mini", onclick: find, title: t("story.find") }, id ?? "");
  const words = element && id ? thingName(element) : t(id ? "story.element" : note);
  const close = iconButton("close", t("story.close"), () => story.close());
  return h("div", { class: "story-head" }, h("strong", {}, words), id !== undefined && chip, close);
}

/** @param {Story} story */
function progressOf(story) {
  const { progress = 0 } = story;
  const words = t("story.reading", { percent: Math.round(progress * 100) });
  const bar = h("progress", { max: 1, value: progress, "aria-label": words });
  const stop = h("button", { class: "mini", onclick: () => story.stop() }, t("story.stop"));
  return h("div", { class: "reading" }, bar, h("span", { class: "quiet" }, words), stop);
}

/**
 * @param {Story} story
 * @param {import("./life.js").Life} life
 * @returns {HTMLElement[]} its beginning and its end, and how to see what was between them
 */
function rowsOf(story, { entries, dropped }) {
  const first = FIRST_SHOWN + story.moreShown;
  const last = entries.length - LAST_SHOWN;
  const isWhole = first >= last;
  const isShown = (/** @type {number} */ at) => isWhole || at < first || at >= last;
  const shown = entries.flatMap((one, at) => (isShown(at) ? row(story, one) : []));
  const count = (Math.max(last - first, 0) + dropped).toLocaleString();
  const props = { class: "button small more-life", onclick: () => story.showMore() };
  const more = isWhole
    ? h("p", { class: "quiet" }, t("player.more", { count }))
    : h("button", props, t("story.more", { count }));
  if (!isWhole || dropped > 0) shown.splice(isWhole ? FIRST_ENTRIES : first, 0, h("li", {}, more));
  return shown;
}

/**
 * @param {Story} story
 * @param {Replay.Entry} entry
 */
function row(story, entry) {
  const { player, uses } = story;
  const { revision, until, act, other, by, kind, client, time } = entry;
  const number = revision.toLocaleString();
  const what = h("span", {}, t(`story.${act}`, { other: other ?? "" }));
  const range = until ? `#${number} – #${until.toLocaleString()}` : `#${number}`;
  const go = () => void player.seek(revision, { isPlaying: false });
  const jump = { class: "go", onclick: go, "data-revision": revision, "data-act": act };
  const title = time ? new Date(time).toLocaleString() : "";
  const clock = time ? new Date(time).toLocaleTimeString() : "";
  const head = h("button", { ...jump, title }, what, h("small", {}, [range, clock].join(" · ")));
  if (act === "early") return h("li", {}, head);
  const name = player.memberName(by);
  const add = (/** @type {string} */ term) => () => uses.search(player.query.with(term));
  const chips = h("div", { class: "chips" }, [
    h(
      "button",
      { class: "mini who", onclick: add(`member:${by}`), title: t("story.byWhom", { name }) },
      name,
    ),
    kind !== undefined &&
      h(
        "button",
        { class: "mini", onclick: add(`kind:${kind}`), title: t("story.ofKind", { kind }) },
        kind,
      ),
    client !== undefined && h("small", {}, t("story.client", { client })),
    other !== undefined &&
      h(
        "button",
        { class: "mini", onclick: () => void story.open(other) },
        t("story.open", { id: other }),
      ),
  ]);
  return h("li", {}, head, chips);
}

/** @param {Story} story */
function actionsOf(story) {
  const { element, isOnBoard, hindrance, together, player } = story;
  if (!element) return false;
  const box = () => player.board.box(element.id);
  const show = () => {
    const found = box();
    if (found) player.board.moveView(() => player.board.glide(player.board.view.cameraFor(found)));
  };
  const buttons = [];
  if (box()) buttons.push(h("button", { class: "button small", onclick: show }, t("story.show")));
  if (!isOnBoard && story.outcome?.word !== "story.isBack") {
    const isBusy = story.isSending || story.isReading;
    const props = { class: "button small primary restore", disabled: hindrance !== "" || isBusy };
    const one = { ...props, onclick: () => void story.restore([element]) };
    buttons.push(h("button", one, t("story.restore")));
    if (together.length > 1) {
      const all = { ...props, class: "button small restore-all" };
      const words = t("story.restoreAll", { count: together.length });
      buttons.push(h("button", { ...all, onclick: () => void story.restore(together) }, words));
    }
  }
  const why = hindrance || (story.replacesMember ? "story.replaces" : "");
  const reason = !isOnBoard && why !== "" && h("p", { class: "quiet why" }, t(why));
  return h("div", { class: "story-actions" }, ...buttons, reason);
}

/** @param {Story} story */
function outcomeOf(story) {
  const { outcome, uses, player } = story;
  if (!outcome) return false;
  const { word, revision, ids, count = ids?.length ?? 0 } = outcome;
  const words = t(word, { count, revision: revision?.toLocaleString() ?? "" });
  if (!ids) return h("p", { role: "status" }, words);
  const link = h(
    "a",
    { class: "button small to-board", target: "_blank", rel: "noopener" },
    t("story.toBoard"),
  );
  const { room, token } = uses.access;
  carryToken(link, `${location.origin}/r/${room}`, () => token, player.clock);
  const onclick = () => void story.takeBack();
  const back = h("button", { class: "button small take-back", onclick }, t("story.takeBack"));
  return h("div", { class: "outcome" }, h("p", { role: "status" }, words), back, link);
}

/** @param {Story} story */
function othersOf(story) {
  const { others, player } = story;
  if (others.length === 0) return false;
  const rows = others.slice(0, MOST_OTHERS).map(({ element, revision, by, isMoved }) => {
    const word = isMoved ? "story.movedAway" : "story.erasedBy";
    const about = t(word, { name: player.memberName(by), revision: revision.toLocaleString() });
    const open = () => void story.open(element.id);
    const name = h("span", {}, thingName(element));
    return h("li", {}, h("button", { class: "go", onclick: open }, name, h("small", {}, about)));
  });
  const hidden = others.length - MOST_OTHERS;
  const more = hidden > 0 && h("p", { class: "quiet" }, t("player.more", { count: hidden }));
  return h("div", { class: "others" }, h("h3", {}, t("story.others")), h("ol", {}, ...rows), more);
}
