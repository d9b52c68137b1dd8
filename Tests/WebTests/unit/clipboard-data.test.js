// What is read of the clipboard, and what is put there, where the browser has no such interfaces.
import assert from "node:assert/strict";
import { test } from "node:test";
import { putOnClipboard } from "../../../Sources/BoardroomWeb/Page/ui/clipboard-data.js";
import { textOfPage } from "../../../Sources/BoardroomWeb/Page/ui/page-text.js";

class FakeElement {
  /** @param {string} tagName @param {any[]} [childNodes] */
  constructor(tagName, childNodes = []) {
    Object.assign(this, { tagName, childNodes, nextElementSibling: null });
  }

  getAttribute() {
    return null;
  }
}

class FakeText {
  /** @param {string} data */
  constructor(data) {
    this.data = data;
  }
}

/** @param {any[]} nodes @returns {string} */
function textOf(...nodes) {
  Object.assign(globalThis, { Element: FakeElement, Text: FakeText });
  return textOfPage(/** @type {any} */ ({ body: new FakeElement("BODY", nodes) }));
}

test("Without HTTPS nothing is put on the clipboard, and nothing is thrown", async () => {
  assert.equal("ClipboardItem" in globalThis, false);
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  assert.equal(await putOnClipboard({ "text/plain": "words" }), false);
});

test("The text of a page: spaces are one, those at the ends of lines and empty lines at the ends go", () => {
  const line = new FakeElement("P", [new FakeText(" one \n"), new FakeText("  two  ")]);
  const written = new FakeElement("PRE", [new FakeText("\n\na  b \t\n\n\n\n")]);
  assert.equal(textOf(line, written), "one two\n\na  b");
});

test("The text of a page with very many spaces, lines or pieces is read soon", () => {
  const many = 400_000;
  const before = performance.now();
  const spaces = new FakeElement("PRE", [new FakeText(`${" ".repeat(many)}x`)]);
  const lines = new FakeElement("PRE", [new FakeText(`x${"\n".repeat(many)}x`)]);
  assert.equal(textOf(spaces).length, many + 1);
  assert.equal(textOf(lines), "x\n\nx");
  assert.equal(textOf(...Array.from({ length: 50_000 }, () => new FakeText("a"))).length, 50_000);
  assert.ok(performance.now() - before < 5_000, "it takes no time that grows with the square");
});
