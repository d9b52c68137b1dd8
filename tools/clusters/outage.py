"""Takes the whole database away from a cluster for a while, once by standing still and once by a crash of all servers, and checks what
nodes and members do: commands are refused, nobody is sent away, open rooms are read, /readyz says why not, and afterwards everything goes on
without a restart and with the same owners.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable

from database import Database
from load import GONE, Broken, Load, Node, Room, Wanderer
from options import parser, seeded

SOON = 2.0
"""Seconds after which commands are refused, and /readyz says so."""
READ = 2.0
"""Seconds after which an open room is read at the latest, from what is durable."""
LONGEST = 3.0
"""Seconds after which a question to a node counts as not answered."""
BACK = 15.0
"""Seconds after the database's return within which all rooms must have gone on."""


class Patient(Wanderer):
    """Writes on while its events have no receipts: only what comes during an outage is refused."""
    is_patient = True
    pace = 0.1
    silence = 10.0
    most = 100

    def __init__(self, index: int, room: Room, nodes: list[Node]) -> None:
        super().__init__(index, room, nodes)
        # By a task of its own, not after what is heard.
        self.window = 0
        self.writer: asyncio.Task | None = None

    async def one_connection(self) -> None:
        try:
            await super().one_connection()
        finally:
            if self.writer:
                self.writer.cancel()
                self.writer = None

    def becomes_live(self) -> None:
        self.writer = asyncio.create_task(self.write())

    async def write(self) -> None:
        with contextlib.suppress(*GONE):
            while not self.stop:
                await asyncio.sleep(self.pace)
                if len(self.pending) < self.most:
                    await self.give()


def stand_still(database: Database) -> None:
    for server in database.servers:
        server.signal(signal.SIGSTOP)


def go_on(database: Database) -> None:
    for server in database.servers:
        server.signal(signal.SIGCONT)


def crash(database: Database) -> None:
    # The standbys first: nothing is acknowledged in between that one of them lacks.
    for server in sorted(database.servers, key=lambda server: server is database.primary):
        server.kill()


def start_again(database: Database) -> None:
    database.start(database.primary)
    for server in database.servers:
        if server is not database.primary:
            database.start(server)


WAYS: dict[str, tuple[Callable[[Database], None], Callable[[Database], None]]] = {
    "stopped": (stand_still, go_on), "crashed": (crash, start_again)}


def asked(node: Node, path: str, token: str | None = None, longest: float = LONGEST) -> tuple[int, str, float]:
    """Status, code if it is an error, and seconds."""
    began = time.monotonic()
    request = urllib.request.Request(node.server + path, headers={"token": token} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=longest) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    except OSError as error:
        return 0, str(error), time.monotonic() - began
    try:
        code = json.loads(body).get("code", "")
    except (ValueError, AttributeError):
        code = ""
    return status, code, time.monotonic() - began


