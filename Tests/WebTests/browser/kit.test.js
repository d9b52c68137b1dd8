// The kit itself, with a page of a few lines and without a server: what the other browser tests
// stand on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../kit/places.js";
import { compare, readPNG } from "../kit/png.js";
import { FaultProxy } from "../kit/proxy.js";
import { theBrowser } from "../kit/test.js";

/** What a page of the kit writes down of what it met. */
const script = `
  window.heard = [];
  const box = document.querySelector("canvas");
  for (const name of ["pointerdown", "pointermove", "pointerup", "wheel"]) {
    box.addEventListener(name, (event) => heard.push({ name, type: event.pointerType,
      x: event.offsetX, y: event.offsetY, pressure: event.pressure, tiltX: event.tiltX, ctrl: event.ctrlKey,
      deltaY: event.deltaY,
      many: event.getCoalescedEvents?.().length, id: event.pointerId }));
  }
  addEventListener("keydown", (event) => heard.push({ name: "key", key: event.key, code: event.code,
    ctrl: event.ctrlKey, shift: event.shiftKey }));
  addEventListener("compositionend", (event) => heard.push({ name: "composed", data: event.data }));
  const context = box.getContext("2d");
  context.fillStyle = "#1f5fd6";
  context.fillRect(10, 10, 30, 20);
  fetch("/stream").then(async (answer) => {
    const reader = answer.body.getReader();
    window.news = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      window.news += new TextDecoder().decode(value);
    }
    window.over = true;
  }).catch(() => window.over = true);
`;

const html = `<!doctype html><html><head><meta charset="utf-8"><title>kit</title>
  <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
  <style>body{margin:0;background:#fff}canvas{touch-action:none;display:block}</style></head><body>
  <canvas width="300" height="200" aria-label="paper"></canvas><button id="b">press</button><input id="i"
  type="text"><input id="f" type="file"><script src="/script.js"></script></body></html>`;

/** @type {import("node:http").Server} */
let site;

/** @type {import("node:http").ServerResponse[]} */
const streams = [];

let url = "";
let port = 0;

