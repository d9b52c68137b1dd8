// The player, row by row of what it has to do (table 2.2), in a real browser; above all: what a
// link to a moment shows is what was live then.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageVersion } from "../../../tools/page/package.js";
import { line, opened } from "../kit/board.js";
import { failures, root, until } from "../kit/places.js";
import { ask, lively, middle, read, says, shown, watching } from "../kit/player.js";
import { compare, readPNG, writePNG } from "../kit/png.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** @param {string} url of data */
const pixelsOf = (url) => readPNG(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));

/**
 * The middle of a board when it stands still: until all tiles have come, what they show may be
 * painted over them, too.
 * @param {Page} page
 */
async function still(page) {
  let last = "";
  let same = 0;
  await until(
    async () => {
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const now = await middle(page);
      same = now === last ? same + 1 : 0;
      last = now;
      return same === 5;
    },
    { what: "a board that stands still" },
  );
  return pixelsOf(last);
}

/**
 * @param {string} name
 * @param {import("../kit/png.js").Pixels} picture of where two differ
 */
function keepPicture(name, picture) {
  mkdirSync(failures, { recursive: true });
  writeFileSync(join(failures, `${name}.png`), writePNG(picture));
}

/**
 * @param {Page} page
 * @param {string} action
 */
const click = (page, action) => page.click(`[data-do="${action}"]`);

browserTest(
  "Link to a moment (M): pixels equal what was live at that revision, while a pen is down, too",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    /** @type {[number, import("../kit/png.js").Pixels][]} */
    const moments = [];
    const keep = async () => {
      await still(ana);
      const seen = await still(wang);
      moments.push([await stage.server.revision(stage.room), seen]);
    };
    await line(ana, [
      [400, 300],
      [500, 360],
      [600, 320],
      [760, 440],
    ]);
    await keep();
    await line(ana, [
      [420, 480],
      [560, 500],
      [700, 300],
    ]);
    await ana.hands.press("n");
    await ana.hands.click(800, 420);
    await ana.hands.type("wren");
    await ana.hands.press("Escape");
    await keep();
    await ana.hands.press("p");
    await ana.hands.drag(
      [
        { x: 380, y: 260 },
        { x: 500, y: 280 },
        { x: 620, y: 420 },
      ],
      { let: false },
    );
    await keep();
    await ana.hands.release();
    await line(ana, [
      [300, 300],
      [900, 500],
    ]);
    await still(wang);
    for (const [revision, seen] of moments.reverse()) {
      const page = await watching(stage, `seq=${revision}&v=0,0,1`);
      let found = compare(seen, seen);
      assert.ok(found.ink > 500, "something is drawn");
      // Tiles are painted one after the other.
      await until(
        async () => {
          found = compare(seen, pixelsOf(await middle(page)), { tolerance: 0 });
          return found.differing === 0;
        },
        { what: () => `no pixel differs at revision ${revision}: ${found.differing} do` },
      ).catch((why) => {
        keepPicture(`moment-${revision}`, found.picture);
        throw why;
      });
      await page.close();
    }
  },
);

/**
 * The SVG in an `<img>`, and what the player paints of the same part of the board. Runs in the
 * page.
 * @param {string} svg
 * @param {any} of
 */
