"""Breaks a cluster while members write through all of its nodes, and compares what they were told with what the database holds.

What is broken, in an order that the seed gives: nodes are killed, stopped for 0.1 s to --longest and let go on, their connections to the
database are cut; the network between a node and the database, or between two nodes, resets all connections or is silent for a while (partitions.py);
a node ends in order; a standby is killed, or stopped and let go on; the primary is killed, the standby that has received more is
promoted, and the old primary comes back as a standby; a node and the primary are broken at once; the primary is stopped, a standby is promoted, and
the old primary goes on as a primary for a while. Killed is SIGKILL to all processes, stopped is SIGSTOP to all. After each promotion, and at the
end, every receipt, and everything that a member was shown before, must stand in the log as it was told. An endpoint of webhooks must have been told of
everything acknowledged, in order, and an image that was put at one node must be shown by all. No room may be silent for longer than the limits below
after a node or the primary was lost.
"""

import argparse
import asyncio
import base64
import collections
import functools
import json
import math
import os
import signal
import sys
import time
import urllib.error
import urllib.request

import commands
from database import Promotion, Server
from hooks import Endpoint
from load import PATIENCE, Broken, Load, Node, Room, Wanderer, spread
from network import Network, prove_network
from options import parser, seeded
from partitions import OF_NETWORK, Partitions

FAULTS = ("kill", "kill", "stop", "cut", "standby_stop", "standby", "stop", "restart", "drain", "primary", "both", "split", "partition", *OF_NETWORK)
"""Faults in the proportion in which they are drawn. `drain` is no fault: a node ends in order, as for an upgrade. `both` is a node
and the primary at once; `split` is a primary that goes on when another one has been promoted; `restart` is one that a supervisor starts
again before another one is promoted, so that nodes are connected to it."""
PLANTED = {"database": ("primary",), "network": ("drain", "partition_nodes")}
"""What is done where a fault is planted. Members may all be at the owners of their rooms, until a node ends."""
GAPS = ("got revision", "told outOfOrder")
"""What a member says that lacks something which another one was shown, and one whose command was lost on its way."""
OF_NODES = ("kill", "stop", "cut", "drain")
"""Those that can be done where the database is somebody else's."""
PROMOTING = ("primary", "both", "split", "restart")
LOST_NODE, LOST_NODES, FEW = 5.0, 3.0, 10
"""Seconds for which a room may be silent when a node was killed: each time, and in the median of all that had rooms, where there are at least as
many as the third number says. The node is taken for dead after 1.5 s, its rooms are recovered and opened elsewhere, and its members try again, the
later the more often they have tried."""
LOST_PRIMARY = 3.0
"""Seconds for which a room may be silent beyond the promotion, which is the time from the loss of the primary until another server is promoted.
Commits are answered when the other standby has followed that one, and nodes look for it."""
BUSY = 3.0
"""By how much all of that is multiplied in continuous integration, whose machines are up to three times slower, do other things meanwhile, and run
a program that was not built for release. What a silence is made of is mostly work then, and not the 1.5 s."""

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
"""An image in PNG, in base64. Bytes after its end change its name."""


