// What the page around the board decides, without a browser.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bannerOf } from "../../../Sources/BoardroomWeb/Page/board/page/banner.js";
import { inReadingOrder } from "../../../Sources/BoardroomWeb/Page/board/page/element-list.js";
import { FEATURES } from "../../../Sources/BoardroomWeb/Page/board/page/features.js";
import { freshName, pageLabel } from "../../../Sources/BoardroomWeb/Page/board/page/pages.js";
import { readStart } from "../../../Sources/BoardroomWeb/Page/board/page/start.js";
import { KEYS } from "../../../Sources/BoardroomWeb/Page/board/tools/index.js";
import { KIND_NUMBERS } from "../../../Sources/BoardroomWeb/Page/protocol/kinds.js";
import { rightsOf } from "../../../Sources/BoardroomWeb/Page/protocol/rest.js";
import { marksOf } from "../../../Sources/BoardroomWeb/Page/render/display.js";
import { sceneSVG } from "../../../Sources/BoardroomWeb/Page/render/svg.js";
import { languageFor, refusalText, useWords } from "../../../Sources/BoardroomWeb/Page/ui/i18n.js";
import { initialsOf } from "../../../Sources/BoardroomWeb/Page/ui/people.js";
import { root } from "../kit/places.js";

const page = join(root, "Sources/BoardroomWeb/Page");

/** @param {string} path */
const read = (path) => readFileSync(join(page, path), "utf8");

/** @type {Record<string, Record<string, string>>} */
const words = {
  en: JSON.parse(read("ui/words/en.json")),
  zh: JSON.parse(read("ui/words/zh.json")),
};

const scripts = readdirSync(page, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".js"))
  .map(read);

const pages = readdirSync(page)
  .filter((path) => path.endsWith(".html"))
  .map(read);

useWords("en", words.en);

test("Chinese + English (M): both languages say the same things, with the same values in them", () => {
  assert.deepEqual(Object.keys(words.zh), Object.keys(words.en));
  const holes = (/** @type {string} */ text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const [key, text] of Object.entries(words.en)) {
    assert.deepEqual(holes(words.zh[key]), holes(text), key);
  }
});

