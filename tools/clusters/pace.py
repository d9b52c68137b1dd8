"""Commits at a fixed pace for a long time: 1,000 a second for an hour, from three nodes. Whether a commit takes longer at the end than at the
beginning, and what the tables of the database have grown to beside the blocks that are in them. bench must be built for release with PostgreSQL.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time

from load import Broken, Load
from options import executable, parser, seeded

LIMIT = 1.2
"""Bytes of the tables with blocks, for a byte of the blocks in them, after an hour. That the p99 of a commit may not grow, and by how much it may
differ, bench knows."""
EVERY = 60.0
"""Seconds between two looks at the tables."""
SIZES = """select coalesce(sum(pg_table_size(relid)), 0), coalesce(sum(n_dead_tup), 0),
(select coalesce(sum(length(bytes)), 0) from block) from pg_stat_user_tables where relname ~ '^block_[0-9]+$'"""
OTHERS = """select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_stat_user_tables where relname !~ '^block_[0-9]+$'"""


class Pace(Load):
    name = "pace"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.rows: list[dict] = []
        self.sizes: list[dict] = []

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        for node in self.nodes:
            await asyncio.to_thread(node.end)
        await asyncio.to_thread(self.write)

    def write(self) -> None:
        options = self.options
        words = ["database", options.home / "bench", "--database", self.database.address, "--json", "--minutes", options.minutes,
                 "--rate", options.rate, "--batch", options.batch]
        began, told = time.monotonic(), options.home / "told"
        with told.open("w") as out:
            bench = subprocess.Popen([options.bench, *map(str, words)], stdout=out, stderr=subprocess.STDOUT, env=self.database.environment)
        try:
            while bench.poll() is None:
                try:
                    bench.wait(EVERY)
                except subprocess.TimeoutExpired:
                    self.look(time.monotonic() - began)
        finally:
            if bench.poll() is None:
                bench.terminate()
                bench.wait(60)
        if bench.returncode:
            raise Broken(f"bench ended with {bench.returncode}: {told.read_text()[-600:]}")
        self.rows = [json.loads(line) for line in told.read_text().splitlines() if line.startswith("{")]
        self.look(time.monotonic() - began)

    def look(self, seconds: float) -> None:
        tables, dead, blocks = map(int, self.database.ask(SIZES).split("|"))
        others = int(self.database.ask(OTHERS))
        size = {"minute": round(seconds / 60, 1), "blocks": blocks, "tables": tables, "ratio": round(tables / max(1, blocks), 3), "dead": dead,
                "others": others, "load": round(os.getloadavg()[0], 1)}
        self.sizes.append(size)
        self.say(f"minute {size['minute']:.0f}: {blocks / 1e6:.0f} MB of blocks in {tables / 1e6:.0f} MB of tables, {size['ratio']:.2f}; "
                 f"{dead} dead rows, {others / 1e6:.0f} MB in other tables")

    # The outcome

    async def compare(self, at_end: bool = False) -> None:
        """It is not about what is in the log."""

    async def stop_writing(self) -> None:
        """Nobody writes any more."""

    def outcome(self, seconds: float) -> dict:
        return {"seconds": round(seconds, 1), "rows": self.rows, "sizes": self.sizes}

    def show(self, outcome: dict) -> None:
        print("| What | Measured | Limit | |\n|---|---|---|---|")
        for row in self.rows:
            print(f"| {row['what']} | {row['measured']}; {row['limit']} | {row['goal']} | {row['verdict']} |")
        if not self.sizes:
            return
        last = self.sizes[-1]
        print(f"| tables with blocks, for a byte of blocks | {last['ratio']}, {last['blocks'] / 1e6:.0f} MB of blocks | <= {LIMIT} | "
              f"{'met' if last['ratio'] <= LIMIT else 'missed'} |")

    def judge(self, outcome: dict) -> str | None:
        if not self.rows or not self.sizes:
            return "nothing was measured"
        missed = [f"{row['what']}: {row['measured']} ({row['goal']})" for row in self.rows if row["verdict"] == "missed"]
        if (last := self.sizes[-1])["ratio"] > LIMIT:
            missed.append(f"tables with blocks, for a byte of blocks: {last['ratio']} (<= {LIMIT:g})")
        return f"limits are missed: {'; '.join(missed)}" if missed else None


def main() -> int:
    options = parser("tools/try-cluster pace", rooms=1, members=0)
    options.add_argument("--bench", type=executable, required=True, help="bench, built for release with PostgreSQL")
    options.add_argument("--minutes", type=int, default=60)
    options.add_argument("--rate", type=int, default=1_000, help="commits a second, of three nodes together")
    options.add_argument("--batch", type=int, default=4, help="events of a commit")
    options = options.parse_args()
    return Pace(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
