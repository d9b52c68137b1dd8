// Shapes of the player: player/. Times are ms since 1970 where nothing else is said.

declare namespace Replay {
  type Rec = import("../../Sources/BoardroomServer/Web/Page/core/records.js").Rec;
  type State = import("../../Sources/BoardroomServer/Web/Page/core/state.js").RoomState;
  type Log = import("../../Sources/BoardroomServer/Web/Page/player/log.js").Log;
  type Pacing = import("../../Sources/BoardroomServer/Web/Page/player/playback.js").Pacing;

  /** What the server says of a log (docs/HTTP.md, "Replay"). */
  type Block = { first: number; last: number; begin: number; end: number; bytes: number };
  type Index = { epoch: string; low: number; last: number; blocks: Block[]; snapshots: { revision: number }[] };
  /** An answer of HTTP: JSON, or the bytes of what is none. */
  type Ask = (path: string) => Promise<any>;

  /** A phase begins, or something befell a member; `time` is when its client saw it, in `seen`. */
  type Turn = { revision: number; time: number; phase: string };
  type Person = { number: number; uid?: string; name: string; turns: Turn[]; seen: Turn[] };

  /**
   * Where a replay stands: `at` in the log's time, `revision` the last event shown; `carry`: the part of an event that
   * is done, where each event takes its time. Live: what is new is shown when it comes.
   */
  type Place = {
    at: number; revision: number; isPlaying: boolean; isLive: boolean; speed: number; byEvent: boolean; carry: number;
  };

  /** A part of the replay's time, and how many pixels it takes. */
  type Window = { from: number; to: number; width: number };
  /** What a timeline shows; `fits`: 1 for each event that was looked for, if any are. */
  type Shown = { log: Log; pacing: Pacing; fits?: Uint8Array };
  type Span = { from: number; to: number; phase: string };
  type Lane = { person: Person; spans: Span[]; seen: Span[]; marks: Turn[] };

  type Term = { key: string; value: string; isNot: boolean };
  type Problem = { word: string; why: "key" | "kind" | "member" | "time" };
  /** A link to a moment: revision, followed member, filter, camera. */
  type Moment = { seq?: number; m?: number; f: string; view?: Camera };
  type Difference = { path: string; before: any; after: any };
}
