// Runs the test files that are named, in one process, so that they share one browser.
import { basename, resolve } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
// Here and not first in a file of tests: what it opens is closed after all of them.
import "./test.js";

// The runner turns an error that belongs to no running test into a failed run. This says where it
// comes from.
process.on("uncaughtExceptionMonitor", (error, origin) =>
  console.error(`Outside of a test, ${origin}:`, error),
);

// The last of these listeners: what the kit removes at the end is removed by one that ./test.js has
// set before. To leave from here passes over Node's own clearing up, which turns for ever where a
// socket still has an open request: all tests had passed and were reported, and then the run went
// on until its time was over.
process.once("exit", (status) => {
  if (status !== 0) console.error(`The run of the browser tests ends with status ${status}.`);
  process.exit(status);
});

/**
 * Tests of one file at the same time: most of what they do is waiting. What measures has the
 * machine for itself, and what copies the clipboard, of which the browser has one.
 */
const atOnce = 2;

/** How the names of files begin whose tests run one by one. */
const oneByOne = /^(perf|clipboard)/;

for (const file of process.argv.slice(2)) {
  const name = basename(file, ".test.js");
  describe(name, { concurrency: oneByOne.test(name) ? 1 : atOnce }, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
}
