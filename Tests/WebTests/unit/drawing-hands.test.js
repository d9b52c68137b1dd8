import assert from "node:assert/strict";
import { test } from "node:test";
import {
  copies,
  moves,
  orders,
  portions,
  restyle,
  stretches,
  turns,
} from "../../../Sources/BoardroomWeb/Page/board/edits.js";
import { displayList } from "../../../Sources/BoardroomWeb/Page/render/display.js";
import { distanceToStretch } from "../../../Sources/BoardroomWeb/Page/render/geom.js";
import {
  Filter,
  StepWriter,
  simplified,
  unitFor,
} from "../../../Sources/BoardroomWeb/Page/render/smooth.js";
import { strokePoints } from "../../../Sources/BoardroomWeb/Page/render/stroke.js";
import { element, entries, strokeAt } from "../kit/drawn.js";
import { seeded } from "../kit/fake-room.js";

const box = { left: 0, top: 0, right: 100, bottom: 50 };

const rectangle = element("0.1", {
  shape: { type: "rectangle", x: 0, y: 0, width: 100, height: 50 },
});

const turned = element("0.2", {
  shape: { ...rectangle.shape },
  set: { transform: [0, 1, -1, 0, 5, 6] },
});

test("M move: shapes get another place, strokes and what is turned another transform", () => {
  const [shape, transformed, stroke] = moves(
    [
      rectangle,
      turned,
      strokeAt("0.3", [
        [0, 0],
        [9, 9],
      ]),
    ],
    10,
    -4,
  );
  assert.deepEqual(shape, { id: "0.1", set: { x: 10, y: -4 } });
  assert.deepEqual(transformed.set.transform, [0, 1, -1, 0, 15, 2]);
  assert.deepEqual(stroke.set.transform, [1, 0, 0, 1, 10, -4]);
});

test("M resize: a shape gets another box and keeps its lines, a text other letters, a stroke a transform", () => {
  const to = { left: 0, top: 0, right: 200, bottom: 50 };
  const text = element("0.4", { shape: { type: "text", x: 50, y: 25, text: "a", size: 20 } });
  const line = element("0.5", {
    shape: {
      type: "arrow",
      x: 10,
      y: 10,
      points: [
        [0, 0],
        [20, 30],
      ],
    },
  });
  const [a, b, c, d] = stretches(
    [
      rectangle,
      text,
      line,
      strokeAt("0.3", [
        [0, 0],
        [9, 9],
      ]),
    ],
    box,
    to,
  );
  assert.deepEqual(a.set, { x: 0, y: 0, width: 200, height: 50 });
  assert.equal(b.set.size, 28.28);
  assert.deepEqual(c.set, {
    x: 20,
    y: 10,
    points: [
      [0, 0],
      [40, 30],
    ],
  });
  assert.deepEqual(d.set.transform, [2, 0, 0, 1, 0, 0]);
});

test("M resize: a quarter turn and back is where it was", () => {
  const there = turns([rectangle], Math.PI / 2, { x: 50, y: 25 });
  const back = turns([{ ...rectangle, set: there[0].set }], -Math.PI / 2, { x: 50, y: 25 });
  assert.deepEqual(
    back[0].set.transform.map((value) => value + 0),
    [1, 0, 0, 1, 0, 0],
  );
});

test("M order: to the front comes above all that is there and below all that will be", () => {
  const all = entries(4);
  const [front] = orders(all, new Set(["0.1"]), "front");
  assert.ok(front.set.order > all[3].key && front.set.order < "V0000004", front.set.order);
  const [back] = orders(all, new Set(["0.3"]), "back");
  assert.ok(back.set.order < all[0].key);
  const [forward] = orders(all, new Set(["0.1"]), "forward");
  assert.ok(forward.set.order > all[1].key && forward.set.order < all[2].key);
  const [backward] = orders(all, new Set(["0.3"]), "backward");
  assert.ok(backward.set.order > all[0].key && backward.set.order < all[1].key);
  assert.deepEqual(orders(all, new Set(["0.4"]), "front"), []);
  const several = orders(all, new Set(["0.1", "0.2"]), "front").map(({ set }) => set.order);
  assert.deepEqual(several.slice().sort(), several);
});

