// Tests in a real browser: one Chromium for all of them, and what is left when one fails.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Browser } from "./browser.js";
import { failures } from "./places.js";
import { FaultProxy } from "./proxy.js";
import { Server } from "./server.js";

/** All browser tests together; `tools/web` ends what is left a little later. */
const limit = Number(process.env.WEB_SECONDS ?? 300) * 1_000;

/**
 * One test: ten times what the longest of most takes, since other work may share the machine; it is
 * no measurement.
 */
const patience = 120_000;

/** Ms for the picture of a page, of which one that is stuck makes none: the failure is told nevertheless. */
const PICTURE_LIMIT = 5_000;

/**
 * Without windows of its own, and whole.
 * @type {Map<boolean, Promise<Browser>>}
 */
const browsers = new Map();

/** @type {Promise<Server> | undefined} */
let server;

/**
 * Titles.
 * @type {Set<string>}
 */
const running = new Set();

/** The browser of all tests; the whole one, which is slower, is there for what only it does. */
export function theBrowser(isWhole = false) {
  const browser = browsers.get(isWhole) ?? Browser.launch({ isWhole });
  browsers.set(isWhole, browser);
  return browser;
}

/** An open server that all tests share which do no harm to it: each takes rooms of its own. */
export function theServer() {
  server ??= Server.start();
  return server;
}

const deadline = setTimeout(async () => {
  const titles = [...running].join("; ");
  console.error(
    `The browser tests took longer than ${limit / 1_000} s; these were running: ${titles}`,
  );
  setTimeout(() => process.exit(1), 10_000);
  await keepFailure("too late").catch(() => {});
  process.exit(1);
}, limit);

deadline.unref();

after(async () => {
  for (const browser of browsers.values()) {
    await (await browser.catch(() => undefined))?.close();
  }
  await (await server?.catch(() => undefined))?.close();
});

/** A room's name that nobody else has. */
export function newRoom() {
  return randomBytes(16).toString("hex");
}

/**
 * @typedef {object} Stage What a test in a browser has.
 * @property {Browser} browser
 * @property {(looks?: import("./page.js").Looks) => Promise<import("./browser.js").Person>} person
 *   somebody new, who is gone after the test
 * @property {import("./browser.js").Person[]} people all of them, in the order of their coming
 * @property {Server} server open, and shared with the other tests
 * @property {(options?: Parameters<typeof Server.start>[0]) => Promise<Server>} ownServer to be stopped, killed
 * @property {(target?: Server) => Promise<FaultProxy>} proxy a network in front of a server, that can fail
 * @property {string} room the name of a room that nobody else has
 * @property {import("node:test").TestContext} t
 * @property {(line: string) => void} report says a number that was measured
 */

/**
 * A test in a browser. If it fails, a screenshot of each page and what they complained of stay in
 * .build/web-failures.
 * @param {string} title
 * @param {(stage: Stage) => Promise<unknown>} body
 * @param {{timeout?: number, isWhole?: boolean}} [options] milliseconds; with a whole browser
 */
export function browserTest(title, body, { timeout = patience, isWhole = false } = {}) {
  test(title, { timeout }, async (t) => {
    running.add(title);
    /** @type {(() => Promise<unknown>)[]} */
    const endings = [];
    /**
     * @template {{close(): Promise<unknown>}} T
     * @param {T} opened
     */
    const closing = (opened) => {
      endings.unshift(() => opened.close());
      return opened;
    };
    const [browser, server] = await Promise.all([theBrowser(isWhole), theServer()]);
    /** @type {import("./browser.js").Person[]} */
    const people = [];
    try {
      await body({
        browser,
        server,
        t,
        room: newRoom(),
        people,
        person: async (looks) => {
          const person = closing(await browser.person(looks));
          people.push(person);
          return person;
        },
        ownServer: async (options) => closing(await Server.start(options)),
        proxy: async (target = server) => closing(await FaultProxy.to(target.port)),
        report: (line) => t.diagnostic(line),
      });
    } catch (error) {
      await keepFailure(title).catch((why) => t.diagnostic(`no screenshots: ${why}`));
      // On another machine the output is all there is.
      for (const complaint of people.flatMap(({ pages }) =>
        pages.flatMap((one) => one.complaints),
      )) {
        t.diagnostic(`a page said: ${complaint}`);
      }
      throw error;
    } finally {
      running.delete(title);
      for (const end of endings) {
        await end();
      }
    }
  });
}

/** @param {string} title */
async function keepFailure(title) {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80);
  mkdirSync(failures, { recursive: true });
  const pages = (await Promise.all(browsers.values())).flatMap(({ people }) =>
    people.flatMap((one) => one.pages),
  );
  for (const [n, page] of pages.entries()) {
    const path = join(failures, `${name}-${n + 1}`);
    writeFileSync(
      `${path}.txt`,
      `${[title, ...page.complaints, "", ...page.requests].join("\n")}\n`,
    );
    const picture = await Promise.race([page.screenshot(), pause(PICTURE_LIMIT)]);
    if (picture) writeFileSync(`${path}.png`, picture);
  }
}
