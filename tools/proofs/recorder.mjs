// Does what node:assert/strict does, and writes down where an assertion held: there the inverted one would have failed. One line
// a call, in the file that ASSERTIONS names: the places of the tests and their kit that led to it, nearest first.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";

const file = process.env.ASSERTIONS ?? "assertions";
Error.stackTraceLimit = 50;

function record(stack) {
  const places = [...stack.matchAll(/\/(Tests\/WebTests\/[^:\s]+):(\d+):\d+/g)].map(([, path, line]) => `${path}:${line}`);
  appendFileSync(file, `${places.join(" ")}\n`);
}

function recording(original) {
  return function (...values) {
    const { stack } = new Error();
    const result = original.apply(this, values);
    if (result instanceof Promise) {
      return result.then((value) => {
        record(stack);
        return value;
      });
    }
    record(stack);
    return result;
  };
}

const recorder = Object.assign(recording(assert), Object.fromEntries(
  Object.entries(assert).map(([name, value]) => [name, typeof value === "function" && !/^[A-Z]/.test(name) ? recording(value) : value])));

export default recorder;