class Outage(Load):
    name = "outage"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.seen: dict[str, dict] = {}

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        self.come_in(Patient)
        await self.progress("the beginning")
        await asyncio.sleep(1)
        for way in self.options.ways:
            await self.take_away(way, self.options.length)

    async def take_away(self, way: str, length: float) -> dict:
        """Takes the database away for so many seconds. What is not as it must be is raised as `Broken`."""
        token = await asyncio.to_thread(self.boardroom, "token", "sdk", "--role", "admin")
        token = token.strip().splitlines()[-1]
        before, processes = await asyncio.to_thread(self.owners), [node.process.pid for node in self.nodes]
        told, resumes = self.told(), sum(member.resumes + member.sessions for member in self.members)
        take, give_back = WAYS[way]
        places = [(node, f"/v5/rooms/{room.name}/members") for node in self.nodes for room in self.rooms[:2]]
        for node, path in places:
            status, code, _ = await asyncio.to_thread(asked, node, path, token)
            if status != 200:
                raise Broken(f"{way}: before the outage node {node.name} answers {status} {code} to a read")
        began = time.monotonic()
        await asyncio.to_thread(take, self.database)
        gone, ready, reads = time.monotonic(), [], []
        for member in self.members:
            member.refused = None

        async def ask_ready() -> None:
            began = time.monotonic() - gone
            answers = await asyncio.gather(*(asyncio.to_thread(asked, node, "/readyz") for node in self.nodes))
            ready.extend((began, node.name, status, code) for node, (status, code, _) in zip(self.nodes, answers, strict=True))

        async def read() -> None:
            reads.extend(await asyncio.gather(*(asyncio.to_thread(asked, node, f"/v5/rooms/{room.name}/members", token)
                                                for node in self.nodes for room in self.rooms[:2])))

        async def again(work: Callable[[], Awaitable[None]]) -> None:
            while time.monotonic() < gone + length:
                await work()
                await asyncio.sleep(0.1)

        # A read that waits must not keep the other questions waiting.
        await asyncio.gather(again(ask_ready), again(read))
        self.look()
        first = {member.index: member.refused - gone for member in self.members if member.refused}
        await asyncio.to_thread(give_back, self.database)
        back = time.monotonic()
        self.say(f"{way}: the database is back after {back - gone:.1f} s")
        await self.progress("the return of the database")
        on = time.monotonic() - back
        while not all(await asyncio.gather(*(asyncio.to_thread(lambda node=node: node.is_ready) for node in self.nodes))):
            if time.monotonic() - back > BACK:
                break
            await asyncio.sleep(0.1)
        is_ready = time.monotonic() - back
        after = await asyncio.to_thread(self.owners)
        late = [f"{name} {status} {code} after {at:.1f} s" for at, name, status, code in ready if at > SOON + 0.5 and (status, code) != (503, "logFull")]
        wrong = [f"{status} {code}" for status, code, _ in reads if status != 200]
        slow = max((seconds for _, _, seconds in reads), default=0)
        codes = {code: count - told.get(code, 0) for code, count in self.told().items() if count != told.get(code, 0)}
        seen = {"away, s": round(back - gone, 1), "taken away in, s": round(gone - began, 1), "members refused": len(first),
                "first refusal, s": round(max(first.values(), default=-1), 2), "/readyz asked": len(ready), "/readyz wrong": dict(collections.Counter(text.rsplit(" after ", 1)[0] for text in late)),
                "reads of open rooms": len(reads), "reads refused": dict(collections.Counter(wrong)), "slowest read, s": round(slow, 2),
                "all rooms go on after, s": round(on, 1), "all ready after, s": round(is_ready, 1),
                "owners changed": sum(after.get(room) != owner for room, owner in before.items()), "told": codes,
                "connections lost": sum(member.resumes + member.sessions for member in self.members) - resumes}
        self.seen[way] = seen
        self.say(f"{way}: {json.dumps(seen)}")
        for is_wrong, text in [
                (len(first) < len(self.members), f"{len(self.members) - len(first)} members were not refused"),
                (first and max(first.values()) > SOON, f"a command was refused after {max(first.values(), default=0):.1f} s"),
                (late, f"/readyz said {late[:3]}"), (wrong, f"reads of open rooms said {sorted(set(wrong))[:3]}"),
                (slow > READ, f"a read of an open room took {slow:.1f} s"),
                (on > BACK, f"all rooms went on after {on:.1f} s"), (is_ready > BACK, f"nodes were ready after {is_ready:.1f} s"),
                (seen["owners changed"], f"{seen['owners changed']} rooms have another owner"),
                ([node.process.pid for node in self.nodes] != processes, "a node ended"),
                (set(codes) - {"refused logFull"}, f"members were told {codes}"), (seen["connections lost"], f"{seen['connections lost']} connections were lost")]:
            if is_wrong:
                raise Broken(f"{way}: {text}")
        return seen

    def outcome(self, seconds: float) -> dict:
        return {"length": self.options.length} | super().outcome(seconds) | {"outages": self.seen}


def main() -> int:
    options = parser("tools/try-cluster outage", rooms=4, members=12)
    options.add_argument("--length", type=float, default=60, help="seconds for which the database is away")
    options.add_argument("--ways", nargs="+", choices=sorted(WAYS), default=list(WAYS), help="how it goes away, one after the other")
    options = options.parse_args()
    seed = seeded(options)
    outage = Outage(options, seed)
    outage.say(f"seed {seed}, {options.length:g} s without a database")
    return outage.carry_out()


if __name__ == "__main__":
    sys.exit(main())
