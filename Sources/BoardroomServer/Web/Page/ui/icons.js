// One family: 24 px, lines of 1.75 with round ends, nothing filled but dots.

const NS = "http://www.w3.org/2000/svg";

/** @type {Record<string, string>} */
const PATHS = {
  select: "M5.5 3.5l5 15.5 2.9-6.6 6.6-2.9z",
  hand: "M12 3v18M3 12h18M9.7 5.3L12 3l2.3 2.3M9.7 18.7L12 21l2.3-2.3M5.3 9.7L3 12l2.3 2.3"
    + "M18.7 9.7L21 12l-2.3 2.3",
  pen: "M4 20l1.1-4.6L16.2 4.3a1.8 1.8 0 0 1 2.5 0l1 1a1.8 1.8 0 0 1 0 2.5L8.6 18.9zM14 6.5l3.5 3.5",
  highlighter: "M9 12.3l7-7.4a1.5 1.5 0 0 1 2.1 0l2 2a1.5 1.5 0 0 1 0 2.1l-7.4 7z"
    + "M9 12.3l-1.4 3.2 1.9 1.9 3.2-1.4"
    + "M7.6 15.5L4 20h5l1-1.4",
  eraser: "M9 19.5l-4.9-4.9a1.6 1.6 0 0 1 0-2.3l8.1-8a1.6 1.6 0 0 1 2.3 0l5.3 5.3a1.6 1.6 0 0 1 0 2.3"
    + "l-7.6 7.6z"
    + "M8 8.5l7.5 7.5M9 19.5h11",
  laser: "M13 13l7.2 7.2M9 3.2v2.2M3.2 9h2.2M4.9 4.9l1.5 1.5M13.1 4.9l-1.5 1.5M4.9 13.1l1.5-1.5M9 9h.01",
  text: "M5 7.2V4.5h14v2.7M12 4.5v15M9.2 19.5h5.6",
  note: "M5 4h14v9.6L13.2 20H5zM19 13.6h-5.8V20",
  image: "M3.5 5h17v14h-17zM3.5 16.2l4.7-4.7 4.3 4.3 2.8-2.8 5.2 5.2M15.5 9h.01",
  straight: "M5 19L19 5",
  arrow: "M5 19L19 5M10.5 5H19v8.5",
  rectangle: "M4 5.5h16v13H4z",
  ellipse: "M12 5.5c4.7 0 8.5 2.9 8.5 6.5s-3.8 6.5-8.5 6.5-8.5-2.9-8.5-6.5 3.8-6.5 8.5-6.5z",
  triangle: "M12 4.5l8.5 15h-17z",
  rhombus: "M12 3.5l8.5 8.5-8.5 8.5L3.5 12z",
  pentagram: "M12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-2.9L6.7 20l1.1-6-4.4-4.2 6-.8z",
  speechBalloon: "M4 4.5h16v11h-8.5L7 20v-4.5H4z",
  shapes: "M3.5 10.5h7.5V3.5h-7.5zM17 3.5l3.8 7h-7.6zM10.5 17a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0z"
    + "M17.2 13.5l3.6 3.6-3.6 3.6-3.6-3.6z",
  undo: "M8.5 14L4 9.5 8.5 5M4 9.5h10.2a5.3 5.3 0 0 1 0 10.6H11",
  redo: "M15.5 14L20 9.5 15.5 5M20 9.5H9.8a5.3 5.3 0 0 0 0 10.6H13",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.7 4.7L19 7.5",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  menu: "M4 7h16M4 12h16M4 17h16",
  trash: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.9 12.5h9.2L17.5 7M10.3 11v5M13.7 11v5",
  copy: "M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.7v1.6",
  unlock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 6.8-1.2M12 14.7v1.6",
  front: "M8.5 8.5h7v7h-7zM12 5.5V3m0 0L9.8 5M12 3l2.2 2M4 20h16",
  back: "M8.5 8.5h7v7h-7zM12 18.5V21m0 0l-2.2-2M12 21l2.2-2M4 4h16",
  members: "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3 19.5a6 6 0 0 1 12 0M16 5.2a3 3 0 0 1 0 5.6"
    + "M17.5 14.2a6 6 0 0 1 3.5 5.3",
  raise: "M8 12.5V6.7a1.4 1.4 0 0 1 2.8 0V11M10.8 11V4.8a1.4 1.4 0 0 1 2.8 0V11"
    + "M13.6 11V6a1.4 1.4 0 0 1 2.8 0v6"
    + "M16.4 11.5V8.9a1.4 1.4 0 0 1 2.8 0v5.3a6.4 6.4 0 0 1-6.4 6.4h-.6a6 6 0 0 1-4.9-2.5l-3.1-4.4"
    + "a1.4 1.4 0 0 1 2.2-1.7L8 13.8",
  share: "M12 14.5V3.5m0 0L8 7.3M12 3.5l4 3.8M5 12.5v7.5h14v-7.5",
  download: "M12 3.5v11m0 0l-4-3.8M12 14.5l4-3.8M5 16.5V20h14v-3.5",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.8v2M12 19.2v2M2.8 12h2M19.2 12h2M5.5 5.5l1.4 1.4"
    + "M17.1 17.1l1.4 1.4M18.5 5.5l-1.4 1.4M6.9 17.1l-1.4 1.4",
  moon: "M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2z",
  language: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM3.5 12h17"
    + "M12 3.5c2.4 2.4 3.4 5.2 3.4 8.5s-1 6.1-3.4 8.5c-2.4-2.4-3.4-5.2-3.4-8.5s1-6.1 3.4-8.5z",
  help: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z"
    + "M9.6 9.6a2.5 2.5 0 1 1 3.7 2.2c-.9.5-1.3 1-1.3 2M12 16.7h.01",
  eye: "M2.8 12S6.2 6 12 6s9.2 6 9.2 6-3.4 6-9.2 6-9.2-6-9.2-6z"
    + "M12 14.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z",
  present: "M3.5 4.5h17v11h-17zM12 15.5V19M8 20h8M10.3 7.8l4 2.2-4 2.2z",
  pages: "M8 4h11.5v12H8zM8 8H4.5v12H16v-4",
  kick: "M10 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 10 11zM3.5 19.5a6.5 6.5 0 0 1 13 0M16 9.5h5",
  ban: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM6 6l12 12",
  clear: "M14.5 4l-3.2 8M7 12.5l8.2 3.3"
    + "M7 12.5C6.3 16 5 18 3.5 19.5l9.3 1.2c1.3-1.2 2-2.9 2.4-4.9L7 12.5zM18.5 16h.01M20.5 20h.01",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  replay: "M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5M10.5 9l4.5 3-4.5 3z",
  warning: "M12 4l9 16H3zM12 10v4.5M12 17.2h.01",
  offline: "M3 3.5l18 17M7.2 10A5 5 0 0 0 7.5 19H17M9.8 6.4A6.2 6.2 0 0 1 18 11a4.2 4.2 0 0 1 2.3 6.9",
  link: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2"
    + "M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  keyboard: "M3 6.5h18v11H3zM6.5 10h.01M10.2 10h.01M13.8 10h.01M17.5 10h.01M7.5 14h9",
  bold: "M8 5h5a3.4 3.4 0 0 1 0 6.8H8zM8 11.8h6a3.6 3.6 0 0 1 0 7.2H8z",
  italic: "M10.5 5H17M7 19h6.5M14 5l-4 14",
  left: "M4 6h16M4 10.5h10M4 15h16M4 19.5h10",
  center: "M4 6h16M7 10.5h10M4 15h16M7 19.5h10",
  play: "M7.5 5l11 7-11 7z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  first: "M18.5 6l-8.5 6 8.5 6zM5.5 6v12",
  last: "M5.5 6l8.5 6-8.5 6zM18.5 6v12",
  stepBack: "M14.5 6l-6 6 6 6",
  stepOn: "M9.5 6l6 6-6 6",
  up: "M6 14.5l6-6 6 6",
  down: "M6 9.5l6 6 6-6",
  inspect: "M4 5h16v14H4zM14.5 5v14M7 9h4M7 12.5h4",
  right: "M4 6h16M10 10.5h10M4 15h16M10 19.5h10",
};

/** A picture beside words: screen readers pass it over. */
/** @param {string} name @returns {SVGSVGElement} */
export function icon(name) {
  const svg = document.createElementNS(NS, "svg");
  const path = document.createElementNS(NS, "path");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["aria-hidden", "true"], ["class", "icon"]]) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", PATHS[name] ?? PATHS.more);
  if (name === "more") path.setAttribute("stroke-width", "2.75");
  svg.append(path);
  return svg;
}

/** Names of all pictures there are. */
export const ICONS = Object.keys(PATHS);
