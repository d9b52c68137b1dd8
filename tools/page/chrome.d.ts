// Types of the page around the board: ui/, what of board/ is not drawing, embed.js.

type App = import("../../Sources/BoardroomServer/Web/Page/board/app.js").App;

type Child = Node | string | null | undefined | false;
/** Functions become listeners (`onclick`), true and false set or leave out an attribute. */
type ElementMaker = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, props?: Record<string, any>, ...children: (Child | Child[])[]) => HTMLElementTagNameMap[Tag];
/** Finds what `index.html` or a piece has to have. */
type Finder = <Kind extends Element = HTMLElement>(
  within: ParentNode, selector: string, kind?: new () => Kind) => Kind;
/** Its name is told to screen readers and shown; no picture: "". */
type ButtonMaker = (
  picture: string, label: string, onclick: (event: Event) => void, props?: Record<string, any>) => HTMLButtonElement;
type PopoverOptions = {
  label: string; class?: string;
  /** Fills it, each time it opens. */
  build(panel: HTMLElement): void;
  /** It stays open at a click elsewhere. */
  stays?: boolean;
  /** It is closed by what is chosen in it. */
  goes?: boolean;
};

/** What `GET /v5/server` says. */
type AboutServer = { open: boolean; token?: string; limits?: { image: number } };
/** Somebody who is kept out of a room (docs/HTTP.md, bans); `name`: what whoever banned them called them. */
type Ban = { id: number; uid?: string; name?: string; until: number };
/** A card of `index.html`, and what its forms do with what is written: they give what is wrong with it. */
type ShowCard = (name: string, forms?: Record<string, (written: string) => Promise<string | void>>) => HTMLElement;
/** What the menu can do beyond the board. */
type PageActions = { theme?(): void; language?(): void; home?(): void };
type AppOptions = {
  /** Is filled by the board. */
  root: HTMLElement;
  /** Of the server. */
  origin: string; room: string; token?: string;
  /** For HTTP, where another one is needed than for joining. */
  restToken?: string;
  /** Who joins; without one, and if the token names nobody, a visitor that the browser knows again. */
  uid?: string; payload?: any; isOpen?: boolean; isWritable?: boolean;
  /** Hears of the host's token (of an open server). */
  onHosting?(token: string): void;
  /** In bytes. */
  imageLimit?: number;
  theme?: Theme; callbacks?: RoomCallbacks; actions?: PageActions; onRenamed?(name: string): void;
};

/** What embed.js is asked for (docs/WEB.md, embedding). */
type JoinRoomOptions = {
  /** Is filled by the board; give it a size. */
  root: HTMLElement;
  /** Of the room. */
  uuid: string;
  /** A room token; an open server needs none. */
  token?: string;
  /** Who joins; a later join with the same one takes the place of this one. */
  uid?: string;
  /** What others know of the member: `{"name": …}` is shown. */
  payload?: any;
  isWritable?: boolean; callbacks?: RoomCallbacks; theme?: Theme;
  /** en or zh. */
  language?: string;
};
/** A room that is shown in somebody else's page. */
type EmbeddedRoom = {
  readonly phase: RoomPhase;
  /** The own member number. */
  readonly memberId: number | null;
  /** The room's state as the whiteboard SDK shows it. */
  readonly state: any;
  readonly isWritable: boolean;
  setWritable(writable: boolean): Promise<unknown>;
  dispatchMagixEvent(event: string, payload: any): Promise<unknown>;
  /** Keys to set; null takes one away. */
  setGlobalState(patch: Record<string, any>): Promise<unknown>;
  setViewMode(mode: "freedom" | "follower" | "broadcaster"): Promise<unknown>;
  setTheme(theme: Theme): void;
  /** Leaves the room and takes the board away; done when the server knows. */
  disconnect(): Promise<void>;
};

/** What is said of a connection, and what can be done: a button's `data-do`. */
type BannerWords = { tone: "warn" | "bad"; text: string; action?: "now" | "again" | "home" };
