// What follows for a member and the room when a member begins or ceases to write, shared by the
// rules of members and of moderation.

/** @typedef {import("./event-fold.js").EventFold} EventFold */

/**
 * Ends the broadcast of a member, if it is the broadcaster: nobody follows any more.
 * @param {EventFold} fold
 * @param {number} id of the member
 */
export function endBroadcast(fold, id) {
  if (fold.state.broadcaster !== id) return;
  fold.assign(fold.state, { broadcaster: undefined }, "broadcaster");
  for (const other of fold.state.members.values()) {
    fold.assign(other, { viewMode: "freedom" }, "viewModes");
  }
}

/**
 * Decides anew whether a member writes: if it wants to, and is allowed to.
 * @param {EventFold} fold
 * @param {RoomMember} member
 * @param {boolean} [wants] what it wants from now on
 */
export function updateWriting(fold, member, wants = member.writable || member.kept) {
  const didWrite = member.writable;
  const isAllowed = fold.state.mayWrite(member);
  fold.assign(member, { writable: wants && isAllowed, kept: wants && !isAllowed }, "writable");
  if (member.writable !== didWrite) fold.change.addField("roster");
  if (!didWrite || member.writable) return;
  fold.endStrokes(member.id);
  endBroadcast(fold, member.id);
}

/** @param {EventFold} fold */
export function updateWritingOfAll(fold) {
  for (const member of fold.state.members.values()) {
    updateWriting(fold, member);
  }
}
