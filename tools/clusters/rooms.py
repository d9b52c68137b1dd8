"""The scenarios of the load generator over a database with two standbys, and in turn with them over a folder. The generator's folder is made by
tools/bench/rooms/build.py. The servers of the database share the machine with what is measured.
"""

import argparse
import asyncio
import subprocess
import sys
from pathlib import Path

from database import NAME, OPERATOR
from load import Broken, Load
from options import parser, seeded


class Rooms(Load):
    name = "rooms"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.tables = ""

    async def live(self) -> None:
        await asyncio.to_thread(self.database.make)
        await asyncio.to_thread(self.compare_servers)

    def compare_servers(self) -> None:
        folder, primary = self.options.roombench, self.database.primary
        environment = self.database.environment | {
            "BOARDROOM_BENCH_PROGRAM": str(self.options.program.absolute()),
            "BOARDROOM_BENCH_DATABASE": self.database.address.replace(f"/{NAME}?", "/NAME?"),
            "BOARDROOM_BENCH_MAKER": f"host=127.0.0.1 port={primary.port} user={OPERATOR} dbname=postgres"}
        results = self.options.home / "results.jsonl"
        words = [word for scenario in self.options.scenario or ["s1-50", "s2"] for word in ("--scenario", scenario)]
        done = subprocess.run([sys.executable, folder / "compare.py", "--repeat", str(self.options.repeat), *words, "--results", results,
                               "boardroom-postgres", "boardroom", *self.options.peers], cwd=folder, env=environment, text=True, check=False,
                              stdout=subprocess.PIPE)
        self.tables = done.stdout
        if done.returncode or not results.exists():
            raise Broken(f"compare.py ended with {done.returncode}")

    # The outcome

    async def compare(self, at_end: bool = False) -> None:
        """It is not about what is in the log."""

    async def stop_writing(self) -> None:
        """Nobody writes any more."""

    def finish(self) -> None:
        """Nodes of its own it has none."""

    def outcome(self, seconds: float) -> dict:
        return {"seconds": round(seconds, 1), "tables": self.tables}

    def show(self, outcome: dict) -> None:
        print(self.tables)

    def judge(self, outcome: dict) -> str | None:
        """Figures are for people to judge; without any there is nothing to judge."""
        return None if self.tables else "nothing was measured"


def main() -> int:
    options = parser("tools/try-cluster rooms", rooms=1, members=0)
    options.add_argument("--roombench", type=Path, required=True, help="the folder that tools/bench/rooms/build.py made")
    options.add_argument("--scenario", action="append", help="as compare.py takes it (s1-50 and s2)")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--peers", nargs="*", default=[], help="other servers, in turn with them")
    options = options.parse_args()
    return Rooms(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
