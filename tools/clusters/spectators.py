"""Spectators of one room at all nodes of a cluster (SPECT-1 to SPECT-6): what they are shown is compared with the log, also when the owner of the
room is killed, and what they cost: of the node that owns the room, and of those at which they are.
"""

import argparse
import asyncio
import sys
import time
import urllib.request

from costs import used
from load import Broken, Load, Node, Room, Wanderer, spread
from options import parser, seeded

FIRST = 2**52
"""Members have numbers below it."""
SECONDS = 6


class Writer(Wanderer):
    pace = 0.01


class Spectator(Wanderer):
    """One that must never be a member."""

    token_of_readers = ""

    def __init__(self, index: int, room: Room, nodes: list[Node]) -> None:
        super().__init__(index, room, nodes)
        self.window, self.token, self.says = 0, self.token_of_readers, {"acceptsSpectating": True}
        self.deliveries = 0

    def welcome(self, body: dict) -> None:
        if body["member"] < FIRST:
            raise Broken(f"spectator {self.index} became member {body['member']} at {self.url}")
        super().welcome(body)

    def run(self, records: list[dict]) -> None:
        self.deliveries += 1
        super().run(records)


class Spectating(Load):
    name = "spectators"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.more = ["--set", "spectators.above=1"]
        self.rows: list[dict] = []
        self.after_kill = 0.0

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        room, owner = self.rooms[0], self.nodes[0]
        # All of it by the room's owner: whoever comes first makes it.
        self.add(Writer(0, room, self.nodes))
        await self.progress("the beginning")
        Spectator.token_of_readers = (await asyncio.to_thread(
            self.boardroom, "token", "room", room.name, "--role", "reader", "--lifespan", "1h")).strip()
        await asyncio.sleep(1.5)
        await self.measure("no spectator")
        first = len(self.members)
        for number in range(self.options.spectators):
            # None at the owner: it has nothing to do for them but to answer the other nodes.
            self.add(Spectator(first + number, room, self.nodes[1 + number % 2:] + self.nodes[:1 + number % 2]))
        spectators = self.members[first:]
        await self.until(lambda: all(one.shown for one in spectators), "all spectators are shown something")
        await asyncio.sleep(2)
        await self.measure(f"{len(spectators)} spectators at two other nodes")
        counts = {node.name: int(self.figure(node, "boardroom_spectators")) for node in self.nodes}
        pipes = sum(self.figure(node, "boardroom_pipes_open") for node in self.nodes)
        if counts[owner.name] or sum(counts.values()) != len(spectators) or pipes:
            raise Broken(f"there are spectators at {counts} and {pipes:.0f} pipes; all must be at the two that do not own the room")
        self.say(f"spectators at {counts}, no pipe")
        connections = [one.sessions + one.resumes for one in spectators]
        known, began = room.acknowledged, time.monotonic()
        owner.process.kill()
        # Some receipts may have been on their way.
        await self.until(lambda: room.acknowledged >= known + 50, "the room goes on after its owner was killed", 30)
        last = max(self.members[0].receipts.values())
        await self.until(lambda: all(max(one.shown) >= last for one in spectators), "all spectators see that it goes on")
        self.after_kill = time.monotonic() - began
        await asyncio.sleep(3)
        again = sum(one.sessions + one.resumes for one in spectators) - sum(connections)
        if again:
            raise Broken(f"{again} times a spectator had to come again, although the node at which it was is well")

    def add(self, member: Wanderer) -> None:
        member.place.members.append(member)
        self.members.append(member)
        attending = self.tasks.pop() if self.tasks else asyncio.create_task(self.attend())
        self.tasks += [asyncio.create_task(member.live()), attending]

    def figure(self, node: Node, name: str) -> float:
        with urllib.request.urlopen(f"{node.server}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        return float(next(line.split()[-1] for line in text.splitlines() if line.startswith(name + " ")))

    async def measure(self, what: str) -> None:
        spectators = [one for one in self.members if isinstance(one, Spectator)]
        before = [used(node.process.pid) for node in self.nodes]
        runs, events, began = sum(one.deliveries for one in spectators), len(self.members[0].receipts), time.monotonic()
        await asyncio.sleep(SECONDS)
        self.look()
        seconds = time.monotonic() - began
        cpu = [after - first for after, first in zip((used(node.process.pid) for node in self.nodes), before, strict=True)]
        row = {"what": what, "events a second": round((len(self.members[0].receipts) - events) / seconds),
               "runs to spectators a second": round((sum(one.deliveries for one in spectators) - runs) / seconds),
               "owner, % of a core": round(cpu[0] / seconds * 100, 1), "the others": [round(one / seconds * 100, 1) for one in cpu[1:]]}
        self.rows.append(row)
        self.say(", ".join(f"{name} {value}" if name != "what" else value for name, value in row.items()))

    async def stop_writing(self) -> None:
        """Spectators first hear what was written last."""
        self.members[0].stop = True
        await self.until(lambda: not self.members[0].pending, "the last event is acknowledged", 20)
        last = max(self.members[0].receipts.values())
        await self.until(lambda: all(max(one.shown) >= last for one in self.members[1:]), "spectators are shown the last event", 20)
        for one in self.members:
            one.stop = True

    def outcome(self, seconds: float) -> dict:
        return super().outcome(seconds) | {"rows": self.rows, "seconds until all go on after a kill": round(self.after_kill, 1),
                                           "longest silence of the room, s": spread([self.rooms[0].longest])}


def main() -> int:
    options = parser("tools/try-cluster spectators", rooms=1, members=0)
    options.add_argument("--spectators", type=int, default=200)
    options = options.parse_args()
    return Spectating(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
