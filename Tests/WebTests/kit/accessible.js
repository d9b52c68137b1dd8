// What an audit of accessibility asks of a page, from what the browser itself says of it: names from
// its accessibility tree, colours and sizes as they are computed. Each check
// gives what it found; accessible.test.js plants a fault of each kind and sees that it is found.
/** @typedef {import("./page.js").Page} Page */

/**
 * What is wrong: which rule, and where.
 * @typedef {{ rule: string, where: string }} Finding
 */

/** Roles whose elements must have a name. */
const NAMED = [
  "button",
  "link",
  "textbox",
  "searchbox",
  "combobox",
  "slider",
  "checkbox",
  "radio",
  "radiogroup",
  "switch",
  "menu",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "tab",
  "option",
  "dialog",
  "alertdialog",
  "application",
  "toolbar",
  "progressbar",
  "spinbutton",
  "image",
];

/** Pixels of a target's side: for a mouse, for fingers. */
export const TARGET = { fine: 24, coarse: 44 };

/** Seconds that a movement may take where the reader wants none. */
const LONGEST_MOVE = 0.1;

/**
 * @param {Page} page
 * @returns {Promise<Finding[]>} controls, dialogs and groups without a name
 */
export async function unnamed(page) {
  const nodes = await page.readAloud();
  return nodes
    .filter(({ role, name }) => NAMED.includes(role) && name.trim() === "")
    .map(({ role }) => ({ rule: "name", where: `a ${role} without a name` }));
}

/**
 * What can be seen of the page as it is now.
 * @param {Page} page
 * @param {{least: number, language: string, isStill: boolean}} wanted `least`: pixels of a target;
 *   `isStill`: the reader wants no movement
 * @returns {Promise<Finding[]>}
 */
export const looked = (page, { least, language, isStill }) =>
  page.evaluate(findIn, { least, language, longest: isStill ? LONGEST_MOVE : Infinity });

/**
 * Runs in the page.
 * @param {{least: number, language: string, longest: number}} wanted
 * @returns {Finding[]}
 */
