// The page around the board: languages, themes, sizes, pages, images, what is taken along.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { board, bring, line, menu, opened } from "../kit/board.js";
import { until } from "../kit/places.js";
import { browserTest } from "../kit/test.js";

browserTest(
  "A visitor of / has a fresh board and the pen in hand; a second window sees the stroke",
  async (stage) => {
    const begun = Date.now();
    const page = await (await stage.person()).open(`${stage.server.url}/`);
    await page.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    assert.equal(
      await page.evaluate(() =>
        document.querySelector('.toolbar [aria-pressed="true"]')?.getAttribute("data-tool"),
      ),
      "pen",
    );
    await page.hands.drag([
      { x: 400, y: 300 },
      { x: 600, y: 420 },
    ]);
    stage.report(`from the address to the first stroke: ${Date.now() - begun} ms`);
    const second = await opened(stage, { url: await page.evaluate("location.href") });
    await second.until(board.elements, [1]);
    const complaints = [...page.complaints, ...second.complaints].filter(
      (one) => !one.includes("favicon"),
    );
    assert.deepEqual(complaints, []);
    assert.ok(
      page.requests.every(
        (address) =>
          new URL(address).host === new URL(stage.server.url).host || address.startsWith("data:"),
      ),
    );
  },
);

browserTest(
  "Pages with previews (M): a page is added, named, turned and removed, and both windows show the same one",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.click(".page-add");
    await bring(ana);
    await wang.until(
      () =>
        document.querySelectorAll(".page").length === 2 &&
        document.querySelector(".page[aria-current]")?.getAttribute("title") === "2",
    );
    await line(ana, [
      [400, 300],
      [600, 420],
    ]);
    await wang.until(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (
        document.querySelector(".page[aria-current] canvas")
      );
      const { data } = /** @type {CanvasRenderingContext2D} */ (
        canvas.getContext("2d")
      ).getImageData(0, 0, canvas.width, canvas.height);
      return data.some((level) => level < 128);
    });
    const box = await ana.box(".page[aria-current]");
    await ana.hands.click(box.x + 40, box.y + 20, 2);
    await ana.see("dialog input");
    await ana.hands.press("ctrl+a");
    await ana.hands.type("Fractions");
    await ana.hands.press("Enter");
    await wang.until(
      () =>
        document.querySelector(".page[aria-current] .page-name")?.textContent === "2 · Fractions",
    );
    await wang.hands.press("PageUp");
    await bring(wang);
    await ana.until(
      () => document.querySelector(".page[aria-current]")?.getAttribute("title") === "1",
    );
    await ana.hands.press("PageDown");
    await bring(ana);
    await wang.until(
      () =>
        document.querySelector(".page[aria-current] .page-name")?.textContent === "2 · Fractions",
    );
    await ana.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".page-remove")).click(),
    );
    await ana.click(".dialog .bad");
    await wang.until(() => document.querySelectorAll(".page").length === 1);
  },
);

browserTest("Export PNG/SVG/JSON (M): three files with what is on the page", async (stage) => {
  const person = await stage.person();
  const folder = mkdtempSync(join(tmpdir(), "boardroom-saved-"));
  stage.t.after(() => rmSync(folder, { recursive: true }));
  await person.saveDownloadsIn(folder);
  const page = await person.open(`${stage.server.url}/r/${stage.room}`);
  await page.until(
    () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
  );
  await line(page, [
    [400, 300],
    [600, 420],
  ]);
  await page.until(board.elements, [1]);
  for (const [place, ending] of ["png", "svg", "json"].entries()) {
    await menu(page, "Export…");
    await page.click(`.choice:nth-child(${place + 1})`);
    await until(() => readdirSync(folder).some((name) => name.endsWith(`.${ending}`)), {
      what: `${ending} is saved`,
    });
  }
  const saved = (/** @type {string} */ ending) =>
    readFileSync(join(folder, `boardroom-${stage.room.slice(0, 8)}.${ending}`));
  assert.equal(saved("png").subarray(1, 4).toString(), "PNG");
  assert.match(
    saved("svg").toString(),
    /^<svg [^>]+viewBox="[^"]+"><rect [^>]+fill="#ffffff"\/><path d="M/,
  );
  assert.equal(JSON.parse(saved("json").toString()).type, "boardroom");
});

