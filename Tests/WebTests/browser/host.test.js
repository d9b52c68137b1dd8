// How the server ships the page, as a real browser takes it: the policy, open assets, origins. With
// a page of a few lines.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { until } from "../kit/places.js";
import { browserTest } from "../kit/test.js";

const files = {
  "index.html": `<!doctype html><meta charset="utf-8"><title>board</title><link rel="icon" href="data:,">
    <link rel="stylesheet" href="/assets/board.css">
    <script type="module" src="/assets/board/main.js"></script>`,
  "replay.html": `<!doctype html><meta charset="utf-8"><title>player</title><link rel="icon" href="data:,">`,
  "board.css": "body { background: rgb(1, 2, 3) }\n",
  "board/main.js": `import { answer } from "../core/answer.js";
    document.title = "board " + answer;
    const worker = new Worker(new URL("../core/worker.js", import.meta.url), { type: "module" });
    worker.onmessage = (event) => window.worked = event.data;\n`,
  "core/answer.js": "export const answer = 42;\n",
  "core/worker.js": `import { answer } from "./answer.js";\npostMessage(answer);\n`,
  "embed.js": `import { answer } from "./core/answer.js";
    export const origin = new URL(import.meta.url).origin;
    export const joinRoom = () => answer;\n`,
};

let folder = "";

/**
 * A site of somebody else.
 * @type {import("node:http").Server}
 */
let site;

let siteURL = "";

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "boardroom-page-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  site = createServer((request, response) => {
    const framed = new URL(request.url ?? "", siteURL).searchParams.get("of");
    const frame = framed ? `<iframe src="${framed}"></iframe>` : "";
    response
      .writeHead(200, { "content-type": "text/html", "access-control-allow-origin": "*" })
      .end(`<!doctype html><title>a site</title><link rel="icon" href="data:,">${frame}`);
  });
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  siteURL = `http://127.0.0.1:${site.address().port}`;
});

after(() => {
  site.closeAllConnections();
  site.close();
  rmSync(folder, { recursive: true });
});

/** @param {string} url */
const ask = (url) =>
  fetch(url, { headers: { token: "none" } }).then(
    (answer) => answer.status,
    () => "refused",
  );

browserTest(
  "modules, style and a worker come from the server alone, without a complaint",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "page.root": folder } });
    const page = await (await stage.person()).open(`${server.url}/r/${stage.room}`);
    await page.until("window.worked === 42");
    assert.equal(await page.evaluate("document.title"), "board 42");
    assert.equal(
      await page.evaluate("getComputedStyle(document.body).backgroundColor"),
      "rgb(1, 2, 3)",
    );
    assert.deepEqual(page.complaints, []);
    const isOwn = (/** @type {string} */ url) =>
      url.startsWith(`${server.url}/`) || url.startsWith("data:");
    assert.deepEqual(
      page.requests.filter((url) => !isOwn(url)),
      [],
    );
    await page.reload();
    await page.until("document.title === 'board 42'");
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter((one) => one.name.endsWith(".js"))
        .map((one) => one.responseStatus),
    );
    assert.ok(
      scripts.length >= 2 && scripts.every((status) => [200, 304].includes(status)),
      `${scripts}`,
    );
  },
);

browserTest(
  "the policy: the page speaks to its server only, no inline script or style",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "page.root": folder } });
    const page = await (await stage.person()).open(`${server.url}/`);
    await page.until("document.title === 'board 42'");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.inline = true";
      document.body.append(script);
      document.body.setAttribute("style", "color: rgb(9, 9, 9)");
    });
    assert.equal(await page.evaluate("window.inline"), undefined);
    assert.notEqual(await page.evaluate("getComputedStyle(document.body).color"), "rgb(9, 9, 9)");
    await page.evaluate("document.body.style.color = 'rgb(8, 8, 8)'");
    assert.equal(
      await page.evaluate("getComputedStyle(document.body).color"),
      "rgb(8, 8, 8)",
      "by CSSOM",
    );
    assert.equal(
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.src = "data:text/javascript,window.elsewhere=true";
        document.body.append(script);
        return new Promise((done) => {
          script.onerror = () => done("refused");
        });
      }),
      "refused",
    );
    assert.equal(await page.evaluate(ask, `${siteURL}/`), "refused");
    assert.equal(await page.evaluate(ask, `${server.url}/v5/rooms`), 401);
    const socket = (/** @type {string} */ url) =>
      new Promise((done) => {
        const opened = new WebSocket(url, "boardroom.v1");
        opened.onopen = () => done("open");
        opened.onerror = () => done("refused");
      });
    assert.equal(
      await page.evaluate(socket, `${server.url.replace("http", "ws")}/v1/rooms`),
      "open",
    );
    assert.equal(await page.evaluate(socket, `${siteURL.replace("http", "ws")}/`), "refused");
    await until(
      () => page.complaints.filter((line) => line.includes("Content Security Policy")).length >= 4,
    );
  },
);

browserTest(
  "another site imports embed.js; REST is closed unless cors.origins names it",
  async (stage) => {
    for (const origins of ["none", siteURL]) {
      const server = await stage.ownServer({
        settings: { "page.root": folder, "cors.origins": origins },
      });
      const page = await (await stage.person()).open(`${siteURL}/`);
      const loaded = await page.evaluate(async (url) => {
        const board = await import(url);
        return [board.origin, board.joinRoom()];
      }, `${server.url}/assets/embed.js`);
      assert.deepEqual(loaded, [server.url, 42]);
      const about = await page.evaluate(
        (url) =>
          fetch(url).then(
            (answer) => answer.json(),
            () => "refused",
          ),
        `${server.url}/v5/server`,
      );
      assert.equal(origins === "none" ? about : about.open, origins === "none" ? "refused" : true);
      assert.equal(
        await page.evaluate(ask, `${server.url}/v5/rooms`),
        origins === "none" ? "refused" : 401,
      );
    }
  },
);

browserTest(
  "another site may not show the page in a frame, unless page.frames names it",
  async (stage) => {
    for (const frames of ["none", siteURL]) {
      const server = await stage.ownServer({
        settings: { "page.root": folder, "page.frames": frames },
      });
      const page = await (await stage.person()).open(`${siteURL}/frame?of=${server.url}/`);
      if (frames === "none") {
        const complains = () => page.complaints.some((line) => line.includes("frame-ancestors"));
        await until(complains, { what: "a complaint" });
        assert.ok(!page.requests.some((url) => url.endsWith("main.js")));
      } else {
        const loads = () => page.requests.some((url) => url.endsWith("/assets/core/worker.js"));
        await until(loads, { what: "scripts of the frame" });
      }
    }
  },
);

browserTest("a token stands after # and reaches no request", async (stage) => {
  const server = await stage.ownServer({ settings: { "page.root": folder } });
  const page = await (await stage.person()).open(
    `${server.url}/replay/${stage.room}#NETLESSROOM_secret`,
  );
  assert.equal(await page.evaluate("document.title"), "player");
  assert.ok(
    page.requests.every((url) => !url.includes("?")),
    `${page.requests}`,
  );
  assert.ok(!server.log.includes("secret"));
});
