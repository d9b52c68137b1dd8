"""What an operator does to a cluster, and what befalls it: each act of docs/CLUSTER.md, carried out while members write, and checked."""

import argparse
import asyncio
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace

from database import NAME, USER, DatabaseFailure, free_ports
from load import PATIENCE, SETTINGS, Broken, Node, NodeFailure, Room, Wanderer, parser, seeded
from nodes import make_tables
from outage import Outage, Patient

ACTS = ("start", "add", "lose", "drain", "upgrade", "back up", "restore", "lost standby", "lost primary", "lost database", "end")
LONGEST = {"lose": 5.0, "drain": 2.0, "upgrade": 2.0}
"""Seconds for which a room may stand still in an act. What is measured on a quiet machine is in docs/CLUSTER.md."""


@dataclass
class Act:
    name: str
    seconds: float = 0
    is_well: bool = False
    what: str = ""


class Returning(Wanderer):
    """A member that has seen more than the server that it comes back to."""

    def __init__(self, like: Wanderer, node: Node) -> None:
        super().__init__(like.index, Room(like.room), [node])
        for name in ("session", "generation", "ticket", "epoch", "revision", "member", "counter"):
            setattr(self, name, getattr(like, name))
        self.begins_anew = False

    def welcome(self, body: dict) -> None:
        self.begins_anew = body["epoch"] != self.epoch
        if self.begins_anew:
            self.revision = 0
        super().welcome(body)


