"""What an operator does to a cluster, and what befalls it: each act of docs/CLUSTER.md, carried out while members write, and checked."""

import argparse
import asyncio
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace

from changes import Changes
from database import NAME, DatabaseFailure, free_ports
from load import PATIENCE, SETTINGS, Broken, Node, NodeFailure, Room, Wanderer
from nodes import give_keys
from options import boardroom, parser, seeded
from outage import Outage, Patient

ACTS = ("start", "add", "lose", "drain", "upgrade", "back up", "restore", "restart database", "lost standby", "lost primary", "lost database", "end")
LONGEST = {"lose": 5.0, "drain": 2.0}
"""Seconds for which a room may stand still in an act. What is measured on a quiet machine is in docs/CLUSTER.md."""
AWAY, LONG = 4.0, 60.0
"""Seconds for which the database is away."""


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
        self.begins_anew = self.goes_on_counting = False

    def welcome(self, body: dict) -> None:
        self.begins_anew = body["epoch"] != self.epoch
        if self.begins_anew:
            self.revision = 0
        super().welcome(body)

    def told(self, name: str, body: dict) -> None:
        if body["code"] != "outOfOrder":
            super().told(name, body)

    async def goes_on(self, body: dict) -> bool:
        """The log knows fewer of its commands: what waits gets new numbers from there on (docs/PROTOCOL.md, section 2)."""
        if body["code"] != "outOfOrder":
            return await super().goes_on(body)
        if self.goes_on_counting:
            return True
        self.goes_on_counting = True
        expected = body["allowed"]
        waiting = [mark for counter, mark in sorted(self.pending.items()) if counter >= expected]
        self.pending = {counter: mark for counter, mark in self.pending.items() if counter < expected}
        for self.counter, mark in enumerate(waiting, expected):
            self.pending[self.counter] = mark
            await self.put(self.socket, self.counter)
        return True


