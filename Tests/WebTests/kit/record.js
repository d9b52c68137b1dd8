// Records the fixtures of the fold: rooms that a real server made, with its state hashes. Run it
// when the protocol has new kinds: BOARDROOM=program node Tests/WebTests/kit/record.js
import { writeFileSync } from "node:fs";
import { Company, fetched, hashOf, logOf } from "./rooms.js";
import { run, Server } from "./server.js";

const fixtures = new URL("../fixtures/", import.meta.url);

/** One revision in so many has its hash in the fixture. */
const pace = 3;

/**
 * @param {Server} server
 * @param {string} room
 * @param {string} name
 * @param {boolean} [hasSnapshot]
 */
async function keep(server, room, name, hasSnapshot = false) {
  const { bytes, records } = await logOf(server, room);
  /** @type {Record<number, string>} */
  const hashes = {};
  for (let revision = pace; revision <= records.length; revision += pace) {
    hashes[revision] = await hashOf(server, room, revision);
  }
  hashes[records.length] = await hashOf(server, room, records.length);
  const lines = await fetched(server, `/v5/rooms/${room}/log`);
  const newest = `/v5/rooms/${room}/replay/snapshots/${records.length - 20}`;
  const snapshot = hasSnapshot && (await fetched(server, newest));
  writeFileSync(new URL(`${name}.runs`, fixtures), bytes);
  writeFileSync(new URL(`${name}.jsonl`, fixtures), lines);
  if (snapshot) writeFileSync(new URL(`${name}.snapshot`, fixtures), snapshot);
  writeFileSync(
    new URL(`${name}.json`, fixtures),
    `${JSON.stringify({ room, revisions: records.length, hashes }, null, 1)}\n`,
  );
}

const server = await Server.start({ settings: { "snapshot.events": "256" } });
const hello = await server.room({ name: "hello" });

await run([
  "perform",
  "tools/samples/hello.ndjson",
  "--room",
  hello,
  "--server",
  server.url,
  "--data",
  server.data,
  "--members",
  "2",
  "--speed",
  "0",
  "--quiet",
]);

await keep(server, hello, "hello");

const room = await server.room({ name: "story" });
const company = new Company(server, room, 20);
await company.join({ payload: { name: "Ana", " é": 1.0 } });
const bo = await company.join({ uid: "bo" });
const cy = await company.join({ uid: "cy", isWritable: false });
await company.act(90);

// Cut off and back again, taken over, kicked, gone.
const back = bo.sockets.length;

bo.sockets[0].cut();

while (bo.sockets.length === back || bo.phase !== "connected") {
  await new Promise((go) => setTimeout(go, 20));
}

await company.act(40);
await company.join({ uid: "bo" });
await company.act(40);
await server.call("POST", `/v5/rooms/${room}/kick`, { memberId: cy.member });
await server.call("PATCH", `/v5/rooms/${room}`, { limits: { members: 50, "limits.magix": 2048 } });
await company.act(60);
await company.members[0].disconnect();
await company.act(60);
await company.part();
await keep(server, room, "story", true);
await server.close();
process.exit(0);
