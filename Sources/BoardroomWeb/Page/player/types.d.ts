// Shapes of the player: player/. Times are ms since 1970 where nothing else is said; "shown" is
// time as the replay takes it.

declare namespace Replay {
  type Rec = import("../protocol/records.js").Rec;
  type State = import("../state/state.js").RoomState;
  type Log = import("./log.js").Log;
  type Source = import("./source.js").Source;
  type Player = import("./player.js").Player;

  /** What the server says of a log (docs/HTTP.md, "Rooms and tokens"); `bytes` as stored. */
  type Block = { first: number; last: number; begin: number; end: number; bytes: number };
  type Index = {
    epoch: string;
    low: number;
    last: number;
    blocks: Block[];
    snapshots: { revision: number }[];
  };

  /** A phase begins, or something befell a member; in `seen`: when its client saw it. */
  type Turn = { revision: number; time: number; phase: string };
  type Person = { number: number; uid?: string; name: string; turns: Turn[]; seen: Turn[] };

  /**
   * Where a replay stands: `revision` is the last event shown; `carry` the part of an event that is
   * done, where each event takes the same time. Live: what is new is shown when it comes.
   */
  type Place = {
    at: number;
    revision: number;
    isPlaying: boolean;
    isLive: boolean;
    speed: number;
    byEvent: boolean;
    carry: number;
  };

  /** The time of a log, and that of its replay. */
  type Pacing = {
    begin: number;
    gaps: { from: number; to: number; start: number }[];
    /** All of it, shown. */
    length: number;
    /** When a time of the log is shown. */
    shown(time: number): number;
    /** The time of the log that is shown then. */
    time(shown: number): number;
  };

  /** What a timeline shows; `fits`: 1 for each event that was looked for, if any are. */
  type Shown = { log: Log; pacing: Pacing; fits?: Uint8Array };
  /** How many events of each marker there are in each pixel column, and in the fullest one. */
  type Heat = { counts: Uint32Array; most: number };
  type Span = { from: number; to: number; phase: string };

  /** What a timeline needs of who shows it. */
  type TimelineUses = {
    clock: Clock;
    followed(): number | undefined;
    nameOf(member: number): string;
    seek(time: number): void;
    range(from: number, to: number): void;
    follow(member: number): void;
    drawn(): void;
  };

  type Problem = { word: string; why: string };
  type Query = {
    source: string;
    isEmpty: boolean;
    needsText: boolean;
    problems: Problem[];
    /** As far as kind, author and time say; what nobody has read yet is of no kind. */
    mayFit(revision: number): boolean;
    hasWords(rec: Rec): boolean;
    /** The text of the query with a term, or without it if it is in this one. */
    toggled(term: string): string;
  };
  /** A link to a moment: revision, followed member, filter, camera. */
  type Moment = { seq?: number; m?: number; f: string; view?: Camera };
}
