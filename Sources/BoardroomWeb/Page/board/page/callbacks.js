// Callbacks of the session: those of the page first, then those of the site around it.
import { body } from "../../protocol/records.js";
import { t } from "../../ui/i18n.js";

/** @typedef {Record<string, (...said: any[]) => void>} Callbacks */

/**
 * @param {App} app
 * @returns {RoomCallbacks}
 */
export function callbacksOf(app) {
  /** @type {Record<string, any>} */
  const given = app.options.callbacks ?? {};
  const callbacks = { ...given };
  for (const [name, hear] of Object.entries(pageCallbacks(app))) {
    callbacks[name] = (/** @type {any[]} */ ...said) => {
      hear(...said);
      given[name]?.(...said);
    };
  }
  return callbacks;
}

/**
 * @param {App} app
 * @returns {Callbacks}
 */
const pageCallbacks = (app) => ({ ...stayCallbacks(app), ...stateCallbacks(app) });

/**
 * @param {App} app
 * @returns {Callbacks} of how the stay in the room begins, goes on and ends
 */
function stayCallbacks(app) {
  const { banner, options } = app;
  return {
    firePhaseChanged(phase) {
      banner.show(phase, phase === "connected" ? null : undefined);
      if (phase === "connected") app.restrictTool();
      if (phase === "disconnected") app.visitorTab?.leave();
      app.update();
    },
    attempting() {
      banner.render();
      app.toolbar.update();
    },
    fireKickedWithReason: (kick) => app.showEnd({ code: "kicked", kick }),
    fireDisconnectWithError: (refusal) => app.showEnd(refusal),
    hosting(token) {
      app.rest.token = token;
      options.token = token;
      options.onHosting?.(token);
    },
  };
}

/**
 * @param {App} app
 * @returns {Callbacks} of what is done in the room, and what this member may do
 */
function stateCallbacks(app) {
  const { banner, bars, board } = app;
  return {
    fireBeingAbleToCommitChange(isAble) {
      if (isAble && board.tool === "hand") board.tool = "pen";
      if (isAble) app.dialogs.removeEmptyFrames();
      app.restrictTool();
      app.pages.render();
      app.update();
    },
    fireCatchErrorWhenAppendFrame(member) {
      const name = app.authorOf(member ?? -1);
      banner.addNote(t("note.misfit", { name }), true);
    },
    fireCanUndoStepsUpdate(steps) {
      bars.undo.disabled = steps === 0;
    },
    fireCanRedoStepsUpdate(steps) {
      bars.redo.disabled = steps === 0;
    },
    changed(change, rec) {
      app.changed(change);
      if (rec) app.features.show(rec);
      if (rec && rec.by !== app.session.member) announce(app, rec);
    },
  };
}

/**
 * @param {App} app
 * @param {Record_} rec
 * @returns whether it happened on the page that this member looks at
 */
function isHere({ session }, rec) {
  const { scene, element } = body(rec) ?? {};
  return (scene ?? session.state.element(element)?.scene) === session.scene;
}

/**
 * Announces what another member did, for people who do not see.
 * @param {App} app
 * @param {Record_} rec
 */
function announce(app, rec) {
  const { voice, banner, session } = app;
  const name = app.authorOf(rec.by ?? -1);
  if (rec.name === "memberJoined") voice.announce(t("says.joined", { name }));
  const isTurned = session.scene === session.state.currentScene;
  if (rec.name === "sceneSwitched" && isTurned) voice.announce(t("says.turned", { name }), "page");
  if (rec.name === "elementPut") {
    const { type } = body(rec) ?? {};
    const thing = t(`thing.${type}`);
    if (type && isHere(app, rec)) voice.announce(t("says.added", { name, thing }), `added ${name}`);
  }
  const text = app.features.announcement(rec, name);
  if (text && isHere(app, rec)) voice.announce(text, `${rec.name} ${name}`);
  if (rec.name === "handRaised" && body(rec)?.raised === true) {
    banner.addNote(t("says.hand", { name }), false, "raise");
  }
}
