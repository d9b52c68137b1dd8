"""Two nodes of a cluster do not hear each other, and the database hears both: nobody is dead, and no room moves. Measures what that is for members
whose pipe leads from the one to the other, for requests that the one passes on to the other, and for what spaces at the two ask each other.

Nodes do not ask each other whether they are there (ADR 0052), so that a silent pipe is noticed by the member, after `suspect`.
"""

import argparse
import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect

from load import GONE, Broken, Node, Room, Wanderer, spread
from network import Network
from options import parser, seeded
from outage import asked
from timelines import Timelines

OWNER, MIDDLE, OTHER = "a", "b", "c"
"""The node that has all, that at which members are whose pipe is silent, and one that hears both."""
MOST = 9.0
"""Seconds of silence for a member that knows several nodes: docs/CLUSTER.md, How clients find the nodes."""
PATIENT = 150.0
"""Seconds that a request may take here: a reading one that is passed on is tried twice, for 60 s each."""


class Hearer(Wanderer):
    """Says nothing, and notes when it was told something."""

    def __init__(self, index: int, room: Room, nodes: list[Node], silence: float) -> None:
        super().__init__(index, room, nodes)
        self.window, self.silence = 0, silence
        self.heard: list[tuple[float, str]] = []

    def unpack(self, message) -> tuple[str, dict]:
        name, body = super().unpack(message)
        self.heard.append((time.monotonic(), name))
        return name, body

    def told(self, name: str, body: dict) -> None:
        if body["code"] != "networkLost":
            super().told(name, body)
            return
        # For longer than the grace: somebody else comes in.
        self.session = None

    def since(self, began: float, name: str) -> float | None:
        """The seconds until it was first told something of that kind."""
        return next((at - began for at, heard in self.heard if heard == name and at >= began), None)

    def gap(self, began: float, ended: float) -> float:
        """The longest time for which it was shown no event, in seconds."""
        times = [at for at, name in self.heard if name == "run" and began < at < ended] + [ended]
        return max(later - earlier for earlier, later in zip([began, *times], times, strict=False))


