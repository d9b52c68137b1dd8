"""What can happen to a commit that waits for a standby, on a primary and two standbys that both stand still: what is answered then, what a server shows
to everybody, and what a restart makes of it is no acknowledgement. Nothing may be told to a member before a standby has it; afterwards each event is
there once or not at all, and everything acknowledged is there.

Others of these traps are in tools/kill-cluster: an old primary that comes back or goes on as one (`restart`, `split`), standbys that must not hear it
any more (each promotion), and pg_rewind after a promotion.
"""

import argparse
import asyncio
import json
import signal
import sys
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass

from database import Server
from load import Broken, Load, Node
from options import parser, seeded
from outage import SOON, Patient

HELD = SOON + 0.5
"""Seconds for which the standbys stand still after the trap: commands are refused by then, and nodes are not ready."""
WAITING = "application_name like 'boardroom incarnation %' and wait_event = 'SyncRep'"


@dataclass
class Trap:
    name: str
    is_well: bool = False
    seconds: float = 0
    what: str = ""


def why(node: Node) -> tuple[int, str]:
    """What /readyz says: its status, and the code, or the reason where the code is for many."""
    try:
        with urllib.request.urlopen(f"{node.server}/readyz", timeout=3) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        body = json.loads(error.read())
        return error.code, body["cause"].rpartition("(")[2].partition(":")[0] if body["code"] == "internal" else body["code"]
    except OSError as failure:
        return 0, str(failure)


