// Strokes, pointers and cameras.
import { Stroke } from "../../protocol/strokes.js";
import { withStroke } from "../state.js";
import { byMember } from "./event-fold.js";

/** @type {import("./event-fold.js").Rules} */
export const drawingRules = {
  stroke(fold, { number, begin, ends, segment }) {
    const { state, rec } = fold;
    const id = `${rec.by}.${number}`;
    const element = state.element(id);
    if (begin) {
      if (!fold.actor || element || !state.scene(begin.scene)) return false;
      const stroke = new Stroke(begin, ends, segment.count, [segment]);
      return fold.addElement(id, { scene: begin.scene, stroke });
    }
    if (element?.stroke?.ended !== false) return false;
    return fold.setElement(withStroke(element, element.stroke.extended(segment, ends)));
  },
  pointer: byMember((fold, member, pointer) => fold.assign(member, { pointer }, "pointer")),
  camera: byMember((fold, member, camera) => {
    fold.assign(member, { camera }, "camera");
    if (member.viewMode === "follower") fold.assign(member, { viewMode: "freedom" }, "viewModes");
  }),
};
