// The page around the board.

type App = import("./app.js").App;

type AppOptions = {
  /** Is filled by the board. */
  root: HTMLElement;
  /** Of the server. */
  origin: string;
  /** Of all servers that have the room, for its connection; only `origin`, if nothing is said. */
  servers?: readonly string[];
  room: string;
  token?: string;
  /** For HTTP, where another one is needed than for joining. */
  restToken?: string;
  /**
   * Who joins; without one, and if the token names nobody, a visitor that the browser knows again.
   */
  uid?: string;
  payload?: any;
  isOpen?: boolean;
  isWritable?: boolean;
  /** Hears of the host's token (of an open server). */
  onHosting?(token: string): void;
  /** In bytes. */
  imageLimit?: number;
  theme?: Theme;
  callbacks?: RoomCallbacks;
  actions?: PageActions;
  /** Whether the board stands in a list of this browser. */
  isListed?(): boolean;
  onRenamed?(name: string): void;
  /** The page to look at, if it is another one than the room's. */
  page?: number;
  onTurned?(page: number | undefined): void;
  /** Hears of the room's name; "": it has none. */
  onTitle?(name: string): void;
  /** Whether this visitor was never asked for a name. */
  asksName?(): boolean;
};

/** What the menu can do beyond the board. */
type PageActions = {
  theme?(): void;
  language?(): void;
  home?(): void;
  /** Opens the first page, with the boards of this browser. */
  boards?(): void;
  newBoard?(): void;
  /** Takes the board that cannot be opened off the list of this browser. */
  forget?(): void;
};

/** A board that this browser opened; `time`: when; `picture`: an address of data. */
type RecentBoard = { room: string; name: string; time: number; picture?: string };

/**
 * A card of `index.html`, and what its forms do with what is written: they give what is wrong with
 * it.
 */
type ShowCard = (
  name: string,
  forms?: Record<string, (written: string) => Promise<string | void>>,
) => HTMLElement;
