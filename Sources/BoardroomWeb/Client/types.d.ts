// What a program that uses boardroom-client gives and gets.

/** Where a room is, and how to join it. */
export type JoinOptions = {
  /**
   * The server: `https://boards.example`, or with a port. Or several that have the same rooms and
   * keys, 16 at most, all with TLS or all without: they are tried in an order that chance makes.
   */
  server: string | readonly string[];
  /** The room: 32 hexadecimal digits. */
  uuid: string;
  /**
   * A room token, or a function that asks the application's backend for one. A server that is open
   * needs none.
   */
  token?: string | TokenProvider;
  /** Who joins; a later join with the same uid takes the place of this one. */
  uid?: string;
  /** What others know of this member, any JSON; `name` is shown. */
  payload?: unknown;
  /** False: joins only to look. */
  isWritable?: boolean;
  /** On how many scenes own steps can be undone (20); 0: none. */
  undoScenes?: number;
  /** How long the first join, an outage, or an answer of the token provider may take, in ms (45,000). */
  giveUpAfter?: number;
  /** Aborts the join. */
  signal?: AbortSignal;
  /** A WebSocket for a runtime that has none of its own, as the package `ws` has it. */
  WebSocket?: WebSocketConstructor;
};

/** What `joinRoom` needs of a WebSocket; those of browsers, of Node 22 and of `ws` have it. */
export type WebSocketConstructor = new (url: string, protocol: string) => any;

/** Why a token is asked for. */
export type TokenRequest = {
  /**
   * join: for the first time, or for `rejoin`; expiring: the present one is valid for a minute at
   * most; refused: the server did not accept the present one.
   */
  reason: "join" | "expiring" | "refused";
  /** Why the server refused the present one: `tokenExpired` or `tokenInvalid`. */
  code?: RoomErrorCode;
};

/** Asks the application's backend for a room token, for the same user with the same role. */
export type TokenProvider = (request: TokenRequest) => string | Promise<string>;

/** What a command takes beside its own arguments. */
export type CommandOptions = {
  /**
   * Ends the wait for the answer. A command that was not sent yet is never carried out; one that
   * was may be.
   */
  signal?: AbortSignal;
};

/** A command is in the log: the revision of its event. */
export type Receipt = { revision: number };

export type RoomPhase =
  | "disconnected"
  | "connecting"
  | "connected"
  | "reconnecting"
  | "disconnecting";

/** The attempts of an outage: how many there were, when the next one is due (ms since 1970). */
export type Attempt = { count: number; nextAt: number | null; isLost: boolean };

/** One who is in the room. */
export type Member = {
  id: number;
  uid?: string;
  role: "admin" | "writer" | "reader";
  /** What its program passed as `payload`. */
  payload?: any;
  /** Its member state: the tool that it uses, and what programs add. */
  state: Readonly<Record<string, any>>;
  isWritable: boolean;
  /** Away, and expected back. */
  isReconnecting: boolean;
  viewMode: ViewMode;
  /** When it joined, in ms since 1970. */
  joinedAt: number;
  /** Since when its hand is raised. */
  handSince?: number;
  /** An administrator does not let it write. */
  isBarred: boolean;
};

export type ViewMode = "freedom" | "follower" | "broadcaster";

/** Where a member's pointer is. */
export type Pointer = { member: number; scene: number; x: number; y: number };

/** What is in the middle of a member's window, and how large it is shown. */
export type Camera = { x: number; y: number; scale: number };

/** A page of the board. */
export type Scene = {
  id: number;
  /** Directory and name: `/init`. */
  path: string;
  directory: string;
  name: string;
  ppt?: any;
  pptStep: number;
};

/** A page that is to be made. */
export type NewScene = { name: string; ppt?: any };

export type ElementType =
  | "rectangle"
  | "ellipse"
  | "triangle"
  | "rhombus"
  | "pentagram"
  | "speechBalloon"
  | "straight"
  | "arrow"
  | "text"
  | "note"
  | "image";

