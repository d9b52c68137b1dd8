// What an address says of a room.
import { tried } from "../../ui/storage.js";

/**
 * @param {string} address `/r/ROOM#TOKEN`, or a room's bare name
 * @param {string} origin
 * @returns the room and the token; "": it has none
 */
export function readStart(address, origin) {
  if (/^[0-9a-f]{32}$/.test(address)) return { room: address, token: "", isRoomPage: true };
  const { pathname = "", hash = "" } = tried(() => new URL(address, origin)) ?? {};
  const [, room = ""] = /^\/r\/([0-9a-f]{32})\/?$/.exec(pathname) ?? [];
  const [token = ""] = /^NETLESS(ROOM|SDK)_[\w-]+$/.exec(hash.slice(1)) ?? [];
  return { room, token, isRoomPage: pathname.startsWith("/r/") };
}
