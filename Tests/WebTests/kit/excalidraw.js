// Drawings of Excalidraw, as tests write them.

/** What every element of Excalidraw has, if nobody chose anything else. */
export const USUAL_FIELDS = {
  angle: 0,
  strokeColor: "#1e1e1e",
  backgroundColor: "transparent",
  fillStyle: "solid",
  strokeWidth: 2,
  strokeStyle: "solid",
  opacity: 100,
  groupIds: [],
  roundness: null,
};
