// The board over a fake room, for measurements and for looking at it:
// bench.html?elements=10000&width=12000&height=8000
import { Board } from "/Sources/BoardroomWeb/Page/board/board.js";
import { FakeRoom, seeded, wave } from "./fake-room.js";

const asked = new URLSearchParams(location.search);
const count = Number(asked.get("elements") ?? 0);
const width = Number(asked.get("width") ?? 0);
const height = Number(asked.get("height") ?? 0);
const random = seeded(7);
const room = new FakeRoom();

for (let number = 0; number < count; number += 1) {
  const { begin, dx, dy, dt } = wave(
    (random() - 0.5) * width,
    (random() - 0.5) * height,
    40,
    random,
  );
  room.put({
    id: `1.${number + 1}`,
    stroke: { begin, ended: true, segments: [{ dx, dy, dt }], points: 40 },
  });
}

const now = () => performance.now();

const clock = {
  now,
  after: (/** @type {number} */ ms, /** @type {() => void} */ run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  frame: (/** @type {() => void} */ run) => {
    const script = () => {
      const begin = now();
      run();
      frames.push(now() - begin);
    };
    const frame = requestAnimationFrame(script);
    return () => cancelAnimationFrame(frame);
  },
};

/**
 * Script of each frame of the board, in ms.
 * @type {number[]}
 */
const frames = [];

const root = /** @type {HTMLElement} */ (document.getElementById("board"));

const board = new Board({
  root,
  source: room,
  session: room,
  clock,
  isLocal: asked.has("local"),
  theme: asked.has("dark") ? "dark" : "light",
});

document.addEventListener("keydown", (event) => board.handleKey(event));
document.addEventListener("keyup", (event) => board.handleKey(event));
Object.assign(window, { board, room, frames, random, wave, FakeRoom });
