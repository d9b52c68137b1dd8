import assert from "node:assert/strict";
import { test } from "node:test";
import { shown } from "../../../Sources/BoardroomWeb/Page/render/colours.js";
import {
  ElementIndex,
  keyBetween,
  keyOfPlace,
} from "../../../Sources/BoardroomWeb/Page/render/element-index.js";
import { Grid } from "../../../Sources/BoardroomWeb/Page/render/grid.js";
import { broken } from "../../../Sources/BoardroomWeb/Page/render/text.js";
import {
  cameraOf,
  LARGEST,
  SMALLEST,
  View,
} from "../../../Sources/BoardroomWeb/Page/render/view.js";
import { contrast, element, strokeAt } from "../kit/drawn.js";
import { seeded } from "../kit/fake-room.js";

const shape = (id, type, x, y, width, height, more = {}) =>
  element(id, { shape: { type, x, y, width, height, ...more } });

test("M zoom: what is under the cursor stays there, from 0.1 to 30", () => {
  const view = new View();
  view.resize(800, 600);
  view.set({ x: 40, y: -30, scale: 1.5 });
  const at = { x: 700, y: 80 };
  for (const scale of [0.001, 0.3, 7, 500]) {
    const before = view.toScene(at);
    view.zoomTo(at, scale);
    const after = view.toScene(at);
    assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 1e-9);
    assert.ok(view.scale >= SMALLEST && view.scale <= LARGEST);
  }
});

test("M pinch: two fingers take along what is under them", () => {
  const view = new View();
  view.resize(800, 600);
  const fingers = [
    { x: 100, y: 100 },
    { x: 300, y: 100 },
  ];
  const under = fingers.map((at) => view.toScene(at));
  const moved = [
    { x: 80, y: 150 },
    { x: 480, y: 150 },
  ];
  view.pinch(fingers, moved);
  moved.forEach((at, index) => {
    const now = view.toScene(at);
    assert.ok(Math.hypot(now.x - under[index].x, now.y - under[index].y) < 1e-9);
  });
});

test("M follow: a camera on the wire is the view, to an eighth of a pixel", () => {
  const view = new View();
  view.set({ x: 123.456, y: -98.7, scale: 1.7 });
  const camera = cameraOf(view.body);
  assert.ok(Math.abs(camera.x - view.x) <= 0.125 && Math.abs(camera.y - view.y) <= 0.125);
  assert.ok(Math.abs(camera.scale / view.scale - 1) < 1e-4);
});

test("M zoom: the whole of a scene fits with free space around it, and is not made larger", () => {
  const view = new View();
  view.resize(800, 600);
  view.set(view.cameraFor({ left: 0, top: 0, right: 5000, bottom: 100 }));
  assert.ok(view.seen.left <= -10 && view.seen.right >= 5010);
  assert.equal(view.cameraFor({ left: 0, top: 0, right: 10, bottom: 10 }).scale, 1);
});

test("PROTOCOL order keys: places have V and seven digits, and between two keys there is one", () => {
  assert.equal(keyOfPlace(0), "V0000000");
  assert.equal(keyOfPlace(62 * 62 + 61), "V000010z");
  const random = seeded(3);
  const keys = [keyOfPlace(0), keyOfPlace(1), keyOfPlace(62)];
  for (let round = 0; round < 400; round += 1) {
    const at = Math.floor(random() * (keys.length + 1));
    const key = keyBetween(keys[at - 1], keys[at]);
    assert.match(key, /^[0-9A-Za-z]{0,63}[1-9A-Za-z]$/);
    assert.ok(
      (at === 0 || keys[at - 1] < key) && (at === keys.length || key < keys[at]),
      `${keys[at - 1]} ${key}`,
    );
    keys.splice(at, 0, key);
  }
});

