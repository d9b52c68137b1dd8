import { cleanScene, removeScenes } from "./fold-elements.js";
import { itemsOf, memberOf, canonical } from "./json.js";
import { Scene } from "./state.js";

// What events do to scenes.

/** @typedef {import("./fold.js").Rule} Rule */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./state.js").RoomState} RoomState */

const lastScene = 2 ** 32 - 1;
/** @param {string} left @param {string} right */
const isSame = (left, right) => left === right || canonical(left) === canonical(right);

/** @param {RoomState} state @param {number} scene @param {Change} change */
function setCurrent(state, scene, change) {
  if (state.currentScene !== scene) change.field("currentScene");
  state.currentScene = scene;
}

/** Scenes go, with all that is on them. @param {RoomState} state @param {Set<number>} removed */
function takeOut(state, removed, /** @type {Change} */ change) {
  state.scenes = state.scenes.filter((scene) => !removed.has(scene.id));
  removeScenes(state, removed, change);
}

/** Where the page with this index in its directory is, or would be. @param {RoomState} state */
function placeOf(state, /** @type {number} */ index, /** @type {string} */ directory) {
  const pages = state.scenes.flatMap((scene, place) => (isSame(scene.directory, directory) ? [place] : []));
  if (pages.length === 0) return state.scenes.length;
  return index < pages.length ? pages[index] : pages[pages.length - 1] + 1;
}

/** @param {Scene} scene @param {{directory?: string, name?: string, step?: number}} parts */
const changed = (scene, { directory = scene.directory, name = scene.name, step = scene.pptStep }) =>
  new Scene(scene.id, directory, name, scene.pptText, step);

/** @type {Record<string, Rule>} */
export const boardRules = {
  scenesPut(state, { directory, index, scenes }, change, rec) {
    if (state.created === null || !areFresh(state, scenes)) return false;
    const texts = itemsOf(/** @type {string} */ (memberOf(rec.text, "scenes")));
    const fresh = texts.map((text, place) => {
      const ppt = scenes[place].ppt ?? null;
      return new Scene(
        scenes[place].id, directory, scenes[place].name, ppt === null ? undefined : memberOf(text, "ppt"));
    });
    const heirs = new Map(fresh.map((scene) => [canonical(scene.name), scene]));
    const displaced = state.scenes.filter(
      (scene) => isSame(scene.directory, directory) && heirs.has(canonical(scene.name)));
    if (displaced.length > 0) {
      takeOut(state, new Set(displaced.map((scene) => scene.id)), change);
      const current = displaced.find((scene) => scene.id === state.currentScene);
      const heir = current && heirs.get(canonical(current.name));
      if (heir) setCurrent(state, heir.id, change);
    }
    state.scenes.splice(placeOf(state, index, directory), 0, ...fresh);
    for (const scene of fresh) {
      state.nextScene = Math.max(state.nextScene, scene.id + 1);
      change.scene(scene.id);
      change.field("scenes");
    }
    return true;
  },

  sceneSwitched(state, { scene }, change) {
    if (state.scene(scene) === undefined) return false;
    setCurrent(state, scene, change);
    return true;
  },

  sceneCleaned(state, { scene, retainPPT }, change, rec) {
    const place = state.scenes.findIndex((page) => page.id === scene);
    if (place < 0) return false;
    const page = state.scenes[place];
    if (!retainPPT && (page.pptText !== undefined || page.pptStep !== 0)) {
      state.scenes[place] = new Scene(page.id, page.directory, page.name);
      change.field("scenes");
      change.scene(scene);
    }
    cleanScene(state, scene, rec, change);
    return true;
  },

  scenesRemoved(state, { scenes, current, fresh }, change) {
    const removed = new Set(/** @type {number[]} */ (scenes));
    if (removed.size === 0 || ![...removed].every((id) => state.scene(id) !== undefined)) return false;
    const isEmptied = removed.size === state.scenes.length;
    const isMade = fresh !== undefined && fresh !== null;
    if (isMade) {
      if (!isEmptied || current !== fresh || fresh < state.nextScene || fresh >= lastScene) return false;
    } else if (removed.has(current) || state.scene(current) === undefined) {
      return false;
    }
    takeOut(state, removed, change);
    change.field("scenes");
    if (isMade) {
      state.scenes = [new Scene(fresh, "/", "init")];
      state.nextScene = fresh + 1;
    }
    setCurrent(state, current, change);
    return true;
  },

  sceneMoved(state, { scene, directory, name }, change) {
    const place = state.scenes.findIndex((page) => page.id === scene);
    if (place < 0) return false;
    const isTaken = state.scenes.some(
      (page) => page.id !== scene && isSame(page.directory, directory) && isSame(page.name, name));
    if (isTaken) return false;
    const page = state.scenes[place];
    const moved = changed(page, { directory, name });
    const stays = isSame(page.directory, directory);
    if (!stays || !isSame(page.name, name)) change.field("scenes");
    change.scene(scene);
    if (stays) {
      state.scenes[place] = moved;
      return true;
    }
    state.scenes.splice(place, 1);
    const last = state.scenes.map((other) => isSame(other.directory, directory)).lastIndexOf(true);
    state.scenes.splice(last < 0 ? state.scenes.length : last + 1, 0, moved);
    return true;
  },

  pptStepped(state, { scene, step }, change) {
    const place = state.scenes.findIndex((page) => page.id === scene);
    if (place < 0) return false;
    if (state.scenes[place].pptStep !== step) {
      change.field("scenes");
      change.scene(scene);
    }
    state.scenes[place] = changed(state.scenes[place], { step });
    setCurrent(state, scene, change);
    return true;
  },
};

/** Numbers rise from the next one; names differ. @param {RoomState} state */
function areFresh(state, /** @type {Array<{id: number, name: string}>} */ scenes) {
  let least = state.nextScene;
  for (const { id } of scenes) {
    if (id < least || id >= lastScene) return false;
    least = id + 1;
  }
  return new Set(scenes.map((scene) => canonical(scene.name))).size === scenes.length;
}
