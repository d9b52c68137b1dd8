"""Breaks a cluster while members write through all of its nodes, and compares what they were told with what the database holds.

What is broken, in an order that the seed gives: nodes are killed, stopped for 0.1 s to --longest and let go on, their connections to the
database are cut; a node ends in order; a standby is killed; the primary is killed, the standby that has received more is promoted, and the old primary comes back
as a standby; a node and the primary are broken at once; the primary is stopped, a standby is promoted, and the old primary goes on as a
primary for a while. After each promotion, and at the end, every receipt, and everything that a member
was shown before, must stand in the log as it was told. An endpoint of webhooks must have been told of everything acknowledged, in order, and
an image that was put at one node must be shown by all.
"""

import argparse
import asyncio
import base64
import collections
import importlib.machinery
import importlib.util
import json
import math
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from database import Database, DatabaseFailure, Promotion
from hooks import Endpoint
from nodes import FENCED, UNAVAILABLE, Node, NodeFailure, make_tables, start_nodes

ROOT = Path(__file__).resolve().parent.parent.parent
loader = importlib.machinery.SourceFileLoader("kill_loop", str(ROOT / "Tests/EndToEnd/acknowledged-survives-kill"))
kill_loop = importlib.util.module_from_spec(importlib.util.spec_from_loader("kill_loop", loader))
loader.exec_module(kill_loop)
Broken = kill_loop.Broken

FAULTS = ("kill", "kill", "stop", "cut", "kill", "standby", "stop", "kill", "drain", "primary", "both", "split")
"""Twelve faults in the proportion in which they are drawn. `drain` is no fault: a node ends in order, as for an upgrade. `both` is a node
and the primary at once; `split` is a primary that goes on when another one has been promoted."""
PROMOTING = ("primary", "both", "split")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
"""An image in PNG, in base64. Bytes after its end change its name."""
PATIENCE = 45.0
"""Seconds after a fault in which every room must go on."""


def say(text: str) -> None:
    print(f"kill-cluster: {text}", file=sys.stderr, flush=True)


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


class Wanderer(kill_loop.Member):
    """A member that tries the next node whenever its connection is lost."""

    silence = 4.0
    opening = 2.0
    pace = 0.02

    def __init__(self, index: int, room: Room, nodes: list[Node]) -> None:
        self.urls = [f"ws://127.0.0.1:{node.port}/v1/rooms" for node in nodes]
        super().__init__(index, self.urls[index % len(self.urls)], room.name, "", 4)
        self.place, self.at = room, index
        self.codes: collections.Counter = collections.Counter()

    async def live(self) -> None:
        pauses = 0
        while not self.stop or self.pending:
            before = len(self.receipts)
            try:
                await self.one_connection()
            except kill_loop.GONE:
                pass
            pauses = 0 if len(self.receipts) > before else pauses + 1
            await asyncio.sleep(min(0.05 * 2 ** pauses, 1))
            self.at += 1
            self.url = self.urls[self.at % len(self.urls)]

    def told(self, name: str, body: dict) -> None:
        self.codes[f"{name} {body['code']}"] += 1
        super().told(name, body)

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


