// Types of the page around the board: ui/, what of board/ is not drawing, embed.js.

type App = import("../../Sources/BoardroomServer/Web/Page/board/app.js").App;
type Callbacks = import("../../Sources/BoardroomServer/Web/Page/core/session.js").Callbacks;
type Refused = import("../../Sources/BoardroomServer/Web/Page/core/refusal.js").Refusal;

type Child = Node | string | null | undefined | false;
/** Functions become listeners (`onclick`), true and false set or leave out an attribute. */
type ElementMaker = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, props?: Record<string, any>, ...children: (Child | Child[])[]) => HTMLElementTagNameMap[Tag];
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
/** What the menu can do beyond the board. */
type PageActions = { theme?(): void; language?(): void; home?(): void };
type AppOptions = {
  /** Is filled by the board. */
  root: HTMLElement;
  /** Of the server. */
  origin: string; room: string; token?: string;
  /** For HTTP, where another one is needed than for joining. */
  restToken?: string;
  uid?: string; payload?: any; isOpen?: boolean; isWritable?: boolean;
  /** In bytes. */
  imageLimit?: number;
  theme?: Theme; callbacks?: Callbacks; actions?: PageActions; onRenamed?(name: string): void;
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
  isWritable?: boolean; callbacks?: Callbacks; theme?: Theme;
  /** en or zh. */
  language?: string;
};