function findIn({ least, language, longest }) {
  const CONTROL =
    "button, a[href], input, select, textarea, summary, [tabindex], [role=button], [role=menuitem], [role=radio], [role=slider]";
  const NATIVE = "button, a[href], input, select, textarea, summary, dialog";
  /** @type {Finding[]} */
  const found = [];
  const nameOf = (/** @type {Element} */ element) => {
    const label = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30);
    const kind = element.getAttribute("class")?.split(" ").join(".") ?? "";
    return `${element.tagName.toLowerCase()}.${kind} "${label ?? ""}"`;
  };
  const add = (/** @type {string} */ rule, /** @type {Element} */ element, words = "") =>
    found.push({ rule, where: `${nameOf(element)} ${words}`.trim() });

  const modal = document.querySelector("dialog:modal");
  const all = [...document.body.querySelectorAll("*")];
  const isUnseen = (/** @type {Element} */ element) => {
    const { width, height } = element.getBoundingClientRect();
    const clip = getComputedStyle(element).clipPath;
    return width < 2 || height < 2 || clip !== "none";
  };
  const isSeen = (/** @type {Element} */ element) =>
    element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
    !isUnseen(element) &&
    !element.closest(".unseen, .unseen-until-focus:not(:focus, :focus-within)") &&
    (!modal || modal.contains(element));
  const seen = all.filter(isSeen);
  const controls = seen.filter((element) => element.matches(CONTROL));
  const isDisabled = (/** @type {Element} */ element) =>
    element.closest(":disabled, [aria-disabled=true]") !== null;

  // Colours: parts from 0 to 1, and how opaque they are.
  const canvas = new OffscreenCanvas(1, 1);
  const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (
    canvas.getContext("2d", { willReadFrequently: true })
  );
  /** @type {Map<string, number[]>} */
  const known = new Map();
  const partsOf = (/** @type {string} */ colour) => {
    const before = known.get(colour);
    if (before) return before;
    ink.clearRect(0, 0, 1, 1);
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 1, 1);
    const parts = [...ink.getImageData(0, 0, 1, 1).data].map((level) => level / 255);
    known.set(colour, parts);
    return parts;
  };
  const over = (/** @type {number[]} */ [r, g, b, a], /** @type {number[]} */ ground) =>
    [r, g, b].map((part, at) => part * a + ground[at] * (1 - a));
  /** @type {(element: Element | null) => number[]} what is behind the content of an element */
  const groundOf = (element) => {
    if (!element) return [1, 1, 1];
    const parts = partsOf(getComputedStyle(element).backgroundColor);
    return parts[3] === 1 ? parts.slice(0, 3) : over(parts, groundOf(element.parentElement));
  };
  const opacityOf = (/** @type {Element} */ element) => {
    let opacity = 1;
    for (let one = /** @type {Element | null} */ (element); one; one = one.parentElement) {
      opacity *= Number(getComputedStyle(one).opacity);
    }
    return opacity;
  };
  const lightOf = (/** @type {number[]} */ parts) =>
    parts
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (/** @type {number[]} */ one, /** @type {number[]} */ other) => {
    const [low, high] = [lightOf(one), lightOf(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const contrast = (/** @type {string} */ colour, /** @type {Element} */ element) => {
    const [r, g, b, a] = partsOf(colour);
    const ground = groundOf(element);
    return ratio(over([r, g, b, a * opacityOf(element)], ground), ground);
  };
  const faint = (
    /** @type {Element} */ element,
    /** @type {string} */ colour,
    /** @type {number} */ wanted,
    /** @type {string} */ what,
  ) => {
    const is = contrast(colour, element);
    if (is < wanted) add("contrast", element, `${what} ${is.toFixed(2)}`);
  };

  for (const element of seen) {
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (hasText && !isDisabled(element) && !element.matches("option, svg *")) {
      faint(element, style.color, isLarge ? 3 : 4.5, "text");
    }
    if (element.matches("svg.icon") && !isDisabled(element)) {
      faint(element, style.stroke === "none" ? style.fill : style.stroke, 3, "picture");
    }
    if (element.matches("input, textarea, select") && !isDisabled(element)) {
      const field = /** @type {HTMLInputElement} */ (element);
      if (!["range", "color", "file", "checkbox", "radio"].includes(field.type)) {
        faint(field, style.color, 4.5, "text");
        const hint = getComputedStyle(field, "::placeholder").color;
        if (field.placeholder && !field.value) faint(field, hint, 4.5, "placeholder");
        const around = /** @type {Element} */ (field.parentElement);
        const edge = ratio(over(partsOf(style.borderTopColor), groundOf(around)), groundOf(around));
        const inner = ratio(groundOf(field), groundOf(around));
        const hasEdge = Number.parseFloat(style.borderTopWidth) > 0;
        if (Math.max(hasEdge ? edge : 1, inner) < 3) add("contrast", field, "edge");
      }
    }
  }

  for (const element of controls) {
    // A line of words is as high as its letters; a list that is scrolled is no target by itself.
    const isInText = element.matches("a") && getComputedStyle(element).display === "inline";
    const isRegion = element.matches("[tabindex]") && !element.matches(`${NATIVE}, [role=slider]`);
    const target = element.closest("label") ?? element;
    const { width, height, left, right } = target.getBoundingClientRect();
    const isSmall = Math.round(Math.min(width, height)) < least;
    if (isSmall && !isInText && !isRegion && !isDisabled(element)) {
      add("target", element, `${Math.round(width)} × ${Math.round(height)}`);
    }
    const isScrolled = (/** @type {Element | null} */ one) => {
      for (let within = one; within && within !== document.body; within = within.parentElement) {
        const { overflowX } = getComputedStyle(within);
        const scrolls = overflowX === "auto" || overflowX === "scroll";
        if (scrolls && within.scrollWidth > within.clientWidth) return true;
      }
      return false;
    };
    const isOff = left < -0.5 || right > innerWidth + 0.5;
    if (isOff && !isScrolled(element.parentElement)) add("overflow", element);
  }
  for (const panel of seen.filter((one) => one.matches(".popover, dialog"))) {
    const isCut = panel.scrollWidth > panel.clientWidth + 1;
    if (isCut) add("overflow", panel, `${panel.scrollWidth} of ${panel.clientWidth}`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) add("overflow", document.documentElement, `${scrollWidth}`);

  const ids = all.map(({ id }) => id).filter(Boolean);
  for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) {
    found.push({ rule: "id", where: id });
  }

  const OWNERS = {
    radio: "[role=radiogroup]",
    menuitem: "[role=menu], [role=menubar]",
    menuitemcheckbox: "[role=menu]",
    option: "[role=listbox]",
    tab: "[role=tablist]",
  };
  for (const element of seen) {
    const role = element.getAttribute("role");
    const isOwn = element.matches("[tabindex='0'], [data-do], [data-tool]");
    if (isOwn && !element.matches(NATIVE) && !role && !element.matches("pre, section, canvas")) {
      add("role", element, "can be used and has no role");
    }
    const owner = OWNERS[/** @type {keyof typeof OWNERS} */ (role)];
    if (owner && !element.closest(owner)) add("role", element, `is in no ${owner}`);
    if (role === "radio" && !element.hasAttribute("aria-checked"))
      add("role", element, "unchecked?");
    if (role === "slider" && !element.hasAttribute("aria-valuenow"))
      add("role", element, "no value");
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
      for (const id of element.getAttribute(name)?.split(" ").filter(Boolean) ?? []) {
        if (!document.getElementById(id)) add("role", element, `${name} leads nowhere`);
      }
    }
  }

  if (document.documentElement.lang !== language) {
    found.push({ rule: "language", where: document.documentElement.lang });
  }
  for (const element of document.querySelectorAll(".br[lang]")) {
    if (element.getAttribute("lang") !== language) add("language", element);
  }

  const secondsIn = (/** @type {string} */ list) =>
    Math.max(
      ...list.split(",").map((one) => Number.parseFloat(one) * (one.includes("ms") ? 0.001 : 1)),
    );
  for (const element of seen) {
    for (const part of ["", "::before", "::after"]) {
      const style = getComputedStyle(element, part || undefined);
      const isMoved =
        style.animationName !== "none" && secondsIn(style.animationDuration) > longest;
      const isSlow =
        style.transitionProperty !== "none" && secondsIn(style.transitionDuration) > longest;
      if (isMoved || isSlow) add("motion", element, part);
    }
  }
  return found;
}

/**
 * @param {Finding[]} found
 * @returns {string[]} each once, as lines
 */
export const linesOf = (found) => [
  ...new Set(found.map(({ rule, where }) => `${rule}: ${where.replace(/\s+/g, " ")}`)),
];

/**
 * As the system's theme is turned: the page wears it.
 * @param {Page} page
 * @param {"light" | "dark"} scheme
 */
export async function themed(page, scheme) {
  await page.send("Emulation.setEmulatedMedia", {
    features: [
      { name: "prefers-color-scheme", value: scheme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ],
  });
  await page.until(
    (/** @type {string} */ wanted) =>
      [...document.querySelectorAll("html, [data-theme]")].every(
        (one) => /** @type {HTMLElement} */ (one).dataset.theme === wanted,
      ),
    [scheme],
  );
}

/**
 * Puts something on the page, as a mistake of ours would.
 * @param {Page} page
 * @param {string} html
 */
export const plant = (page, html) =>
  page.evaluate((/** @type {string} */ text) => {
    const planted = document.createElement("div");
    planted.className = "planted";
    planted.setAttribute("style", "");
    Object.assign(planted.style, { position: "fixed", top: "120px", left: "200px", zIndex: "99" });
    planted.innerHTML = text;
    for (const one of planted.querySelectorAll("[data-style]")) {
      const element = /** @type {HTMLElement} */ (one);
      element.style.cssText = element.dataset.style ?? "";
    }
    (document.querySelector(".br") ?? document.body).append(planted);
  }, html);
