// Elements of pages.

type Child = Node | string | null | undefined | false;

type PopoverOptions = {
  label: string;
  class?: string;
  /** Fills it, each time it opens. */
  build(panel: HTMLElement): void;
  /** The panel stays open at a click elsewhere. */
  staysOpen?: boolean;
  /** A choice in the panel closes it. */
  closesOnClick?: boolean;
};

/** Another member of the room. `colour`: of CSS; white letters can be read on it. */
type Other = {
  number: number;
  name: string;
  colour: string;
  pointer?: { scene: number; unit: number; x: number; y: number };
  isPointing?: boolean;
  hasRaised?: boolean;
  isAway?: boolean;
  /** The id of the text that it has open. */
  writing?: string;
};