async function bothPictures(svg, { x, y, width, height }) {
  const name = "/assets/player/main.js";
  const { player } = await import(name);
  const blob = await player.board.picture(
    { left: x, top: y, right: x + width, bottom: y + height },
    1,
  );
  return Promise.all(
    [`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, URL.createObjectURL(blob)].map(
      async (src) => {
        const image = new Image();
        const canvas = document.createElement("canvas");
        image.src = src;
        await image.decode();
        canvas.width = Math.round(width);
        canvas.height = Math.round(height);
        const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        ctx.fillStyle = "#ffffff";
        ctx.fillRect(0, 0, width, height);
        ctx.drawImage(image, 0, 0, width, height);
        return canvas.toDataURL();
      },
    ),
  );
}

const corpus = process.env.CORPUS ?? join(root, "../shared/corpus");

const drawings = [
  ["plan", join(root, "tools/samples/plan.ndjson"), "100"],
  ["loops", join(root, "tools/samples/loops.ndjson"), "100"],
  ["wacom_pen", join(corpus, "wacom_pen.ndjson"), "60"],
  ["excalidraw_freedraw", join(corpus, "excalidraw_freedraw.ndjson"), "60"],
];

for (const [name, file, limit] of drawings.filter(([, file]) => existsSync(file))) {
  browserTest(
    `the player and \`boardroom replay --svg\` show the same moments, less than 1 % apart: ${name}`,
    async (stage) => {
      const { server, report } = stage;
      const room = await server.room();
      await server.perform(room, file, ["--speed", "0", "--members", "2", "--limit", limit]);
      const last = await server.revision(room);
      const page = await watching(stage, "", { room });
      for (const revision of [last, Math.round(last / 2)]) {
        const svg = readFileSync(await server.picture(room, { at: String(revision) }), "utf8");
        const [x, y, width, height] = (/viewBox="([-\d. ]+)"/.exec(svg)?.[1] ?? "")
          .split(" ")
          .map(Number);
        await ask(page, `player.seek(${revision})`);
        assert.equal(await shown(page), revision);
        const [drawn, painted] = (
          await page.evaluate(bothPictures, svg, { x, y, width, height })
        ).map(pixelsOf);
        const { share, ink } = compare(painted, drawn, { tolerance: 32 });
        report(
          `${name} at ${revision}: ${(share * 100).toFixed(3)} % of ${width} × ${height} differ`,
        );
        assert.ok(ink > 100 && share < 0.01, `${(share * 100).toFixed(2)} % differ`);
      }
    },
  );
}

browserTest(
  "Step by event (M): one on and one back, by keys and by buttons, with the state of each",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage, "seq=5");
    await says(page, "event", "#5 ");
    await page.hands.press(".");
    assert.equal(await shown(page), 6);
    for (const revision of [5, 4, 3]) {
      await click(page, "stepBack");
      assert.equal(await shown(page), revision);
    }
    const members = await ask(page, "player.state.members.size");
    await page.hands.press(",");
    await page.hands.press(",");
    assert.equal(await shown(page), 1);
    assert.equal(members - (await ask(page, "player.state.members.size")), 1, "before Ana joined");
    await page.hands.press("shift+ArrowRight");
    assert.equal(await shown(page), 1, "there is one roomCreated");
    await says(page, "event", "roomCreated");
  },
);

browserTest(
  "Jump (M): to a revision, a time, tenths by digits, beginning and end, and markers by [ and ]",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage);
    const last = await stage.server.revision(stage.room);
    assert.equal(await shown(page), last, "it opens at the end");
    const jump = async (/** @type {string} */ text) => {
      await page.click(".now");
      await page.hands.press("ctrl+a");
      await page.hands.type(text);
      await page.hands.press("Enter");
      return shown(page);
    };
    assert.equal(await jump("#4"), 4);
    assert.equal(await jump("9:00"), last);
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".paper")).focus(),
    );
    await page.hands.press("0");
    const first = await shown(page);
    assert.ok(first < 3);
    await page.hands.press("5");
    assert.ok((await shown(page)) > first && (await shown(page)) < last);
    await page.hands.press("Home");
    assert.equal(await shown(page), 0);
    await says(page, "event", "Before the first event");
    await page.hands.press("]");
    assert.equal(await ask(page, "player.log.kindName(player.place.revision)"), "roomCreated");
    await page.hands.press("End");
    assert.equal(await shown(page), last);
    const { x, y, width } = await page.box(".heat");
    await page.hands.click(x + width / 2, y + 50);
    const half = await shown(page);
    assert.ok(half > 0 && half < last, "a click on the timeline goes there");
  },
);

