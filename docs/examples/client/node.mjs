// A program that is a member of a room: it draws a frame, writes a note, answers everybody who sends it an event, and
// leaves. It runs under Node 22 as it is; under Node 20, run `npm install ws` first.
//
//   npm install boardroom-client
//   node node.mjs https://boards.example UUID TOKEN
//
// TOKEN: a room token of a writer; a server that is open needs none. ROUNDS=1: leaves after one answer.
import { joinRoom, RoomError } from "boardroom-client";

const [server, uuid, token] = process.argv.slice(2);
const rounds = Number(process.env.ROUNDS ?? Infinity);
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

// Ctrl-C ends whatever is waited for.
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());
const { signal } = stopping;

try {
  const room = await joinRoom({
    server,
    uuid,
    WebSocket,
    signal,
    payload: { name: "The frame bot" },
    // A function can be given instead, which asks the application's backend each time when a token is needed.
    token,
  });
  room.on("phase", ({ phase }) => console.log(`phase ${phase}`));
  room.on("problem", ({ error }) => console.error(`${error.what} ${error.help}`));
  console.log(`member ${room.memberId} of ${room.members.length}, ${room.elements().length} elements`);

  const corners = [[0, 0], [640, 0], [640, 360], [0, 360], [0, 0]];
  const frame = await room.drawStroke(corners, { colour: "#1e5ac8", width: 3, signal });
  const note = { type: "note", x: 24, y: 24, width: 200, height: 120, text: "Send me the event \"frame\"." };
  await room.insert(note, { signal });
  await room.undo({ signal });
  console.log(`drew ${frame}, took the note back, ${room.steps.redo} to redo`);

  let answered = 0;
  for await (const { event, payload, member } of room.watch("magix", { signal })) {
    if (event !== "frame" || member === room.memberId) continue;
    await room.change(frame, { "style.colour": payload?.colour ?? "#d43c3c" }, { signal });
    await room.dispatchMagixEvent("framed", { by: member, elements: room.elements().length }, { signal });
    answered += 1;
    console.log(`answered ${answered}`);
    if (answered >= rounds) break;
  }
  await room.disconnect();
} catch (error) {
  if (signal.aborted) process.exit(130);
  if (!(error instanceof RoomError)) throw error;
  console.error(`${error.code}: ${error.what} ${error.help}`);
  process.exit(1);
}
