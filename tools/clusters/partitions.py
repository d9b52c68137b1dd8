"""What befalls the network between the nodes of a cluster and its database, and between two nodes, for tools/kill-cluster: connections are reset,
or bytes go nowhere for a while, in both directions or in one. Then what was held arrives, or the connections are reset.

A node that cannot reach the database is dead for the others after 1.5 s (NODE-1), and its rooms go on elsewhere; a silence that is shorter moves
no room. Nodes that do not hear each other are dead to nobody.
"""

import argparse
import asyncio
import itertools
import math
import time

from load import Broken, Load, Node, Room

OF_NETWORK = ("reset", "partition", "partition_nodes")
SHORTEST, LONGEST = 0.2, 10.0
"""Seconds of silence."""
BEAT, LEASE = 0.5, 1.5
"""Seconds between two beats of a node, and without one until it is dead (NODE-1). A silence moves no room for certain that is over before the last
beat ahead of it is as old as this."""
FENCED = 2.2 + BEAT
"""Seconds of silence after which a node is fenced for certain: as after a stop (tools/try-cluster stale), and one beat may still have been on its way
to the database where that alone is silent."""


class Partitions(Load):
    most: float
    """Seconds for which a room may be silent by the present fault."""
    before: str
    """The fault before."""
    patience: float
    """Seconds for which a room may be silent when a node is lost."""

    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        super().__init__(options, seed)
        self.silent: dict[str, int] = dict.fromkeys(("rooms of fenced nodes", "fenced nodes", "moved none", "connections reset", "connections silent"), 0)
        self.alone: list[Room] = []
        """Rooms all of whose members are at a node that does not reach the database in the present fault."""
        self.stranded: list[float] = []
        """Seconds for which such rooms were silent."""

    async def standing(self) -> dict[str, tuple[str, int]]:
        """Who owns the rooms of the members."""
        names = {room.name for room in self.rooms}
        return {room: owner for room, owner in (await asyncio.to_thread(self.owners)).items() if room in names}

    async def holds_still(self, before: dict[str, tuple[str, int]], why: str) -> None:
        """No room has moved, and none does: whoever was taken for dead is fenced within two beats."""
        await asyncio.sleep(2 * BEAT)
        after = await self.standing()
        if moved := {room: (owner, after.get(room)) for room, owner in before.items() if after.get(room) != owner}:
            raise Broken(f"rooms have moved, although {why}: {moved}")
        self.silent["moved none"] += 1

    async def reset(self, draw: list[float]) -> str:
        """All of a node's connections to the database, one to four times within a second; or all to one other node."""
        node = await asyncio.to_thread(self.victim, draw[0])
        name = "database"
        if draw[3] >= 0.7:
            node, other = await self.joined(draw[0])
            name = other.name
        times = 1 + int(draw[2] * 4)
        struck = 0
        for number in range(times):
            struck += await asyncio.to_thread(self.network.reset, node.name, name)
            if number + 1 < times:
                await asyncio.sleep(draw[1] * 0.3)
        self.silent["connections reset"] += struck
        self.most = self.patience
        return f"{struck} connections of node {node.name} to {'the database' if name == 'database' else f'node {name}'} reset, {times} times"

    async def joined(self, draw: float) -> tuple[Node, Node]:
        """Two nodes, between which there is a connection if there is any between nodes."""
        nodes = {node.name: node for node in self.nodes}
        pairs = sorted({pair for pair in await asyncio.to_thread(self.network.between) if set(pair) <= nodes.keys()}) or list(itertools.permutations(nodes, 2))
        first, second = pairs[int(draw * len(pairs))]
        return nodes[first], nodes[second]

    async def silence(self, first: str, second: str, draw: list[float]) -> tuple[float, str]:
        """Of two machines; the seconds that it took, and what it was."""
        length = math.exp(math.log(SHORTEST) + draw[1] * (math.log(LONGEST) - math.log(SHORTEST)))
        ways = [((first, second), (second, first)), ((first, second),), ((second, first),)][max(0, int(draw[2] * 4) - 1)]
        # What was thrown away (--plant network) would come once more over another connection.
        breaks = draw[3] < 0.5 and not self.network.is_dropping
        began = time.monotonic()
        await asyncio.to_thread(self.network.silence, *ways)
        try:
            await asyncio.sleep(length)
        finally:
            # Nor may it be silent when all is ended.
            self.silent["connections silent"] += self.network.go_on(breaks)
        took = time.monotonic() - began
        which = "both ways" if len(ways) == 2 else f"from {ways[0][0]} to {ways[0][1]}"
        return took, f"silent for {took:.1f} s, {which}, then {'reset' if breaks else 'all arrives'}"

    async def partition(self, draw: list[float]) -> str:
        """A node and the database."""
        node = await asyncio.to_thread(self.victim, draw[0])
        before, process = await self.standing(), node.process
        # They hear nothing of the others: the node itself has to send them away (NODE-16).
        self.alone = [room for room in self.rooms if all(member.is_at(node) for member in room.members)]
        took, text = await self.silence(node.name, "database", draw)
        self.most = self.patience
        text = f"node {node.name} and the database {text}"
        if self.before == "cut":
            # Nobody is taken for dead whom others have not seen beat since they connected (NODE-1).
            self.most += took
        elif took >= FENCED * self.options.slower:
            # It finds out when it hears of the database again, and ends.
            await self.until(lambda: process.poll() is not None, f"{node.name} knows that it was fenced, after {text}")
            self.silent["fenced nodes"] += 1
            self.silent["rooms of fenced nodes"] += sum(owner[0] == node.name for owner in before.values())
        elif took <= (LEASE - BEAT) / self.options.slower:
            await self.holds_still(before, f"a silence of {took:.2f} s fences nobody: {text}")
        return text

    async def partition_nodes(self, draw: list[float]) -> str:
        """Two nodes, both of which the database hears."""
        before = await self.standing()
        node, other = await self.joined(draw[0])
        _, text = await self.silence(node.name, other.name, draw)
        self.most = self.patience
        text = f"nodes {node.name} and {other.name} {text}"
        await self.holds_still(before, f"both have the database: {text}")
        return text
