// The page around the board.

type App = import("./app.js").App;

type AppOptions = {
  /** Is filled by the board. */
  root: HTMLElement;
  /** Of the server. */
  origin: string;
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
  onRenamed?(name: string): void;
};

/** What the menu can do beyond the board. */
type PageActions = { theme?(): void; language?(): void; home?(): void };

/**
 * A card of `index.html`, and what its forms do with what is written: they give what is wrong with
 * it.
 */
type ShowCard = (
  name: string,
  forms?: Record<string, (written: string) => Promise<string | void>>,
) => HTMLElement;