test("a grid finds what looking at everything finds", () => {
  const random = seeded(5);
  const grid = new Grid();
  const boxes = Array.from({ length: 400 }, () => {
    const left = (random() - 0.5) * 9000;
    const top = (random() - 0.5) * 9000;
    const size = random() < 0.05 ? 8000 : 300;
    return { left, top, right: left + random() * size, bottom: top + random() * size };
  });
  for (const [index, box] of boxes.entries()) {
    grid.set(String(index), box);
  }
  for (let index = 0; index < 400; index += 3) {
    grid.delete(String(index));
  }
  for (let round = 0; round < 50; round += 1) {
    const left = (random() - 0.5) * 9000;
    const top = (random() - 0.5) * 9000;
    const asked = { left, top, right: left + 700, bottom: top + 500 };
    const there = boxes.flatMap((box, index) => {
      const isNear =
        box.left <= asked.right &&
        box.right >= left &&
        box.top <= asked.bottom &&
        box.bottom >= top;
      return isNear && index % 3 ? [String(index)] : [];
    });
    assert.deepEqual(grid.within(asked).sort(), there.sort());
  }
});

test("M select: the topmost thing at a place; lines where they are drawn, hollow shapes inside if nothing else is there", () => {
  const index = new ElementIndex();
  index.put(shape("0.1", "rectangle", 0, 0, 400, 300));
  index.put(shape("0.2", "rectangle", 100, 100, 100, 100));
  index.put(shape("0.3", "ellipse", 250, 50, 100, 100, { style: { fill: [1, 2, 3] } }));
  index.put(
    strokeAt("0.4", [
      [120, 120],
      [180, 180],
    ]),
  );
  const at = (x, y) => index.hit({ x, y }, 4)?.id;
  assert.equal(at(150, 150), "0.4");
  assert.equal(at(180, 120), "0.2");
  assert.equal(at(50, 250), "0.1");
  assert.equal(at(300, 100), "0.3");
  assert.equal(at(260, 60), "0.1", "beside the ellipse, in its box");
  assert.equal(at(500, 500), undefined);
});

test("M select: a marquee catches what it touches, a line that only crosses it too", () => {
  const index = new ElementIndex();
  index.put(
    strokeAt("0.1", [
      [0, 0],
      [1000, 1000],
    ]),
  );
  index.put(shape("0.2", "rectangle", 0, 0, 1000, 1000));
  index.put(shape("0.3", "note", 420, 560, 20, 20, { text: "x" }));
  const caught = index
    .touchedBy({ left: 400, top: 450, right: 600, bottom: 600 })
    .map(({ id }) => id);
  assert.deepEqual(caught, ["0.1", "0.3"]);
});

test("M dark mode: what can be read on white paper can be read on dark paper, on notes too", () => {
  const inks = ["#1e1e1e", "#1f5fd6", "#b3261e", "#147a46", "#7a3fb8", "#8a5a00"];
  for (const ink of inks) {
    assert.ok(contrast(shown(ink, "dark"), "#171c22") >= 3, `${ink} ${shown(ink, "dark")}`);
  }
  assert.ok(contrast(shown("#1e1e1e", "dark"), shown("#ffec99", "dark")) >= 4.5);
  assert.equal(shown("#1f5fd6", "light"), "#1f5fd6");
});

test("M text: lines break between words, in Chinese between any letters, and stay where they were put", () => {
  const measure = (line) => [...line].reduce((sum, letter) => sum + (letter > "⺀" ? 20 : 10), 0);
  assert.equal(broken("one two three", 80, measure), "one two\nthree");
  assert.equal(broken("你好你好你好", 50, measure), "你好\n你好\n你好");
  assert.equal(broken("abcdefghij", 40, measure), "abcd\nefgh\nij");
  assert.equal(broken("a\n\nb", 40, measure), "a\n\nb");
});

test("WEB groups: the elements of a group are known, whatever becomes of them", () => {
  const index = new ElementIndex();
  const of = (/** @type {string} */ id, /** @type {any} */ groups) =>
    element(id, { shape: { type: "note", style: { groups } } });
  index.put(of("0.1", ["g", "h"]));
  index.put(of("0.2", ["g", 7]));
  index.put(of("0.3", "g"));
  assert.deepEqual([...(index.groups.get("g") ?? [])], ["0.1", "0.2"]);
  index.put(of("0.1", ["h"]));
  assert.deepEqual([...(index.groups.get("g") ?? [])], ["0.2"]);
  index.remove("0.2");
  assert.deepEqual([...index.groups.keys()], ["h"]);
  index.clear();
  assert.equal(index.groups.size, 0);
});