class Drill(Outage):
    name = "drill"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.acts: list[Act] = []

    async def live(self) -> None:
        names = [name for name in ACTS if name in ("start", *self.options.only) or not self.options.only]
        for number, name in enumerate(names, 1):
            if name == "end":
                continue
            self.say(f"{number} of {len(names)}: {name}")
            act, began = Act(name), time.monotonic()
            self.acts.append(act)
            try:
                act.what = await getattr(self, name.replace(" ", "_") + "_act")()
                if name != "start":
                    await self.progress(name)
                act.is_well = True
            except (Broken, DatabaseFailure, NodeFailure, subprocess.TimeoutExpired) as error:
                act.what = str(error)
                raise
            finally:
                act.seconds = round(time.monotonic() - began, 1)
            self.say(f"{name}: {act.what}, {act.seconds} s")

    async def to_the_end(self) -> None:
        await super().to_the_end()
        if "end" in self.options.only or not self.options.only:
            self.acts.append(Act("end", 0, True, f"{len(self.nodes)} nodes ended in order; {self.reckoning.events} events are as members were told"))

    def listen(self) -> None:
        for room in self.rooms:
            room.listen()

    def silence(self, act: str) -> str:
        longest = max(room.longest for room in self.rooms)
        if longest > LONGEST[act]:
            raise Broken(f"a room stood still for {longest:.1f} s; {LONGEST[act]:g} may be")
        return f"longest silence of a room {longest:.2f} s"

    # Acts

    async def start_act(self) -> str:
        await asyncio.to_thread(self.build)
        self.come_in(Patient)
        await self.progress("the beginning")
        # What is written through one node is seen through all others.
        limit = time.monotonic() + PATIENCE
        for room in self.rooms:
            while any(not any(event[0] == writer.member for event in list(reader.shown.values())) for writer in room.members for reader in room.members):
                self.look()
                if time.monotonic() > limit:
                    raise Broken(f"in room {room.name} not everybody sees what everybody writes")
                await asyncio.sleep(0.05)
        return f"three servers, {len(self.nodes)} nodes; what is written through each is seen through all"

    async def add_act(self) -> str:
        node = Node("d", free_ports(1)[0], self.options.program, self.database, self.options.home, SETTINGS)
        await asyncio.to_thread(node.files.mkdir, 0o700)
        await asyncio.to_thread(shutil.copy2, self.nodes[0].files / "keys.json", node.files / "keys.json")
        node.start()
        await asyncio.to_thread(node.wait_until_ready)
        self.nodes.append(node)
        # Somebody comes through it into a room that is elsewhere, and into one that nobody owns.
        before = await asyncio.to_thread(self.owners)
        new = Room(f"{self.chance.getrandbits(128):032x}")
        self.rooms.append(new)
        self.checked[new.name] = 1
        for room in (self.rooms[0], new):
            member = Patient(len(self.members), room, [node, *self.nodes[:-1]])
            room.members.append(member)
            self.members.append(member)
            self.tasks.insert(0, asyncio.create_task(member.live()))
            await self.acknowledged(member)
        after = await asyncio.to_thread(self.owners)
        if {room: owner for room, owner in after.items() if room in before} != before or after[new.name][0] != "d":
            raise Broken(f"owners were {before}, and are {after}")
        return "it takes clients of others' rooms, and owns what is asked for through it and nobody owns"

    async def acknowledged(self, member: Wanderer, seconds: float = 20) -> None:
        limit, before = time.monotonic() + seconds, len(member.receipts)
        while len(member.receipts) <= before:
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"member {member.index} had no receipt within {seconds:g} s")
            await asyncio.sleep(0.02)

    async def owner(self) -> Node:
        """The node with most rooms."""
        owners = [node for node, _ in (await asyncio.to_thread(self.owners)).values()]
        return max(self.nodes, key=lambda node: owners.count(node.name))

    async def lose_act(self) -> str:
        node = await self.owner()
        self.listen()
        self.restarts[node.name] = time.monotonic() + 6
        node.kill()
        await asyncio.sleep(1)
        await self.progress("the loss of a node")
        text = f"node {node.name} killed, {self.silence('lose')}"
        await asyncio.sleep(max(0, self.restarts[node.name] + 0.5 - time.monotonic()))
        await self.until_ready("its start")
        return text

    async def drain_act(self) -> str:
        node = await self.owner()
        self.listen()
        took = await self.drain(node, away=1)
        await asyncio.sleep(1)
        await self.progress("a drain")
        text = f"node {node.name} ended with 0 after {took:.1f} s, {self.silence('drain')}"
        await self.until_ready("its start")
        return text

    async def upgrade_act(self) -> str:
        longest = 0.0
        for node in self.nodes:
            self.listen()
            node.program = self.options.program
            await self.drain(node)
            await asyncio.sleep(1)
            await self.progress(f"the end of {node.name}")
            self.silence("upgrade")
            longest = max(longest, *(room.longest for room in self.rooms))
            await self.until_ready(f"the start of {node.name}")
        return f"{len(self.nodes)} nodes, one after the other, longest silence of a room {longest:.2f} s"

    async def back_up_act(self) -> str:
        self.copy = self.options.home / "backup"
        await asyncio.to_thread(self.boardroom, "backup", self.copy, "--quiet")
        if "All is well" not in await asyncio.to_thread(self.command, "verify", "--level", "deep", "--quiet", "--data", self.copy):
            raise Broken("verify does not say of the copy that all is well")
        events = 0
        for room in self.rooms:
            held = await asyncio.to_thread(self.exported, room, "--data", self.copy)
            there = await asyncio.to_thread(self.exported, room, "--data", self.database.address, "--files", self.nodes[0].files)
            if not held or there[:len(held)] != held:
                raise Broken(f"the copy of room {room.name} is not what the database has")
            events += len(held)
        return f"{events} events, each as in the database, while nodes ran"

    def exported(self, room: Room, *place: object) -> list[str]:
        out = self.options.home / "compared"
        self.command("export", room.name, "--output", out, "--quiet", *place)
        lines = out.read_text().splitlines()
        out.unlink()
        return lines

    async def restore_act(self) -> str:
        if not hasattr(self, "copy"):
            await self.back_up_act()
        restored = SimpleNamespace(address=self.database.address.replace(f"/{NAME}?", "/restored?"), environment=self.database.environment)
        await asyncio.to_thread(self.database.ask, f"create database restored owner {USER}", database="postgres")
        await asyncio.to_thread(make_tables, self.options.program, restored)
        node = Node("restored", free_ports(1)[0], self.options.program, restored, self.options.home, SETTINGS)
        await asyncio.to_thread(node.files.mkdir, 0o700)
        await asyncio.to_thread(shutil.copy2, self.nodes[0].files / "keys.json", node.files / "keys.json")
        await asyncio.to_thread(self.command, "migrate", self.copy, restored.address, "--files", node.files, "--quiet")
        node.start()
        try:
            await asyncio.to_thread(node.wait_until_ready)
            member = Returning(self.members[0], node)
            task = asyncio.create_task(member.live())
            try:
                await self.acknowledged(member)
            finally:
                member.stop = True
                member.pending.clear()
                task.cancel()
                await asyncio.wait([task], timeout=5)
            if not member.begins_anew:
                raise Broken("a member went on from a revision that means something else now")
        finally:
            status = await asyncio.to_thread(node.end)
        if status:
            raise Broken(f"the restored node ended with {status}: {node.told()}")
        if "All is well" not in await asyncio.to_thread(self.command, "verify", "--level", "deep", "--quiet", "--data", restored.address, "--files", node.files):
            raise Broken("verify does not say of the restored database that all is well")
        return "served from a database of its own; a member that had seen more begins anew"

    async def lost_standby_act(self) -> str:
        server = next(server for server in self.database.servers if server is not self.database.primary)
        await asyncio.to_thread(self.database.stop, server)
        await asyncio.sleep(1)
        await self.progress("the loss of a standby")
        await asyncio.to_thread(self.database.start, server)
        await asyncio.to_thread(self.database.wait_for, server)
        return f"{server.name} was away; commands were answered by the other one"

    async def lost_primary_act(self) -> str:
        before, processes = await asyncio.to_thread(self.owners), [node.process.pid for node in self.nodes]
        old, began = self.database.primary, time.monotonic()
        await asyncio.to_thread(self.database.stop, old)
        done = await asyncio.to_thread(self.database.fail_over)
        await self.progress("a promotion")
        on = time.monotonic() - began
        way = await asyncio.to_thread(self.database.bring_back, old)
        await self.until_ready("a promotion")
        await self.compare()
        if await asyncio.to_thread(self.owners) != before or [node.process.pid for node in self.nodes] != processes:
            raise Broken("a node has ended, or a room has another owner")
        return f"{done.new} promoted in place of {done.old} after {done.seconds} s, all rooms went on after {on:.1f} s, {done.old} {way}; nothing is missing"

    async def lost_database_act(self) -> str:
        ways = self.options.ways[:1] if self.options.short else self.options.ways
        for way in ways:
            await self.take_away(way, self.options.length or (6 if self.options.short else 60))
        first = max(self.seen[way]["first refusal, s"] for way in ways)
        return f"{' and '.join(ways)}: refused after {first:.1f} s, open rooms were read, nobody was sent away, no owner has changed"

    # The outcome

    def outcome(self, seconds: float) -> dict:
        return super().outcome(seconds) | {"acts": [asdict(act) for act in self.acts]}

    def show(self, outcome: dict) -> None:
        width = max((len(act.name) for act in self.acts), default=0)
        for act in self.acts:
            print(f"{'well  ' if act.is_well else 'FAILED'} {act.name:{width}} {act.seconds:6.1f} s  {act.what}")


def main() -> int:
    options = parser("tools/drill --cluster", rooms=3, members=9)
    options.add_argument("--short", action="store_true", help="the database is away for seconds, and in one way")
    options.add_argument("--only", nargs="+", choices=ACTS[1:], default=[], help="some acts; the start is always there")
    options.add_argument("--length", type=float, default=0, help="seconds for which the database is away; else 60, in the short form 6")
    options.add_argument("--old", type=lambda text: Path(text).absolute(), help="the program with which the nodes begin: the upgrade is from it")
    options = options.parse_args()
    options.ways = ["stopped", "crashed"]
    seed = seeded(options)
    drill = Drill(options, seed)
    drill.say(f"seed {seed}")
    return drill.carry_out()


if __name__ == "__main__":
    sys.exit(main())
