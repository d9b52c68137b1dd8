import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { readMessage, writeMessage } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { mirror, writeCommand } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import { stateFromSnapshot } from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { readPart } from "../../../Sources/BoardroomWeb/Page/state/snapshot.js";
import { sha256 } from "../kit/rooms.js";
import { stateHash } from "../kit/snapshots.js";
import { serverMessage } from "../kit/wire.js";

const golden = new URL("../../Golden/v1/wire/", import.meta.url);

const samples = readdirSync(golden).map((file) => {
  const { hex, json } = JSON.parse(readFileSync(new URL(file, golden), "utf8"));
  return { file, json, bytes: new Uint8Array(Buffer.from(hex, "hex")) };
});

const serversFirst = 64;

/**
 * What was read, as the mirror has it.
 * @param {any} message
 */
function mirrored(message) {
  if (message.m === "run") {
    const { m, first, base, records } = message;
    return { m, first, base, records: records.map(mirror) };
  }
  if (message.m !== "snapshotPart") return message;
  const elements = readPart(message.bytes).map(({ place, id, scene, stroke, shape }) => {
    if (!stroke) return { place, id, scene, shape };
    const { begin, ended, segments } = stroke;
    return {
      place,
      id,
      scene,
      stroke: { begin, ended, segments: segments.map((segment) => segment.read()) },
    };
  });
  return { m: "snapshotPart", first: 0, elements };
}

for (const { file, json, bytes } of samples.filter((sample) => sample.bytes[0] > serversFirst)) {
  test(`the golden ${file} is read as its mirror says, and written byte for byte`, () => {
    assert.deepEqual(mirrored(readMessage(bytes)), json);
    assert.deepEqual(Buffer.from(serverMessage(json)), Buffer.from(bytes));
  });
}

for (const { file, json, bytes } of samples.filter((sample) => sample.bytes[0] < serversFirst)) {
  test(`the golden ${file} of a client is written byte for byte`, () => {
    const commands = json.commands?.map((/** @type {any} */ { n, kind, body }) =>
      writeCommand(n, kind, body),
    );
    assert.deepEqual(Buffer.from(writeMessage({ ...json, commands })), Buffer.from(bytes));
  });
}

test("every golden message that is listed is proved above", () => {
  const listed = readFileSync(new URL("../../checksums.txt", golden), "utf8")
    .split("\n")
    .flatMap((line) => line.match(/ Tests\/Golden\/v1\/wire\/(.+)$/)?.slice(1) ?? []);
  assert.ok(listed.length > 0);
  assert.deepEqual(samples.map(({ file }) => file).sort(), listed.sort());
  const proved = samples.filter(({ bytes }) => bytes[0] !== serversFirst);
  assert.equal(proved.length, samples.length);
});

test("the golden snapshot has the state hash that it says", () => {
  const named = (/** @type {string} */ name) =>
    readMessage(samples.find(({ file }) => file === name)?.bytes ?? new Uint8Array());
  const root = named("snapshotRoot.json");
  assert.equal(
    stateHash(stateFromSnapshot(root, [named("snapshotPart.json")]), sha256),
    root.stateHash,
  );
  const locked = named("snapshotRoot-writing.json");
  assert.equal(stateHash(stateFromSnapshot(locked, []), sha256), locked.stateHash);
  const bound = named("snapshotRoot-bound.json");
  assert.equal(stateHash(stateFromSnapshot(bound, []), sha256), bound.stateHash);
});

test("a message of an unknown type, without bytes, or cut off anywhere is a WireError", () => {
  assert.throws(() => readMessage(new Uint8Array([200])), { name: "WireError" });
  assert.throws(() => readMessage(new Uint8Array()), { name: "WireError" });
  const run = samples.find(({ file }) => file === "run.json")?.bytes ?? new Uint8Array();
  for (let length = 1; length < run.length; length++) {
    assert.throws(
      () => readMessage(run.subarray(0, length)),
      { name: "WireError" },
      `cut at ${length}`,
    );
  }
});

test("WIRE-20: a server may announce ten minutes of silence, and no more", () => {
  const uv = (/** @type {number} */ value) => {
    const bytes = [];
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
    return [...bytes, value];
  };
  const quiet = (/** @type {number} */ ms) => new Uint8Array([78, 5, 9, ...uv(ms)]);
  assert.equal(readMessage(quiet(600_000)).ms, 600_000);
  assert.throws(() => readMessage(quiet(600_001)), { name: "WireError" });
});
