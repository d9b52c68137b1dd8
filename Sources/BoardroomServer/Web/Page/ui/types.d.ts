// Elements of pages.

type Child = Node | string | null | undefined | false;

/** Functions become listeners (`onclick`), true and false set or leave out an attribute. */
type ElementMaker = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props?: Record<string, any>,
  ...children: (Child | Child[])[]
) => HTMLElementTagNameMap[Tag];

/** Finds what `index.html` or a piece has to have. */
type Finder = <Kind extends Element = HTMLElement>(
  within: ParentNode,
  selector: string,
  kind?: new () => Kind,
) => Kind;

/** Its name is told to screen readers and shown; no picture: "". */
type ButtonMaker = (
  picture: string,
  label: string,
  onclick: (event: Event) => void,
  props?: Record<string, any>,
) => HTMLButtonElement;

type PopoverOptions = {
  label: string;
  class?: string;
  /** Fills it, each time it opens. */
  build(panel: HTMLElement): void;
  /** It stays open at a click elsewhere. */
  stays?: boolean;
  /** It is closed by what is chosen in it. */
  goes?: boolean;
};

/** Somebody else in the room. `colour`: of CSS, white letters can be read on it. */
type Other = {
  number: number;
  name: string;
  colour: string;
  pointer?: { scene: number; unit: number; x: number; y: number };
  isPointing?: boolean;
  hasRaised?: boolean;
  isAway?: boolean;
};
