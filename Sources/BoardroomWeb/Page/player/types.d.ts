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
    /** Whether events have to be folded to know whether they fit. */
    needsFold: boolean;
    /** The rectangle that is searched, if there is one: on the page, or on every one. */
    area?: Box & { page?: number };
    problems: Problem[];
    /** As far as kind, author and time say; what nobody has read yet is of no kind. */
    mayFit(revision: number): boolean;
    hasWords(rec: Rec): boolean;
    /** One for each search; `state`: before the first event that it is shown. */
    makeLook(state: State): Look;
    /** The text of the query with a term, or without it if it is in this one. */
    toggled(term: string): string;
    /** Its text with a term; with a rectangle instead of others. */
    with(term: string): string;
    withArea(box: Box, page: number): string;
  };
  /** A link to a moment: revision, followed member, filter, camera, element whose story is told. */
  type Moment = { seq?: number; m?: number; p?: number; f: string; view?: Camera; e?: string };

  /**
   * An event in the life of an element: what was done (`story.ACT` in the words), by whom and with
   * which client. `until`: a stroke was drawn up to this event; `other`: the copy, or that of which
   * it is a copy; `together`: how many elements the event took off the board.
   */
  type Entry = {
    revision: number;
    time: number;
    by: number;
    act: string;
    kind?: string;
    client?: string;
    until?: number;
    other?: string;
    together?: number;
  };

  /**
   * Something that is no longer where it was: as it was last there, and the event that took it
   * away; `back`: the revision at which it came back; `isMoved`: it is elsewhere on the board.
   */
  type Grave = {
    element: RoomElement;
    revision: number;
    time: number;
    by: number;
    back: number;
    isMoved: boolean;
  };

  /** What a search asks of an event that is folded; it is shown all of them, in their order. */
  type Look = (rec: Rec, change: FoldChange, state: State) => boolean;
}