class Apart(Timelines):
    name = "apart"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.network = Network()
        self.rows: list[dict] = []

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        self.token = (await asyncio.to_thread(self.boardroom, "token", "sdk", "--role", "admin")).strip()
        # Who writes is at the owner, and never hears of it.
        self.take_in(lambda index, room, _: Wanderer(index, room, [self.node(OWNER)]), range(len(self.rooms)))
        await self.progress("the beginning")
        there, back = (OWNER, MIDDLE), (MIDDLE, OWNER)
        for number, (ways, length, breaks) in enumerate([
                ((there, back), self.options.length, True), ((there,), self.options.length, False), ((back,), self.options.length, False),
                ((there, back), self.options.short, False), ((there, back), self.options.short, True)]):
            await self.separate(number, ways, length, breaks)

    async def separate(self, number: int, ways: tuple[tuple[str, str], ...], length: float, breaks: bool) -> None:
        account, hall = f"anna-{number}", f"hall-{number}"
        await self.owned(MIDDLE, account=account)
        login = await self.client("rtm", account, at=MIDDLE)
        await self.owned(OWNER, channel=("rtm", hall))
        before = await asyncio.to_thread(self.owners)
        groups, tasks = self.hearers()
        everybody = [one for group in groups.values() for one in group]
        try:
            await self.until(lambda: all(one.since(0, "run") for one in everybody), "all members are shown something")
            began = time.monotonic()
            await asyncio.to_thread(self.network.silence, *ways)
            asking = [asyncio.create_task(self.reads()), asyncio.create_task(self.asks(account, hall))]
            try:
                while time.monotonic() < began + length:
                    await asyncio.sleep(0.1)
                    self.look()
                    self.failed(tasks)
            finally:
                self.network.go_on(breaks)
            over = time.monotonic()
            await self.until(lambda: all(one.since(over, "run") for one in everybody), "all members are shown something again", 30)
            ended = time.monotonic()
            read, question = await asyncio.wait_for(asyncio.gather(*asking), PATIENT)
            after = await asyncio.to_thread(self.owners)
            if moved := [room.name for room in self.rooms if before[room.name] != after.get(room.name)]:
                raise Broken(f"{len(moved)} rooms have moved, although both nodes have the database")
        finally:
            # Until Python 3.12 a wait with a limit may swallow that it is cancelled.
            while waiting := [task for task in tasks if not task.done()]:
                for task in waiting:
                    task.cancel()
                await asyncio.wait(waiting, timeout=1)
            await login.vanish()
        which = "both ways" if len(ways) == 2 else "from the owner" if ways[0][0] == OWNER else "to the owner"
        row = {"silent": which, "for, s": length, "then": "reset" if breaks else "all arrives"}
        row |= {f"{name}: no event for, s": spread([one.gap(began, ended) for one in group]) for name, group in groups.items()}
        told = [after for one in groups["waits"] if (after := one.since(began, "farewell")) is not None and began + after < ended]
        row |= {"waits: farewell after, s": spread(told), "a read over HTTP": read, "a question": question}
        self.rows.append(row)
        self.say(json.dumps(row))

    def hearers(self) -> tuple[dict[str, list[Hearer]], list[asyncio.Task]]:
        """Of each room: members that know all nodes, that know one, and that wait for as long as it takes. All come to the same node first."""
        groups: dict[str, list[Hearer]] = {"several nodes": [], "one node": [], "waits": []}
        middle, others = self.node(MIDDLE), [self.node(OWNER), self.node(OTHER)]
        for room in self.rooms:
            for nodes, name, silence in [([middle, *others], "several nodes", 4), ([middle, *others[::-1]], "several nodes", 4),
                                         ([middle], "one node", 4), ([middle], "waits", PATIENT)]:
                one = Hearer(len(self.members) + sum(map(len, groups.values())), room, nodes, silence)
                groups[name].append(one)
                room.members.append(one)
        return groups, [asyncio.create_task(one.live()) for group in groups.values() for one in group]

    async def reads(self) -> str:
        """One request about a room, to the node that passes it on."""
        await asyncio.sleep(0.2)
        status, code, seconds = await asyncio.to_thread(asked, self.node(MIDDLE), f"/v5/rooms/{self.rooms[0].name}/members", self.token, PATIENT)
        return f"{status} {code}".strip() + f" after {seconds:.1f} s"

    async def asks(self, account: str, channel: str) -> str:
        """Somebody comes into a channel, whose owner asks the owner of the account."""
        await asyncio.sleep(0.2)
        began, said = time.monotonic(), "nothing"
        try:
            async with connect(f"ws://127.0.0.1:{self.node(OWNER).port}/v1/rooms", subprotocols=["boardroom.json.v1"], compression=None,
                               open_timeout=2, close_timeout=0.2, ping_interval=None) as socket:
                await socket.send(json.dumps({"m": "hello", "service": "rtm", "account": account, "channel": channel, "token": self.token, "client": "apart/1"}))
                body = json.loads(await asyncio.wait_for(socket.recv(), PATIENT))
                said = f"{body['m']} {body.get('code', '')}".strip()
        except GONE as failure:
            said = f"lost ({type(failure).__name__})"
        return f"{said} after {time.monotonic() - began:.1f} s"

    def outcome(self, seconds: float) -> dict:
        kept = super().outcome(seconds)
        for name in ("told in time", "later than due, s"):
            kept.pop(name)
        return kept | {"rows": self.rows}

    def judge(self, outcome: dict) -> str | None:
        late = [row for row in self.rows if row["several nodes: no event for, s"].get("max", 0) > MOST]
        if late:
            return f"members that know several nodes were shown nothing for more than {MOST:g} s: {late}"
        return None if self.rows else "nothing was measured"


def main() -> int:
    options = parser("tools/try-cluster apart", rooms=2, members=0)
    options.add_argument("--length", type=float, default=25, help="seconds for which two nodes do not hear each other, three times")
    options.add_argument("--short", type=float, default=6, help="seconds of two more times")
    options = options.parse_args()
    return Apart(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