test("every text that a script or a page asks for is there, and every picture", () => {
  const pictures = [...read("icons.svg").matchAll(/<symbol id="(\w+)"/g)].map(([, name]) => name);
  for (const text of [...scripts, ...pages]) {
    for (const [, key] of text.matchAll(/(?:\bt\(|data-(?:word|label)=)"([\w.]+)"/g)) {
      assert.ok(key in words.en, key);
    }
    for (const [, name] of text.matchAll(/(?:(?:iconButton|icon)\(|data-icon=)"(\w+)"/g)) {
      assert.ok(pictures.includes(name), name);
    }
  }
});

test("the first language that a browser wants and the page speaks is spoken; else English", () => {
  assert.deepEqual([["zh-TW", "en"], ["de-DE", "zh"], ["fr"]].map(languageFor), ["zh", "zh", "en"]);
});

test("a refusal is told in the reader's language; one that has no words there as the server says it", () => {
  const refusal = { cause: "It is odd.", cure: "Wait." };
  assert.equal(refusalText({ ...refusal, code: "odd" }), "It is odd. Wait.");
  assert.match(
    refusalText({ ...refusal, code: "tooLarge", actual: 9, allowed: 5 }),
    /too large.*\(9, 5 allowed\)/,
  );
});

test("Connection status, reconnect (M): the banner counts attempts and seconds, and tells what can be done", () => {
  const trying = { attempt: 1, nextAttemptAt: 5_000, silentSince: 0, isLost: false };
  assert.equal(bannerOf("connected", trying, null, 0), null);
  const counting = bannerOf("reconnecting", trying, null, 1_200);
  assert.deepEqual(counting, {
    tone: "warn",
    text: "Reconnecting… attempt 2 in 4 s",
    action: "now",
  });
  const under = bannerOf(
    "reconnecting",
    { ...trying, attempt: 2, nextAttemptAt: null, isLost: true },
    null,
    0,
  );
  assert.deepEqual(under, {
    tone: "bad",
    text: "The connection is lost. Still trying: attempt 2",
    action: "now",
  });
  assert.equal(bannerOf("connecting", { ...trying, attempt: 1 }, null, 0)?.action, undefined);
});

test("a kick, a takeover and a room that is gone say why; only what can be done is offered", () => {
  const trying = { attempt: 0, nextAttemptAt: null, silentSince: 0, isLost: false };
  const ended = (/** @type {any} */ end) => bannerOf("disconnected", trying, end, 0);
  assert.deepEqual(ended({ code: "kicked", kick: "kickByAdmin" }), {
    tone: "bad",
    text: "You were removed from the room by a host.",
    action: "again",
  });
  assert.equal(
    ended({ code: "replaced", kick: "replaceByOther" })?.text,
    "You joined this room somewhere else.",
  );
  assert.equal(ended({ code: "notFound" })?.action, "home");
});

test("what a token may do: the page offers what docs/HTTP.md allows its role, and nothing else", () => {
  const token = (/** @type {string} */ kind, /** @type {number} */ role) =>
    `NETLESS${kind}_${Buffer.from(`ak=a&nonce=b&role=${role}&sig=c`).toString("base64url")}`;
  for (const nothing of ["NETLESSROOM_%%%", "NETLESSROOM_a", "", "NETLESSSDK_"]) {
    assert.deepEqual(rightsOf(nothing), { host: false, write: false, look: false, uid: undefined });
  }
  const uid = undefined;
  assert.deepEqual(rightsOf(token("SDK", 0)), { host: true, write: true, look: false, uid });
  assert.deepEqual(rightsOf(token("ROOM", 0)), { host: true, write: true, look: false, uid });
  assert.deepEqual(rightsOf(token("ROOM", 1)), { host: false, write: true, look: false, uid });
  assert.deepEqual(rightsOf(token("ROOM", 2)), { host: false, write: false, look: true, uid });
});

test("tokens never in a query string: a link's room is its path, its token what stands after #", () => {
  const room = "0123456789abcdef".repeat(2);
  const start = (/** @type {string} */ address) => readStart(address, "http://a.test");
  assert.deepEqual(start(`http://a.test/r/${room}#NETLESSROOM_abc`), {
    room,
    token: "NETLESSROOM_abc",
    isRoomPage: true,
  });
  assert.equal(start(`http://a.test/r/${room}?token=NETLESSROOM_abc`).token, "");
  assert.deepEqual(start(room), { room, token: "", isRoomPage: true });
  assert.deepEqual(start("http://a.test/r/nothing"), { room: "", token: "", isRoomPage: true });
});

test("pages are called by their places, and by a name that somebody gave; a new one takes no name that is there", () => {
  const scene = (/** @type {string} */ name) => /** @type {any} */ ({ name });
  assert.deepEqual(
    [pageLabel(scene("init"), 0), pageLabel(scene("page-2"), 1), pageLabel(scene("Fractions"), 2)],
    ["1", "2", "3 · Fractions"],
  );
  assert.equal(freshName([scene("init"), scene("page-3")]), "page-4");
  assert.deepEqual(["Ana", "林小雨", "👩‍🚀 Mia", ""].map(initialsOf), ["A", "林", "👩", "?"]);
});

test("the list for screen readers goes row by row, from left to right", () => {
  const at = (
    /** @type {string} */ item,
    /** @type {number} */ left,
    /** @type {number} */ top,
  ) => ({ item, box: { left, top, right: left + 50, bottom: top + 40 } });
  assert.deepEqual(
    inReadingOrder([at("d", 0, 100), at("b", 200, 10), at("a", 0, 0), at("e", 90, 95)]),
    ["a", "b", "d", "e"],
  );
});

test("Export SVG (M): text of members is escaped, so that a picture runs nothing", () => {
  const shape = { type: "text", x: 0, y: 0, text: "<script>&", size: 16 };
  const svg = sceneSVG(marksOf({ id: "0.1", member: 0, number: 1, place: 0, scene: 1, shape }));
  assert.ok(svg.includes(">&lt;script&gt;&amp;</tspan>"));
  assert.match(svg, /^<svg [^>]+viewBox="0 0 320 240">/);
});

test("design tokens keep their contrast in both themes: letters 4.5, edges of what is pressed and graphics 3", () => {
  const css = read("base.css");
  const tokens = (/** @type {string} */ start) =>
    Object.fromEntries(
      [
        ...css
          .slice(css.indexOf(start))
          .split("}")[0]
          .matchAll(/--([\w-]+): (#\w{6})/g),
      ].map(([, name, hex]) => [name, hex]),
    );
  const level = (/** @type {string} */ hex) =>
    [1, 3, 5]
      .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (/** @type {string} */ one, /** @type {string} */ other) => {
    const [low, high] = [level(one), level(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const pairs = /** @type {const} */ ([
    ["ink", "panel", 4.5],
    ["ink-2", "panel", 4.5],
    ["ink-2", "ground", 4.5],
    ["ink-2", "hover", 4.5],
    ["ink", "hover", 4.5],
    ["on-accent", "accent", 4.5],
    ["accent", "panel", 4.5],
    ["ink", "accent-soft", 4.5],
    ["warn", "warn-ground", 4.5],
    ["bad", "bad-ground", 4.5],
    ["bad", "panel", 4.5],
    ["ok", "panel", 3],
    ["edge-strong", "panel", 3],
    ["custom", "panel", 3],
    ["phase", "panel", 3],
    ["frame", "panel", 3],
  ]);
  for (const theme of ["\n.br {", '.br[data-theme="dark"] {']) {
    const found = tokens(theme);
    for (const [one, other, least] of pairs) {
      const ratio = contrast(found[one], found[other]);
      assert.ok(ratio >= least, `${theme.trim()} ${one} on ${other}: ${ratio.toFixed(2)}`);
    }
  }
});

test("REACT-7: every menu of a feature has its picture, its words, a kind, and a key of its own", () => {
  const pictures = read("icons.svg");
  for (const { kind, name, choices } of FEATURES) {
    assert.ok(KIND_NUMBERS.has(kind), kind);
    assert.ok(pictures.includes(`<symbol id="${name}"`), name);
    for (const key of [`tools.${name}`, ...choices.map(([, label]) => label)]) {
      assert.ok(key in words.en, key);
    }
  }
  const keys = FEATURES.map(({ key }) => `Key${key}`);
  assert.equal(new Set([...keys, ...KEYS.keys()]).size, keys.length + KEYS.size);
});
