import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { check } from "../../../tools/page/check.js";
import { layerWrongs } from "../../../tools/page/layers.js";

/** @param {Record<string, string>} files */
const page = (files) =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));

const index = `<link rel="stylesheet" href="/assets/a.css"><script type="module" src="/assets/a.js"></script>`;

const sound = {
  "index.html": index,
  "a.js": `import { b } from "./state/b.js";\nb();\n`,
  "a.css": "b { top: 0 }\n",
  "state/b.js": `export const b = () => new Worker(new URL("./w.js", import.meta.url));\n`,
  "state/w.js": "\n",
};

/**
 * What each change of a sound page is told.
 * @type {[string, Record<string, string>, RegExp][]}
 */
const cases = [
  [
    "a script in the page",
    { "index.html": `${index}<script>go()</script>` },
    /index.html has a script in the page/,
  ],
  ["a handler", { "index.html": `${index}<b onclick='go()'>` }, /index.html has a handler/],
  ["a style element", { "index.html": `${index}<style>b{}</style>` }, /index.html has a style/],
  ["a style attribute", { "index.html": `${index}<b style='x'>` }, /index.html has a style/],
  ["eval", { "state/w.js": "eval('1');\n" }, /state\/w.js makes code of text/],
  [
    "elements of text",
    { "state/w.js": "a.innerHTML = b;\n" },
    /state\/w.js makes elements of text/,
  ],
  [
    "a style as text",
    { "state/w.js": `a.setAttribute("style", b);\n` },
    /state\/w.js sets a style attribute/,
  ],
  [
    "another host",
    { "state/w.js": `fetch("https://cdn.example/x.js");\n` },
    /names https:\/\/cdn.example\/x.js/,
  ],
  [
    "another host without a scheme",
    { "a.css": "b { background: url(//cdn.example/x) }\n" },
    /a.css names url\(\/\/cdn/,
  ],
  ["a font of another host", { "a.css": "@import 'x.css';\n" }, /a.css imports a style sheet/],
  [
    "an import of nothing",
    { "state/w.js": `import "./none.js";\n` },
    /state\/w.js loads state\/none.js, which is not/,
  ],
  [
    "an import by a bare name",
    { "state/w.js": `import x from "lib";\n` },
    /state\/w.js loads state\/lib, which is not/,
  ],
  ["a file that nobody loads", { "state/alone.js": "\n" }, /state\/alone.js is loaded by nothing/],
  [
    "an arrow that points up",
    { "state/w.js": `import { b } from "../a.js";\n` },
    /state\/w.js uses a.js, which does not lie below/,
  ],
  [
    "a folder without a layer",
    { "a.js": `import "./state/b.js";\nimport "./more/c.js";\n`, "more/c.js": "\n" },
    /more\/c.js lies in a folder that has no layer/,
  ],
  [
    "too much to load",
    { "a.css": `/* ${randomBytes(320_000).toString("base64")} */\n` },
    /index.html loads \d+ bytes, 300000 are too many/,
  ],
];

test("tools/web check finds nothing wrong with a sound page, and says what it weighs", () => {
  const { wrong, notes } = check(page(sound));
  assert.deepEqual(wrong, []);
  assert.ok(
    notes.some((line) => line.includes("4 lines of JavaScript")),
    `${notes}`,
  );
  assert.ok(
    notes.some((line) => line.startsWith("index.html loads 0.3 kB")),
    `${notes}`,
  );
});

for (const [name, change, sentence] of cases) {
  test(`tools/web check finds ${name}`, () => {
    const { wrong } = check(page({ ...sound, ...change }));
    assert.equal(wrong.length, 1, `${wrong}`);
    assert.match(wrong[0], sentence);
  });
}

test("names of XML and comments about imports are no addresses", () => {
  const text = `// as import "./none.js"\n/* from "./none.js" */\nconst svg = "http://www.w3.org/2000/svg";\n`;
  assert.deepEqual(check(page({ ...sound, "state/w.js": text })).wrong, []);
});

test("what a script imports when it is needed is used, and is no weight of the page", () => {
  const late = { "state/late.js": `/* ${randomBytes(320_000).toString("base64")} */\n` };
  const loads = 'export const run = () => import("./late.js");\n';
  const { wrong, notes } = check(page({ ...sound, ...late, "state/w.js": loads }));
  assert.deepEqual(wrong, []);
  assert.ok(
    notes.some((line) => /index.html loads 0\.\d kB .* and \d{3}\.\d kB later/.test(line)),
    `${notes}`,
  );
});

test("a file is loaded by an address with a gap, too", () => {
  const words = { "words/en.json": "{}\n", "words/zh.json": "{}\n" };
  const loads = "fetch(new URL(`../words/${language}.json`, import.meta.url));\n";
  assert.deepEqual(check(page({ ...sound, ...words, "state/w.js": loads })).wrong, []);
  assert.equal(check(page({ ...sound, ...words })).wrong.length, 2);
});

/**
 * Who uses what, and whether that points down.
 * @type {[string, string, boolean][]}
 */
const arrows = [
  ["state/session.js", "../protocol/connection.js", true],
  ["protocol/outbox.js", "../state/session.js", false],
  ["render/element-index.js", "../state/order.js", true],
  ["state/model.js", "../render/display.js", false],
  ["ui/export.js", "../render/svg.js", true],
  ["ui/dom.js", "../board/board.js", false],
  ["board/board.js", "../ui/dom.js", true],
  ["board/tools/pen.js", "../trail.js", true],
  ["board/page/app.js", "../board.js", true],
  ["board/board.js", "./page/app.js", false],
  ["player/player.js", "../board/board.js", true],
  ["player/main.js", "../board/page/rest.js", false],
  ["board/page/app.js", "../../player/player.js", false],
  ["embed.js", "./board/page/app.js", true],
];

for (const [path, target, pointsDown] of arrows) {
  test(`folders point one way: ${path} ${pointsDown ? "may" : "may not"} use ${target}`, () => {
    const uses = [`import { one } from "${target}";`, `/** @type {import("${target}").One} */`];
    for (const text of uses) {
      assert.equal(layerWrongs({ path, text }).length, pointsDown ? 0 : 1, text);
    }
  });
}