class Torment:
    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        self.options, self.seed, self.chance = options, seed, random.Random(seed)
        self.database = Database(options.home)
        self.nodes: list[Node] = []
        self.endpoint = Endpoint()
        self.token = ""
        self.images: dict[str, bytes] = {}
        """By their paths, what nodes were given."""
        self.rooms = [Room(f"{random.Random(seed * 1_000 + number).getrandbits(128):032x}") for number in range(options.rooms)]
        self.members: list[Wanderer] = []
        self.tasks: list[asyncio.Task] = []
        self.silences: dict[str, list[float]] = collections.defaultdict(list)
        self.statuses: collections.Counter = collections.Counter()
        self.promotions: list[Promotion] = []
        self.returns: collections.Counter = collections.Counter()
        self.checked: dict[str, int] = {room.name: 1 for room in self.rooms}
        self.reckoning = Reckoning()
        self.drained: Node | None = None
        """The node that was asked to end."""
        self.restarts: dict[str, float] = {}
        """When a node that was killed may be started again, by its name."""

    # The plan

    def plan(self) -> list[str]:
        kinds = self.options.only or FAULTS
        plan = [kinds[number % len(kinds)] for number in range(self.options.kills)]
        self.chance.shuffle(plan)
        return plan

    # The run

    async def live(self) -> None:
        more = ["--open", "--log-level", "warning", "--set", "rate=0", "--set", "rates=magix=0", *self.endpoint.settings]
        await asyncio.to_thread(self.database.make)
        if self.options.plant:
            await asyncio.to_thread(self.database.ask, "alter system set synchronous_standby_names = ''", "select pg_reload_conf()")
        await asyncio.to_thread(make_tables, self.options.program, self.database)
        self.nodes = await asyncio.to_thread(start_nodes, "abc", self.options.program, self.database, self.options.home, more)
        for index in range(self.options.members):
            room = self.rooms[index % len(self.rooms)]
            # Each room has members at all nodes.
            member = Wanderer(index, room, self.nodes[index // len(self.rooms) % 3:] + self.nodes[:index // len(self.rooms) % 3])
            member.index = index
            room.members.append(member)
            self.members.append(member)
        self.tasks = [asyncio.create_task(member.live()) for member in self.members]
        guard = asyncio.create_task(self.attend())
        self.tasks.append(guard)
        try:
            await self.progress("the beginning")
            plan = self.plan()
            for number, kind in enumerate(plan, 1):
                await self.strike(number, kind)
            for member in self.members:
                member.stop = True
            try:
                await asyncio.wait_for(asyncio.gather(*self.tasks[:-1]), 60)
            except asyncio.TimeoutError:
                waiting = {member.index: len(member.pending) for member in self.members if member.pending}
                raise Broken(f"60 s after the last fault members still wait for receipts: {waiting}") from None
            await asyncio.sleep(0.5)
        finally:
            for member in self.members:
                member.stop = True
                member.pending.clear()
            # Until Python 3.12 a wait with a limit may swallow that it is cancelled.
            while waiting := [task for task in self.tasks if not task.done()]:
                for task in waiting:
                    task.cancel()
                await asyncio.wait(waiting, timeout=1)

    async def attend(self) -> None:
        """The supervisor: starts again what has ended, but only as it may end."""
        while True:
            for node in self.nodes:
                status = node.process.poll()
                if status is None:
                    continue
                if status == -signal.SIGKILL:
                    if time.monotonic() < self.restarts.get(node.name, 0):
                        continue
                elif status not in (FENCED, UNAVAILABLE) and node is not self.drained:
                    raise Broken(f"the node {node.name} ended with {status}: {node.told()}")
                self.statuses[status] += 1
                await asyncio.sleep(0.2)
                node.start()
            await asyncio.sleep(0.05)

    def look(self) -> None:
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    async def progress(self, after: str) -> None:
        """Waits until every room has acknowledged something: a fault without load tests nothing."""
        before, limit = {room.name: room.acknowledged for room in self.rooms}, time.monotonic() + PATIENCE
        while waiting := [room.name for room in self.rooms if room.acknowledged == before[room.name]]:
            self.look()
            if time.monotonic() > limit:
                told = "; ".join(f"{node.name}: {node.told()[-300:]}" for node in self.nodes)
                raise Broken(f"{PATIENCE:g} s after {after} rooms stand still: {waiting}; {told}")
            await asyncio.sleep(0.02)

    async def strike(self, number: int, kind: str) -> None:
        await asyncio.sleep(self.chance.uniform(0, 0.6))
        draw = [self.chance.random() for _ in range(3)]
        for room in self.rooms:
            room.longest, room.last = 0.0, time.monotonic()
        text = await getattr(self, kind)(draw)
        # Receipts that were on their way are no sign of life.
        await asyncio.sleep(0.3)
        await self.progress(f"fault {number}, {kind}: {text}")
        silence = max(max(room.longest, 0) for room in self.rooms)
        self.silences[kind].append(silence)
        say(f"{number} of {self.options.kills}: {text}; longest silence of a room {silence:.1f} s, "
            f"{sum(room.acknowledged for room in self.rooms)} acknowledged")
        await self.recover(number, kind)

    async def recover(self, number: int, kind: str) -> None:
        """What is away comes back, so that the next fault meets a whole cluster; after a promotion everything is compared."""
        if kind in PROMOTING:
            old = next(server for server in self.database.servers if server.name == self.promotions[-1].old)
            self.returns[await asyncio.to_thread(self.database.bring_back, old)] += 1
            await self.compare()
        limit = time.monotonic() + PATIENCE
        while not all(await asyncio.gather(*(asyncio.to_thread(lambda node=node: node.is_ready) for node in self.nodes))):
            self.look()
            if time.monotonic() > limit:
                raise Broken(f"{PATIENCE:g} s after {kind} a node is not ready: " + "; ".join(f"{n.name}: {n.told()[-300:]}" for n in self.nodes))
            await asyncio.sleep(0.1)
        await asyncio.to_thread(self.show_images, number)

    # Images

    def show_images(self, number: int) -> None:
        """One more image through one node; all that there are through each."""
        room, node = self.rooms[number % len(self.rooms)].name, self.nodes[number % 3]
        image = base64.b64decode(PIXEL) + number.to_bytes(4, "big")
        token = self.token = self.token or self.boardroom("token", "sdk", "--role", "admin").strip()
        request = urllib.request.Request(f"{node.server}/v5/rooms/{room}/images", data=image, headers={"content-type": "image/png", "token": token})
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
            time.sleep(0.2)

    # Webhooks

    def told(self) -> None:
        """Everything acknowledged is told, at the latest a minute after the end."""
        acknowledged = {room.name: {revision for member in room.members for revision in member.receipts.values()} for room in self.rooms}
        limit = time.monotonic() + 60
        while waiting := {name: found for name, all in acknowledged.items() if (found := self.endpoint.untold(name, all))}:
            if time.monotonic() > limit:
                raise Broken("a minute after the end the endpoint was not told of: " + "; ".join(
                    f"{len(found)} events of {name}, from {min(found)} to {max(found)}" for name, found in waiting.items()))
            time.sleep(0.1)
        if self.endpoint.faults:
            raise Broken("; ".join(self.endpoint.faults))

    # The faults

    def victim(self, draw: float) -> Node:
        """An owner of rooms, as a rule: what nobody asks for is missed by nobody."""
        rows = self.database.ask("select node from log join incarnation on owner = incarnation.id where state = 0 order by log.id").split()
        owners = [node for name in rows for node in self.nodes if node.name == name] + self.nodes
        return owners[int(draw * len(owners))]

    async def kill(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        away = draw[1] * 4
        self.restarts[node.name] = time.monotonic() + away
        node.kill()
        return f"node {node.name} killed, away for {away:.1f} s"

    async def drain(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        self.drained, began = node, time.monotonic()
        process = node.process
        process.terminate()
        while process.poll() is None:
            if time.monotonic() - began > 30:
                raise Broken(f"the node {node.name} did not end within 30 s of SIGTERM")
            await asyncio.sleep(0.02)
        if process.returncode:
            raise Broken(f"the node {node.name} ended with {process.returncode} when it was asked to: {node.told()}")
        return f"node {node.name} drained, ended after {time.monotonic() - began:.1f} s"

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
        condition = "application_name like 'boardroom incarnation %'"
        if draw[0] < 0.5:
            condition += f" and random() < {0.2 + draw[1] * 0.8:.2f}"
        struck = int(await asyncio.to_thread(self.database.ask, f"select count(pg_terminate_backend(pid)) from pg_stat_activity where {condition}"))
        return f"{struck} connections cut"

    async def standby(self, draw: list[float]) -> str:
        standbys = [server for server in self.database.servers if server is not self.database.primary]
        server = standbys[int(draw[0] * 2)]
        await asyncio.to_thread(self.database.stop, server)
        await asyncio.sleep(draw[1] * 3)
        await asyncio.to_thread(self.database.start, server)
        # A promotion asks both.
        await asyncio.to_thread(self.database.wait_for, server)
        return f"standby {server.name} killed, away for {draw[1] * 3:.1f} s"

    async def primary(self, _: list[float]) -> str:
        await self.before_promotion()
        await asyncio.to_thread(self.database.stop, self.database.primary)
        return "primary killed, " + await self.promote()

    async def before_promotion(self) -> None:
        """With --plant the standbys lack the last half second, which members were acknowledged."""
        if self.options.plant:
            for server in self.database.servers:
                if server is not self.database.primary:
                    await asyncio.to_thread(self.database.follow, server, None)
            await asyncio.sleep(0.5)

    async def promote(self) -> str:
        done = await asyncio.to_thread(self.database.fail_over)
        self.promotions.append(done)
        return f"{done.new} promoted in place of {done.old} after {done.seconds} s, received {done.received}"

    async def both(self, draw: list[float]) -> str:
        node = await asyncio.to_thread(self.victim, draw[0])
        self.restarts[node.name] = time.monotonic() + draw[1] * 4
        if draw[2] < 0.35:
            node.kill()
            return f"node {node.name} killed, " + await self.primary(draw)
        if draw[2] < 0.7:
            text = await self.primary(draw)
            node.kill()
            return text + f", node {node.name} killed"
        node.pause()
        try:
            await asyncio.sleep(draw[1] * 3)
            text = await self.primary(draw)
        finally:
            node.go_on()
        return f"node {node.name} stopped for {draw[1] * 3:.1f} s, {text}, and it goes on"

    async def split(self, draw: list[float]) -> str:
        old = self.database.primary
        old.signal(signal.SIGSTOP)
        try:
            text = await self.promote()
        finally:
            old.signal(signal.SIGCONT)
        # There are two primaries. The old one has no standby and may acknowledge nothing; rooms go on with the new one.
        await asyncio.sleep(0.5 + draw[0] * 3.5)
        await self.progress("a promotion, while the old primary goes on")
        await asyncio.to_thread(self.database.stop, old)
        return f"primary stopped, {text}; the old one went on for {0.5 + draw[0] * 3.5:.1f} s and longer, until all rooms did"

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
        done = subprocess.run([self.options.program, *map(str, words), "--data", self.database.address, "--files", str(self.nodes[0].files)],
                              capture_output=True, text=True, check=False, env=self.database.environment)
        if done.returncode:
            raise Broken(f"boardroom {words[0]} ended with {done.returncode}: {done.stderr[-800:]}")
        return done.stdout

    def finish(self) -> None:
        """Ends the nodes in order, and looks at what is left."""
        for node in self.nodes:
            status = node.end()
            if status not in (0, -signal.SIGKILL, FENCED):
                raise Broken(f"the node {node.name} ended with {status} when it was asked to: {node.told()}")
        if "All is well" not in self.boardroom("verify", "--level", "deep", "--quiet"):
            raise Broken("verify does not say that all is well")

    def end(self) -> None:
        self.endpoint.end()
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
                node.process.wait()
        self.database.end()

    def outcome(self, seconds: float) -> dict:
        def table(values: list[float]) -> dict:
            ordered = sorted(values)
            return {"times": len(ordered), "p50": round(ordered[len(ordered) // 2], 1), "max": round(ordered[-1], 1)}

        codes: collections.Counter = sum((member.codes for member in self.members), collections.Counter())
        r = self.reckoning
        return {"kills": self.options.kills, "seed": self.seed, "seconds": round(seconds, 1), "events": r.events, "acknowledged": r.acknowledged,
                "shown": r.shown, "acknowledged and missing": r.missing, "twice": r.twice, "out of order": r.disordered,
                "seen and not in the log": r.unseen, "told to webhooks": self.endpoint.count, "told again": self.endpoint.again,
                "images": len(self.images), "resumes": sum(member.resumes for member in self.members),
                "sessions": sum(member.sessions for member in self.members), "told": dict(codes),
                "silence": {kind: table(values) for kind, values in sorted(self.silences.items())},
                "promotions": len(self.promotions), "slowest promotion": max((done.seconds for done in self.promotions), default=0),
                "old primaries": dict(self.returns), "ends of nodes": {str(status): count for status, count in sorted(self.statuses.items())}}


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/kill-cluster")
    parser.add_argument("--home", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--kills", type=int, default=12, help="faults")
    parser.add_argument("--seed", type=int, help="of the order of faults")
    parser.add_argument("--only", nargs="+", choices=sorted(set(FAULTS)), help="some kinds of faults")
    parser.add_argument("--longest", type=float, default=30, help="seconds that a node is stopped at most; 0.1 at least")
    parser.add_argument("--rooms", type=int, default=6)
    parser.add_argument("--members", type=int, default=18)
    parser.add_argument("--plant", action="store_true", help="commits wait for no standby, so that promotions lose what was acknowledged: the "
                        "run must find that, and ends with 1")
    parser.add_argument("--json", action="store_true", help="the numbers as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    say(f"seed {seed}, {options.kills} faults")
    torment, began, failed = Torment(options, seed), time.monotonic(), None
    try:
        prove()
        asyncio.run(torment.live())
        asyncio.run(torment.compare(at_end=True))
        torment.told()
        torment.finish()
    except KeyboardInterrupt:
        failed = "stopped"
    except (Broken, DatabaseFailure, NodeFailure, urllib.error.URLError) as error:
        failed = str(error)
    finally:
        torment.end()
        if failed or options.keep:
            say(f"the folder is {options.home}")
        else:
            shutil.rmtree(options.home, ignore_errors=True)
    outcome = torment.outcome(time.monotonic() - began)
    if options.json:
        print(json.dumps(outcome | ({"failed": failed} if failed else {})))
    else:
        for name, value in outcome.items():
            print(f"{name}: {value if not isinstance(value, dict) else json.dumps(value)}")
    if failed:
        say(f"seed {seed}: {failed}")
        return 130 if failed == "stopped" else 1
    if not outcome["acknowledged"] or not outcome["resumes"]:
        say("nothing was acknowledged or resumed, so nothing was tested")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
