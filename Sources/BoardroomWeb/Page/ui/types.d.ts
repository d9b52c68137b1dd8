// Elements of pages.

type Child = Node | string | null | undefined | false;

type PopoverOptions = {
  label: string;
  class?: string;
  /** Fills it, each time it opens. */
  build(panel: HTMLElement): void;
  /** It stays open at a click elsewhere. */
  staysOpen?: boolean;
  /** It is closed by what is chosen in it. */
  closesOnClick?: boolean;
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
