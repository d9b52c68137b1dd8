// A WebSocket for a Node that has none: loaded before a program.
import { TestSocket } from "./socket.js";

/** @type {any} */ (globalThis).WebSocket ??= TestSocket;
