// What goes over the wire, and who has to do with it (docs/PROTOCOL.md).

/** A message: `m` names it, the rest is what it says. */
type Message = { m: string; [field: string]: any };

/** Keys with the values that they get; null takes one away. */
type Patch = Record<string, any>;

type Clock = {
  now(): number;
  after(ms: number, run: () => void): () => void;
  frame(run: (now: number) => void): () => void;
};

type Begin = {
  scene: number;
  unit: number;
  tool: string;
  colour: number[];
  opacity: number;
  width: number;
};

/** Read from a payload, and written to one. */
type BinaryBody = {
  read(reader: import("./bytes.js").ByteReader): any;
  write(writer: import("./bytes.js").ByteWriter, body: any): any;
};

type Record_ = import("./records.js").Rec;

type RoomPhase = "disconnected" | "connecting" | "connected" | "reconnecting" | "disconnecting";

/** attempt: how many there were in this outage; isLost: nothing was heard for 10 s. */
type RoomTrying = {
  attempt: number;
  nextAttemptAt: number | null;
  silentSince: number;
  isLost: boolean;
};

/** What is used of a WebSocket. */
type Socket = {
  binaryType: string;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(bytes: any): void;
  close(): void;
};

/**
 * A command on its way. n: its counter, another one after a server forgot some; revision: of a
 * receipt that came before its events; code: what the log says of it, if it was refused.
 */
type Pending = {
  n: number;
  name: string;
  body: any;
  bytes: Uint8Array;
  revision: number | null;
  code: string | null;
  resolve(receipt: { revision: number }): void;
  reject(refusal: Error): void;
};

/**
 * limit: the name of the limit that was reached; kick: why the server removed this member;
 * comeBack: whether to come back without being asked.
 */
type RefusalFields = {
  code: string;
  cause?: string;
  cure?: string;
  actual?: number;
  allowed?: number;
  limit?: string;
  kick?: string;
  comeBack?: boolean;
};

type RoomRefusal = import("./refusal.js").Refusal;

/** giveUpAfter: how long one outage, or the first entry, may take, in ms. */
type ConnectionOptions = {
  url: string;
  clock: Clock;
  giveUpAfter?: number;
  chance?: () => number;
  makeSocket?: (url: string, protocol: string) => Socket;
};

/**
 * What a connection asks and says. hello: what to say on a new socket; revision: of the last event
 * that came; dropped: the socket is gone; attempting: another attempt, or the connection now counts
 * as lost.
 */
type ConnectionOwner = {
  hello(): Message;
  revision(): number;
  take(message: Message): void;
  dropped(): void;
  outage(): void;
  attempting(): void;
  ended(refusal: RoomRefusal, why: "left" | "refused" | "timeout"): void;
};

/** What `GET /v5/server` says. */
type AboutServer = { open: boolean; token?: string; limits?: { image: number } };
