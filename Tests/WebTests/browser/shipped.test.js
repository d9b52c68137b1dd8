// The page that the program carries: it opens, complains of nothing, asks nobody else, and is what
// the repository has.
import assert from "node:assert/strict";
import { pageFiles } from "../../../tools/page/files.js";
import { browserTest } from "../kit/test.js";

browserTest(
  "the program serves each file of the page to the byte, packed for who takes gzip",
  async ({ server }) => {
    for (const { path, bytes: own } of pageFiles()) {
      for (const encoding of ["gzip", "identity"]) {
        const answer = await fetch(`${server.url}/assets/${path}`, {
          headers: { "accept-encoding": encoding },
        });
        assert.equal(answer.status, 200, path);
        const isPacked = encoding === "gzip" && !process.env.WEB_ROOT;
        assert.equal(answer.headers.get("content-encoding"), isPacked ? "gzip" : null, path);
        assert.ok(
          Buffer.from(await answer.arrayBuffer()).equals(own),
          `${path} is another: build the server`,
        );
      }
    }
  },
);

browserTest(
  "/ and /r/{room} of an open server show a board, ask nobody else and complain of nothing",
  async (stage) => {
    const person = await stage.person();
    for (const path of ["/", `/r/${stage.room}`]) {
      const page = await person.open(stage.server.url + path);
      await page.see("canvas");
      assert.deepEqual(page.complaints, [], path);
      const own = [stage.server.url, stage.server.url.replace("http", "ws")].map(
        (origin) => `${origin}/`,
      );
      for (const url of page.requests) {
        assert.ok(
          own.some((origin) => url.startsWith(origin)) || /^(?:data|blob):/.test(url),
          `${path} asks ${url}`,
        );
      }
    }
  },
);

browserTest(
  "a room of a server that wants tokens opens by its link, and the token leaves the address",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const token = await server.token("writer", room);
    const page = await (await stage.person()).open(`${server.url}/r/${room}#${token}`);
    await page.see("canvas");
    await page.until("!location.hash.includes('NETLESS')");
    assert.ok(
      page.requests.every((url) => !url.includes(token)),
      "no request carries it in its address",
    );
    assert.ok(!server.log.includes(token));
    assert.deepEqual(page.complaints, []);
  },
);
