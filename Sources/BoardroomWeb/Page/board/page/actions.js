// What buttons do, by their `data-do`.
import { t } from "../../ui/i18n.js";
import { hasHandUp } from "../../ui/people.js";
import { showWhoMade } from "./who-made.js";

/**
 * @param {App} app
 * @returns {Record<string, (() => void) | undefined>}
 */
export const actionsOf = (app) => ({
  ...viewActions(app),
  ...editActions(app),
  ...roomActions(app),
  ...dialogActions(app),
  ...app.options.actions,
});

/** @param {App} app */
function viewActions({ board }) {
  const zoom = (/** @type {1 | -1} */ by) => board.moveView(() => board.view.zoomStep(by));
  return {
    zoomIn: () => zoom(1),
    zoomOut: () => zoom(-1),
    zoomFull: () => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 })),
    fit: () => board.fit(),
  };
}

/** @param {App} app */
const editActions = ({ board }) => ({
  undo: () => board.undo(),
  redo: () => board.redo(),
  front: () => board.reorder("front"),
  back: () => board.reorder("back"),
  copy: () => board.duplicate(),
  lock: () => board.lock(true),
  unlock: () => board.lock(false),
  remove: () => board.remove(),
});

/** @param {App} app */
function roomActions(app) {
  const { follow, pages, session } = app;
  return {
    hand: () => app.send("handRaised", { raised: !hasHandUp(app.me) }),
    present: () => (follow.mode === "broadcaster" ? follow.setMode("freedom") : pages.present()),
    follow: () => follow.setMode(follow.mode === "freedom" ? "follower" : "freedom"),
    bring: () => pages.bringEverybody(),
    rejoin: () => pages.lookAt(session.state.currentScene),
    write: () => app.send("memberWritable", { writable: true }),
    now: () => app.resume(),
    again: () => app.join().catch(() => {}),
    lockBoard: () => app.send("roomLocked", { locked: session.state.lock === undefined }),
  };
}

/** @param {App} app */
function dialogActions(app) {
  const { dialogs } = app;
  /** The page that is shown when it is asked, also if somebody turns to another one meanwhile. */
  const clear = () => {
    const { scene } = app.board;
    const clean = () => app.send("sceneCleaned", { scene, retainPPT: true });
    dialogs.confirm(t("members.clearAsk"), t("members.clear"), clean);
  };
  return {
    clear,
    share: () => dialogs.share(),
    export: () => app.exports.ask(),
    openFile: () => app.files.choose(),
    copyPNG: () => void app.clipboard.copyAs("png"),
    copySVG: () => void app.clipboard.copyAs("svg"),
    image: () => dialogs.image(),
    help: () => dialogs.help(),
    whoMade: () => void showWhoMade(app, app.board.selection[app.board.selection.length - 1]),
  };
}
