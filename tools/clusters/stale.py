"""Stops nodes of a cluster for 0.1 to 30 s, several at once, and lets them go on: others have their rooms by then, unless it was short. What a
node of that kind does when it wakes must not be in any log, and its members must be the same members elsewhere, with the same counters.

With --crashes the primary is killed as a node wakes, and a standby is promoted.
"""

import argparse
import asyncio
import collections
import contextlib
import math
import sys
import time

from load import FENCED, GONE, Broken, Load, Node, Room, Wanderer, spread
from options import parser, seeded

SHORTEST = 0.1
MARGIN = 1.0
"""Seconds between a stop's end and the moment when members have waited for long enough, so that they are there for certain when the node wakes; and
within which they have heard what it told them."""
FEW = 10
"""Members at fenced nodes, most of whom must have been told goingAway."""
STOPPABLE, LASTING = "cdefgh", "ab"
"""The nodes that are stopped, and those that are there all the time."""


class Lasting(Wanderer):
    """Looks at each welcome: it must go on as the member that it was."""

    pace = 0.1
    is_patient = True

    def __init__(self, index: int, room: Room, nodes: list[Node]) -> None:
        super().__init__(index, room, nodes)
        self.numbers: list[int] = []
        self.farewells: dict[int, str] = {}
        """By the number of the connection."""
        self.is_in = False

    async def one_connection(self) -> None:
        try:
            await super().one_connection()
        except GONE:
            await self.hear_rest()
            raise
        finally:
            self.is_in = False

    async def hear_rest(self) -> None:
        """Who was sending when the connection was closed has not read yet what it was told last."""
        with contextlib.suppress(*GONE):
            while self.socket:
                name, body = self.unpack(await asyncio.wait_for(self.socket.recv(), 1))
                if name == "farewell":
                    self.told(name, body)

    def welcome(self, body: dict) -> None:
        super().welcome(body)
        self.numbers.append(self.member)
        self.is_in = True

    def told(self, name: str, body: dict) -> None:
        super().told(name, body)
        if name == "farewell":
            self.farewells[len(self.numbers)] = body["code"]

    def place_at(self, node: Node) -> int | None:
        """The number of its connection, if that is to this node."""
        return len(self.numbers) if self.is_in and self.url == f"ws://127.0.0.1:{node.port}/v1/rooms" else None