class Traps(Load):
    name = "traps"

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.traps: list[Trap] = []
        self.away: list[Server] = []
        """Servers that stand still."""
        self.owning: list[str] = []
        """The owner of each room before."""

    async def live(self) -> None:
        await asyncio.to_thread(self.build)
        self.come_in(Patient)
        await self.progress("the beginning")
        for name in self.options.only or TRAPS:
            trap, began = Trap(name), time.monotonic()
            self.traps.append(trap)
            try:
                trap.what = await TRAPS[name](self)
                trap.is_well = True
            except BaseException as failure:
                trap.what = str(failure) or "stopped"
                raise
            finally:
                trap.seconds = round(time.monotonic() - began, 1)
                self.go_on()
            self.say(f"{name}: {trap.what}, {trap.seconds} s")

    # Standbys

    @property
    def standbys(self) -> list[Server]:
        return [server for server in self.database.servers if server is not self.database.primary]

    def go_on(self) -> None:
        for server in self.away:
            server.signal(signal.SIGCONT)
        self.away = []

    async def pause(self) -> int:
        """Both standbys stand still, and commits of nodes wait for them; how many."""
        self.away = self.standbys
        for server in self.away:
            await asyncio.to_thread(server.signal, signal.SIGSTOP)
        limit = time.monotonic() + 10
        while not (count := await self.waiting()):
            if time.monotonic() > limit:
                raise Broken("no commit waits for the standbys, which stand still")
            await asyncio.sleep(0.05)
        # Receipts that were on their way.
        await asyncio.sleep(0.3)
        return count

    async def waiting(self) -> int:
        return int(await self.ask(f"select count(*) from pg_stat_activity where {WAITING}"))

    async def strike(self, function: str) -> int:
        return int(await self.ask(f"select count({function}(pid)) from pg_stat_activity where {WAITING}"))

    async def ask(self, *statements: str) -> str:
        """The primary: who asks all servers waits for those that stand still."""
        return await asyncio.to_thread(self.database.ask, *statements, server=self.database.primary)

    def seen(self) -> tuple[int, int]:
        """How much was acknowledged, and how much was shown, to all members together."""
        return sum(len(member.receipts) for member in self.members), sum(len(member.shown) for member in self.members)

    async def untold(self, before: tuple[int, int], ready: set[tuple[int, str]]) -> str:
        """Nobody is told anything while no standby has it; then nodes say why they are not ready."""
        await asyncio.sleep(HELD)
        if (after := self.seen()) != before:
            raise Broken(f"{after[0] - before[0]} events were acknowledged and {after[1] - before[1]} shown while no standby could have them")
        answers = await self.readiness()
        # A node that has no room has no commit that waits, and may not know.
        if wrong := {node: answer for node, answer in answers.items() if node in self.owning and answer not in ready}:
            raise Broken(f"/readyz says {wrong} where it has to say one of {sorted(ready)}")
        refused = sum(1 for member in self.members if member.refused)
        return f"nothing acknowledged or shown in {HELD:g} s, {refused} members refused, /readyz {' and '.join(sorted({f'{s} {c}'.strip() for s, c in answers.values()}))}"

    async def readiness(self) -> dict[str, tuple[int, str]]:
        """What /readyz says of each node that runs."""
        nodes = [node for node in self.nodes if node.process.poll() is None]
        return dict(zip((node.name for node in nodes), await asyncio.gather(*(asyncio.to_thread(why, node) for node in nodes)), strict=True))

    async def afterwards(self, text: str) -> str:
        """The standbys go on: so do all rooms, and what was told is compared with the log."""
        self.go_on()
        for server in self.standbys:
            await asyncio.to_thread(self.database.wait_for, server)
        await self.progress("the return of the standbys")
        await self.until_ready("the return of the standbys")
        await self.compare()
        return f"{text}; then {self.reckoning.acknowledged} acknowledged events compared, none missing, twice or out of order"

    async def begin(self) -> tuple[int, tuple[int, int]]:
        for member in self.members:
            member.refused = None
        self.owning = [node for node, _ in (await asyncio.to_thread(self.owners)).values()]
        return await self.pause(), self.seen()

    # The traps

    async def silent(self) -> str:
        count, before = await self.begin()
        return await self.afterwards(f"{count} commits wait; {await self.untold(before, FULL)}")

    async def struck(self, function: str, what: str) -> str:
        """The server answers as if it were done, or closes the connection, and shows to everybody what is on no standby."""
        _, before = await self.begin()
        struck = await self.strike(function)
        text = await self.untold(before, FULL)
        if not struck:
            raise Broken(f"nothing was {what}, so nothing was tested")
        return await self.afterwards(f"{struck} waiting commits {what}; {text}")

    async def client_gone(self) -> str:
        """The server's process goes on waiting for the standbys, and holds its locks."""
        count, before = await self.begin()
        node = next(node for node in self.nodes if node.name == self.owning[0])
        self.restarts[node.name] = time.monotonic() + HELD + 1
        await asyncio.to_thread(node.kill)
        text = await self.untold(before, FULL)
        left = await self.waiting()
        return await self.afterwards(f"node {node.name} killed with {count} commits that wait, {left} wait on; {text}")

    async def restarted(self) -> str:
        """What waited is visible at once, and on no standby."""
        count, before = await self.begin()
        primary = self.database.primary
        await asyncio.to_thread(primary.kill)
        await asyncio.to_thread(self.database.start, primary)
        return await self.afterwards(f"primary killed with {count} commits that wait, and started again; {await self.untold(before, FULL)}")

    async def promoted(self) -> str:
        """What waited is nowhere any more."""
        count, before = await self.begin()
        old = self.database.primary
        await asyncio.to_thread(old.kill)
        text = await self.untold(before, FULL)
        self.go_on()
        done = await asyncio.to_thread(self.database.fail_over)
        await self.progress("a promotion")
        back = await asyncio.to_thread(self.database.bring_back, old)
        return await self.afterwards(f"primary killed with {count} commits that wait, {done.new} promoted, {done.old} {back}; {text}")

    async def emptied(self) -> str:
        """All that wait succeed, and nobody can promise it: nodes are not ready, and say so."""
        count, before = await self.begin()
        await self.name_standbys("''")
        try:
            await self.until(lambda: self.seen()[0] > before[0], "what waits is acknowledged when no standby is asked for")
            began = time.monotonic()
            while (answers := set((await self.readiness()).values())) != LONELY:
                if time.monotonic() > began + 10:
                    raise Broken(f"/readyz says {answers} where it has to say {LONELY}")
                await asyncio.sleep(0.1)
            after = time.monotonic() - began
        finally:
            await self.name_standbys("default")
        return await self.afterwards(f"names emptied with {count} commits that wait; {self.seen()[0] - before[0]} acknowledged, /readyz 503 not replicated after {after:.1f} s")

    async def name_standbys(self, names: str) -> None:
        change = "alter system reset synchronous_standby_names" if names == "default" else f"alter system set synchronous_standby_names = {names}"
        await self.ask(change, "select pg_reload_conf()")

    # The outcome

    def outcome(self, seconds: float) -> dict:
        return super().outcome(seconds) | {"traps": [asdict(trap) for trap in self.traps], "elsewhere": ELSEWHERE}

    def show(self, outcome: dict) -> None:
        for trap in self.traps:
            print(f"{trap.name}: {'holds' if trap.is_well else 'DOES NOT HOLD'}: {trap.what} ({trap.seconds} s)")
        for name, command in ELSEWHERE.items():
            print(f"{name}: not here, but in {command}")


ELSEWHERE = {"old primary back as a primary": "tools/kill-cluster --only restart split",
             "standbys that hear the old primary": "tools/kill-cluster --only split: a promotion first has them hear nobody",
             "pg_rewind after a promotion": "tools/kill-cluster --only primary, which fails when it finds nothing to do"}
"""Traps that are played there, on the same servers."""
FULL = {(503, "logFull")}
LONELY = {(503, "not replicated")}
TRAPS = {"silent": Traps.silent, "cancelled": lambda run: run.struck("pg_cancel_backend", "cancelled"),
         "terminated": lambda run: run.struck("pg_terminate_backend", "terminated"), "client gone": Traps.client_gone, "restarted": Traps.restarted,
         "promoted": Traps.promoted, "emptied": Traps.emptied}


def main() -> int:
    options = parser("tools/try-cluster traps", rooms=3, members=9)
    options.add_argument("--only", nargs="+", choices=list(TRAPS), help="some of them")
    options = options.parse_args()
    return Traps(options, seeded(options)).carry_out()


if __name__ == "__main__":
    sys.exit(main())