/** `#rrggbb`, or red, green and blue from 0 to 255. */
export type Colour = string | readonly [number, number, number];

/** How an element looks. Colours are levels of red, green and blue; other fields are kept. */
export type ElementStyle = {
  colour?: readonly [number, number, number];
  fill?: readonly [number, number, number];
  /** Pixels. */
  width?: number;
  /** 0 to 1. */
  opacity?: number;
  [name: string]: any;
};

/** What all elements have. The same object as long as nothing of it changes. */
type ElementBase = {
  /** "member.number": who made it, and which of that member's it is. */
  readonly id: string;
  readonly member: number;
  /** The `id` of its scene. */
  readonly scene: number;
  readonly style: Readonly<ElementStyle>;
  readonly locked?: boolean;
  readonly transform?: readonly number[];
  readonly order?: string;
  readonly meta?: any;
};

/** A shape, a text, a note or an image. */
export type ShapeElement = ElementBase & {
  readonly type: ElementType;
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
  readonly text?: string;
  readonly size?: number;
  readonly src?: string;
  /** Of a line, relative to x and y. */
  readonly points?: readonly (readonly [number, number])[];
};

/** What was drawn with a pen. */
export type StrokeElement = ElementBase & {
  readonly type: "stroke";
  readonly tool: StrokeTool;
  /** False while the pen is down. */
  readonly isEnded: boolean;
  /** In pixels of the scene. They are read each time; keep the array if you need it often. */
  readonly points: StrokePoint[];
};

export type BoardElement = ShapeElement | StrokeElement;

/** An element that is to be made: its type, its place, and what its type needs. */
export type NewElement = {
  type: ElementType;
  x: number;
  y: number;
  width?: number;
  height?: number;
  text?: string;
  size?: number;
  src?: string;
  points?: readonly (readonly [number, number])[];
  style?: { colour?: Colour; fill?: Colour; [name: string]: any };
  [field: string]: any;
};

/** Attributes to set, as in the protocol: `x`, `text`, `style.colour`… null removes one. */
export type ElementChange = { [attribute: string]: any };

/** On which scene: its id, or its path; if nothing is said, the current one. */
export type OnScene = { scene?: number | string };

export type StrokeTool = "pencil" | "highlighter" | "laser";

export type StrokePoint = {
  x: number;
  y: number;
  /** 0 to 1. */
  pressure?: number;
  /** Ms since the pen went down. */
  time?: number;
};

/** How a stroke is drawn. */
export type Pen = OnScene & {
  tool?: StrokeTool;
  colour?: Colour;
  /** Pixels (4). */
  width?: number;
  /** 0 to 1 (1). */
  opacity?: number;
};

/** An event of the log, as PROTOCOL.md has it in section 6. */
export type LogEvent = {
  revision: number;
  /** Ms since 1970. */
  time: number;
  /** Null: the server. */
  member: number | null;
  /** The name of its kind, or its number if this version does not know it. */
  kind: string | number;
  body: any;
};

export type MagixEvent = {
  event: string;
  payload: any;
  member: number | null;
  /** It was sent while this member was away. */
  isLate: boolean;
};

export type Closed = {
  reason: "left" | "kicked" | "refused" | "timeout";
  /** Why, unless the member left. */
  error?: RoomError;
};

