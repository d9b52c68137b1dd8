// How often hands speak: a pen's points at most 30 messages a second, the own pointer at most 20
// times.
import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { test } from "node:test";
import { Input } from "../../../Sources/BoardroomWeb/Page/board/input.js";
import { makeTools } from "../../../Sources/BoardroomWeb/Page/board/tools/index.js";
import { View } from "../../../Sources/BoardroomWeb/Page/render/view.js";
import { virtualClock } from "../kit/clock.js";

setMaxListeners(20);
globalThis.HTMLCanvasElement ??= class {};

/** A board with nothing on it that notes what it sends, and hands that move much oftener. */
function stage() {
  const clock = virtualClock();
  const sent = [];
  const root = Object.assign(new EventTarget(), {
    style: {},
    getBoundingClientRect: () => ({ left: 0, top: 0 }),
  });
  let ids = 0;
  const board = {
    root,
    clock,
    sent,
    view: new View(),
    scene: 1,
    canWrite: true,
    tool: "pen",
    keys: { isHolding: false },
    drawStyle: { colour: [0, 0, 0], width: 3, opacity: 1 },
    toolStyle: { colour: [0, 0, 0], width: 3, opacity: 1 },
    sceneContent: {},
    mayUse: () => true,
    newId: () => `0.${++ids}`,
    send: (name, body) => sent.push({ name, body, at: clock.now() }),
    refresh() {},
    setCursor() {},
    onPress: () => false,
  };
  board.activeTool = makeTools(board).get("pen");
  new Input(board);
  const pointer = (type, pointerType = "pen") => {
    const x = clock.now();
    const y = 100 * Math.sin(clock.now() / 50);
    root.dispatchEvent(
      Object.assign(new Event(type), {
        pointerId: 1,
        pointerType,
        button: 0,
        pressure: 0.4 + y / 500,
        clientX: x,
        clientY: y,
      }),
    );
  };
  return { board, clock, sent, pointer };
}

/** The most of them in any second. */
const busiest = (all) =>
  Math.max(...all.map(({ at }) => all.filter((one) => one.at >= at && one.at < at + 1000).length));

test("M pen: its points go out in batches, at most 30 a second, with the ends of strokes; none is lost", () => {
  const { clock, sent, pointer } = stage();
  for (let strokes = 0; strokes < 4; strokes += 1) {
    pointer("pointerdown");
    for (let ms = 0; ms < 450; ms += 2) {
      clock.advance(2);
      pointer("pointermove");
    }
    pointer("pointerup");
    clock.advance(50);
  }
  const messages = sent.filter(({ name }) => name === "stroke");
  assert.ok(busiest(messages) <= 30, `${busiest(messages)} a second`);
  assert.ok(busiest(messages) >= 20, "others see it grow");
  assert.equal(messages.filter(({ body }) => body.begin).length, 4);
  assert.equal(messages.filter(({ body }) => body.end).length, 4);
  const ended = messages.slice(0, messages.findIndex(({ body }) => body.end) + 1);
  const unit = 2 ** ended[0].body.begin.unit;
  const far = ended.flatMap(({ body }) => [...body.dx]).reduce((sum, step) => sum + step, 0) * unit;
  assert.ok(Math.abs(far - (450 - 0.5)) < 1, `${far}`);
});

test("M cursors: the own pointer's place goes out at most 20 times a second, the last one always", () => {
  const { clock, sent, pointer } = stage();
  for (let ms = 0; ms < 3000; ms += 2) {
    pointer("pointermove", "mouse");
    clock.advance(2);
  }
  clock.advance(100);
  const places = sent.filter(({ name }) => name === "pointer");
  assert.ok(busiest(places) <= 20 && busiest(places) >= 18, `${busiest(places)} a second`);
  assert.equal(places.at(-1).body.x, Math.round((2998 - 0.5) * 4));
});

test("M pinch: a finger that another one joins at once has drawn nothing, and told nobody", () => {
  const { clock, sent, pointer } = stage();
  pointer("pointerdown", "touch");
  for (let ms = 0; ms < 100; ms += 10) {
    clock.advance(10);
    pointer("pointermove", "touch");
  }
  pointer("pointercancel", "touch");
  clock.advance(500);
  assert.deepEqual(
    sent.filter(({ name }) => name === "stroke"),
    [],
  );
});
