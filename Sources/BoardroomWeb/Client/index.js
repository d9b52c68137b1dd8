// boardroom-client: what a program imports.

/**
 * @typedef {import("./types.js").JoinOptions} JoinOptions
 * @typedef {import("./types.js").TokenProvider} TokenProvider
 * @typedef {import("./types.js").TokenRequest} TokenRequest
 * @typedef {import("./types.js").CommandOptions} CommandOptions
 * @typedef {import("./types.js").Receipt} Receipt
 * @typedef {import("./types.js").RoomPhase} RoomPhase
 * @typedef {import("./types.js").RoomEvents} RoomEvents
 * @typedef {import("./types.js").RoomErrorCode} RoomErrorCode
 * @typedef {import("./types.js").Attempt} Attempt
 * @typedef {import("./types.js").Closed} Closed
 * @typedef {import("./types.js").LogEvent} LogEvent
 * @typedef {import("./types.js").MagixEvent} MagixEvent
 * @typedef {import("./types.js").Member} Member
 * @typedef {import("./types.js").Pointer} Pointer
 * @typedef {import("./types.js").Camera} Camera
 * @typedef {import("./types.js").ViewMode} ViewMode
 * @typedef {import("./types.js").Scene} Scene
 * @typedef {import("./types.js").NewScene} NewScene
 * @typedef {import("./types.js").BoardElement} BoardElement
 * @typedef {import("./types.js").ShapeElement} ShapeElement
 * @typedef {import("./types.js").StrokeElement} StrokeElement
 * @typedef {import("./types.js").NewElement} NewElement
 * @typedef {import("./types.js").ElementChange} ElementChange
 * @typedef {import("./types.js").ElementType} ElementType
 * @typedef {import("./types.js").ElementStyle} ElementStyle
 * @typedef {import("./types.js").Colour} Colour
 * @typedef {import("./types.js").Pen} Pen
 * @typedef {import("./types.js").StrokePoint} StrokePoint
 * @typedef {import("./types.js").MountElement} MountElement
 * @typedef {import("./types.js").MountBoardOptions} MountBoardOptions
 * @typedef {import("./types.js").MountedBoard} MountedBoard
 * @typedef {import("./types.js").MountPlayerOptions} MountPlayerOptions
 * @typedef {import("./types.js").MountedPlayer} MountedPlayer
 * @typedef {import("./types.js").Moment} Moment
 * @typedef {import("./types.js").Theme} Theme
 * @typedef {import("./room.js").Room} Room
 */

export { RoomError } from "./errors.js";
export { joinRoom } from "./join.js";
export { mountBoard, mountPlayer } from "./mount.js";
export { version } from "./version.js";
