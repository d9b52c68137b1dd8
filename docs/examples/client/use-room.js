// A hook for React 18 or later: a component that is in a room, and is rendered again when what it reads has changed.
// docs/CLIENTS.md shows a component that uses it.
import { joinRoom } from "boardroom-client";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** What a component is rendered again for. */
const SHOWN = ["phase", "members", "elements", "scenes", "state", "writable", "steps"];

const NOTHING = Object.freeze([]);

/**
 * @param {import("boardroom-client").JoinOptions} options another server or uuid means another room
 */
export function useRoom(options) {
  const [room, setRoom] = useState(null);
  const [error, setError] = useState(null);
  const { uuid } = options;
  // A list of servers may be another array at each rendering.
  const servers = String(options.server);
  // The other options, for example a function that is made at each rendering, begin no other stay.
  const latest = useRef(options);
  latest.current = options;

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    setError(null);
    joinRoom({ ...latest.current, uuid, signal }).then(
      (joined) => {
        if (signal.aborted) return joined.disconnect();
        joined.on("closed", (closed) => setError(closed.error ?? null), { signal });
        signal.addEventListener("abort", () => void joined.disconnect(), { once: true });
        return setRoom(joined);
      },
      (why) => signal.aborted || setError(why),
    );
    return () => {
      leaving.abort();
      setRoom(null);
    };
  }, [servers, uuid]);

  const subscribe = useCallback(
    (rerender) => {
      const stops = room ? SHOWN.map((name) => room.on(name, rerender)) : [];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [room],
  );
  // What the room gives is the same object until it changes, as React wants it.
  const members = useSyncExternalStore(subscribe, () => room?.members ?? NOTHING);
  const elements = useSyncExternalStore(subscribe, () => room?.elements() ?? NOTHING);
  const phase = useSyncExternalStore(subscribe, () => room?.phase ?? "connecting");
  const canUndo = useSyncExternalStore(subscribe, () => (room?.steps.undo ?? 0) > 0);
  const isWritable = useSyncExternalStore(subscribe, () => room?.isWritable ?? false);
  return { room, error, phase, members, elements, canUndo, isWritable };
}
