// Types of messages and connections (docs/PROTOCOL.md).

/** A message: `m` is its name, the other fields are its content. */
type Message = { m: string; [field: string]: any };

/** Keys with their new values; null removes a key. */
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

type Record_ = import("./records.js").Rec;

type RoomPhase = "disconnected" | "connecting" | "connected" | "reconnecting" | "disconnecting";

/** attempt: how many there were in this outage; isLost: there was no byte for 10 s. */
type RoomTrying = {
  attempt: number;
  nextAttemptAt: number | null;
  silentSince: number;
  isLost: boolean;
};

/** The part of WebSocket that is used. */
type Socket = {
  binaryType: string;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(bytes: any): void;
  close(): void;
};

/**
 * A command without an answer. n: its counter, which changes if a server has forgotten counters;
 * revision: from a receipt that came before the events; code: why it was refused, from the log.
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
 * comeBack: whether to come back without being asked; address: where, if it is one of the client's
 * own.
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
  address?: ServerAddress;
};

type RoomRefusal = import("./refusal.js").Refusal;

/** Where clients reach a server: as PROTOCOL.md has it in a farewell. */
type ServerAddress = { host: string; port: number; isSecure: boolean };

/**
 * urls: the addresses of one server, or of several with the same rooms. giveUpAfter: how long an
 * outage, or the first join, may take, in ms.
 */
type ConnectionOptions = {
  urls: readonly string[];
  clock: Clock;
  giveUpAfter?: number;
  chance?: () => number;
  makeSocket?: (url: string, protocol: string) => Socket;
};

/** What `GET /v5/server` says. */
type AboutServer = {
  open: boolean;
  version?: string;
  token?: string;
  limits?: { image: number };
};
