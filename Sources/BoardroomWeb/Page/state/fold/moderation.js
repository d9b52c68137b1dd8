// Who is allowed to write, and who asks for it.
import { byMember } from "./event-fold.js";
import { updateWriting, updateWritingOfAll } from "./writing.js";

/** @type {import("./event-fold.js").Rules} */
export const moderationRules = {
  handRaised: byMember((fold, member, { raised }) =>
    fold.assign(member, { hand: raised ? (member.hand ?? fold.rec.t) : undefined }, "hands"),
  ),
  writingAllowed(fold, { member: id, allowed }) {
    const member = fold.state.members.get(id);
    if (!member || member.role === "reader") return false;
    fold.assign(member, { barred: !allowed }, "lock");
    updateWriting(fold, member, allowed || undefined);
  },
  roomLocked(fold, { locked }) {
    const { state, rec, actor } = fold;
    if (rec.by !== null && !actor) return false;
    fold.assign(state, { lock: locked ? { by: actor?.id } : undefined }, "lock");
    updateWritingOfAll(fold);
  },
};
