// Tile painters in a thread of their own. Slices of 8 ms leave room for messages: what is wanted may
// change.
import { PainterGroup } from "./painter-group.js";

const { port1, port2 } = new MessageChannel();

/** @type {(() => void)[]} */
const turns = [];

port1.onmessage = () => turns.shift()?.();

const painters = new PainterGroup({
  slice: 8,
  now: () => performance.now(),
  answer: (message, transfer) => postMessage(message, { transfer }),
  later: (turn) => {
    turns.push(turn);
    port2.postMessage(0);
  },
});

self.onmessage = ({ data }) => painters.handleMessage(data);
