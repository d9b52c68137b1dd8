// One family of pictures: the symbols of icons.svg, drawn in the ink of the words beside them.

const NS = "http://www.w3.org/2000/svg";
const SPRITE = new URL("../icons.svg", import.meta.url);
// Browsers take symbols from their own origin only: in somebody else's page the sprite lies beside the board.
const PLACE = globalThis.location?.origin === SPRITE.origin ? SPRITE.pathname : "";

/** @param {string} name @returns a picture beside words: screen readers pass it over */
export function icon(name) {
  const [svg, use] = [document.createElementNS(NS, "svg"), document.createElementNS(NS, "use")];
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${PLACE}#${name}`);
  svg.append(use);
  return svg;
}

/** All pictures, to be put beside a board that is not in a page of the server's origin. */
export async function sprite() {
  const text = await (await fetch(SPRITE)).text();
  const all = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  all.setAttribute("class", "unseen");
  return all;
}
