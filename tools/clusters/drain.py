"""Ends the nodes of a cluster in order and starts them again, one after the other, while members write through all of them: what an
upgrade does. Measures for how long each room that moves stands still, and compares what members were told with the log.

With --old the nodes begin with that program, go over to --program one after the other, then back, and so on.
"""

import argparse
import asyncio
import collections
import itertools
import re
import sys
import time
from pathlib import Path

from load import Load, Node, Wanderer, spread
from options import boardroom, parser, seeded

LIMIT, LIMIT_OF_UPGRADES = 200.0, 1_000.0
"""Milliseconds for which a room may stand still when its node ends in order, but for one time in a hundred; and where its next node has another
program, older or newer, with which this one has to get on."""
COMMITS = 200
AROUND = 1.5
"""Seconds after the end of a node in which the silence of its rooms still counts to it."""


class Writer(Wanderer):
    pace = 0.03
    """Three of them in a room: an event every 10 ms."""


class Drain(Load):
    name = "drain"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.pauses: list[float] = []
        self.others: list[float] = []
        self.ends: list[float] = []
        self.commits: list[float] = []
        """Seconds of single commits under the same load, none of a node: what a pause is made of."""
        self.programs: collections.Counter = collections.Counter()

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        # Whoever comes first makes the room. A node that has heard that there is none believes it for a second, and would send the others
        # on until all members of a room were at its owner, and all rooms of a node went to the same next one.
        self.take_in(Writer, range(len(self.rooms)))
        await self.progress("the beginning")
        await asyncio.sleep(1.5)
        self.take_in(Writer, range(len(self.rooms), self.options.members))
        await asyncio.sleep(2)
        self.commits = await asyncio.to_thread(self.commit)
        programs = itertools.cycle([self.options.program, self.options.old or self.options.program])
        for number in range(1, self.options.rounds + 1):
            program = next(programs)
            for node in self.nodes:
                await self.replace(number, node, program)
            self.programs[str(program)] += 1

    def commit(self) -> list[float]:
        """Commits one record after the other, each answered when a standby has it."""
        told = self.database.ask("\\timing on", *["select pg_logical_emit_message(true, 'drain', '')"] * COMMITS)
        return [float(time) / 1_000 for time in re.findall(r"Time: ([\d.]+) ms", told)]

    async def replace(self, number: int, node: Node, program: Path) -> None:
        """Ends a node, and starts it again with a program."""
        owned = {room for room, (owner, _) in (await asyncio.to_thread(self.owners)).items() if owner == node.name}
        for room in self.rooms:
            room.listen()
        began = time.monotonic()
        node.program = program
        self.ends.append(await self.drain(node, away=AROUND))
        await asyncio.sleep(AROUND)
        moved = [room.longest for room in self.rooms if room.name in owned]
        self.pauses += moved
        self.others += [room.longest for room in self.rooms if room.name not in owned]
        await self.progress(f"the end of {node.name}")
        await self.until_ready(f"the start of {node.name}")
        self.say(f"round {number} of {self.options.rounds}: {node.name} ended after {self.ends[-1]:.2f} s, {len(moved)} rooms moved"
                 + (f", pauses {' '.join(f'{1_000 * pause:.0f}' for pause in sorted(moved))} ms" if moved else "")
                 + f", back after {time.monotonic() - began:.1f} s")
        # The next one is asked for when this one beats, and members are at all nodes again.
        await asyncio.sleep(1)

    def outcome(self, seconds: float) -> dict:
        def milliseconds(values: list[float]) -> dict:
            return spread([1_000 * value for value in values], 0)

        return {"rounds": self.options.rounds, "rooms": len(self.rooms), "members": len(self.members)} | super().outcome(seconds) | {
            "pause of a room that moves, ms": milliseconds(self.pauses), "limit, ms": self.options.limit,
            "longest pause of a room that stays, ms": milliseconds(self.others),
            "a commit beside them, ms": spread([1_000 * value for value in self.commits]),
            "end of a node, s": spread(self.ends, 2), "nodes replaced by": {program: 3 * count for program, count in self.programs.items()}}

    def judge(self, outcome: dict) -> str | None:
        pauses = outcome["pause of a room that moves, ms"]
        others = {code: count for code, count in outcome["told"].items() if code != "farewell goingAway"}
        if not pauses["times"]:
            return "no room moved, so nothing was tested"
        if others:
            return f"members were told more than goingAway: {others}"
        if outcome["sessions"] != len(self.members):
            return f"{outcome['sessions'] - len(self.members)} stays ended"
        limit = self.options.limit
        longer = sorted(round(1_000 * pause) for pause in self.pauses if 1_000 * pause > limit)
        # One is no rule: of fewer than a hundred it would be the p99.
        if limit and len(longer) > max(1, len(self.pauses) / 100):
            listed = " ".join(map(str, longer))
            return f"{len(longer)} of {len(self.pauses)} pauses were longer than {limit:g} ms, which one in a hundred may be, and one in any case: {listed} ms"
        return super().judge(outcome)


def main() -> int:
    options = parser("tools/try-cluster drain", rooms=6, members=18)
    options.add_argument("--rounds", type=int, default=3, help="how often each of the three nodes is replaced")
    options.add_argument("--old", type=boardroom, help="another program, with which the nodes begin and to which they go back")
    options.add_argument("--from", dest="earlier", metavar="COMMIT",
                         help="the same with the program of a commit, which is built first; `tables`: the oldest with the same tables")
    options.add_argument("--limit", type=float, help=f"milliseconds that one pause in a hundred may exceed; {LIMIT:g}, in an upgrade "
                         f"{LIMIT_OF_UPGRADES:g}; 0: any")
    options = options.parse_args()
    if options.limit is None:
        options.limit = LIMIT_OF_UPGRADES if options.old else LIMIT
    seed = seeded(options)
    if options.earlier and not options.old:
        sys.exit("tools/try-cluster builds the program of another commit.")
    drain = Drain(options, seed)
    drain.say(f"seed {seed}, {options.rounds} rounds of three nodes")
    return drain.carry_out()


if __name__ == "__main__":
    sys.exit(main())
