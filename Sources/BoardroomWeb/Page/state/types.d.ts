// Types of a room's state and session (docs/PROTOCOL.md).

/**
 * An element of a scene; a value. `set`: attributes that were changed after it was put; `buried`:
 * erased, and kept for a history.
 */
type RoomElement = {
  id: string;
  member: number;
  number: number;
  place: number;
  scene: number;
  stroke?: import("../protocol/strokes.js").Stroke;
  shape?: Record<string, any>;
  set?: Record<string, any>;
  copy: boolean;
  buried: boolean;
};

/** A page of the board; a value. */
type RoomScene = {
  id: number;
  directory: string;
  name: string;
  ppt: any;
  pptStep: number;
  path: string;
};

/** A member of the room; `joined`: when; `payload`: what its app passed. */
type RoomMember = {
  id: number;
  session: string;
  generation: number;
  uid?: string;
  role: "admin" | "writer" | "reader";
  writable: boolean;
  payload?: any;
  client?: string;
  joined: number;
  phase: string;
  viewMode: string;
  state: import("../protocol/json.js").Fields;
  camera?: { unit: number; x: number; y: number; scale: number };
  pointer?: { scene: number; unit: number; x: number; y: number };
  lastCounter: number;
  lastRevision: number;
  /**
   * `kept`: wants to write and is not allowed to; `barred`: an administrator does not allow it;
   * `hand`: since when its hand is raised.
   */
  kept: boolean;
  barred: boolean;
  hand?: number;
  bound?: boolean;
};

/**
 * What a step undoes or redoes, as in snapshots: of which element (put, erase, set or replace), and
 * of which key if it is a set; before and after are null or missing where a key had or has no
 * value.
 */
type Operation = {
  put?: string;
  erase?: string;
  set?: string;
  replace?: string;
  key?: string;
  before?: any;
  after?: any;
};

type Step = { revision: number; operations: readonly Operation[] };

type Side = "undo" | "redo";

type RoomState = import("./state.js").RoomState;

type FoldChange = import("./fold/change.js").Change;

/** All are optional; the first ones have the names of the whiteboard SDK. */
type RoomCallbacks = {
  firePhaseChanged?(phase: RoomPhase, trying: RoomTrying): void;
  fireRoomStateChanged?(modifyState: Record<string, any>): void;
  fireBeingAbleToCommitChange?(isAble: boolean): void;
  fireKickedWithReason?(reason: string): void;
  fireDisconnectWithError?(refusal: RoomRefusal): void;
  fireCatchErrorWhenAppendFrame?(member: number | null, refusal: RoomRefusal): void;
  fireMagixEvent?(magix: { event: string; payload: any; by: number | null; isLate: boolean }): void;
  fireCanUndoStepsUpdate?(steps: number): void;
  fireCanRedoStepsUpdate?(steps: number): void;
  /** After each event; null: everything may have changed. */
  changed?(change: FoldChange, rec: Record_ | null): void;
  /** A command is not carried out. */
  refused?(command: Pending, refusal: RoomRefusal): void;
  /**
   * An open server has given the room to this member: a token with the rights of a host, for HTTP
   * and for joining again.
   */
  hosting?(token: string): void;
  /** Another attempt begins, or the connection counts as lost now. */
  attempting?(trying: RoomTrying): void;
};

/**
 * Is notified before the page: the overlay of the board. pendingRemoved: commands have been removed
 * from `pending` without an event.
 */
type Watcher = {
  sent(command: Pending): void;
  changed(change: FoldChange, rec: Record_ | null): void;
  pendingRemoved(): void;
};
