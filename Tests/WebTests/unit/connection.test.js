import assert from "node:assert/strict";
import { test } from "node:test";
import { virtualClock } from "../../../Sources/BoardroomServer/Web/Page/core/clock.js";
import { ConnectionMachine, standardPolicy } from "../../../Sources/BoardroomServer/Web/Page/core/connection.js";

const middle = 0.5;

/** A machine that is connected at 0, by link 1. */
function connected(giveUpAfter = 45_000) {
  const machine = new ConnectionMachine(standardPolicy(giveUpAfter));
  machine.join(0);
  machine.opened(1, 0);
  assert.deepEqual(machine.live(1, 0), { do: "connected", isBack: false });
  return machine;
}

/** Turns time until `end`, with sockets that never open; what was answered and when. @param {ConnectionMachine} machine */
function alone(machine, from = 0, end = 1e9) {
  /** @type {Array<[number, string]>} */
  const answers = [];
  for (let now = from; machine.deadline <= end; ) {
    now = Math.max(now, machine.deadline);
    const answer = machine.tick(middle, now);
    if (answer.do !== "nothing") answers.push([now, answer.do]);
    if (answer.do === "open") {
      const lost = machine.lost(answer.link, middle, now);
      if (lost.do === "end") answers.push([now, "end"]);
    }
  }
  return answers;
}

test("a connection counts as lost 4 s after the last byte, not before", () => {
  const machine = connected();
  assert.equal(machine.deadline, 4_000);
  assert.deepEqual(machine.tick(middle, 3_999), { do: "nothing" });
  machine.heard(1, 3_999);
  assert.deepEqual(machine.tick(middle, 7_998), { do: "nothing" });
  assert.deepEqual(machine.tick(middle, 7_999), { do: "outage" });
  assert.equal(machine.phase, "reconnecting");
  assert.equal(machine.silentSince, 3_999);
});

test("an outage is tried at 0.5, 1, 2, 4, 8, 8 … s, tells that it is lost after 10 s, and ends after 45 s", () => {
  const machine = connected();
  const answers = alone(machine);
  assert.deepEqual(answers.slice(0, 5), [
    [4_000, "outage"], [4_500, "open"], [5_500, "open"], [7_500, "open"], [10_000, "lostNotice"],
  ]);
  assert.deepEqual(answers.slice(5), [
    [11_500, "open"], [19_500, "open"], [27_500, "open"], [35_500, "open"], [43_500, "open"], [49_000, "end"],
  ]);
  assert.equal(machine.phase, "disconnected");
  assert.equal(machine.deadline, Infinity);
});

test("with 20 minutes to give up, trying goes on for 20 minutes", () => {
  const answers = alone(connected(20 * 60_000));
  assert.deepEqual(answers[answers.length - 1], [4_000 + 20 * 60_000, "end"]);
  assert.ok(answers.filter(([, what]) => what === "open").length > 140);
});

test("chance spreads the waits by a fifth, so that members do not come back all at once", () => {
  const machine = connected();
  assert.deepEqual([0, 0.5, 1].map((chance) => machine.wait(1, chance)), [800, 1_000, 1_200]);
});

test("TL-25: each outage has its full 45 s", () => {
  const machine = connected();
  machine.lost(1, middle, 1_000);
  const link = /** @type {any} */ (machine.tick(middle, 1_500)).link;
  machine.opened(link, 1_600);
  assert.deepEqual(machine.live(link, 1_700), { do: "connected", isBack: true });
  machine.lost(link, middle, 50_000);
  assert.equal(alone(machine, 50_000).pop()?.[0], 95_000);
});

test("an attempt that is silent for 4 s is given up, and the next one comes", () => {
  const machine = connected();
  machine.lost(1, middle, 0);
  assert.deepEqual(machine.tick(middle, 500), { do: "open", link: 2 });
  machine.opened(2, 600);
  assert.deepEqual(machine.tick(middle, 4_600), { do: "drop" });
  assert.deepEqual(machine.tick(middle, 5_600), { do: "open", link: 3 });
});

test("TL-26: a farewell that does not ask us back is the end, another one is a lost connection", () => {
  const kicked = connected();
  assert.equal(kicked.refused({ code: "kicked", comeBack: false }, 1, middle, 10).do, "end");
  assert.equal(kicked.phase, "disconnected");
  const going = connected();
  assert.deepEqual(going.refused({ code: "goingAway", comeBack: true }, 1, middle, 10), { do: "outage" });
});

test("what an older socket says or does is ignored", () => {
  const machine = connected();
  machine.lost(1, middle, 0);
  machine.tick(middle, 500);
  assert.equal(machine.heard(1, 600), false);
  assert.deepEqual(machine.lost(1, middle, 600), { do: "nothing" });
  assert.deepEqual(machine.refused({ comeBack: false }, 1, middle, 600), { do: "nothing" });
  assert.deepEqual(machine.live(1, 600), { do: "nothing" });
});

test("the first entry is tried again, and ends after its limit", () => {
  const machine = new ConnectionMachine(standardPolicy());
  assert.deepEqual(machine.join(0), { do: "open", link: 1 });
  assert.deepEqual(machine.join(0), { do: "nothing" });
  machine.lost(1, middle, 10);
  assert.deepEqual(alone(machine, 10).filter(([, what]) => what === "end"), [[45_000, "end"]]);
});

test("leaving is immediate while trying, and waits 4 s for the farewell while connected", () => {
  const machine = connected();
  assert.deepEqual(machine.leave(100), { do: "goodbye" });
  assert.equal(machine.phase, "disconnecting");
  assert.deepEqual(machine.tick(middle, 4_100), { do: "end", end: { why: "left" } });
  const trying = connected();
  trying.lost(1, middle, 0);
  assert.deepEqual(trying.leave(100), { do: "end", end: { why: "left" } });
});

test("when there is a network again it is tried at once", () => {
  const machine = connected();
  machine.lost(1, middle, 0);
  assert.deepEqual(machine.networkBack(20), { do: "open", link: 2 });
  assert.deepEqual(connected().networkBack(20), { do: "nothing" });
});

test("a virtual clock runs what is due in its order, and nothing that was called off", () => {
  const clock = virtualClock(100);
  /** @type {string[]} */
  const ran = [];
  clock.after(20, () => ran.push(`second at ${clock.now()}`));
  clock.after(10, () => clock.after(5, () => ran.push(`inner at ${clock.now()}`)));
  clock.after(15, () => ran.push("never"))();
  clock.frame((now) => ran.push(`frame at ${now}`));
  clock.advance(19);
  assert.deepEqual(ran, ["inner at 115", "frame at 116"]);
  clock.advance(1);
  assert.deepEqual(ran.slice(2), ["second at 120"]);
  assert.equal(clock.pending(), 0);
});