browserTest(
  "Speed and idle gaps (M): it plays at the speed that is chosen, skips what is idle, and stops at the end",
  async (stage) => {
    const room = await stage.server.room();
    await stage.server.perform(room, join(root, "tools/samples/hello.ndjson"), ["--speed", "6"]);
    const page = await watching(stage, "seq=1", { room });
    const choose = (/** @type {string} */ speed) =>
      page.evaluate((/** @type {string} */ wanted) => {
        const select = /** @type {HTMLSelectElement} */ (document.querySelector(".speed"));
        select.value = wanted;
        select.dispatchEvent(new Event("change"));
      }, speed);
    await choose("0.25×");
    await page.hands.press("Space");
    await page.see('.play[data-is="true"]');
    await choose("16×");
    await page.see('.play[data-is="false"]', 15_000);
    assert.equal(await shown(page), await stage.server.revision(room));
    assert.equal(await ask(page, "player.place.speed"), 16);
    await page.hands.press("-");
    assert.equal(await ask(page, "player.place.speed"), 8);
    await page.hands.press("g");
    await page.see('[data-do="idle"][aria-pressed="false"]');
    assert.equal(await ask(page, "player.pacing.gaps.length"), 0);
    await page.hands.press("e");
    await page.see('[data-do="events"][aria-pressed="true"]');
  },
);

browserTest(
  "Timeline (M): activity by kind, markers by shape, a lane for each member; refused, takeover and kick where they happened",
  async (stage) => {
    const { kicked } = await lively(stage);
    const page = await watching(stage);
    const people = await ask(
      page,
      "[...player.log.people.values()].map(({ number, name, turns }) => ({ number, name, phases: turns.map(({ phase }) => phase) }))",
    );
    assert.deepEqual(
      people.map((/** @type {any} */ { name }) => name),
      ["Ana", "Wang", "Wang"],
    );
    assert.ok(
      people[1].phases.includes("refused") && people[1].phases.includes("replaced"),
      people[1].phases.join(),
    );
    assert.deepEqual(people.find((/** @type {any} */ { number }) => number === kicked).phases, [
      "connected",
      "kicked",
      "left",
    ]);
    await page.until(() => document.querySelectorAll(".names button").length === 3);
    for (const marker of ["state", "custom", "join", "refused", "takeover", "kick"]) {
      await page.click(`[data-marker="${marker}"]`);
      await page.until(
        (/** @type {string} */ name) =>
          document.querySelector(`[data-marker="${name}"]`)?.ariaPressed === "true",
        [marker],
      );
      await page.until(() => Number(document.querySelector(".count")?.textContent) > 0);
      await page.click(`[data-marker="${marker}"]`);
    }
    const isInked = await page.evaluate(() =>
      [...document.querySelectorAll(".tracks canvas")].every((one) => {
        const canvas = /** @type {HTMLCanvasElement} */ (one);
        const data =
          canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        return (
          new Set(
            Array.from(
              { length: data.length / 4 },
              (_, at) => `${data[at * 4]},${data[at * 4 + 1]},${data[at * 4 + 3]}`,
            ),
          ).size > 5
        );
      }),
    );
    assert.ok(isInked, "both canvases have inks on them");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Filter by kind and member, and search (M): hits are counted, listed and gone through; what is wrong is said",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage, "seq=3");
    const search = async (/** @type {string} */ text) => {
      await page.hands.press("/");
      await page.hands.press("ctrl+a");
      await page.hands.type(text);
      await page.hands.press("Enter");
      await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
      await read(page);
    };
    await search("kind:refused");
    await page.until(() => document.querySelector(".count")?.textContent === "1");
    assert.equal(await ask(page, "player.log.kindName(player.place.revision)"), "refused");
    await search('text:"a wren"');
    await says(page, "event", "magix");
    await search("member:ana kind:globalState");
    await page.until(() => document.querySelector(".count")?.textContent === "2");
    await page.click(".found summary");
    await page.until(() => document.querySelectorAll(".found li").length === 2);
    await page.click(".found li:last-child button");
    await says(page, "event", '"lesson": "fish"');
    await page.hands.press("[");
    await says(page, "event", '"lesson": "birds"');
    await search("colour:red");
    await page.until(() =>
      document.querySelector(".query-problem")?.textContent?.includes("colour:red"),
    );
  },
);

