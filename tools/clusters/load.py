"""Members that write through all nodes of a cluster, and the comparison of what they were told with what the database holds. What is done
to the cluster meanwhile is the business of kill.py, partitions.py, drain.py, outage.py, stale.py, costs.py, pace.py, rooms.py, spectators.py, traps.py,
apart.py, changes.py and drill.py.
"""

import argparse
import asyncio
import collections
import importlib.machinery
import importlib.util
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import commands
from database import Database, DatabaseFailure, GivenDatabase
from network import Network, NetworkFailure
from nodes import FENCED, UNAVAILABLE, Node, NodeFailure, make_tables, start_nodes

ROOT = Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("kill_loop", str(ROOT / "Tests/EndToEnd/acknowledged-survives-kill"))
kill_loop = importlib.util.module_from_spec(importlib.util.spec_from_loader("kill_loop", loader))
loader.exec_module(kill_loop)
Broken, GONE = kill_loop.Broken, kill_loop.GONE

PATIENCE = 45.0
"""Seconds after a fault in which every room must go on."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SETTINGS = ["--open", "--log-level", "warning", "--set", "rate=0", "--set", "rates=magix=0"]


class Room:
    def __init__(self, name: str) -> None:
        self.name = name
        self.members: list[Wanderer] = []
        self.last = time.monotonic()
        self.longest = 0.0
        self.acknowledged = 0

    def hear(self) -> None:
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now
        self.acknowledged += 1

    def listen(self) -> None:
        """The longest silence is measured from now on."""
        self.longest, self.last = 0.0, time.monotonic()

    @property
    def silence(self) -> float:
        """The longest one, or the one that lasts."""
        return max(self.longest, time.monotonic() - self.last)


class Wanderer(kill_loop.Member):
    """A member that tries the next node whenever its connection is lost."""

    silence = 4.0
    opening = 2.0
    pace = 0.02
    is_patient = False
    """Stays when the log is full, and goes on with its next event."""

    def __init__(self, index: int, room: Room, nodes: list[Node]) -> None:
        self.urls = [f"ws://127.0.0.1:{node.port}/v1/rooms" for node in nodes]
        super().__init__(index, self.urls[0], room.name, "", 4)
        self.place, self.at = room, 0
        self.codes: collections.Counter = collections.Counter()
        self.refused: float | None = None
        """When an event was refused first, because the log was full, since somebody set it back."""
        self.firsts: dict[str, str] = {}
        """Where and how each kind of message was told first."""

    def is_at(self, node: Node) -> bool:
        return self.url == f"ws://127.0.0.1:{node.port}/v1/rooms"

    async def live(self) -> None:
        pauses = 0
        while not self.stop or self.pending:
            before = len(self.receipts)
            try:
                await self.one_connection()
            except GONE:
                pass
            pauses = 0 if len(self.receipts) > before else pauses + 1
            # As clients do whom a server that goes has told to come back; after that slower and slower.
            await asyncio.sleep(min(random.uniform(0, 0.1) * 2 ** pauses, 1))
            self.at += 1
            self.url = self.urls[self.at % len(self.urls)]

    def told(self, name: str, body: dict) -> None:
        kind = f"{name} {body['code']}"
        self.codes[kind] += 1
        self.firsts.setdefault(kind, f"member {self.index} by {self.url}, {datetime.now(UTC):%H:%M:%S.%f}: {body}")
        super().told(name, body)

    async def goes_on(self, body: dict) -> bool:
        if not self.is_patient or body["code"] != "logFull":
            return False
        self.refused = self.refused or time.monotonic()
        self.pending.pop(body["counter"], None)
        return True

    def receipt(self, counter: int, revision: int) -> None:
        if counter in self.pending:
            self.place.hear()
        super().receipt(counter, revision)


@dataclass
class Reckoning:
    """What is not as it was told, over all rooms."""
    events: int = 0
    acknowledged: int = 0
    shown: int = 0
    missing: int = 0
    twice: int = 0
    disordered: int = 0
    unseen: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        return not (self.missing or self.twice or self.disordered or self.unseen)

    def note(self, what: str, text: str) -> None:
        setattr(self, what, getattr(self, what) + 1)
        if len(self.examples) < 20:
            self.examples.append(f"{what}: {text}")

    def compare(self, log: list[dict], first: int, receipts: list[dict[str, int]], shown: list[dict[int, tuple]]) -> None:
        """Of one room, from revision `first` on. `receipts` and `shown` of each member were taken before the log was read."""
        by_revision, marks = {}, {}
        newest: dict[tuple[int, int], int] = {}
        for place, record in enumerate(log, first):
            if record["rev"] != place:
                self.note("missing", f"the log has revision {record['rev']} in the place of {place}")
            mark = record["body"]["payload"]["mark"] if record["kind"] == "magix" else None
            by_revision[record["rev"]] = (record["by"], record["n"], mark)
            if mark is None:
                continue
            if mark in marks:
                self.note("twice", f"{mark} at {marks[mark]} and {record['rev']}")
            marks[mark] = record["rev"]
            index, session, counter = map(int, mark.split("-"))
            if newest.get((index, session), 0) >= counter:
                self.note("disordered", f"{mark} at {record['rev']} comes after a later one")
            newest[index, session] = counter
        self.events += len(log)
        for index, (acknowledged, seen) in enumerate(zip(receipts, shown, strict=True)):
            for mark, revision in acknowledged.items():
                if revision >= first:
                    self.acknowledged += 1
                    if marks.get(mark) != revision:
                        self.note("missing", f"{mark} was acknowledged at {revision}; the log has it at {marks.get(mark)}")
            for revision, event in seen.items():
                if revision >= first:
                    self.shown += 1
                    if by_revision.get(revision) != event:
                        self.note("unseen", f"member {index} was shown {event} at {revision}; the log has {by_revision.get(revision)}")


def prove() -> None:
    """A comparison that finds nothing wrong is worth nothing: it is shown one fault of each kind before it is believed."""
    def record(revision: int, mark: str) -> dict:
        return {"rev": revision, "by": 0, "n": revision, "kind": "magix", "body": {"payload": {"mark": mark}}}

    told, seen = {"0-1-1": 1, "0-1-2": 2}, {1: (0, 1, "0-1-1"), 2: (0, 2, "0-1-2")}
    whole = [record(1, "0-1-1"), record(2, "0-1-2")]
    for expected, log, receipts, shown in [
            ((0, 0, 0, 0), whole, told, seen), ((1, 0, 0, 0), whole[:1], told, {}), ((0, 0, 0, 1), whole[:1], {}, seen),
            ((0, 1, 0, 0), [*whole, record(3, "1-1-1"), record(4, "1-1-1")], told, seen), ((0, 0, 1, 0), [record(1, "0-1-2"), record(2, "0-1-1")], {}, {})]:
        found = Reckoning()
        found.compare(log, 1, [receipts], [shown])
        counts = (found.missing, found.twice, found.disordered - found.twice, found.unseen)
        if counts != expected:
            raise Broken(f"the comparison finds {counts} where there are {expected}")


class Load:
    """A cluster, and members of some rooms at all of its nodes."""

    name = "load"

    def __init__(self, options: argparse.Namespace, seed: int, nodes: str = "abc") -> None:
        self.options, self.seed, self.chance, self.names = options, seed, random.Random(seed), nodes
        given = getattr(options, "data", None)
        self.database = GivenDatabase(given, options.home) if given else Database(options.home)
        self.network: Network | None = None
        """Through which nodes reach the database and each other, where it is to be broken."""
        self.more: list[str] = []
        """Settings beside those that all nodes have."""
        self.nodes: list[Node] = []
        self.rooms = [Room(f"{random.Random(seed * 1_000 + number).getrandbits(128):032x}") for number in range(options.rooms)]
        self.members: list[Wanderer] = []
        self.tasks: list[asyncio.Task] = []
        self.statuses: collections.Counter = collections.Counter()
        self.checked: dict[str, int] = {room.name: 1 for room in self.rooms}
        self.reckoning = Reckoning()
        self.asked_to_end: set[Node] = set()
        """The nodes that were asked to end: they end with 0, and are started again like all others."""
        self.restarts: dict[str, float] = {}
        """When a node that was killed, or has ended as it was asked to, may be started again, by its name."""

    def say(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    # The run

    def build(self) -> None:
        """Database, tables and nodes. With --old these are the older program's: a newer one says whether it takes its tables."""
        program = getattr(self.options, "old", None) or self.options.program
        self.database.make()
        make_tables(program, self.database)
        start_nodes(self.nodes, self.names, program, self.database, self.options.home, [*SETTINGS, *self.more],
                    self.network.lay if self.network else None)

    def come_in(self, member: Callable[[int, Room, list[Node]], Wanderer] = Wanderer) -> None:
        """Members come in, and write until they are told to stop. Each room has members at all nodes."""
        self.take_in(member, range(self.options.members))

    def take_in(self, member: Callable[[int, Room, list[Node]], Wanderer], indices: range) -> None:
        for index in indices:
            room = self.rooms[index % len(self.rooms)]
            first = (index + index // len(self.rooms)) % len(self.nodes)
            # The others in an order of chance, as clients have them (ADDR-2): those of a node that is lost come to all others.
            others = self.nodes[:first] + self.nodes[first + 1:]
            one = member(index, room, [self.nodes[first], *self.chance.sample(others, len(others))])
            room.members.append(one)
            self.members.append(one)
        # The last task is the supervisor's.
        attending = self.tasks.pop() if self.tasks else asyncio.create_task(self.attend())
        self.tasks += [asyncio.create_task(one.live()) for one in self.members[len(self.tasks):]]
        self.tasks.append(attending)

    async def stop_writing(self) -> None:
        for member in self.members:
            member.stop = True
        try:
            await asyncio.wait_for(asyncio.gather(*self.tasks[:-1]), 60)
        except asyncio.TimeoutError:
            waiting = {member.index: len(member.pending) for member in self.members if member.pending}
            raise Broken(f"60 s after the end members still wait for receipts: {waiting}") from None
        await asyncio.sleep(0.5)

    async def leave(self) -> None:
        """Ends all tasks, whatever they do."""
        for member in self.members:
            member.stop = True
            member.pending.clear()
        # Until Python 3.12 a wait with a limit may swallow that it is cancelled.
        while waiting := [task for task in self.tasks if not task.done()]:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting, timeout=1)
        for task in self.tasks:
            # One failure ends all; Python would tell of the others at its end.
            _ = task.cancelled() or task.exception()

    async def attend(self) -> None:
        """The supervisor: starts again what has ended, but only as it may end."""
        while True:
            for node in self.nodes:
                status = node.process.poll()
                if status is None or time.monotonic() < self.restarts.get(node.name, 0):
                    continue
                if status not in (FENCED, UNAVAILABLE, -signal.SIGKILL) and not (status == 0 and node in self.asked_to_end):
                    raise Broken(f"the node {node.name} ended with {status}: {node.told()}")
                self.statuses[status] += 1
                self.asked_to_end.discard(node)
                await asyncio.sleep(0.2)
                node.start()
            await asyncio.sleep(0.05)

    def look(self) -> None:
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    async def until(self, holds: Callable[[], bool], what: str, seconds: float = 20) -> None:
        limit = time.monotonic() + seconds
        while not holds():
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"not within {seconds:g} s: {what}")
            await asyncio.sleep(0.02)

    async def progress(self, after: str) -> None:
        """Waits until every room has acknowledged something: a fault without load tests nothing."""
        before, limit = {room.name: room.acknowledged for room in self.rooms}, time.monotonic() + PATIENCE
        while waiting := [room.name for room in self.rooms if room.acknowledged == before[room.name]]:
            self.look()
            if time.monotonic() > limit:
                told = "; ".join(f"{node.name}: {node.told()[-300:]}" for node in self.nodes)
                raise Broken(f"{PATIENCE:g} s after {after} rooms stand still: {waiting}; {told}")
            await asyncio.sleep(0.02)

    async def until_ready(self, after: str) -> None:
        limit = time.monotonic() + PATIENCE
        while not all(await asyncio.gather(*(asyncio.to_thread(lambda node=node: node.is_ready) for node in self.nodes))):
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"{PATIENCE:g} s after {after} a node is not ready: " + "; ".join(f"{n.name}: {n.told()[-300:]}" for n in self.nodes))
            await asyncio.sleep(0.1)

    # Owners

    def owners(self) -> dict[str, tuple[str, int]]:
        """The node and the incarnation that own each room."""
        rows = self.database.ask("select encode(log.id, 'hex'), node, incarnation.id from log join incarnation on owner = incarnation.id where state = 0")
        return {room: (node, int(incarnation)) for room, node, incarnation in (row.split("|") for row in rows.splitlines())}

    async def drain(self, node: Node, away: float = 0) -> float:
        """Asks a node to end, and waits for it; the seconds that it took. It is started again after `away` seconds."""
        self.asked_to_end.add(node)
        process, began = node.process, time.monotonic()
        self.restarts[node.name] = began + 3_600
        process.terminate()
        while process.poll() is None:
            if time.monotonic() - began > 30:
                raise Broken(f"the node {node.name} did not end within 30 s of SIGTERM")
            await asyncio.sleep(0.02)
        if process.returncode:
            raise Broken(f"the node {node.name} ended with {process.returncode} when it was asked to: {node.told()}")
        self.restarts[node.name] = time.monotonic() + away
        return time.monotonic() - began

    # The comparison

    async def compare(self, at_end: bool = False) -> None:
        """All rooms, from where the last comparison ended; at the end from the beginning."""
        reckoning = Reckoning()
        for room in self.rooms:
            first = 1 if at_end else self.checked[room.name]
            receipts = [dict(member.receipts) for member in room.members]
            shown = [dict(member.shown) for member in room.members]
            log = await asyncio.to_thread(self.log, room, first)
            reckoning.compare(log, first, receipts, shown)
            self.checked[room.name] = max(1, first + len(log) - 2_000)
        self.reckoning = reckoning
        if not reckoning.is_well:
            raise Broken("the log is not what members were told: " + "; ".join(reckoning.examples))

    def log(self, room: Room, first: int) -> list[dict]:
        out = self.options.home / "export"
        self.boardroom("export", room.name, "--from", first, "--output", out, "--quiet")
        with out.open() as lines:
            log = [json.loads(line) for line in lines]
        out.unlink()
        return log

    def boardroom(self, *words: object) -> str:
        """A command on the database."""
        return self.command(*words, "--data", self.database.address, "--files", self.nodes[0].files)

    def command(self, *words: object) -> str:
        done = commands.run([self.options.program, *words], self.database.environment)
        if done.returncode:
            raise Broken(f"boardroom {words[0]} ended with {done.returncode}: {done.stderr[-800:]}")
        return done.stdout

    def told(self) -> dict[str, int]:
        return dict(sum((member.codes for member in self.members), collections.Counter()))

    # The end

    def finish(self) -> None:
        """Ends the nodes in order, and looks at what is left."""
        for node in self.nodes:
            status = node.end()
            if status not in (0, -signal.SIGKILL, FENCED):
                raise Broken(f"the node {node.name} ended with {status} when it was asked to: {node.told()}")
        if "All is well" not in self.boardroom("verify", "--level", "deep", "--quiet"):
            raise Broken("verify does not say that all is well")

    def end(self) -> None:
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
                node.process.wait()
        self.database.end()
        if self.network:
            self.network.end()

    # The command

    async def live(self) -> None:
        """What is done to the cluster."""
        raise NotImplementedError

    def outcome(self, seconds: float) -> dict:
        r = self.reckoning
        return {"seed": self.seed, "seconds": round(seconds, 1), "events": r.events, "acknowledged": r.acknowledged, "shown": r.shown,
                "acknowledged and missing": r.missing, "twice": r.twice, "out of order": r.disordered, "seen and not in the log": r.unseen,
                "resumes": sum(member.resumes for member in self.members), "sessions": sum(member.sessions for member in self.members),
                "told": self.told()} | (
                    {"pg_rewind failed": self.database.unrewound} if self.database.unrewound else {})

    def show(self, outcome: dict) -> None:
        """The numbers, for people."""
        for name, value in outcome.items():
            print(f"{name}: {value if not isinstance(value, dict) else json.dumps(value)}")

    def judge(self, outcome: dict) -> str | None:
        """What is not as it must be, although nothing is lost; nil: nothing."""
        if not outcome["acknowledged"]:
            return "nothing was acknowledged, so nothing was tested"
        return None

    def verdict(self, failed: str | None) -> str | None:
        """What a run that ended like this has failed by; nil: it has not."""
        if not failed and self.database.unrewound:
            return f"pg_rewind failed after a checkpoint of the new primary: {'; '.join(self.database.unrewound)}"
        return failed

    def carry_out(self) -> int:
        """All of it, from the first process to the last line; the exit status."""
        # A shell that starts it in the background has SIGINT ignored.
        for number in ENDING:
            signal.signal(number, signal.default_int_handler)
        began, failed = time.monotonic(), None
        try:
            prove()
            asyncio.run(self.until_stopped())
        except (KeyboardInterrupt, asyncio.CancelledError, commands.Stopped):
            failed = "stopped"
        except (Broken, DatabaseFailure, NodeFailure, NetworkFailure, subprocess.TimeoutExpired) as error:
            failed = str(error)
        finally:
            # A second Ctrl-C must not leave servers behind.
            for number in ENDING:
                signal.signal(number, signal.SIG_IGN)
            commands.go_on()
            self.end()
            if failed != "stopped":
                failed = self.verdict(failed)
            if (failed and failed != "stopped") or self.options.keep:
                self.say(f"the folder is {self.options.home}")
            else:
                shutil.rmtree(self.options.home, ignore_errors=True)
        outcome = self.outcome(time.monotonic() - began)
        failed = failed or self.judge(outcome)
        if self.options.json:
            print(json.dumps(outcome | ({"failed": failed} if failed else {})))
        else:
            self.show(outcome)
        if failed:
            self.say(f"seed {self.seed}: {failed}")
            return 130 if failed == "stopped" else 1
        return 0

    async def until_stopped(self) -> None:
        """To the end, or to the first Ctrl-C, after which all that is under way ends in its order."""
        work = asyncio.create_task(self.to_the_end())
        is_stopped = False

        def stop() -> None:
            nonlocal is_stopped
            if is_stopped:
                return
            is_stopped = True
            commands.stop()
            work.cancel()

        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, stop)
        await work

    async def to_the_end(self) -> None:
        try:
            await self.live()
            await self.stop_writing()
        finally:
            await self.leave()
        await self.compare(at_end=True)
        await asyncio.to_thread(self.finish)


def spread(values: list[float], digits: int = 1) -> dict:
    """How many there are, their median, the value that one in a hundred exceeds, and the largest one."""
    if not values:
        return {"times": 0}
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return {"times": len(ordered), "p50": round(ordered[len(ordered) // 2], digits), "p99": round(p99, digits), "max": round(ordered[-1], digits)}
