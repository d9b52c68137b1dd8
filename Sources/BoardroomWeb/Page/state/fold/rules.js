// The rules of the fold by kind. A kind's family, by the table of kinds, says in which file its
// rule stands; kinds without a rule change nothing but revision, time and counter
// (docs/PROTOCOL.md, section 8).
import { FAMILY_OF, KINDS } from "../../protocol/kinds.js";
import { drawingRules } from "./drawing.js";
import { elementsRules } from "./elements.js";
import { historyRules } from "./history.js";
import { membersRules } from "./members.js";
import { moderationRules } from "./moderation.js";
import { roomRules } from "./room.js";
import { scenesRules } from "./scenes.js";
import { stateRules } from "./state.js";

/**
 * The families with rules. The others change no state that a page shows.
 * @type {Record<string, import("./event-fold.js").Rules>}
 */
export const RULES_OF_FAMILY = {
  drawing: drawingRules,
  elements: elementsRules,
  scenes: scenesRules,
  state: stateRules,
  history: historyRules,
  members: membersRules,
  moderation: moderationRules,
  room: roomRules,
};

/** By the number of the kind: looked up for each event of a log. */
const RULES = Array.from(
  { length: 256 },
  (_, kind) => RULES_OF_FAMILY[FAMILY_OF[kind]]?.[KINDS[kind]],
);

/**
 * @param {number} kind
 * @returns {import("./event-fold.js").Rule | undefined} none: events of the kind change no state
 */
export const ruleOf = (kind) => RULES[kind];
