// Spectators: they see a room with very many members, and are no members of it (docs/PROTOCOL.md, section 11a).
import { Fields } from "../protocol/json.js";

/** Members have numbers below this. */
const FIRST_SPECTATOR = 2 ** 52;

/** @param {RoomState} state */
const follows = ({ broadcaster, unfollowed }) =>
  broadcaster !== undefined && broadcaster !== unfollowed;

/**
 * @param {RoomState} state
 * @param {number | null} id
 * @returns {RoomMember | undefined} what a member would be that may only read; undefined: it is no spectator's number
 */
export const spectatorIn = (state, id) =>
  id === null || id < FIRST_SPECTATOR
    ? undefined
    : {
        id,
        session: "",
        generation: 1,
        role: "reader",
        writable: false,
        kept: false,
        barred: false,
        joined: 0,
        phase: "connected",
        viewMode: follows(state) ? "follower" : "freedom",
        state: new Fields(),
        lastCounter: 0,
        lastRevision: 0,
      };
