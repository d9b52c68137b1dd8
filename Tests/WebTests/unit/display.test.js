import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { displayList } from "../../../Sources/BoardroomWeb/Page/render/display.js";

const folder = new URL("../../Golden/v1/display/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

test("DRAWING: there is a golden display list for every type of element", () => {
  assert.ok(files.length >= 29, `${files.length} files`);
});

for (const name of files) {
  test(`DRAWING: ${name.replace(".json", "")} gives the golden display list`, () => {
    const golden = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
    const shape = golden.shape && { ...golden.shape, type: golden.type };
    const element = {
      id: "0.1",
      member: 0,
      number: 1,
      place: 0,
      scene: 1,
      stroke: golden.stroke,
      shape,
      set: golden.set,
    };
    assert.deepEqual(displayList(element), golden.display);
    assert.deepEqual(
      Object.keys(displayList(element)[0]).sort(),
      Object.keys(golden.display[0]).sort(),
    );
  });
}