test("M restyle: each type takes on what it shows", () => {
  const style = { colour: [1, 2, 3], fill: [4, 5, 6], width: 5, size: 30 };
  assert.deepEqual(restyle(strokeAt("0.3", [[0, 0]]), style), {
    "style.colour": [1, 2, 3],
    "style.width": 5,
  });
  const note = element("0.4", {
    shape: { type: "note", x: 0, y: 0, width: 9, height: 9, text: "a" },
  });
  assert.deepEqual(restyle(note, style), {
    "style.fill": [4, 5, 6],
    "style.textColor": [1, 2, 3],
    size: 30,
  });
  assert.deepEqual(restyle(rectangle, style), {
    "style.colour": [1, 2, 3],
    "style.fill": [4, 5, 6],
    "style.width": 5,
  });
  const labelled = { ...rectangle, set: { text: "a" } };
  assert.equal(restyle(labelled, { size: 30, bold: true }).size, 30);
  assert.equal(restyle(labelled, { bold: true })["style.bold"], true);
  const line = element("0.5", {
    shape: { type: "arrow", x: 0, y: 0, points: [[0, 0]], text: "a", size: 20 },
    set: { "style.textWidth": 40 },
  });
  assert.deepEqual(restyle(line, { size: 30 }), { size: 30 });
});

test("M duplicate: copies stand aside, on top, and are free", () => {
  const [copy] = copies([rectangle], { newId: () => "0.9", scene: 2, x: 24, y: 24 });
  assert.deepEqual(copy, {
    from: "0.1",
    id: "0.9",
    scene: 2,
    set: { x: 24, y: 24, order: null, locked: null },
  });
});

test("PROTOCOL limits: many changes go in commands that are each small enough", () => {
  const items = Array.from({ length: 500 }, (_, index) => ({
    id: `0.${index}`,
    set: { text: index % 2 ? "白板" : "board" },
  }));
  const parts = portions(items, 1000);
  assert.deepEqual(parts.flat(), items);
  for (const part of parts) {
    assert.ok(Buffer.byteLength(JSON.stringify(part)) <= 1002);
  }
});

test("M smoothing: a trembling hand draws a smoother line, and the line keeps up with it", () => {
  const random = seeded(9);
  let before = 0;
  let after = 0;
  let behind = 0;
  const filter = new Filter();
  for (let index = 0; index < 240; index += 1) {
    const x = index * 5;
    const sample = { x: x + (random() - 0.5), y: random() - 0.5, time: index * 8 };
    const smooth = filter.filter(sample);
    before += sample.y ** 2;
    after += smooth.y ** 2;
    behind = Math.max(behind, x - smooth.x);
  }
  assert.ok(after < before * 0.75, `${after} ${before}`);
  assert.ok(behind < 5, `${behind}`);
});

test("M smoothing: points left out are within a quarter of a pixel of the line", () => {
  const points = Array.from({ length: 300 }, (_, at) => ({
    x: at,
    y: 40 * Math.sin(at / 20),
    time: at,
  }));
  const kept = simplified(points, 0.25);
  assert.ok(kept.length < 120, `${kept.length}`);
  for (const point of points) {
    const near = kept.slice(1).map((to, at) => distanceToStretch(point, kept[at], to));
    assert.ok(Math.min(...near) <= 0.25 + 1e-9);
  }
});

test("M pressure: what a pen did comes back from segments, to an eighth of a pixel of the screen", () => {
  const random = seeded(4);
  for (const scale of [0.1, 1, 30]) {
    const unit = unitFor(scale);
    const points = Array.from({ length: 50 }, (_, at) => ({
      x: (random() - 0.5) * 1e4,
      y: (random() - 0.5) * 1e4,
      time: at * 8,
      pressure: random(),
    }));
    const steps = new StepWriter(unit);
    const segments = [points.slice(0, 7), points.slice(7, 30), points.slice(30)].map((part) =>
      steps.write(part),
    );
    const begin = { scene: 1, unit, tool: "pencil", colour: [0, 0, 0], opacity: 255, width: 8 };
    strokePoints({ begin, ended: true, segments }).forEach((point, at) => {
      assert.ok(Math.hypot(point.x - points[at].x, point.y - points[at].y) * scale <= 0.125);
      assert.ok(Math.abs(/** @type {number} */ (point.pressure) - points[at].pressure) < 0.001);
      assert.equal(point.time, at * 8);
    });
  }
});

test("a stroke that grows segment by segment looks like one that came at once", () => {
  const whole = strokeAt(
    "0.1",
    Array.from({ length: 60 }, (_, at) => [at * 3, 20 * Math.sin(at / 6)]),
  );
  const { dx, dy, dt } = whole.stroke.segments[0];
  const segments = Array.from({ length: 6 }, (_, part) => {
    const cut = (list) => list.slice(part * 10, part * 10 + 10);
    return { dx: cut(dx), dy: cut(dy), dt: cut(dt) };
  });
  for (let count = 1; count < 6; count += 1) {
    displayList({
      ...whole,
      stroke: { ...whole.stroke, ended: false, segments: segments.slice(0, count) },
    });
  }
  const open = { ...whole, stroke: { ...whole.stroke, ended: false, segments } };
  assert.deepEqual(displayList(open), displayList(whole));
});
