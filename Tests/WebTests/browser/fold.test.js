// The fold against the real server: whatever members do, the page has the server's state hash. No
// browser is started.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { body } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import {
  apply,
  emptyState,
  stateFromSnapshot,
} from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { Overlay } from "../../../Sources/BoardroomWeb/Page/state/overlay.js";
import { root } from "../kit/places.js";
import { Company, fetched, hashOf, logOf, sha256 } from "../kit/rooms.js";
import { run, Server } from "../kit/server.js";
import { stateHash } from "../kit/snapshots.js";
import { mirrorText } from "../kit/wire.js";

const seeds = (process.env.FOLD_SEEDS ?? "1").split(" ").map(Number);
const deeds = Number(process.env.FOLD_DEEDS ?? 150);

/** @type {Server} */
let server;

before(async () => {
  server = await Server.start({ settings: { "snapshot.events": "256", rate: "0" } });
});

after(() => server.close());

/**
 * Compares hashes along a room's log.
 * @param {string} room
 * @param {number} pace one revision in so many
 */
async function compared(room, pace) {
  const { records } = await logOf(server, room);
  const state = emptyState();
  for (const rec of records) {
    const { fits } = apply(state, rec);
    assert.ok(fits, `${rec.name} at ${rec.rev} fits`);
    if (rec.rev % pace && rec.rev < records.length) continue;
    assert.equal(
      stateHash(state, sha256),
      await hashOf(server, room, rec.rev),
      `at revision ${rec.rev}, ${rec.name}`,
    );
  }
  const lines = new TextDecoder()
    .decode(await fetched(server, `/v5/rooms/${room}/log`))
    .trimEnd()
    .split("\n");
  assert.deepEqual(records.map(mirrorText), lines);
  return { records, state };
}

for (const seed of seeds) {
  test(`random doings of four members, seed ${seed}: the same hashes, mirrors and snapshots as the server`, async () => {
    const room = randomBytes(16).toString("hex");
    const company = new Company(server, room, seed);
    for (let n = 0; n < 4; n++) {
      await company.join();
    }
    await company.act(deeds / 2);
    await company.members[0].disconnect();
    await company.join({ uid: "u1" });
    await company.act(deeds / 2);
    const here = company.members.filter(({ phase }) => phase === "connected");
    assert.equal(new Set(here.map((member) => member.state.elements.size)).size, 1);
    await company.part();
    const { records, state } = await compared(room, 10);
    const answer = await fetched(
      server,
      `/v5/rooms/${room}/replay/snapshots/${records.length}`,
    ).catch(() => null);
    if (answer === null) return;
    const [message, ...parts] = readPieces(answer);
    const from = stateFromSnapshot(message, parts);
    assert.equal(stateHash(from, sha256), message.stateHash);
    for (const rec of records.slice(from.revision)) {
      apply(from, rec);
    }
    assert.equal(stateHash(from, sha256), stateHash(state, sha256));
  });
}

for (const seed of seeds) {
  test(`lines that are cut while members act, seed ${seed}: everything is done once, and all mirrors agree`, async () => {
    const room = randomBytes(16).toString("hex");
    const company = new Company(server, room, seed + 100);
    const overlays = [];
    for (let n = 0; n < 3; n++) {
      overlays.push(new Overlay(await company.join()));
    }
    /** @type {Array<[number, string]>} */
    const dealt = [];
    for (const member of company.members) {
      for (let deed = 0; deed < deeds / 5; deed++) {
        const payload = `${member.member}/${deed}`;
        member.send("magix", { event: "once", payload }).then(
          ({ revision }) => dealt.push([revision, payload]),
          () => {},
        );
      }
    }
    await company.act(deeds / 2, 0.05);
    const { records } = await logOf(server, room);
    const once = records
      .filter(({ kind }) => kind === 30)
      .map((rec) => [rec.rev, body(rec).payload]);
    const payloads = once
      .map(([, payload]) => payload)
      .filter((payload) => /^\d+\/\d+$/.test(payload));
    assert.equal(new Set(payloads).size, payloads.length, "nothing was done twice");
    for (const [revision, payload] of dealt) {
      assert.equal(body(records[revision - 1]).payload, payload);
    }
    assert.equal(dealt.length, payloads.length, "all that was done was answered so");
    const mirrors = company.members.map(({ state }) => [state.revision, stateHash(state, sha256)]);
    for (const [revision, hash] of mirrors) {
      assert.equal(hash, await hashOf(server, room, Number(revision)));
    }
    for (const overlay of overlays) {
      assert.equal(overlay.overlaid.size, 0, "nothing is left on its way");
    }
    assert.ok(
      company.members.some((member) => /** @type {any} */ (member).sockets.length > 1),
      "lines were cut",
    );
    await company.part();
  });
}

const samples = ["hello", "plan", "loops"].map((name) => [`tools/samples/${name}.ndjson`, "100"]);
const corpus = process.env.CORPUS ?? "";

const drawings =
  corpus === ""
    ? []
    : ["wacom_pen", "omniglot_strokes", "excalidraw_freedraw", "excalidraw_elements"].map(
        (name) => [join(corpus, `${name}.ndjson`), "300"],
      );

for (const [file, limit] of [...samples, ...drawings].filter(
  ([file]) => existsSync(join(root, file)) || existsSync(file),
)) {
  test(`a room performed from ${file.split("/").pop()}: the same hashes and mirrors as the server`, async () => {
    const room = await server.room({ name: "performed" });
    await run([
      "perform",
      file,
      "--room",
      room,
      "--server",
      server.url,
      "--data",
      server.data,
      "--members",
      "3",
      "--speed",
      "0",
      "--limit",
      limit,
      "--quiet",
    ]);
    await compared(room, 25);
  });
}
