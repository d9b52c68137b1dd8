// The text of a page as a reader sees it: blocks and line breaks are lines, white space is one
// space, cells of a table stand beside each other. Nothing of the page is shown, loaded or run.

/** Elements of which nothing is read. */
const UNREAD = new Set(["HEAD", "SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "TITLE", "OBJECT"]);

/** Elements that stand in lines of their own. */
const BLOCKS = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 " +
    "H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY THEAD TR UL"
  ).split(" "),
);

/**
 * @param {Document} page
 * @returns {string}
 */
export function textOfPage(page) {
  const lines = [""];
  read(page.body, false, lines);
  const text = lines.map((line) => withoutEnd(line, " \t")).join("\n");
  return withoutEnd(text, "\n")
    .replace(/^\n+/, "")
    .replace(/\n{3,}/g, "\n\n");
}

/**
 * An expression would try again at each of very many signs.
 * @param {string} text
 * @param {string} signs
 * @returns {string} without these signs at its end
 */
function withoutEnd(text, signs) {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1])) {
    end -= 1;
  }
  return text.slice(0, end);
}

/**
 * @param {Node} node
 * @param {boolean} isAsWritten white space counts
 * @param {string[]} lines the last one is being written
 */
function read(node, isAsWritten, lines) {
  if (node instanceof Text) return addText(node.data, isAsWritten, lines);
  if (!(node instanceof Element) || UNREAD.has(node.tagName)) return;
  if (node.tagName === "BR") return void lines.push("");
  const isBlock = BLOCKS.has(node.tagName);
  if (isBlock) startLine(lines);
  const isWritten = isAsWritten || node.tagName === "PRE";
  for (const child of node.childNodes) {
    read(child, isWritten || hasSpaces(node), lines);
  }
  if (/^T[DH]$/.test(node.tagName) && node.nextElementSibling) lines[lines.length - 1] += "\t";
  if (isBlock) startLine(lines);
}

/** @param {Element} element */
const hasSpaces = (element) =>
  /white-space\s*:\s*(pre|break-spaces)/.test(element.getAttribute("style") ?? "");

/** @param {string[]} lines */
function startLine(lines) {
  if (lines[lines.length - 1].trim() !== "") lines.push("");
}

/**
 * @param {string} text
 * @param {boolean} isAsWritten
 * @param {string[]} lines
 */
function addText(text, isAsWritten, lines) {
  if (isAsWritten) {
    for (const [at, part] of text.split(/\r\n?|\n/).entries()) {
      if (at > 0) lines.push("");
      lines[lines.length - 1] += part;
    }
    return;
  }
  const line = lines[lines.length - 1];
  const words = text.replace(/[ \t\r\n\f]+/g, " ");
  const isSpaced = line === "" || " \t".includes(line[line.length - 1]);
  lines[lines.length - 1] += isSpaced ? words.replace(/^ /, "") : words;
}
