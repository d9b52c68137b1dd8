"""Other programs for the nodes of a cluster, there and back, while members write: one node after the other where both programs know the same
tables, and all nodes at once where the newer one needs others.
"""

import asyncio
import json
import shutil
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import commands
from database import NAME, USER, free_ports
from load import SETTINGS, Broken, Load, Node
from nodes import give_keys

BUSY, BAD_INPUT = 75, 65
STANDSTILL = 5.0
"""Seconds for which a room may stand still when a node is replaced, whichever program it has. What is measured is in docs/CLUSTER.md."""


class Changes(Load):
    newer: Path

    async def upgrade_act(self) -> str:
        older = self.nodes[0].program
        self.newer = self.options.program
        if not self.options.old:
            # Another program for whoever looks at processes, of the same version.
            self.newer = self.options.home / "newer"
            await asyncio.to_thread(shutil.copy2, older, self.newer)
        done = await asyncio.to_thread(self.tried, self.newer, "database", "make", self.database.address)
        if done == (0, ""):
            return await self.replace_in_turn(older)
        if done != (BUSY, "locked"):
            raise Broken(f"a program that is newer says {done} of tables that nodes use")
        return await self.replace_at_once(older)

    def tried(self, program: Path, *words: object) -> tuple[int, str]:
        """Status of a command, and the code of its error."""
        done = commands.run([program, *words, "--json"], self.database.environment)
        lines = done.stderr.splitlines()
        return done.returncode, json.loads(lines[-1]).get("code", "") if lines and done.returncode else ""

    # The same tables

    async def replace_in_turn(self, older: Path) -> str:
        ways = [self.newer, older] + [self.newer] * bool(self.options.old)
        longest = 0.0
        for program in ways:
            for node in self.nodes:
                longest = max(longest, await self.replace(node, program))
        return (f"{len(self.nodes)} nodes, one after the other, {' and '.join(['there', 'back', 'there again'][:len(ways)])}; "
                f"longest silence of a room {longest:.2f} s")

    async def replace(self, node: Node, program: Path) -> float:
        """The longest silence of a room, in seconds."""
        for room in self.rooms:
            room.listen()
        node.program = program
        await self.drain(node)
        await asyncio.sleep(0.3)
        await self.progress(f"the end of {node.name}")
        longest = max(room.longest for room in self.rooms)
        if longest > STANDSTILL:
            raise Broken(f"a room stood still for {longest:.1f} s when {node.name} was replaced; {STANDSTILL:g} may be")
        await self.until_ready(f"the start of {node.name}")
        return longest

    # Other tables

    async def replace_at_once(self, older: Path) -> str:
        """docs/CLUSTER.md, Upgrade to other tables; then the way back, and there again."""
        await self.refuses(self.newer, BUSY, "a node of a newer program beside those of an older one")
        there = await self.change(self.newer)
        await self.refuses(older, BAD_INPUT, "a node of an older program on newer tables")
        back = await self.change(older, partial(self.go_back, older))
        again = await self.change(self.newer)
        return (f"refused beside older nodes and on newer tables; all {len(self.nodes)} nodes at once, rooms stood still for {there:.1f} s there, "
                f"{back:.1f} s back by a folder, {again:.1f} s there again")

    async def refuses(self, program: Path, status: int, what: str) -> None:
        node = Node("z", free_ports(1)[0], program, self.database, self.options.home, SETTINGS)
        if not node.files.exists():
            await asyncio.to_thread(give_keys, self.nodes[0], node)
        self.guests.append(node)
        node.start()
        limit = time.monotonic() + 30
        while (found := node.process.poll()) is None:
            if time.monotonic() > limit:
                raise Broken(f"{what} runs on")
            await asyncio.sleep(0.05)
        if found != status:
            raise Broken(f"{what} ended with {found} in place of {status}: {node.told()}")
        # Whoever was refused has done nothing to the others.
        await self.progress(what)

    async def change(self, program: Path, between: Callable[[], Awaitable[None]] | None = None) -> float:
        """Ends all nodes, and starts one with another program, and then the others; for how long rooms stood still, in seconds."""
        for room in self.rooms:
            room.listen()
        for node in self.nodes:
            await self.drain(node, away=3_600)
        if between:
            await between()
        for node in self.nodes:
            node.program = program
            self.restarts[node.name], before = 0, node.starts
            if node is self.nodes[0]:
                await self.until(lambda first=node, before=before: first.starts > before, "the first node of another program was started")
                await asyncio.to_thread(node.wait_until_ready, 60)
        await self.progress("a change of all nodes")
        await self.until_ready("a change of all nodes")
        await self.compare()
        return max(room.longest for room in self.rooms)

    async def go_back(self, older: Path) -> None:
        """What the newer program has written, into a folder and from there into tables that the older one makes."""
        folder, files = self.options.home / "back", ("--files", self.nodes[0].files, "--quiet")
        await asyncio.to_thread(self.done, self.newer, "migrate", self.database.address, folder, *files)
        await asyncio.to_thread(self.database.ask, f"alter database {NAME} rename to later", f"create database {NAME} owner {USER}", database="postgres")
        await asyncio.to_thread(self.done, older, "database", "make", self.database.address)
        await asyncio.to_thread(self.done, older, "migrate", folder, self.database.address, *files)
        # They would be in the way of the next time.
        await asyncio.to_thread(self.database.ask, "drop database later", database="postgres")
        await asyncio.to_thread(shutil.rmtree, folder)

    def done(self, program: Path, *words: object) -> None:
        done = commands.run([program, *words], self.database.environment)
        if done.returncode:
            raise Broken(f"{program.name} {words[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-800:]}")
