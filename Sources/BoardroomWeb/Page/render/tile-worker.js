// A tile painter in a thread of its own. Slices of 8 ms leave room for messages: what is wanted may
// change.
import { TilePainter } from "./tile-painter.js";

const { port1, port2 } = new MessageChannel();

const painter = new TilePainter({
  slice: 8,
  now: () => performance.now(),
  answer: (message, transfer) => postMessage(message, { transfer }),
  later: (turn) => {
    port1.onmessage = turn;
    port2.postMessage(0);
  },
});

self.onmessage = ({ data }) => painter.handleMessage(data);
