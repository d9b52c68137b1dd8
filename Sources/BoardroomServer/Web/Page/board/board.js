// The board: canvases, hands, and what the others do, in one element of a page. It paints a source, and only when
// something changed. This is the whole of what pages and the player need from it:
//
//   const board = new Board({ root, source, session, clock, theme })
//     root      an element; the board fills it (it gets `position: relative` if it has no position)
//     source    {scene, elements(scene), element(id), onChanged(fn), ppt?(scene)}: Overlay, or a replay's
//     session   {member, writable, send(name, body)}; none: the board is looked at, never touched (the player)
//     clock     core/clock.js
//     theme     "light" or "dark"; a scene is the same, dark shows its colours with their lightness turned round
//
//   board.tool     read, set: one of TOOLS (board/tools/index.js): select hand pen highlighter eraser laser text note
//                  straight arrow rectangle ellipse triangle rhombus pentagram speechBalloon
//   board.style    read; set merges: {colour, fill (null: none), width, opacity, strokeType, rounded, textColor,
//                  size, bold, italic, underline, lineThrough, align}. What is selected takes on what is set
//   board.selection  read: ids, in drawing order; set: an iterable of ids
//   board.view     core/view.js: {x, y, scale, set(), zoomStep(±1), zoomTo(), cameraFor(box), body}
//   board.theme    read, set
//   board.hasDots  read, set: dots on the paper (true)
//   board.usesPen  read, set: a pen was seen, so that touches only move the paper (palm rejection)
//   board.presence board/presence.js: set(members), for cursors, lasers and hands
//
//   board.onTool = (name) => …      board.onStyle = (style) => …      board.onSelection = (ids) => …
//   board.onView = (view, byHand) => …   byHand: this member's own hands moved it (a follower becomes free)
//   board.onEdit = (isEditing) => …      a text is being written
//   board.onRefused = (refusal) => …     a command of the board was refused; it is rolled back already
//
//   board.remove() duplicate() order("front" | "forward" | "backward" | "back") lock(isLocked) nudge(x, y) turn(degrees)
//   selectAll() selectNext(±1) edit(id) undo() redo() cancel()       undo and redo are the commands of the protocol
//   board.putImage({src, width, height}, at?) → id, at once; without src a frame waits; board.setImage(id, src) fills it
//   board.fit() glide(camera) box(id) content(scene) → Box | undefined
//   board.picture(box?, scale?) → Promise<Blob> PNG of the scene, white ground; board.preview(canvas, scene) draws small
//   board.key(event) → true if it was one of the board's own keys (tools' letters, delete, arrows, mod+D, +A, +Z …)
//   board.close()

export class Board {}
