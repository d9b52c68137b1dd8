// The title of the tab that shows a room.

/** Characters of a room's name in it, at most. */
const TITLE_LIMIT = 80;

/**
 * @param {string} name of the room; "": it has none
 * @param {string} room its uuid, whose beginning tells rooms without a name apart
 */
export const roomTitle = (name, room) =>
  name.trim().slice(0, TITLE_LIMIT) || `Boardroom ${room.slice(0, 8)}`;
