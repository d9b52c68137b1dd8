// A tile painter away from the page's own thread. A slice of 8 ms leaves room for messages: what is wanted
// may have changed meanwhile.

import { TilePainter } from "./tile-painter.js";

const SLICE = 8;
const painter = new TilePainter({
  now: () => performance.now(), answer: (message, transfer = []) => postMessage(message, { transfer }),
});
const turns = new MessageChannel();
let isTurning = false;

function turn() {
  if (isTurning || !painter.isBusy) return;
  isTurning = true;
  turns.port2.postMessage(0);
}

turns.port1.onmessage = () => {
  isTurning = false;
  painter.work(SLICE);
  turn();
};

onmessage = ({ data }) => {
  painter.take(data);
  turn();
};
