// A room's state and session, docs/PROTOCOL.md.

/**
 * A thing on a scene; a value. `set`: attributes over what it was put with; `buried`: erased, kept
 * for a history.
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

/** Somebody who is in the room; `joined`: when; `payload`: what its app said of it. */
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
   * Wants to write and may not; is not let write by an administrator; since when its hand is up.
   */
  kept: boolean;
  barred: boolean;
  hand?: number;
  bound?: boolean;
};

type ShapeContent = { shape?: Record<string, any>; set?: Record<string, any>; copy: boolean };

/**
 * What a step takes back or does again, as snapshots have it: to which element (put, erase, set or
 * replace), of a set to which key; before and after are null or missing where a key had or has no
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

/** Steps of one scene, oldest first. */
type Track = { scene: number; undo: Step[]; redo: Step[] };

type Side = "undo" | "redo";

type ElementParts = Partial<RoomElement> & { id: string; place: number; scene: number };

type SceneParts = Partial<RoomScene> & { id: number; directory: string; name: string };

type RoomState = import("./state.js").RoomState;

/** undoScenes: for how many pages one's own steps can be taken back; 0: none. */
type RoomJoin = {
  room: string;
  token?: string;
  uid?: string;
  payload?: any;
  isWritable?: boolean;
  callbacks?: RoomCallbacks;
  undoScenes?: number;
};

type FoldChange = import("./fold/change.js").Change;

/** All of them optional; the first ones have the names of the whiteboard SDK. */
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
  /** After each event; null: all is another. */
  changed?(change: FoldChange, rec: Record_ | null): void;
  /** Will not be carried out. */
  refused?(command: Pending, refusal: RoomRefusal): void;
  /**
   * An open server gave this member its room: a token with the host's rights, for HTTP and to come
   * back.
   */
  hosting?(token: string): void;
  /** Another attempt, or the connection now counts as lost. */
  attempting?(trying: RoomTrying): void;
};

/**
 * What is told of the board before the page is told: to the overlay. settled: commands have left
 * `pending` without an event.
 */
type Watcher = {
  sent(command: Pending): void;
  changed(change: FoldChange, rec: Record_ | null): void;
  pendingRemoved(): void;
};
