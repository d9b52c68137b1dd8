// Scenes (pages of the board): which there are, in which order, which one is shown.
import { canonical } from "../../protocol/json.js";
import { makeScene, sceneElements } from "../state.js";

/**
 * @param {string} a
 * @param {string} b
 */
const isSame = (a, b) => canonical(a) === canonical(b);

/**
 * @param {RoomScene[]} scenes
 * @param {string} directory
 * @param {number} index a scene's place among the scenes of the directory
 * @returns {number} its place among all scenes
 */
function placeOf(scenes, directory, index) {
  const places = [...scenes.keys()].filter((place) => isSame(scenes[place].directory, directory));
  const end = places.length > 0 ? places[places.length - 1] + 1 : scenes.length;
  return places[Math.max(index, 0)] ?? end;
}

/** @type {import("./event-fold.js").Rules} */
export const scenesRules = {
  scenesPut(fold, { directory, index, scenes }) {
    const { state, change } = fold;
    const added = /** @type {any[]} */ (scenes).map((scene) => makeScene({ ...scene, directory }));
    const replacementOf = (/** @type {RoomScene | undefined} */ old) =>
      added.find(({ name }) => old && isSame(old.directory, directory) && isSame(name, old.name));
    const shown = replacementOf(state.scene(state.currentScene));
    fold.removeScenes(new Set(state.scenes.filter(replacementOf).map((scene) => scene.id)));
    if (shown) fold.assign(state, { currentScene: shown.id }, "currentScene");
    state.scenes.splice(placeOf(state.scenes, directory, index), 0, ...added);
    state.nextScene = Math.max(state.nextScene, ...added.map(({ id }) => id + 1));
    for (const { id } of added) {
      change.addScene(id);
    }
    change.addField("scenes");
  },
  sceneSwitched: (fold, { scene }) =>
    fold.state.scene(scene)
      ? fold.assign(fold.state, { currentScene: scene }, "currentScene")
      : false,
  sceneCleaned(fold, { scene: id, retainPPT }) {
    const scene = fold.state.scene(id);
    if (!scene) return false;
    const hasPPT = scene.ppt !== undefined || scene.pptStep !== 0;
    if (hasPPT && !retainPPT) fold.changeScene(scene, { ppt: undefined, pptStep: 0 });
    const elements = sceneElements(fold.state, id).sort((left, right) => left.place - right.place);
    fold.strike(
      elements.map((element) => element.id),
      id,
    );
    for (const element of elements) {
      fold.eraseElement(element);
    }
  },
  scenesRemoved(fold, { scenes, current, fresh = null }) {
    const { state } = fold;
    const removed = new Set(/** @type {number[]} */ (scenes));
    if (![...removed].every((id) => state.scene(id))) return false;
    fold.removeScenes(removed);
    const init =
      fresh === null ? undefined : makeScene({ id: fresh, directory: "/", name: "init" });
    const nextScene = Math.max(state.nextScene, fresh + 1);
    fold.assign(state, { scenes: init ? [init] : state.scenes, nextScene }, "scenes");
    fold.change.addField("scenes");
    fold.assign(state, { currentScene: current }, "currentScene");
  },
  sceneMoved(fold, { scene: id, directory, name, index = null }) {
    const { state } = fold;
    const scene = state.scene(id);
    if (!scene) return false;
    const moved = fold.changeScene(scene, { directory, name });
    if (index === null && isSame(scene.directory, directory)) return;
    state.scenes = state.scenes.filter((other) => other !== moved);
    state.scenes.splice(placeOf(state.scenes, directory, index ?? state.scenes.length), 0, moved);
  },
  pptStepped(fold, { scene: id, step }) {
    const scene = fold.state.scene(id);
    if (!scene) return false;
    if (scene.pptStep !== step) fold.changeScene(scene, { pptStep: step });
    fold.assign(fold.state, { currentScene: id }, "currentScene");
  },
};
