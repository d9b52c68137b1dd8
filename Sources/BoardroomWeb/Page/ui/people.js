// Names, colours and roles of members.
import { sceneOf } from "../state/roomstate.js";
import { t } from "./i18n.js";

/** Colours on which white letters can be read. */
export const TONES = [
  "#1f5fd6",
  "#7a3fb8",
  "#147a46",
  "#b3261e",
  "#8a5a00",
  "#0f6d7a",
  "#a8327a",
  "#51606f",
];

/** Characters of a member's name, at most. */
export const NAME_LIMIT = 40;

/**
 * @param {string} name that somebody gave
 * @returns {string} it, as it is shown
 */
export const boundedName = (name) =>
  [...name.trim().slice(0, 2 * NAME_LIMIT)].slice(0, NAME_LIMIT).join("");

/**
 * @param {number} member
 * @returns the place of their colour
 */
export const toneOf = (member) => member % TONES.length;

/**
 * @param {RoomMember | undefined} member
 * @returns whether a token of this role may ever write
 */
export const mayWrite = (member) => member !== undefined && member.role !== "reader";

/** @param {RoomMember | undefined} member */
export const hasHandUp = (member) => member?.hand !== undefined;

/**
 * @param {RoomMember} member
 * @returns {string} what to call them
 */
export function nameOf(member) {
  const names = [member.state.plain().name, member.payload?.name, member.payload?.nickName];
  const chosen = names.find((one) => typeof one === "string" && one.trim() !== "");
  return chosen ? boundedName(chosen) : t("members.guest", { number: member.id + 1 });
}

/**
 * @param {string} name
 * @returns the letter that stands for it
 */
export const initialsOf = (name) => ([...name.trim()][0] ?? "?").toUpperCase();

/**
 * @param {RoomMember} member
 * @returns {string | undefined} the id of the text that they are writing
 */
function writingOf(member) {
  const { writing } = member.state.plain();
  return typeof writing === "string" ? writing : undefined;
}

/**
 * @param {RoomState} state
 * @param {RoomMember} member
 * @returns the place of its pointer; undefined: it has none on the page that it looks at
 */
function pointerOf(state, { id, pointer }) {
  return pointer?.scene === sceneOf(state, id) ? pointer : undefined;
}

/**
 * @param {RoomState} state
 * @param {RoomMember} member
 * @returns {Other} as the board shows somebody else
 */
export const presenceOf = (state, member) => ({
  number: member.id,
  name: nameOf(member),
  colour: TONES[toneOf(member.id)],
  pointer: pointerOf(state, member),
  isPointing: member.state.plain().isPointing === true,
  hasRaised: hasHandUp(member),
  isAway: member.phase === "reconnecting",
  writing: writingOf(member),
});