browserTest(
  "State tree and diff (M): what an event changed, and what is another between A and B",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage);
    await says(page, "event", "globalState");
    await says(page, "changes", "globalState.lesson");
    assert.deepEqual(
      await page.evaluate(() =>
        [...document.querySelectorAll(".changes del")].map((one) => one.textContent),
      ),
      ['"birds"'],
    );
    await page.click(".tree summary");
    await page.until(() =>
      [...document.querySelectorAll(".tree .leaf")].some(
        (one) => one.textContent === 'lesson"fish"',
      ),
    );
    const first = await ask(page, "player.log.revisionAt(player.log.time(player.log.last) - 1)");
    await page.hands.press("o");
    await ask(page, "player.seek(3)");
    await page.hands.press("i");
    await says(page, "changes", `From #3 to #`);
    await says(page, "changes", "globalState.page");
    await page.until(() =>
      [...document.querySelectorAll(".changes ins")].some((one) =>
        one.textContent?.includes('"id":"0.1"'),
      ),
    );
    assert.ok(first > 3);
    await click(page, "unmark");
    await says(page, "changes", "By this event");
  },
);

browserTest(
  "Follow one member (M): their camera, also while they follow, and their phases",
  async (stage) => {
    const { wang } = await lively(stage);
    const page = await watching(stage, "m=0");
    const scale = () => ask(page, "Math.round(player.board.view.scale * 100)");
    assert.equal(await scale(), 100);
    await page.until(
      () => document.querySelector(".phase-note")?.textContent === "Ana · Connected",
    );
    const moved = await ask(
      page,
      "[...Array(player.log.last + 1).keys()].find((one) => player.log.kindName(one) === 'camera')",
    );
    await ask(page, `player.seek(${moved})`);
    await page.until(() => document.querySelector(".zoom")?.textContent === "200 %");
    await page.click(".names button:nth-child(2)");
    await page.hands.press("End");
    await page.until(() => document.querySelector(".phase-note")?.textContent?.startsWith("Wang"));
    assert.equal(wang.phase, "disconnected");
    await page.until(
      () => document.querySelector(".phase-note")?.getAttribute("data-phase") === "gone",
    );
    const { x, y } = await page.box(".paper");
    await page.hands.drag([
      { x: x + 200, y: y + 200 },
      { x: x + 260, y: y + 240 },
    ]);
    await page.until(() => document.querySelector(".phase-note")?.textContent === "");
  },
);

browserTest(
  "Live tail with rewind (M): it goes on with the room without joining, and looks back meanwhile",
  async (stage) => {
    const { ana } = await lively(stage);
    const page = await watching(stage);
    const members = (await stage.server.call("GET", `/v5/rooms/${stage.room}/members`)).length;
    await page.hands.press("l");
    await page.see('[data-do="live"][aria-pressed="true"]');
    const { revision } = await ana.send("globalState", { lesson: "trees" });
    await page.until(
      async (/** @type {number} */ wanted) => {
        const name = "/assets/player/main.js";
        return (await import(name)).player.state.revision >= wanted;
      },
      [revision],
    );
    await page.hands.press(",");
    assert.equal(await shown(page), revision - 1);
    await page.see('[data-do="live"][aria-pressed="false"]');
    await ana.send("globalState", { lesson: "stones" });
    await page.until(
      (/** @type {number} */ last) => Number(document.querySelector(".heat")?.ariaValueMax) >= last,
      [revision + 1],
    );
    assert.equal(await shown(page), revision - 1, "who looks back is not carried away");
    assert.equal(
      (await stage.server.call("GET", `/v5/rooms/${stage.room}/members`)).length,
      members,
      "nobody joined",
    );
  },
);