browserTest(
  "Images (S): a file is stored by the server and seen by the others; one by its address, too",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    const file = join(mkdtempSync(join(tmpdir(), "boardroom-image-")), "dot.png");
    stage.t.after(() => rmSync(join(file, ".."), { recursive: true }));
    const data = await ana.evaluate(() => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 120, height: 80 });
      const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      ctx.fillStyle = "#1f5fd6";
      ctx.fillRect(0, 0, 120, 80);
      return canvas.toDataURL().split(",")[1];
    });
    writeFileSync(file, Buffer.from(data, "base64"));
    await ana.click('.toolbar [aria-label="Image"]');
    await ana.choose("dialog input[type=file]", [file]);
    await wang.until(board.elements, [1]);
    await wang.until(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("/images/")),
    );
    const address = await wang.evaluate(
      () =>
        performance.getEntriesByType("resource").find(({ name }) => name.includes("/images/"))
          ?.name,
    );
    await wang.click('.toolbar [aria-label="Image"]');
    await wang.click("dialog input[type=url]");
    await wang.hands.type(String(address));
    await wang.hands.press("Enter");
    await ana.until(board.elements, [2]);
  },
);

browserTest(
  "Chinese + English (M): the browser's language is spoken at first, and turned in the menu",
  async (stage) => {
    const page = await opened(stage, { locale: "zh-CN" });
    assert.equal(await page.text(".status-word"), "已连接");
    assert.equal(await page.evaluate("document.documentElement.lang"), "zh-Hans");
    await page.click('[aria-label="菜单"]');
    const place = await page.evaluate(
      () =>
        [...document.querySelectorAll(".menu-item")].findIndex(
          (one) => one.textContent === "English",
        ) + 1,
    );
    await page.click(`.menu-item:nth-child(${place})`);
    await page.until(() => document.querySelector(".status-word")?.textContent === "Connected");
  },
);

browserTest(
  "Dark mode (M): the system's theme is worn at first, and turned in the menu",
  async (stage) => {
    const page = await opened(stage, { scheme: "dark" });
    const ground = () =>
      getComputedStyle(/** @type {Element} */ (document.querySelector(".bar"))).backgroundColor;
    assert.equal(await page.evaluate(ground), "rgb(27, 33, 40)");
    await menu(page, "Light colours");
    assert.equal(await page.evaluate(ground), "rgb(255, 255, 255)");
  },
);

for (const [name, looks] of /** @type {[string, import("../kit/page.js").Looks][]} */ ([
  ["a phone, 390 px wide", { width: 390, height: 844, mobile: true }],
  ["a desktop", { width: 1280, height: 800 }],
  ["a short window", { width: 1024, height: 560 }],
])) {
  browserTest(
    `On ${name} everything is on the screen, nothing lies over another bar, and targets are large enough`,
    async (stage) => {
      const page = await opened(stage, { ...looks, name: "Ana" });
      const least = looks.mobile ? 44 : 36;
      const wrong = await page.evaluate((/** @type {number} */ least) => {
        const seen = (/** @type {Element} */ one) =>
          one.checkVisibility() && one.getClientRects().length > 0;
        const bars = [...document.querySelectorAll(".bar")]
          .filter(seen)
          .map((one) => ({ name: one.className, box: one.getBoundingClientRect() }));
        const off = bars.filter(
          ({ box }) =>
            box.left < 0 ||
            box.top < 0 ||
            box.right > innerWidth + 0.5 ||
            box.bottom > innerHeight + 0.5,
        );
        const over = bars.flatMap((one, at) =>
          bars
            .slice(at + 1)
            .filter(
              ({ box }) =>
                box.left < one.box.right &&
                box.right > one.box.left &&
                box.top < one.box.bottom &&
                box.bottom > one.box.top,
            )
            .map((other) => `${one.name} / ${other.name}`),
        );
        const small = [
          ...document.querySelectorAll(".bar .tool, .bar > .button, .anchor > .button"),
        ]
          .filter(seen)
          .filter((one) => {
            const { width, height } = one.getBoundingClientRect();
            return (width < least || height < least) && !one.matches(".page-remove");
          })
          .map((one) => one.getAttribute("aria-label") ?? one.className);
        return [...off.map(({ name }) => name), ...over, ...small];
      }, least);
      assert.deepEqual(wrong, []);
    },
  );
}

browserTest(
  "On a network by plain HTTP, where browsers hold much back, drawing and sharing go on",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "open.hosts": "board.test" } });
    const page = await (await stage.person()).open(`http://board.test:${server.port}/`);
    await page.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    assert.deepEqual(
      await page.evaluate(
        "[isSecureContext, typeof crypto.randomUUID, typeof navigator.clipboard]",
      ),
      [false, "undefined", "undefined"],
    );
    await line(page, [
      [400, 300],
      [600, 420],
    ]);
    await page.until(board.elements, [1]);
    await page.click(".share-open");
    await page.click(".copy-row .button.primary");
    await page.until(() =>
      /copied|selected/.test(document.querySelector(".notes")?.textContent ?? ""),
    );
    assert.equal(
      await page.evaluate(() => String(getSelection()).startsWith("http://board.test")),
      true,
    );
  },
);
