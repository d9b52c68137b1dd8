// Runs the test files that are named, in one process, so that they share one browser.
import { basename, resolve } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
// Here and not first in a file of tests: what it opens is closed after all of them.
import "./test.js";

/** Tests of one file at the same time: most of what they do is waiting. What measures has the machine for itself. */
const atOnce = 2;

for (const file of process.argv.slice(2)) {
  const name = basename(file, ".test.js");
  describe(name, { concurrency: name.startsWith("perf") ? 1 : atOnce }, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
}