browserTest("Export (M): a range as JSONL, and the moment as PNG and SVG", async (stage) => {
  await lively(stage);
  const person = await stage.person();
  const folder = mkdtempSync(join(tmpdir(), "boardroom-saved-"));
  stage.t.after(() => rmSync(folder, { recursive: true, force: true }));
  await person.saveDownloadsIn(folder);
  const page = await person.open(`${stage.server.url}/replay/${stage.room}#seq=9`);
  await read(page);
  await ask(page, "player.mark({ a: 3, b: 9 })");
  const save = async (/** @type {string} */ format) => {
    await click(page, "exports");
    await page.click(`dialog.exports [value=${format}]`);
    const name = await until(() => readdirSync(folder).find((one) => one.endsWith(`.${format}`)), {
      what: `${format} is saved`,
    });
    return until(() => readFileSync(join(folder, name)), { what: `${format} is there` });
  };
  const lines = (await save("jsonl"))
    .toString()
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one).rev);
  assert.deepEqual(lines, [4, 5, 6, 7, 8, 9]);
  assert.match((await save("svg")).toString(), /^<svg [^>]+viewBox.*out of paper/s);
  assert.equal((await save("png")).subarray(1, 4).toString(), "PNG");
});

browserTest(
  "A link carries no token: it is taken out of the fragment, or asked for",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const token = await server.token("reader", room);
    const page = await (await stage.person()).open(`${server.url}/replay/${room}#seq=1`);
    await page.until(() => document.querySelector("h1")?.textContent === "This room wants a token");
    await page.click("input");
    await page.hands.type(token);
    await page.hands.press("Enter");
    await page.until(() => document.querySelector(".of")?.textContent?.includes("#1"));
    const other = await (await stage.person()).open(`${server.url}/replay/${room}#${token}&seq=1`);
    await read(other);
    assert.ok(
      !(await other.evaluate("location.href")).includes("NETLESS"),
      "it leaves the address",
    );
    await click(other, "share");
    const link = await other.evaluate(
      () => /** @type {HTMLInputElement} */ (document.querySelector(".share input")).value,
    );
    assert.match(link, new RegExp(`/replay/${room}#seq=1&v=`));
    assert.ok(
      [...page.requests, ...other.requests].every((one) => !one.includes("NETLESS")),
      "in no address that is asked for",
    );
    const nothing = await (await stage.person()).open(
      `${server.url}/replay/${"0".repeat(31)}1#${token}`,
    );
    await nothing.until(() => (document.querySelector("h1")?.textContent ?? "") !== "");
  },
);

browserTest(
  "The keyboard alone, a screen reader, both languages, both themes, and a telephone",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage, "seq=4", { locale: "zh-CN", scheme: "dark" });
    const heard = await page.readAloud();
    const slider = heard.find(({ role }) => role === "slider");
    assert.equal(slider?.name, "时间轴");
    assert.ok(
      heard.filter(({ role }) => role === "button").every(({ name }) => name !== ""),
      "every button has a name",
    );
    await page.hands.press("shift+/");
    await page.see("dialog.help");
    await page.until(
      (version) =>
        document.querySelector("dialog.help .version")?.textContent === `Boardroom ${version}`,
      [packageVersion()],
    );
    await page.hands.press("Escape");
    await page.until(() => !document.querySelector("dialog[open]"));
    await page.hands.press(".");
    await page.until(() =>
      [...document.querySelectorAll("[role=status]")].some((one) =>
        one.textContent?.startsWith("#5 "),
      ),
    );
    assert.deepEqual(page.complaints, []);
    const phone = await watching(stage, "seq=4", {
      width: 390,
      height: 844,
      scale: 2,
      mobile: true,
    });
    assert.ok(
      await phone.evaluate(() => document.documentElement.scrollWidth <= 390),
      "nothing is wider than the telephone",
    );
    assert.ok(await phone.evaluate(() => !document.querySelector(".inspector")?.checkVisibility()));
    await phone.tap('[data-do="sheet"]');
    await phone.see(".inspector");
    await phone.see(".lanes");
  },
);

browserTest(
  "A server that was restored to an earlier moment is another life of the log: the player goes on with it",
  async (stage) => {
    await lively(stage);
    const page = await watching(stage);
    // As `conflict` is answered: the epoch that the player knows is no longer the log's.
    await ask(page, "(player.source.index.epoch = '0123456789abcdef', player.place.revision)");
    await ask(page, "player.goLive().then(() => 0)");
    await page.until(async () => {
      const name = "/assets/player/main.js";
      return (await import(name)).player.source.index.epoch !== "0123456789abcdef";
    });
    assert.equal(await shown(page), await stage.server.revision(stage.room));
  },
);
