"""A network that can be broken: what nodes say to the servers of the database, and to each other, goes through this program.

It is told on standard input what to do, a line of JSON each, answers each with a line, and ends with its input. The first line is the list of ways:
each has a port here and leads to another port. `from` and `to` are the machines at the two ends, by name. A way without `from` is one that several
nodes use; whose a connection is, the system knows: it says which process has its other end.

    {"ways": [{"from": "a", "to": "one", "port": 5432}, {"to": "b", "port": 8080}], "dropping": false}     ports that listen for these
    {"do": "reset", "machines": [["a", "one"], …]}          all connections between the two of each pair end at once, by RST
    {"do": "silence", "bytes": [["a", "one"], …]}           what goes from the first to the second is held, ends of connections, too, and new ones
    {"do": "go on", "breaks": true}                         what was held arrives; or the connections that were silent are reset
    {"do": "list"}                                          the ends of each connection
    {"do": "look"}                                          how many connections and bytes there were

What it cannot do is to leave a connection unanswered that somebody begins: the system here answers, and only what is said then is held.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import struct
import sys
from pathlib import Path

PIECE = 1 << 16
"""Bytes that are read at once, and held. What comes behind them waits in the system, as it does where a network is silent."""
RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: a close throws away what waits, and tells the other end by RST."""


def user_of(port: int, listening: int) -> str:
    """The node whose connection from `port` to a listener is: a sibling of ours that was started with --node. Nothing: it has closed it already."""
    ends = f"0100007F:{port:04X} 0100007F:{listening:04X} "
    line = next((line for line in Path("/proc/net/tcp").read_text().splitlines() if ends in line), "")
    if not line or (number := line.split()[9]) == "0":
        return ""
    for children in Path(f"/proc/{os.getppid()}/task").glob("*/children"):
        for process in children.read_text().split():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
                if "--node" in words and any(os.readlink(one) == f"socket:[{number}]" for one in Path(f"/proc/{process}/fd").iterdir()):
                    return words[words.index("--node") + 1]
    return ""


class Connection:
    def __init__(self, network: "Network", near: socket.socket, begins: str, target: str) -> None:
        self.network, self.near, self.begins, self.target = network, near, begins, target
        self.far: socket.socket | None = None
        self.task: asyncio.Task | None = None

    @property
    def ends(self) -> set[str]:
        return {self.begins, self.target}

    async def carry(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        there, back = self.network.gate(self.begins, self.target), self.network.gate(self.target, self.begins)
        pumps: list[asyncio.Task] = []
        try:
            # Nobody connects where one direction is silent.
            await there.wait()
            await back.wait()
            self.far = socket.socket()
            self.far.setblocking(False)
            await loop.sock_connect(self.far, ("127.0.0.1", port))
            for one in (self.near, self.far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pumps = [asyncio.create_task(self.pump(self.near, self.far, there)), asyncio.create_task(self.pump(self.far, self.near, back))]
            await asyncio.gather(*pumps)
        except OSError:
            # One end was reset, or nobody is there: the other one is told the same.
            self.resets()
        finally:
            for pump in pumps:
                pump.cancel()
            while waiting := [pump for pump in pumps if not pump.done()]:
                # A reset may come in the midst of an end. Sockets are closed when nobody waits for them any more.
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait(waiting)
            for one in (self.near, self.far):
                if one:
                    one.close()
            self.network.connections.discard(self)

    async def pump(self, near: socket.socket, far: socket.socket, is_open: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await is_open.wait()
            try:
                piece = await loop.sock_recv(near, PIECE)
            except OSError:
                await is_open.wait()
                raise
            is_held = not is_open.is_set()
            await is_open.wait()
            if not piece:
                far.shutdown(socket.SHUT_WR)
                return
            self.network.bytes += len(piece)
            if is_held:
                self.network.held += len(piece)
                if self.network.is_dropping:
                    continue
            await loop.sock_sendall(far, piece)

    def resets(self) -> None:
        for one in (self.near, self.far):
            if one:
                with contextlib.suppress(OSError):
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def reset(self) -> None:
        self.resets()
        self.task.cancel()


class Network:
    def __init__(self, is_dropping: bool) -> None:
        self.is_dropping = is_dropping
        """What was held is thrown away, and the connection goes on without it: a fault that whoever compares must find."""
        self.gates: dict[tuple[str, str], asyncio.Event] = {}
        """What goes from one machine to another passes while it is set."""
        self.listeners: list[asyncio.Task] = []
        self.connections: set[Connection] = set()
        self.made = self.unknown = self.bytes = self.held = 0

    def gate(self, first: str, second: str) -> asyncio.Event:
        if (first, second) not in self.gates:
            self.gates[first, second] = asyncio.Event()
            self.gates[first, second].set()
        return self.gates[first, second]

    async def listen(self, way: dict) -> int:
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        listener.setblocking(False)
        # Kept: nobody else does, while it waits.
        self.listeners.append(asyncio.create_task(self.accept(listener, way)))
        return listener.getsockname()[1]

    async def accept(self, listener: socket.socket, way: dict) -> None:
        loop = asyncio.get_running_loop()
        while True:
            near, (_, port) = await loop.sock_accept(listener)
            near.setblocking(False)
            begins = way.get("from") or user_of(port, listener.getsockname()[1])
            self.made += 1
            self.unknown += not begins
            connection = Connection(self, near, begins, way["to"])
            self.connections.add(connection)
            connection.task = asyncio.create_task(connection.carry(way["port"]))

    async def do(self, asked: dict) -> dict:
        match asked["do"]:
            case "reset":
                pairs = [set(pair) for pair in asked["machines"]]
                struck = [one for one in self.connections if one.ends in pairs]
                for one in struck:
                    one.reset()
                await asyncio.gather(*(one.task for one in struck), return_exceptions=True)
                return {"reset": len(struck)}
            case "silence":
                for first, second in asked["bytes"]:
                    self.gate(first, second).clear()
                return {}
            case "go on":
                silent = {pair for pair, is_open in self.gates.items() if not is_open.is_set()}
                through = [one for one in self.connections if {(one.begins, one.target), (one.target, one.begins)} & silent]
                if asked["breaks"]:
                    for one in through:
                        one.reset()
                    await asyncio.gather(*(one.task for one in through), return_exceptions=True)
                for pair in silent:
                    self.gates[pair].set()
                return {"silent": len(through)}
            case "list":
                return {"between": [[one.begins, one.target] for one in self.connections]}
        return {"connections": len(self.connections), "made": self.made, "unknown": self.unknown, "bytes": self.bytes, "held": self.held}


async def main() -> None:
    # Ctrl-C is for whoever has started us.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, lambda: None)
    told = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    network = None
    while line := await told.readline():
        asked = json.loads(line)
        if network is None:
            network = Network(asked["dropping"])
            answer = {"ports": [await network.listen(way) for way in asked["ways"]]}
        else:
            answer = await network.do(asked)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
