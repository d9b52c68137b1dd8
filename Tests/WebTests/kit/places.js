// Where things lie, and what has to be ended whatever happens.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");

export const build = join(root, ".build");

/** Screenshots and notes of tests that failed. */
export const failures = join(build, "web-failures");

/** One line a process: its id and program. `tools/web` ends what is left of them. */
const started = join(build, "web-processes");

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();

/**
 * Remembers a process, so that it does not outlive the tests.
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} program
 */
export function keepTrack(child, program) {
  if (child.pid === undefined) return;
  mkdirSync(build, { recursive: true });
  appendFileSync(started, `${child.pid} ${program}\n`);
  children.add(child);
  child.once("exit", () => children.delete(child));
}

/** @type {Set<string>} */
const folders = new Set();

/**
 * A folder that is gone when the tests are.
 * @param {string} name how it begins
 */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), name));
  folders.add(folder);
  return folder;
}

/**
 * A process that has just been ended may still write there. What cannot be removed is said, and
 * fails no test.
 * @param {string} folder
 */
export function removeFolder(folder) {
  folders.delete(folder);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch (error) {
    console.error(`${folder} is left over: ${error}`);
  }
}

process.once("exit", () => {
  for (const child of children) {
    child.kill("SIGKILL");
  }
  for (const folder of folders) {
    removeFolder(folder);
  }
});

let stop = () => process.exit(130);

/**
 * Takes over what Ctrl-C does, for a program that has more to end than what it keeps track of.
 * @param {() => void} run each time
 */
export function stopBy(run) {
  stop = /** @type {() => never} */ (run);
}

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => stop());
}

/**
 * Asks again and again until the answer is true; the one way in which these tests wait.
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {{within?: number, pause?: number, what?: string | (() => string | Promise<string>)}} [options]
 *   milliseconds, in all and between two questions; what did not come about
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(ask, { within = 30_000, pause = 10, what = String(ask) } = {}) {
  const end = performance.now() + within;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) {
      throw new Error(`not within ${within} ms: ${typeof what === "string" ? what : await what()}`);
    }
    await new Promise((resume) => setTimeout(resume, pause));
  }
}
