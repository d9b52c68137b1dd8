// One board in three browsers, each at another node of `tools/cluster`, before and after the room's node is killed:
//   node Tests/WebTests/kit/three-nodes.js PROGRAM [FOLDER]
// PROGRAM was built with PostgreSQL. FOLDER gets screenshots of a board and of the cluster's page. Ends with 0 if what is drawn
// at each node is seen at all, also after the owner of the room was killed, and if the cluster's page shows its nodes; with 130 after Ctrl-C.
// `tools/web nodes` builds the program first.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { line } from "./board.js";
import { Browser } from "./browser.js";
import { root, stopBy, until } from "./places.js";
import { ink, still } from "./screen.js";

/** A part of the board for a line of each node, before and after the kill. */
const part = (/** @type {number} */ place) => ({
  x: 300 + (place % 3) * 140,
  y: 200 + Math.floor(place / 3) * 120,
  width: 100,
  height: 60,
});

const NAMES = ["a", "b", "c"];

/** Milliseconds until what is drawn must be seen elsewhere, a lost node and its recovery included. */
const PATIENCE = 20_000;

/** Milliseconds that the cluster may take to end; its three nodes may take 30 s each. */
const ENDING = 120_000;

/** Milliseconds after which it is asked again: until it listens, a signal is lost. */
const AGAIN = 1_000;

const [program, folder] = process.argv.slice(2);
if (!program) throw new Error("Name a program that was built with PostgreSQL.");

const cluster = spawn(
  join(root, "tools/cluster"),
  ["--program", program, "--seconds", "120", "--kill", "a"],
  {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  },
);
/** It ends its servers itself, and takes its folder away: whoever kills it leaves both behind. */
const isThere = () => cluster.exitCode === null && cluster.signalCode === null;

/** All of it has a group of its own; Ctrl-C is how it is ended. */
const interrupt = () => {
  if (isThere()) process.kill(-(/** @type {number} */ (cluster.pid)), "SIGINT");
};
process.once("exit", interrupt);

let told = "";
cluster.stderr.on("data", (/** @type {Buffer} */ bytes) => {
  told += bytes;
});

/** Ends the cluster, and waits until it has ended. */
async function end() {
  const limit = performance.now() + ENDING;
  let asked = -Infinity;
  while (isThere()) {
    const now = performance.now();
    if (now > limit)
      throw new Error(`the cluster ${cluster.pid} does not end: ${told.slice(-800)}`);
    if (now - asked >= AGAIN) {
      asked = now;
      interrupt();
    }
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

/** @param {RegExp} pattern */
const heard = async (pattern) => {
  await until(() => pattern.test(told) || !isThere(), {
    what: `${pattern} in what the cluster says`,
    within: 60_000,
  });
  const found = pattern.exec(told);
  if (!found) throw new Error(`the cluster has ended: ${told.slice(-800)}`);
  return found[1];
};

/**
 * Draws at the first of the pages, and looks at all.
 * @param {[string, import("./page.js").Page][]} pages by the names of their nodes
 * @param {number} place
 */
async function draw(pages, place) {
  const { x, y, width, height } = part(place);
  const [[drawer, first]] = pages;
  await line(first, [
    [x + 10, y + 10],
    [x + width / 2, y + height - 10],
    [x + width - 10, y + 10],
  ]);
  for (const [name, page] of pages) {
    await until(async () => (await ink(page, part(place))) > 100, {
      what: `the line of node ${drawer} at node ${name}`,
      within: PATIENCE,
    });
  }
  console.log(`drawn at ${drawer}, seen at ${pages.map(([name]) => name).join(", ")}`);
}

/** @type {Browser | undefined} */
let browser;

async function play() {
  const began = performance.now();
  const state = await heard(/lag: (http:\S+)/);
  const places = await Promise.all(
    NAMES.map((name) => heard(new RegExp(`^  ${name}  (http:\\S+)`, "m"))),
  );
  console.log(`the cluster is there after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  browser = await Browser.launch();
  /** @type {[string, import("./page.js").Page][]} */
  const pages = [];
  for (const [index, place] of places.entries()) {
    const page = await (await browser.person()).open(place);
    await page.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    await still(page);
    pages.push([NAMES[index], page]);
  }
  const [a, b, c] = pages;
  await draw([a, b, c], 0);
  await draw([b, c, a], 1);
  await draw([c, a, b], 2);
  const shown = await (await browser.person()).open(state);
  await shown.until(
    () =>
      document.querySelectorAll("#nodes tr").length === 4 &&
      document.querySelectorAll("#servers tr").length === 4,
  );
  await heard(/(node a was killed)/);
  // Its own browser comes back to it; the others never leave theirs.
  await draw([b, c], 3);
  await heard(/(node a is back)/);
  for (const [, page] of pages) {
    await page.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
      [],
      PATIENCE,
    );
  }
  await draw([a, b, c], 4);
  await draw([c, a, b], 5);
  if (folder) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "board-at-b.png"), await b[1].screenshot());
    writeFileSync(join(folder, "cluster.png"), await shown.screenshot());
  }
}

class Stopped extends Error {}

let status = 0;
try {
  const stopped = new Promise((_, reject) => stopBy(() => reject(new Stopped("stopped"))));
  await Promise.race([play(), stopped]);
} catch (error) {
  status = error instanceof Stopped ? 130 : 1;
  console.error(error instanceof Stopped ? error.message : error);
}
await browser?.close().catch(() => {});
await end().catch((error) => {
  status = 1;
  console.error(error);
});
process.exit(status);