/** The events of a room, by name, and what a listener is given. */
export type RoomEvents = {
  /** How the connection is. */
  phase: { phase: RoomPhase };
  /** During an outage: another attempt begins, or the connection counts as lost. */
  attempt: Attempt;
  /** The stay is over; `rejoin` begins another one, with the same listeners. */
  closed: Closed;
  /** Elements look different, by own commands at once. "all": another scene, or everything. */
  elements: { ids: ReadonlySet<string> | "all" };
  /**
   * Members have come, have gone, or are different: which ones, by number ("all": everything), and all
   * who are here now. The list is made when it is read.
   */
  members: { ids: ReadonlySet<number> | "all"; readonly members: readonly Member[] };
  /** Pointers have moved: whose, and where all are now. The list is made when it is read. */
  pointers: { ids: ReadonlySet<number> | "all"; readonly pointers: readonly Pointer[] };
  /** Scenes were added, removed or moved, or another one is current. */
  scenes: { scenes: readonly Scene[]; current: Scene | undefined };
  /** The global state has changed. */
  state: { globalState: Readonly<Record<string, any>> };
  /** A store has changed. */
  stores: { stores: Readonly<Record<string, Readonly<Record<string, any>>>> };
  /** Somebody sent an event of the application's own. */
  magix: MagixEvent;
  /** Whether this member can change the room now. */
  writable: { isWritable: boolean };
  /** How many own steps can be undone and redone on the current scene. */
  steps: { undo: number; redo: number };
  /**
   * Each event, while connected. What happened in an outage is not told one by one: `elements`,
   * `members`, `scenes`, `state` and `stores` follow it.
   */
  event: LogEvent;
  /** An own command is not carried out; its promise rejects, too. */
  refused: { kind: string; error: RoomError };
  /** Something went wrong that ends nothing, for example no token could be had in time. */
  problem: { error: RoomError };
};

/** Codes of errors; those of the server are in PROTOCOL.md, section 9. */
export type RoomErrorCode =
  | "badOption"
  | "badParameter"
  | "badName"
  | "banned"
  | "conflict"
  | "connectionLimit"
  | "forbidden"
  | "goingAway"
  | "internal"
  | "kicked"
  | "locked"
  | "logFull"
  | "malformed"
  | "membersFull"
  | "misfit"
  | "networkLost"
  | "noBoard"
  | "noBroadcaster"
  | "noPlayer"
  | "noSuchElement"
  | "noSuchScene"
  | "noToken"
  | "noWebSocket"
  | "notCarriedOut"
  | "notConnected"
  | "notFound"
  | "notMember"
  | "notRecorded"
  | "notWritable"
  | "nothingToUndo"
  | "outOfOrder"
  | "outcomeUnknown"
  | "pending"
  | "rateLimited"
  | "replaced"
  | "roomsFull"
  | "timeout"
  | "tokenExpired"
  | "tokenInvalid"
  | "tooLarge"
  | "tooMany"
  | "tooSlowHello"
  | "unknownKind"
  | "unsupportedVersion"
  | "writerLimit"
  | (string & {});

export type RoomError = import("./errors.js").RoomError;

/** An element of a page: an HTMLElement. So these types fit also where there is no page. */
export type MountElement = {
  readonly ownerDocument: any;
  replaceChildren(...nodes: any[]): void;
};

/** A board that is shown in an element of the page, and the room that it is in. */
export type MountedBoard = {
  /** The member that the board is: one session for both. */
  readonly room: import("./room.js").Room;
  setTheme(theme: Theme): void;
  /** Leaves the room and takes the board away. */
  unmount(): Promise<void>;
};

export type Theme = "light" | "dark";

export type MountBoardOptions = Omit<JoinOptions, "WebSocket" | "giveUpAfter" | "undoScenes"> & {
  /**
   * How long the board may take to come from the servers, or an answer of the token provider, in ms
   * (45,000). An outage is shown on the board, and may take 20 minutes.
   */
  giveUpAfter?: number;
  theme?: Theme;
  /** `en` or `zh`; if nothing is said, that of the browser. */
  language?: string;
};

/** A moment of a recording, and what is shown of it. */
export type Moment = {
  /** The last event that is shown. */
  revision?: number;
  /** The member that is followed. */
  member?: number;
  /** What is searched for: `kind:kick`. */
  search?: string;
};

export type MountPlayerOptions = Moment & {
  server: string;
  uuid: string;
  token?: string | TokenProvider;
  /** Ms that the player may take to open (15,000). */
  giveUpAfter?: number;
  signal?: AbortSignal;
};

/** A player that is shown in an element of the page. */
export type MountedPlayer = {
  /** Shows another moment. */
  show(moment: Moment): void;
  unmount(): void;
};