class Torment(Partitions):
    name = "kill-cluster"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        # Somebody else's database has servers of which only one address is known.
        self.network = None if options.data else Network(options.plant == "network")
        self.patience = LOST_NODE * options.slower
        self.endpoint = Endpoint()
        self.more = self.endpoint.settings
        self.images: dict[str, bytes] = {}
        """By their paths, what nodes were given."""
        self.silences: dict[str, list[float]] = collections.defaultdict(list)
        self.losses: list[float] = []
        """Silences of the rooms of nodes that were killed: one of a node that has none says nothing."""
        self.late: list[str] = []
        self.most = math.inf
        self.moved: list[Room] = []
        """The rooms of the node that was killed last."""
        self.before = ""
        self.promotions: list[Promotion] = []
        self.returns: collections.Counter = collections.Counter()

    def plan(self) -> list[str]:
        # With --plant nodes are not ready until another server is the primary.
        possible = PLANTED.get(self.options.plant) or (OF_NODES if self.options.data else FAULTS)
        kinds = self.options.only or [kind for kind in FAULTS if kind in possible]
        whole, rest = divmod(self.options.kills, len(kinds))
        # Fewer than there are kinds: chance leaves out some, and not always the same.
        plan = kinds * whole + self.chance.sample(kinds, rest)
        self.chance.shuffle(plan)
        return plan

    # The run

    def build(self) -> None:
        if self.network:
            prove_network()
        super().build()
        if self.options.plant == "database":
            self.database.ask("alter system set synchronous_standby_names = ''", "select pg_reload_conf()")

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        await asyncio.to_thread(self.ask_for_rooms)
        self.come_in(Wanderer)
        await self.progress("the beginning")
        for number, _ in enumerate(self.rooms):
            await asyncio.to_thread(self.show_images, number)
        for number, kind in enumerate(self.plan(), 1):
            await self.strike(number, kind)

    async def strike(self, number: int, kind: str) -> None:
        await asyncio.sleep(self.chance.uniform(0, 0.6))
        draw = [self.chance.random() for _ in range(4)]
        self.most, self.moved, self.alone = math.inf, [], []
        for room in self.rooms:
            room.listen()
        text = await {"drain": self.ended}.get(kind, getattr(self, kind))(draw)
        if self.options.plant:
            # Before members hear by their counters that the log has lost something.
            await self.compare()
        # Receipts that were on their way are no sign of life.
        await asyncio.sleep(0.3)
        await self.progress(f"fault {number}, {kind}: {text}")
        # Nor is a room that falls silent again before the nodes are all there.
        await self.until_ready(kind)
        longest = max(self.rooms, key=lambda room: room.silence)
        silence = longest.silence
        self.silences[kind].append(silence)
        if kind == "kill" and self.moved:
            self.losses.append(max(room.silence for room in self.moved))
        self.stranded += [room.silence for room in self.alone]
        limit = f" ({self.most:.1f} may be)" if self.most < math.inf else ""
        if silence > self.most:
            self.late.append(f"fault {number}, {text}: {silence:.1f} s{limit}")
        self.say(f"{number} of {self.options.kills}: {text}; longest silence of a room {silence:.1f} s{limit}, "
                 f"{sum(room.acknowledged for room in self.rooms)} acknowledged")
        await self.recover(number, kind)
        self.before = kind

    async def recover(self, number: int, kind: str) -> None:
        """What is away comes back, so that the next fault meets a whole cluster; after a promotion everything is compared."""
        if kind in PROMOTING:
            old = next(server for server in self.database.servers if server.name == self.promotions[-1].old)
            self.returns[await asyncio.to_thread(self.database.bring_back, old)] += 1
            await self.compare()
        await self.until_ready(kind)
        await asyncio.to_thread(self.show_images, number)

    # Images

    def ask_for_rooms(self) -> None:
        """Each node says that there are none. A moment later another one makes them, and all know that (PIPE-4)."""
        for room in self.rooms:
            for node in self.nodes:
                request = urllib.request.Request(f"{node.server}/v5/rooms/{room.name}", headers={"token": self.admin})
                try:
                    urllib.request.urlopen(request, timeout=10).close()
                except urllib.error.HTTPError as failure:
                    if failure.code == 404:
                        continue
                raise Broken(f"the node {node.name} does not say that there is no room {room.name}, which nobody has made")

    @functools.cached_property
    def admin(self) -> str:
        return self.boardroom("token", "sdk", "--role", "admin").strip()

    def show_images(self, number: int) -> None:
        """One more image through one node; all that there are through each."""
        room, node = self.rooms[number % len(self.rooms)].name, self.nodes[number % 3]
        image = base64.b64decode(PIXEL) + number.to_bytes(4, "big")
        request = urllib.request.Request(f"{node.server}/v5/rooms/{room}/images", data=image, headers={"content-type": "image/png", "token": self.admin})
        self.images[json.loads(self.asked(request))["url"]] = image
        for path, known in self.images.items():
            for node in self.nodes:
                if self.asked(urllib.request.Request(node.server + path)) != known:
                    raise Broken(f"node {node.name} shows another image at {path}")

    def asked(self, request: urllib.request.Request) -> bytes:
        """A node that finds out that it was fenced ends, and is started again."""
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return answer.read()
            except (OSError, urllib.error.URLError) as failure:
                if time.monotonic() > limit or isinstance(failure, urllib.error.HTTPError) and failure.code != 503:
                    raise Broken(f"{request.full_url}: {failure}") from None
            commands.pause(0.2)

    # Webhooks

    def finish(self) -> None:
        """Everything acknowledged is told, at the latest a minute after the end."""
        acknowledged = {room.name: {revision for member in room.members for revision in member.receipts.values()} for room in self.rooms}
        limit = time.monotonic() + 60
        while waiting := {name: found for name, all in acknowledged.items() if (found := self.endpoint.untold(name, all))}:
            if time.monotonic() > limit:
                raise Broken("a minute after the end the endpoint was not told of: " + "; ".join(
                    f"{len(found)} events of {name}, from {min(found)} to {max(found)}" for name, found in waiting.items()))
            commands.pause(0.1)
        if self.endpoint.faults:
            raise Broken("; ".join(self.endpoint.faults))
        super().finish()

    def end(self) -> None:
        self.endpoint.end()
        super().end()

    # The faults

    def victim(self, draw: float) -> Node:
        """An owner of rooms, as a rule: what nobody asks for is missed by nobody."""
        rows = self.database.ask("select node from log join incarnation on owner = incarnation.id where state = 0 order by log.id").split()
        owners = [node for name in rows for node in self.nodes if node.name == name] + self.nodes
        return owners[int(draw * len(owners))]

    async def kill(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        away = draw[1] * 4
        owned = {room for room, (owner, _) in (await asyncio.to_thread(self.owners)).items() if owner == node.name}
        self.moved = [room for room in self.rooms if room.name in owned]
        self.restarts[node.name] = time.monotonic() + away
        node.kill()
        self.most = LOST_NODE * self.options.slower
        if self.before == "cut":
            # Who was cut off takes nobody for dead whom it has not seen beat since, before 15 s are over (NODE-1): the node itself may be the first
            # to recover what it left.
            self.most, self.moved = self.most + away, []
        return f"node {node.name} killed, away for {away:.1f} s"

    async def ended(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        return f"node {node.name} drained, ended after {await self.drain(node):.1f} s"

    async def stop(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        length = math.exp(math.log(0.1) + draw[1] * (math.log(self.options.longest) - math.log(0.1)))
        node.pause()
        try:
            # Its rooms go on elsewhere meanwhile; and whatever it does when it goes on, it appends nothing of what was theirs.
            await asyncio.sleep(length)
        finally:
            node.go_on()
        return f"node {node.name} stopped for {length:.1f} s"

    async def cut(self, draw: list[float]) -> str:
        condition = "application_name like 'boardroom incarnation %' and datname = current_database()"
        if draw[0] < 0.5:
            condition += f" and random() < {0.2 + draw[1] * 0.8:.2f}"
        struck = int(await asyncio.to_thread(self.database.ask, f"select count(pg_terminate_backend(pid)) from pg_stat_activity where {condition}"))
        return f"{struck} connections cut"

    async def standby(self, draw: list[float]) -> str:
        standbys = [server for server in self.database.servers if server is not self.database.primary]
        server = standbys[int(draw[0] * 2)]
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(draw[1] * 3)
        await self.progress(f"the loss of standby {server.name}, while it is away")
        await asyncio.to_thread(self.database.start, server)
        # A promotion asks both.
        await asyncio.to_thread(self.database.wait_for, server)
        return f"standby {server.name} killed, away for {draw[1] * 3:.1f} s"

    async def standby_stop(self, draw: list[float]) -> str:
        """Until the primary has given it up, after `wal_sender_timeout`, or shorter: either way the other one answers."""
        standbys = [server for server in self.database.servers if server is not self.database.primary]
        server, length = standbys[int(draw[0] * 2)], draw[1] * 8
        await asyncio.to_thread(server.signal, signal.SIGSTOP)
        try:
            await asyncio.sleep(length)
            await self.progress(f"the stop of standby {server.name}, while it stands still")
        finally:
            server.signal(signal.SIGCONT)
        await asyncio.to_thread(self.database.wait_for, server)
        return f"standby {server.name} stopped for {length:.1f} s"

    async def primary(self, _: list[float]) -> str:
        await self.before_promotion()
        lost = time.monotonic()
        await asyncio.to_thread(self.database.primary.kill)
        return "primary killed, " + await self.promote(lost)

    async def before_promotion(self) -> None:
        """With --plant database the standbys lack the last half second, which members were acknowledged."""
        if self.options.plant == "database":
            for server in self.database.servers:
                if server is not self.database.primary:
                    await asyncio.to_thread(self.database.follow, server, None)
            await asyncio.sleep(0.5)

    async def promote(self, lost: float) -> str:
        done = await asyncio.to_thread(self.database.fail_over)
        self.promotions.append(done)
        self.most = done.at - lost + LOST_PRIMARY * self.options.slower
        return f"{done.new} promoted in place of {done.old} after {done.seconds} s, received {done.received}"

    async def both(self, draw: list[float]) -> str:
        """The rooms of a node are given to others by those that the database answers: both losses follow one another. That takes 5 s because the node is
        started again before: others have not seen it beat since they found the new primary, and wait for 15 s (NODE-1)."""
        node = await asyncio.to_thread(self.victim, draw[0])
        self.restarts[node.name] = time.monotonic() + draw[1] * 4
        more = LOST_NODE * self.options.slower
        if draw[2] < 0.7:
            is_first = draw[2] < 0.35
            if is_first:
                node.kill()
            text = await self.primary(draw)
            if not is_first:
                node.kill()
            self.most += more
            return f"node {node.name} killed, {text}" if is_first else f"{text}, node {node.name} killed"
        node.pause()
        try:
            await asyncio.sleep(draw[1] * 3)
            text = await self.primary(draw)
        finally:
            node.go_on()
        self.most += draw[1] * 3 + more
        return f"node {node.name} stopped for {draw[1] * 3:.1f} s, {text}, and it goes on"

    async def split(self, draw: list[float]) -> str:
        old, lost = self.database.primary, time.monotonic()
        old.signal(signal.SIGSTOP)
        try:
            text = await self.promote(lost)
        finally:
            old.signal(signal.SIGCONT)
        return f"primary stopped, {text}; " + await self.two_primaries(old, draw)

    async def restart(self, draw: list[float]) -> str:
        old, lost = self.database.primary, time.monotonic()
        await asyncio.to_thread(old.kill)
        for server in self.database.servers:
            if server is not old:
                await asyncio.to_thread(self.database.follow, server, None)
        await asyncio.to_thread(self.database.start, old)
        # Nodes connect to it, and wait for a standby that does not come.
        alone = draw[1] * 8
        await asyncio.sleep(alone)
        return f"primary killed and started again, alone for {alone:.1f} s, {await self.promote(lost)}; " + await self.two_primaries(old, draw)

    async def two_primaries(self, old: Server, draw: list[float]) -> str:
        """The old one has no standby and may acknowledge nothing; rooms go on with the new one."""
        await asyncio.sleep(0.5 + draw[0] * 3.5)
        await self.progress("a promotion, while the old primary goes on")
        await asyncio.to_thread(old.kill)
        return f"the old one went on for {0.5 + draw[0] * 3.5:.1f} s and longer, until all rooms did"

    # The outcome

    def outcome(self, seconds: float) -> dict:
        return {"kills": self.options.kills} | super().outcome(seconds) | {
            "told to webhooks": self.endpoint.count, "told again": self.endpoint.again, "images": len(self.images),
            "silence": {kind: spread(values) for kind, values in sorted(self.silences.items())},
            "silence of rooms of killed nodes": spread(self.losses), "silence of rooms whose members were all at a silent node": spread(self.stranded), "limits times": self.options.slower, "silent for too long": self.late,
            "network": self.silent | (self.network.carried if self.network else {}),
            "promotions": len(self.promotions), "slowest promotion": max((done.seconds for done in self.promotions), default=0),
            "old primaries": dict(self.returns), "ends of nodes": {str(status): count for status, count in sorted(self.statuses.items())}}

    def judge(self, outcome: dict) -> str | None:
        if self.options.plant:
            return None
        if not outcome["acknowledged"] or not outcome["resumes"]:
            return "nothing was acknowledged or resumed, so nothing was tested"
        if self.late:
            return f"{len(self.late)} times a room was silent for too long: {'; '.join(self.late)}"
        median, limit = outcome["silence of rooms of killed nodes"].get("p50", 0), LOST_NODES * self.options.slower
        if len(self.losses) >= FEW and median > limit:
            return f"rooms of killed nodes were silent for {median:.1f} s in the median; {limit:g} may be"
        return None

    def verdict(self, failed: str | None) -> str | None:
        """With --plant a run has failed that did not find what was lost."""
        if not self.options.plant:
            return super().verdict(failed)
        if self.reckoning.missing or self.options.plant == "network" and any(text in (failed or "") for text in GAPS):
            self.say(f"what was planted was found: {failed}")
            return None
        return failed or "what was planted was not found"


def main() -> int:
    options = parser("tools/kill-cluster", rooms=6, members=18)
    options.add_argument("--kills", type=int, default=12, help="faults")
    options.add_argument("--only", nargs="+", choices=sorted(set(FAULTS)), help="some kinds of faults")
    options.add_argument("--longest", type=float, default=30, help="seconds that a node is stopped at most; 0.1 at least")
    options.add_argument("--slower", type=float, default=BUSY if "BOARDROOM_CI_BEGAN" in os.environ else 1, metavar="FACTOR",
                         help=f"by how much rooms may be silent for longer than on a machine of its own; in continuous integration {BUSY:g}")
    options.add_argument("--data", metavar="ADDRESS", help="an empty database that is there already, postgresql://…: nodes are broken, and connections "
                         "cut; its servers are yours to break")
    options.add_argument("--plant", nargs="?", const="database", choices=sorted(PLANTED),
                         help="database: commits wait for no standby, so that promotions lose what was acknowledged; network: what was held between two "
                         "nodes that were silent is thrown away. The run must find it, and ends with 1 if it does not")
    options.refuses = lambda given: given.data and (given.plant or set(given.only or ()) - set(OF_NODES)) and (
        f"--data takes only faults of nodes: {', '.join(OF_NODES)}")
    options = options.parse_args()
    seed = seeded(options)
    torment = Torment(options, seed)
    torment.say(f"seed {seed}, {options.kills} faults")
    return torment.carry_out()


if __name__ == "__main__":
    sys.exit(main())
