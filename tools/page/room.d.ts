// Shapes that a room's log, state and session have: core/ without drawing, docs/PROTOCOL.md.

/** A message: `m` names it, the rest is what it says. */
type Message = { m: string; [field: string]: any };

/** Keys with the values that they get; null takes one away. */
type Patch = Record<string, any>;
/** A thing on a scene; a value. `set`: attributes over what it was put with; `buried`: erased, kept for a history. */
type RoomElement = {
  id: string; member: number; number: number; place: number; scene: number;
  stroke?: import("../../Sources/BoardroomServer/Web/Page/core/strokes.js").Stroke; shape?: Record<string, any>;
  set?: Record<string, any>; copy: boolean; buried: boolean;
};
/** A page of the board; a value. */
type RoomScene = { id: number; directory: string; name: string; ppt: any; pptStep: number; path: string };
/** Somebody who is in the room; `joined`: when; `payload`: what its app said of it. */
type RoomMember = {
  id: number; session: string; generation: number; uid?: string; role: "admin" | "writer" | "reader"; writable: boolean;
  payload?: any; client?: string; joined: number; phase: string; viewMode: string;
  state: import("../../Sources/BoardroomServer/Web/Page/core/json.js").Fields;
  camera?: { unit: number; x: number; y: number; scale: number };
  pointer?: { scene: number; unit: number; x: number; y: number }; lastCounter: number; lastRevision: number;
  /** Wants to write and may not; is not let write by an administrator; since when its hand is up. */
  kept: boolean; barred: boolean; hand?: number; bound?: boolean;
};

type ShapeContent = { shape?: Record<string, any>; set?: Record<string, any>; copy: boolean };
/** What a step takes back or does again, as snapshots have it: to which element (put, erase, set or replace), of a
 * set to which key; before and after are null or missing where a key had or has no value. */
type Operation = {
  put?: string; erase?: string; set?: string; replace?: string; key?: string; before?: any; after?: any;
};
type Step = { revision: number; operations: readonly Operation[] };
/** Steps of one scene, oldest first. */
type Track = { scene: number; undo: Step[]; redo: Step[] };
/** An operation, and the scene of its track. */
type Work = { scene: number; operation: Operation };

type Side = "undo" | "redo";
type ElementParts = Partial<RoomElement> & { id: string; place: number; scene: number };
type SceneParts = Partial<RoomScene> & { id: number; directory: string; name: string };

type RoomPhase = "disconnected" | "connecting" | "connected" | "reconnecting" | "disconnecting";
/** attempt: how many there were in this outage; isLost: nothing was heard for 10 s. */
type RoomTrying = { attempt: number; nextAttemptAt: number | null; silentSince: number; isLost: boolean };
/** What is used of a WebSocket. */
type Socket = {
  binaryType: string; onopen: ((event: any) => void) | null; onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null; send(bytes: any): void; close(): void;
};
/** A command on its way. n: its counter, another one after a server forgot some; revision: of a receipt that came
 * before its events; code: what the log says of it, if it was refused. */
type Pending = {
  n: number; name: string; body: any; bytes: Uint8Array; revision: number | null; code: string | null;
  resolve(receipt: { revision: number }): void; reject(refusal: Error): void;
};
/** limit: the name of the limit that was reached; kick: why the server removed this member; comeBack: whether to come
 * back without being asked. */
type RefusalFields = {
  code: string; cause?: string; cure?: string; actual?: number; allowed?: number; limit?: string; kick?: string;
  comeBack?: boolean;
};
/** undoScenes: for how many pages one's own steps can be taken back; 0: none. */
type RoomJoin = {
  room: string; token?: string; uid?: string; payload?: any; isWritable?: boolean; callbacks?: RoomCallbacks;
  undoScenes?: number;
};
type RoomState = import("../../Sources/BoardroomServer/Web/Page/core/state.js").RoomState;
type Folding = import("../../Sources/BoardroomServer/Web/Page/core/folding.js").Folding;
/** What a kind does to a state; false: the event did not fit. */
type Rule = (fold: Folding, body: any) => boolean | void;
type MemberRule = (fold: Folding, member: RoomMember, body: any) => boolean | void;
/** Read from a payload, and written to one. */
type BinaryBody = {
  read(reader: import("../../Sources/BoardroomServer/Web/Page/core/bytes.js").ByteReader): any;
  write(writer: import("../../Sources/BoardroomServer/Web/Page/core/bytes.js").ByteWriter, body: any): any;
};
type FoldChange = import("../../Sources/BoardroomServer/Web/Page/core/folding.js").Change;
type Record_ = import("../../Sources/BoardroomServer/Web/Page/core/records.js").Rec;
type RoomRefusal = import("../../Sources/BoardroomServer/Web/Page/core/refusal.js").Refusal;
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
  /** An open server gave this member its room: a token with the host's rights, for HTTP and to come back. */
  hosting?(token: string): void;
  /** Another attempt, or the connection now counts as lost. */
  attempting?(trying: RoomTrying): void;
};
/** What is told of the board before the page is told: to the overlay. settled: commands have left `pending` without an
 * event. */
type Watcher = {
  sent(command: Pending): void; changed(change: FoldChange, rec: Record_ | null): void; settled(): void;
};
/** giveUpAfter: how long one outage, or the first entry, may take, in ms. */
type ConnectionOptions = {
  url: string; clock: Clock; giveUpAfter?: number; chance?: () => number;
  makeSocket?: (url: string, protocol: string) => Socket;
};
/** What a connection asks and says. hello: what to say on a new socket; revision: of the last event that came; dropped:
 * the socket is gone; attempting: another attempt, or the connection now counts as lost. */
type ConnectionOwner = {
  hello(): Message; revision(): number; take(message: Message): void; dropped(): void; outage(): void; attempting(): void;
  ended(refusal: RoomRefusal, why: "left" | "refused" | "timeout"): void;
};