class Stale(Load):
    name = "stale"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed, nodes=LASTING + STOPPABLE[:options.at_once])
        self.lengths: list[float] = []
        self.fenced: list[float] = []
        self.over = 0
        self.owned = 0
        self.sent_off = 0
        """Members that a fenced node told, itself, that they may come back elsewhere."""
        self.cut_off = 0
        """Those that were there as well, and lost their connection without a word."""
        self.crashes = 0

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        self.come_in(Lasting)
        await self.progress("the beginning")
        span = math.log(self.options.longest) - math.log(SHORTEST)
        # Evenly over all orders of size, so that the first and the last are there in each run.
        lengths = [math.exp(math.log(SHORTEST) + span * (number + 0.5) / self.options.stops) for number in range(self.options.stops)]
        self.chance.shuffle(lengths)
        self.due = collections.deque(lengths)
        await asyncio.gather(*(self.torment(node) for node in self.nodes if node.name not in LASTING))
        for _ in range(self.options.crashes):
            await self.crash()

    async def torment(self, node: Node) -> None:
        while self.due:
            length = self.due.popleft()
            await self.until_owner(node)
            await self.stop(node, length)

    async def until_owner(self, node: Node) -> None:
        """The rooms are at the lasting nodes soon: what wakes must have had some."""
        limit = time.monotonic() + 60
        while not await asyncio.to_thread(lambda: node.is_ready):
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"60 s after its stop the node {node.name} is not ready: {node.told()}")
            await asyncio.sleep(0.1)
        # As if somebody had balanced them: one room of another node is given to this one.
        mine = [room for room, (owner, _) in (await asyncio.to_thread(self.owners)).items() if owner == node.name]
        if not mine:
            await self.give(node)

    async def give(self, node: Node) -> None:
        """Makes a room of its own for the node, in which two members write through it and one through a lasting node."""
        index = len(self.members)
        room = Room(f"{self.chance.getrandbits(128):032x}")
        self.rooms.append(room)
        self.checked[room.name] = 1
        others = [other for other in self.nodes if other.name in LASTING]
        for nodes in ([node, *others], [node, *reversed(others)]):
            member = Lasting(index, room, nodes)
            index += 1
            room.members.append(member)
            self.members.append(member)
            self.tasks.insert(0, asyncio.create_task(member.live()))
        limit = time.monotonic() + 20
        while room.acknowledged < 5:
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"nobody comes into a new room at {node.name}")
            await asyncio.sleep(0.05)

    async def stop(self, node: Node, length: float, waking=None) -> None:
        process = node.process
        owned = {room for room, (owner, _) in (await asyncio.to_thread(self.owners)).items() if owner == node.name}
        rooms = [room for room in self.rooms if room.name in owned]
        for room in rooms:
            room.listen()
        there = {member: at for member in self.members if (at := member.place_at(node))}
        node.pause()
        try:
            await asyncio.sleep(length)
            if waking:
                await waking()
        finally:
            node.go_on()
        # Who has heard nothing for long has left it, and hears nothing of it any more.
        waiting = [member for member, at in there.items() if member.place_at(node) == at and length < member.silence - MARGIN]
        # Either it beats again, or it finds out that it is fenced, and ends.
        limit = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < limit:
            if length < 1 and time.monotonic() > limit - 18:
                break
            if not waking and length < 2.2 and time.monotonic() > limit - 16:
                break
            await asyncio.sleep(0.05)
        status = process.poll()
        if status is None and (length > 2.2 or waking):
            raise Broken(f"the node {node.name} was stopped for {length:.1f} s and does not know 20 s later that it is fenced: {node.told()}")
        if status not in (None, FENCED):
            raise Broken(f"the node {node.name} ended with {status} after a stop of {length:.1f} s: {node.told()}")
        self.lengths.append(length)
        self.over += 1
        self.owned += len(rooms)
        silence = max((room.longest for room in rooms), default=0)
        if status is not None:
            self.fenced.append(silence)
            # Somebody may be between two events of its own.
            soon = time.monotonic() + MARGIN
            while (untold := [member.index for member in waiting if member.farewells.get(there[member]) != "goingAway"]) and time.monotonic() < soon:
                await asyncio.sleep(0.02)
            # Not each of them: the system resets a connection of a process that ends with bytes unread, and what the other end had not read may be lost.
            self.cut_off += len(untold)
            self.sent_off += len(waiting) - len(untold)
        self.say(f"{self.over} of {self.options.stops + self.options.crashes}: {node.name} stopped for {length:.1f} s, "
                 f"{'fenced' if status is not None else 'goes on'}, {len(rooms)} rooms, longest silence {silence:.1f} s")

    async def crash(self) -> None:
        """The primary dies as a stale node wakes."""
        node = self.nodes[-1]
        await self.until_owner(node)

        async def waking() -> None:
            await asyncio.to_thread(self.database.primary.kill)
            asyncio.get_running_loop().call_later(0.2, node.go_on)
            done = await asyncio.to_thread(self.database.fail_over)
            self.crashes += 1
            old = next(server for server in self.database.servers if server.name == done.old)
            await asyncio.to_thread(self.database.bring_back, old)

        await self.stop(node, 4, waking)
        await self.progress("a promotion")
        await self.until_ready("a promotion")

    async def compare(self, at_end: bool = False) -> None:
        await super().compare(at_end)
        for member in self.members:
            if len(set(member.numbers)) > 1 or member.sessions > 1:
                raise Broken(f"member {member.index} came back as {member.numbers} with {member.sessions} sessions")

    def outcome(self, seconds: float) -> dict:
        return {"stops": len(self.lengths)} | super().outcome(seconds) | {
            "length of a stop, s": spread(self.lengths), "fenced": len(self.fenced), "rooms owned when stopped": self.owned,
            "told goingAway by fenced nodes": self.sent_off, "cut off by fenced nodes": self.cut_off,
            "longest silence of a room of a fenced node, s": spread(self.fenced), "primaries killed as a node woke": self.crashes,
            "ends of nodes": {str(status): count for status, count in sorted(self.statuses.items())}}

    def judge(self, outcome: dict) -> str | None:
        if not outcome["fenced"] or not outcome["rooms owned when stopped"]:
            return "no node that had rooms was fenced, so nothing was tested"
        if others := {code for code in outcome["told"] if code.startswith("farewell")} - {"farewell goingAway"}:
            firsts = [member.firsts[code] for member in self.members for code in sorted(others) if code in member.firsts]
            return f"members were told more than goingAway: {'; '.join(firsts)}"
        # A stop of 2.2 to 3 s is fenced, and members wait for so long.
        if self.cut_off + self.sent_off >= FEW and self.cut_off > self.sent_off or self.options.stops >= 100 and not self.sent_off:
            return f"of {self.cut_off + self.sent_off} members that were at a fenced node when it woke it told {self.sent_off} goingAway"
        return super().judge(outcome)


def main() -> int:
    options = parser("tools/try-cluster stale", rooms=6, members=24)
    options.add_argument("--stops", type=int, default=100)
    options.add_argument("--longest", type=float, default=30, help="seconds of the longest stop; the shortest is 0.1")
    options.add_argument("--at-once", type=int, default=4, choices=range(1, len(STOPPABLE) + 1), help="nodes that are stopped, beside two that are not")
    options.add_argument("--crashes", type=int, default=0, help="stops more, at whose end the primary is killed")
    options = options.parse_args()
    seed = seeded(options)
    stale = Stale(options, seed)
    stale.say(f"seed {seed}, {options.stops} stops")
    return stale.carry_out()


if __name__ == "__main__":
    sys.exit(main())