class Drill(Changes, Outage):
    name = "drill"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.acts: list[Act] = []
        self.guests: list[Node] = []
        """Nodes that are not of the cluster."""

    async def live(self) -> None:
        names = [name for name in ACTS if name in ("start", "end", *self.options.only) or not self.options.only]
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
            except asyncio.CancelledError:
                act.what = "stopped"
                raise
            except (Broken, DatabaseFailure, NodeFailure, subprocess.TimeoutExpired) as error:
                act.what = str(error)
                raise
            finally:
                act.seconds = round(time.monotonic() - began, 1)
            self.say(f"{name}: {act.what}, {act.seconds} s")
        self.ending = time.monotonic()

    async def to_the_end(self) -> None:
        await super().to_the_end()
        self.acts.append(Act("end", round(time.monotonic() - self.ending, 1), True,
                             f"{len(self.nodes)} nodes ended in order; {self.reckoning.events} events are as members were told"))

    def listen(self) -> None:
        for room in self.rooms:
            room.listen()

    def silence(self, act: str) -> str:
        longest = max(room.longest for room in self.rooms)
        # Older programs had longer ones.
        if longest > LONGEST[act] and self.nodes[0].program == self.options.program:
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
        node = Node("d", free_ports(1)[0], self.nodes[0].program, self.database, self.options.home, SETTINGS)
        give_keys(self.nodes[0], node)
        node.start()
        self.nodes.append(node)
        await asyncio.to_thread(node.wait_until_ready)
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

    async def acknowledged(self, member: Wanderer, by: asyncio.Task | None = None) -> None:
        """Waits for a receipt of a member, which lives by a task that is not one of all members'."""
        before = len(member.receipts)

        def holds() -> bool:
            if by and by.done() and by.exception():
                raise by.exception()
            return len(member.receipts) > before

        await self.until(holds, f"member {member.index} had a receipt")

    async def owner(self) -> Node:
        """The node with most rooms."""
        owners = [node for node, _ in (await asyncio.to_thread(self.owners)).values()]
        return max(self.nodes, key=lambda node: owners.count(node.name))

    async def lose_act(self) -> str:
        node = await self.owner()
        self.listen()
        self.restarts[node.name] = time.monotonic() + 3
        node.kill()
        # Receipts that were on their way are no sign of life.
        await asyncio.sleep(0.5)
        await self.progress("the loss of a node")
        text = f"node {node.name} killed, {self.silence('lose')}"
        await asyncio.sleep(max(0, self.restarts[node.name] + 0.5 - time.monotonic()))
        await self.until_ready("its start")
        return text

    async def drain_act(self) -> str:
        node = await self.owner()
        self.listen()
        took = await self.drain(node, away=1)
        await asyncio.sleep(0.5)
        await self.progress("a drain")
        text = f"node {node.name} ended with 0 after {took:.1f} s, {self.silence('drain')}"
        await self.until_ready("its start")
        return text

    async def back_up_act(self) -> str:
        self.copy = self.options.home / "backup"
        await asyncio.to_thread(self.boardroom, "backup", self.copy, "--quiet")
        # The database's own, of one moment: the rows as they are, with nodes that are alive.
        self.moment = self.options.home / "database" / "moment.sql"
        await asyncio.to_thread(self.database.dump, self.moment)
        if "All is well" not in await asyncio.to_thread(self.command, "verify", "--level", "deep", "--quiet", "--data", self.copy):
            raise Broken("verify does not say of the copy that all is well")
        copies = await asyncio.gather(*(asyncio.to_thread(self.exported, room, "--data", self.copy) for room in self.rooms))
        there = await asyncio.gather(*(asyncio.to_thread(self.exported, room, "--data", self.database.address, "--files", self.nodes[0].files)
                                       for room in self.rooms))
        for room, held, kept in zip(self.rooms, copies, there, strict=True):
            if not held or kept[:len(held)] != held:
                raise Broken(f"the copy of room {room.name} is not what the database has")
        return f"{sum(map(len, copies))} events, each as in the database, while nodes ran"

    def exported(self, room: Room, *place: object) -> list[str]:
        out = self.options.home / f"compared-{room.name}"
        self.command("export", room.name, "--output", out, "--quiet", *place)
        lines = out.read_text().splitlines()
        out.unlink()
        return lines

    async def restore_act(self) -> str:
        if not hasattr(self, "moment"):
            await self.back_up_act()
        # Since then a member has written more, and has come back once more.
        like = self.members[0]
        resumes = like.resumes
        await like.socket.close()
        await self.until(lambda: like.resumes > resumes, "a member that was cut off came back")
        await self.acknowledged(like)
        await asyncio.to_thread(self.database.restore, self.moment, "restored")
        address = self.database.address.replace(f"/{NAME}?", "/restored?")
        restored = SimpleNamespace(address=address, environment=self.database.environment)
        await asyncio.to_thread(self.command, "database", "newlife", address, "--json")
        node = Node("restored", free_ports(1)[0], self.options.program, restored, self.options.home, SETTINGS)
        give_keys(self.nodes[0], node)
        place = ("--data", address, "--files", node.files)
        self.guests.append(node)
        moment = len(await asyncio.to_thread(self.exported, like.place, *place))
        if moment >= like.revision:
            raise Broken(f"the moment is revision {moment}, and the member has seen {like.revision}: nothing was set back")
        node.start()
        await asyncio.to_thread(node.wait_until_ready)
        member = Returning(like, node)
        task = asyncio.create_task(member.live())
        try:
            await self.acknowledged(member, by=task)
        finally:
            member.stop = True
            member.pending.clear()
            task.cancel()
            await asyncio.wait([task], timeout=5)
        if not member.begins_anew:
            raise Broken("a member went on from a revision that means something else now")
        if not member.resumes or member.member != like.member or not member.goes_on_counting:
            raise Broken(f"the member's stay did not go on: resumed {member.resumes} times, as {member.member} after {like.member}")
        status = await asyncio.to_thread(node.end)
        if status:
            raise Broken(f"the restored node ended with {status}: {node.told()}")
        if "All is well" not in await asyncio.to_thread(self.command, "verify", "--level", "deep", "--quiet", *place):
            raise Broken("verify does not say of the restored database that all is well")
        return f"revision {moment} served, of a database of its own; a member that had seen {like.revision} begins anew, and its stay goes on"

    async def restart_database_act(self) -> str:
        """Standbys first, then the primary, which nobody is promoted in place of. The server ends commits that wait for a standby, with a warning:
        what came of each the nodes have to find out."""
        before, processes = await asyncio.to_thread(self.owners), [node.process.pid for node in self.nodes]
        told, connections = self.told(), sum(member.resumes + member.sessions for member in self.members)
        for server in [one for one in self.database.servers if one is not self.database.primary]:
            await asyncio.to_thread(self.database.restart, server)
            await asyncio.to_thread(self.database.wait_for, server)
        self.listen()
        began = time.monotonic()
        await asyncio.to_thread(self.database.restart, self.database.primary)
        took = time.monotonic() - began
        await self.progress("a restart of the primary")
        longest = max(room.silence for room in self.rooms)
        await self.until_ready("a restart of the primary")
        await self.compare()
        codes = {code: count for code, now in self.told().items() if (count := now - told.get(code, 0))}
        lost = sum(member.resumes + member.sessions for member in self.members) - connections
        if await asyncio.to_thread(self.owners) != before or [node.process.pid for node in self.nodes] != processes:
            raise Broken("a node has ended, or a room has another owner")
        if lost or set(codes) - {"refused logFull"}:
            raise Broken(f"members lost {lost} connections, and were told {codes}")
        return (f"the primary was back after {took:.1f} s, longest silence of a room {longest:.1f} s, {sum(codes.values())} commands refused, "
                "nobody sent away; nothing is missing")

    async def lost_standby_act(self) -> str:
        server = next(server for server in self.database.servers if server is not self.database.primary)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await self.progress("the loss of a standby")
        await asyncio.to_thread(self.database.start, server)
        await asyncio.to_thread(self.database.wait_for, server)
        return f"{server.name} was away; commands were answered by the other one"

    async def lost_primary_act(self) -> str:
        before, processes = await asyncio.to_thread(self.owners), [node.process.pid for node in self.nodes]
        old, began = self.database.primary, time.monotonic()
        await asyncio.to_thread(old.kill)
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
        for way in self.options.ways:
            await self.take_away(way, self.options.length or (LONG if self.options.long else AWAY))
        first, slowest = (max(self.seen[way][name] for way in self.options.ways) for name in ("first refusal, s", "slowest read, s"))
        return f"{' and '.join(self.options.ways)}: refused after {first:.1f} s, open rooms read within {slowest:.1f} s, nobody sent away, no owner changed"

    def end(self) -> None:
        for node in self.guests:
            if node.process and node.process.poll() is None:
                node.kill()
        super().end()

    # The outcome

    def outcome(self, seconds: float) -> dict:
        return super().outcome(seconds) | {"acts": [asdict(act) for act in self.acts]}

    def show(self, outcome: dict) -> None:
        width = max((len(act.name) for act in self.acts), default=0)
        for act in self.acts:
            print(f"{'well  ' if act.is_well else 'FAILED'} {act.name:{width}} {act.seconds:6.1f} s  {act.what}")


def main() -> int:
    options = parser("tools/drill --cluster", rooms=3, members=9)
    options.add_argument("--long", action="store_true", help=f"the database is away for {LONG:g} s, twice")
    options.add_argument("--only", nargs="+", choices=ACTS[1:-1], default=[], help="some acts; start and end are always there")
    options.add_argument("--length", type=float, default=0, help=f"seconds for which the database is away; else {AWAY:g}, in the long form {LONG:g}")
    options.add_argument("--old", type=boardroom, help="the program with which the nodes begin: the upgrade is from it")
    options = options.parse_args()
    options.ways = ["stopped", "crashed"]
    seed = seeded(options)
    drill = Drill(options, seed)
    drill.say(f"seed {seed}")
    return drill.carry_out()


if __name__ == "__main__":
    sys.exit(main())
