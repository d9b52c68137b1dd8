// Reactions in the page around the board: the menu of emoji, and what is said of one.
import { t } from "../../ui/i18n.js";
import { Reactions, reactionOf } from "../reactions.js";

/** @type {import("./features.js").Feature} */
export const reactions = {
  kind: "reaction",
  name: "reactions",
  key: "Q",
  attribute: "react",
  choices: [
    ["👍", "reaction.thumbsUp"],
    ["👏", "reaction.clap"],
    ["❤️", "reaction.heart"],
    ["😂", "reaction.laugh"],
    ["🎉", "reaction.party"],
    ["😮", "reaction.wow"],
    ["🤔", "reaction.thinking"],
    ["👎", "reaction.thumbsDown"],
  ],
  bodyOf: ({ board, lastPointer }, emoji) => reactionOf(emoji, board, lastPointer),
  makeLayer: (board) => new Reactions(board),
  announcement: ({ emoji }, name) => (emoji ? t("says.reaction", { name, emoji }) : ""),
};
