// The file of elements that is exported as JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "../../../Sources/BoardroomWeb/Page/board/read-file.js";
import { exported } from "../../../Sources/BoardroomWeb/Page/ui/export.js";

const room = "0123456789abcdef0123456789abcdef";

/** A reader of files as browsers have it. */
class FakeReader {
  /** @param {Blob} file */
  async readAsDataURL(file) {
    const bytes = Buffer.from(await file.arrayBuffer());
    this.result = `data:${file.type};base64,${bytes.toString("base64")}`;
    /** @type {any} */ (this).onload();
  }
}

test("An exported file has its images under names of its own, and no uuid of the room", async (context) => {
  const path = `/v5/rooms/${room}/images/${"ab".repeat(32)}.png`;
  const box = { x: 0, y: 0, width: 10, height: 10 };
  const first = { id: "1.1", shape: { type: "image", ...box, src: path } };
  const second = { id: "1.2", shape: { type: "image", ...box, src: path }, set: { src: path } };
  const shape = { id: "1.3", shape: { type: "rectangle", ...box } };
  const elements = /** @type {any[]} */ ([first, second, shape]);
  const image = new Blob(["image"], { type: "image/png" });
  context.mock.method(globalThis, "fetch", async () => ({ ok: true, blob: async () => image }));
  Object.assign(globalThis, { FileReader: FakeReader });
  const board = /** @type {any} */ ({
    images: { origin: "https://boards.example", room },
    stage: { marks: new WeakMap(), images: new Map() },
    source: {},
    clock: { after: () => () => {} },
  });
  const { file, missing } = await exported(board, "json", elements);
  const text = await file.text();
  assert.ok(!text.includes(room));
  assert.deepEqual(missing.gone, []);
  const { items, images } = readFile(text, () => undefined);
  const sources = items.map((item) => item.shape?.src);
  assert.equal(sources[0], sources[1]);
  assert.equal(sources[2], undefined);
  assert.equal(images.get(sources[0]), "data:image/png;base64,aW1hZ2U=");
});
