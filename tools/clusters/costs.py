"""What a cluster costs on this machine: how long a commit takes in the database and in a folder, what the servers of the database use of the
processor and write to their log for an event, and what a pipe costs beside a delivery. With --bench a program that was built for release
with PostgreSQL; --program should be one, too.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from database import Server
from load import Broken, Load, Room, Wanderer
from options import executable, parser, seeded

TICKS = os.sysconf("SC_CLK_TCK")
EVENTS = 300_000
SECONDS = 8
CPU_OF_EVENT = 15e-6
"""Seconds of the processor that all three servers may use for an event, with 64 in a commit. These limits are those of docs/CLUSTER.md, "How large"."""
LOG_OF_BYTE = 2.0
"""Bytes of the database's log for a raw byte, without snapshots."""
PIPE = 1.0
"""What a pipe may cost beside each delivery through it: one delivery. A commit may take 1.5 ms longer than in a folder: that bench knows."""


def used(process: int) -> float:
    """Seconds of the processor that a process has used, with all that it has started."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0
    # Its own, and of those that have ended.
    return sum(map(int, fields[11:15])) / TICKS + sum(used(int(child)) for child in children)


class Quick(Wanderer):
    pace = 0.002
    deliveries = 0

    def run(self, records: list[dict]) -> None:
        super().run(records)
        self.deliveries += len(records)


class Costs(Load):
    name = "costs"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.rows: list[dict] = []

    def row(self, what: str, measured: str, limit: str = "", is_met: bool | None = None) -> None:
        self.rows.append({"what": what, "measured": measured, "limit": limit} | ({} if is_met is None else {"met": is_met}))
        self.say(f"{what}: {measured}" + (f" (limit {limit})" if limit else ""))

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        for node in self.nodes:
            await asyncio.to_thread(node.end)
        if self.options.bench:
            await asyncio.to_thread(self.latency)
            await asyncio.to_thread(self.steady)
        for node in self.nodes:
            node.start()
            await asyncio.to_thread(node.wait_until_ready)
        await self.pipes()

    # The database

    def bench(self, *words: object) -> list[dict]:
        done = subprocess.run([self.options.bench, "database", self.options.home / "bench", "--database", self.database.address, "--json",
                               *map(str, words)], capture_output=True, text=True, check=False, env=self.database.environment)
        if done.returncode:
            raise Broken(f"bench ended with {done.returncode}: {done.stderr[-600:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def latency(self) -> None:
        for row in self.bench():
            self.row(row["what"], f"{row['measured']}; {row['limit']}", row["goal"], row["verdict"] == "met")

    def of_servers(self) -> float:
        def first(server: Server) -> int:
            return server.process() or 0
        return sum(used(first(server)) for server in self.database.servers)

    def wal(self) -> int:
        return int(self.database.ask("select pg_current_wal_lsn() - '0/0'"))

    def steady(self) -> None:
        for batch in (64, 512):
            cpu, wal = self.of_servers(), self.wal()
            row = self.bench("--batch", batch, "--events", EVENTS)[0]
            cpu, wal = self.of_servers() - cpu, self.wal() - wal
            raw = int(re.search(r"(\d+) raw bytes", row["measured"])[1])
            self.row(f"database CPU an event at {batch} a commit, three servers", f"{cpu / EVENTS * 1e6:.1f} µs; {row['measured']}",
                     f"{CPU_OF_EVENT * 1e6:g} µs" if batch == 64 else "", cpu / EVENTS <= CPU_OF_EVENT if batch == 64 else None)
            self.row(f"WAL a raw byte at {batch} a commit", f"{wal / raw:.2f}", f"{LOG_OF_BYTE:g}", wal / raw <= LOG_OF_BYTE)

    # Pipes

    async def pipes(self) -> None:
        """One room, one that writes and 24 that read: at the owner, and then all at another node."""
        costs = {way: await self.pipe(way) for way in ("at the owner", "at another node")}
        (here, _), many = costs["at the owner"]
        (there, middle), more = costs["at another node"]
        delivery, pipe = here / many, middle / more
        self.row("CPU of the owner a delivery, all members there", f"{delivery * 1e6:.1f} µs")
        self.row("CPU of the owner a delivery, all members at another node", f"{there / more * 1e6:.1f} µs")
        self.row("CPU of the node in the middle a delivery", f"{pipe * 1e6:.1f} µs, {pipe / delivery:.2f} deliveries", f"{PIPE:g} delivery",
                 pipe <= PIPE * delivery)

    async def pipe(self, way: str) -> tuple[list[float], int]:
        """The seconds of the processor that the two nodes have used, and the deliveries that they were for."""
        room = Room(f"{self.chance.getrandbits(128):032x}")
        owner, other, _ = self.nodes
        members = [Quick(0, room, [owner])] + [Quick(number, room, [owner if way == "at the owner" else other]) for number in range(1, 25)]
        for member in members[1:]:
            member.window = 0
        tasks: list[asyncio.Task] = []
        try:
            for member in members:
                tasks.append(asyncio.create_task(member.live()))
                if member is members[0]:
                    limit = time.monotonic() + 20
                    while not room.acknowledged:
                        self.meet(way, members, tasks)
                        if time.monotonic() > limit:
                            raise Broken(f"{way}: nobody comes in at node {owner.name}: {owner.told()[-300:]}")
                        await asyncio.sleep(0.05)
            await asyncio.sleep(2)
            self.meet(way, members, tasks)
            before = [used(node.process.pid) for node in (owner, other)]
            heard, began = [member.deliveries for member in members], time.monotonic()
            await asyncio.sleep(SECONDS)
            after = [used(node.process.pid) for node in (owner, other)]
            seconds = time.monotonic() - began
            self.meet(way, members, tasks)
        finally:
            for member in members:
                member.stop = True
                member.pending.clear()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=5)
        heard = [member.deliveries - first for member, first in zip(members, heard, strict=True)]
        if silent := [member.index for member, count in zip(members, heard, strict=True) if not count]:
            raise Broken(f"{way}: members {silent} of 25 were told nothing in {seconds:.0f} s; {members[silent[0]].url} told them "
                         f"{dict(members[silent[0]].codes)}")
        cpu = [last - first for first, last in zip(before, after, strict=True)]
        if cpu[0] <= 0:
            raise Broken(f"{way}: node {owner.name} has used nothing of the processor for {sum(heard)} deliveries")
        self.say(f"{way}: {sum(heard) / seconds:.0f} deliveries a second, CPU owner {cpu[0]:.2f} s, other {cpu[1]:.2f} s")
        return cpu, sum(heard)

    def meet(self, way: str, members: list[Quick], tasks: list[asyncio.Task]) -> None:
        """Nothing is measured where a member or a node has ended."""
        for node in self.nodes:
            if (status := node.process.poll()) is not None:
                raise Broken(f"{way}: the node {node.name} ended with {status}: {node.told()}")
        for member, task in zip(members, tasks, strict=False):
            if task.done():
                raise Broken(f"{way}: member {member.index} at {member.url} has ended: {task.exception()!r}")

    # The outcome

    async def compare(self, at_end: bool = False) -> None:
        """It is not about what is in the log."""

    async def stop_writing(self) -> None:
        """Nobody writes any more."""

    def outcome(self, seconds: float) -> dict:
        return {"seconds": round(seconds, 1), "load": " ".join(f"{load:.1f}" for load in os.getloadavg()), "rows": self.rows}

    def show(self, outcome: dict) -> None:
        print("| What | Measured | Limit | |\n|---|---|---|---|")
        for row in self.rows:
            print(f"| {row['what']} | {row['measured']} | {row['limit']} | {'' if 'met' not in row else 'met' if row['met'] else 'missed'} |")

    def judge(self, outcome: dict) -> str | None:
        if not self.rows:
            return "nothing was measured"
        missed = [f"{row['what']}: {row['measured']} (limit {row['limit']})" for row in self.rows if row.get("met") is False]
        return f"{len(missed)} of {len(self.rows)} figures miss their limits: {'; '.join(missed)}" if missed else None


def main() -> int:
    options = parser("tools/try-cluster costs", rooms=1, members=0)
    options.add_argument("--bench", type=executable, help="bench, built for release with PostgreSQL; without it only pipes are measured")
    options = options.parse_args()
    return Costs(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