before(async () => {
  site = createServer((request, response) => {
    const answers = { "/": ["text/html", html], "/script.js": ["text/javascript", script] };
    if (request.url === "/stream") {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("begun ");
      streams.push(response);
      return;
    }
    const [type, text] = answers[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(text ? 200 : 404, { "content-type": type }).end(text);
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  port = site.address().port;
  url = `http://127.0.0.1:${port}/`;
});

after(() => {
  site.closeAllConnections();
  site.close();
});

/** @param {(page: import("../kit/page.js").Page) => Promise<unknown>} body */
async function withPage(body, looks = {}, address = url) {
  const person = await (await theBrowser()).person(looks);
  try {
    await body(await person.open(address));
  } finally {
    await person.close();
  }
}

/** @param {import("../kit/page.js").Page} page */
const heard = (page) => page.evaluate("heard");

test("the kit: values go into a page and come back, errors too; waiting ends with the reason", async () => {
  await withPage(async (page) => {
    assert.equal(await page.evaluate((a, b) => a + b, 40, 2), 42);
    assert.equal(await page.evaluate(async () => await Promise.resolve("白板")), "白板");
    await assert.rejects(
      page.evaluate(() => {
        throw new Error("on purpose");
      }),
      /on purpose/,
    );
    await assert.rejects(
      page.until("heard.length > 99", [], 60),
      /not within 60 ms: heard.length > 99/,
    );
    assert.equal(await page.text("#b"), "press");
    assert.ok(page.requests.includes(`${url}script.js`));
    await page.evaluate("console.error('a complaint')");
    await until(() => page.complaints.includes("a complaint"));
    await page.open(`${url}#moment`);
    assert.equal(await page.evaluate("location.hash"), "#moment");
    await page.reload();
    await page.see("canvas");
  });
});

test("the kit: a mouse drags, coalesced or move by move; buttons, wheel and clicks arrive", async () => {
  await withPage(async (page) => {
    const spots = Array.from({ length: 120 }, (_, n) => ({ x: 20 + n, y: 30 + (n % 7) }));
    // A page that is busy for a moment gets what came meanwhile in one event.
    await page.evaluate(() =>
      document.querySelector("canvas").addEventListener("pointermove", (event) => {
        const end = performance.now() + (event.buttons ? 100 : 0);
        while (performance.now() < end) {}
      }),
    );
    await page.hands.drag(spots);
    const first = await heard(page);
    // A browser may say where it takes the mouse to be before it was moved.
    const down = first.findIndex((one) => one.name === "pointerdown");
    assert.deepEqual([first[down].x, first.at(-1).x, first.at(-1).name], [20, 139, "pointerup"]);
    const moves = first.slice(down).filter((one) => one.name === "pointermove");
    assert.ok(moves.length < 119, `${moves.length} moves of 119 came alone`);
    assert.ok(moves.reduce((sum, one) => sum + one.many, 0) >= 119);
    await page.hands.drag(spots.slice(0, 5), { steady: true, let: false });
    await page.hands.release();
    await page.hands.wheel(50, 50, 0, 120, "ctrl");
    await page.until("heard.some((one) => one.name === 'wheel')");
    const wheel = (await heard(page)).find((one) => one.name === "wheel");
    assert.deepEqual([wheel.deltaY, wheel.ctrl], [120, true]);
    await page.evaluate(
      "document.querySelector('#b').onclick = () => heard.push({ name: 'pressed' })",
    );
    await page.click("#b");
    assert.equal((await heard(page)).at(-1).name, "pressed");
  });
});

test("the kit: a pen has pressure and tilt, fingers come together, a pinch is one", async () => {
  await withPage(async (page) => {
    const stroke = [
      { x: 10, y: 10, force: 0.25, tiltX: 30 },
      { x: 40, y: 10, force: 0.75, tiltX: 30 },
    ];
    await page.hands.drag(stroke, { pen: true, steady: true });
    const pen = (await heard(page)).filter((one) => one.type === "pen");
    for (const force of [0.25, 0.75]) {
      assert.ok(pen.some((one) => Math.abs(one.pressure - force) < 0.01));
    }
    assert.ok(pen.some((one) => one.tiltX === 30));
  });
  await withPage(
    async (page) => {
      await page.hands.touch([{ x: 50, y: 50 }]);
      await page.hands.touch([
        { x: 50, y: 50 },
        { x: 100, y: 50 },
      ]);
      await page.hands.touch([
        { x: 40, y: 50 },
        { x: 120, y: 50 },
      ]);
      await page.hands.touch([]);
      const touches = (await heard(page)).filter((one) => one.type === "touch");
      assert.equal(new Set(touches.map((one) => one.id)).size, 2, "two fingers");
      await page.hands.tap(60, 60);
      await page.evaluate("heard.length = 0");
      await page.hands.pinch(150, 100, 2);
      const events = await heard(page);
      const ways = [...new Set(events.map((one) => one.id))].map((id) => {
        const own = events.filter((one) => one.id === id);
        return own.at(-1).x - own[0].x;
      });
      assert.deepEqual(
        ways.sort((a, b) => a - b),
        [-40, 40],
      );
    },
    { mobile: true, width: 390, height: 844, scale: 2 },
  );
});

test("the kit: keys have codes and modifiers, text is typed, also by an input method", async () => {
  await withPage(async (page) => {
    await page.hands.press("ctrl+shift+Z");
    await page.hands.press("Escape");
    await page.hands.press("?");
    const keys = (await heard(page)).filter((one) => one.name === "key");
    assert.deepEqual(
      keys.map((one) => [one.key, one.code, one.ctrl, one.shift]),
      [
        ["Z", "KeyZ", true, true],
        ["Escape", "Escape", false, false],
        ["?", "Slash", false, false],
      ],
    );
    await page.click("#i");
    await page.hands.type("a b,1 白");
    await page.hands.compose("ban", "板");
    assert.equal(await page.evaluate("document.querySelector('#i').value"), "a b,1 白板");
    assert.ok((await heard(page)).some((one) => one.name === "composed"));
  });
});

test("the kit: looks are as asked: size, language, colours, motion, telephone", async () => {
  const seen = () => ({
    size: [innerWidth, innerHeight, devicePixelRatio],
    language: navigator.language,
    number: new Intl.DateTimeFormat().resolvedOptions().locale,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    still: matchMedia("(prefers-reduced-motion: reduce)").matches,
    forced: matchMedia("(forced-colors: active)").matches,
    coarse: matchMedia("(pointer: coarse)").matches,
  });
  await withPage(async (page) => {
    assert.deepEqual(await page.evaluate(seen), {
      size: [1280, 800, 1],
      language: "en-US",
      number: "en-US",
      dark: false,
      still: false,
      forced: false,
      coarse: false,
    });
    await page.look({
      width: 390,
      height: 844,
      scale: 3,
      mobile: true,
      locale: "zh-CN",
      scheme: "dark",
      reducedMotion: true,
      forcedColors: true,
    });
    await page.reload();
    assert.deepEqual(await page.evaluate(seen), {
      size: [390, 844, 3],
      language: "zh-CN",
      number: "zh-CN",
      dark: true,
      still: true,
      forced: true,
      coarse: true,
    });
  });
});

test("the kit: a screenshot has the pixels that were drawn; equal pages compare as equal", async () => {
  await withPage(async (page) => {
    const clip = { x: 0, y: 0, width: 300, height: 200 };
    const first = readPNG(await page.screenshot(clip));
    assert.deepEqual([first.width, first.height], [300, 200]);
    const at = (15 * 300 + 20) * 4;
    assert.deepEqual([...first.data.subarray(at, at + 4)], [0x1f, 0x5f, 0xd6, 255]);
    assert.equal(compare(first, readPNG(await page.screenshot(clip))).differing, 0);
    await page.evaluate("context.fillRect(100, 100, 10, 10)");
    assert.equal(compare(first, readPNG(await page.screenshot(clip))).differing, 100);
  });
});

test("the kit: twenty minutes of timers pass at once", async () => {
  await withPage(async (page) => {
    await page.evaluate("window.ticks = 0; setInterval(() => ticks++, 1000)");
    const begun = performance.now();
    await page.passTime(20 * 60_000);
    const ticks = await page.evaluate("ticks");
    assert.ok(ticks >= 1_199 && ticks <= 1_201, `${ticks} ticks`);
    assert.ok(performance.now() - begun < 10_000);
  });
});

test("the kit: the network of a page goes silent and comes back", async () => {
  await withPage(async (page) => {
    await page.offline();
    assert.equal(await page.evaluate("fetch('/').then(() => 'there', () => 'gone')"), "gone");
    await page.offline(false);
    assert.equal(await page.evaluate("fetch('/').then(() => 'there', () => 'gone')"), "there");
  });
});

test("the kit: the name board.test is this machine's, and is no secure origin", async () => {
  await withPage(
    async (page) => {
      const seen = await page.evaluate(() => [isSecureContext, typeof crypto.randomUUID]);
      assert.deepEqual(seen, [false, "undefined"]);
    },
    {},
    `http://board.test:${port}/`,
  );
});

test("the kit: two people share nothing; files are chosen; tree and trace are read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "boardroom-kit-"));
  writeFileSync(join(folder, "a.txt"), "content");
  try {
    await withPage(async (page) => {
      await page.evaluate("localStorage.setItem('mine', '1')");
      await withPage(async (other) => {
        assert.equal(await other.evaluate("localStorage.getItem('mine')"), null);
      });
      await page.choose("#f", [join(folder, "a.txt")]);
      assert.equal(await page.evaluate("document.querySelector('#f').files[0].text()"), "content");
      const tree = await page.readAloud();
      assert.ok(tree.some((node) => node.role === "button" && node.name === "press"));
      const events = await (await theBrowser()).trace(["devtools.timeline"], () =>
        page.hands.click(30, 30),
      );
      assert.ok(events.length > 10);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the kit: a proxy cuts, refuses, goes silent, delays, and heals without losing a byte", async () => {
  const proxy = await FaultProxy.to(port);
  try {
    await withPage(
      async (page) => {
        await page.until("window.news === 'begun '");
        proxy.silence();
        for (const stream of streams) {
          stream.write("held ");
        }
        await page.evaluate(() => new Promise((done) => setTimeout(done, 60)));
        assert.equal(await page.evaluate("news"), "begun ");
        await proxy.heal();
        await page.until("news === 'begun held '");
        proxy.latency = 120;
        const slow = await page.evaluate(async () => {
          const begun = performance.now();
          await fetch("/", { cache: "no-store" });
          return performance.now() - begun;
        });
        assert.ok(slow >= 240, `${slow} ms there and back`);
        proxy.latency = 0;
        proxy.cut();
        await page.until("window.over === true");
        const ask = "fetch('/', { cache: 'no-store' }).then(() => 'there', () => 'gone')";
        await proxy.refuse();
        assert.equal(await page.evaluate(ask), "gone");
        await proxy.heal();
        assert.equal(await page.evaluate(ask), "there");
        assert.ok(proxy.bytes.up > 0 && proxy.bytes.down > proxy.bytes.up && proxy.opened >= 3);
      },
      {},
      `${proxy.url}/`,
    );
  } finally {
    await proxy.close();
  }
});
