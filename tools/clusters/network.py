"""The network of a cluster, which a program of its own carries (proxy.py): how nodes are laid on it, and what is done to it."""

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from database import NAME, USER, Database, free_ports
from nodes import Node

PROXY = Path(__file__).resolve().parent / "proxy.py"
DATABASE = "database"
"""Stands for all of its servers."""


class NetworkFailure(Exception):
    """The network does not do what it was told."""


class Network:
    def __init__(self, is_dropping: bool = False) -> None:
        self.is_dropping = is_dropping
        self.process: subprocess.Popen | None = None
        self.lock = threading.Lock()
        self.servers: list[str] = []
        self.carried: dict[str, int] = {}
        """What went through it, once it has ended."""

    # Beginning and end

    def lay(self, nodes: list[Node], database: Database) -> None:
        """Each node has a way of its own to each server, and one by which all others reach it. Before any is started."""
        self.servers = [server.name for server in database.servers]
        ways = [{"from": node.name, "to": server.name, "port": server.port} for node in nodes for server in database.servers]
        ports = self.begin(ways + [{"to": node.name, "port": node.port} for node in nodes])
        for node in nodes:
            hosts = ",".join(f"127.0.0.1:{ports.pop(0)}" for _ in self.servers)
            node.data = f"postgresql://{USER}@{hosts}/{NAME}?target_session_attrs=read-write"
        for node in nodes:
            node.address = f"127.0.0.1:{ports.pop(0)}"

    def begin(self, ways: list[dict]) -> list[int]:
        # In a process group of its own: Ctrl-C at the terminal is for us. It ends with its input, whatever becomes of us.
        self.process = subprocess.Popen([sys.executable, "-B", PROXY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        return self.ask({"ways": ways, "dropping": self.is_dropping})["ports"]

    def end(self) -> None:
        if self.process is None:
            return
        with contextlib.suppress(OSError, NetworkFailure):
            self.carried = self.ask({"do": "look"})
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, question: dict) -> dict:
        with self.lock:
            try:
                self.process.stdin.write(json.dumps(question) + "\n")
                self.process.stdin.flush()
                line = self.process.stdout.readline()
            except OSError as failure:
                raise NetworkFailure(f"the proxy is gone: {failure}") from None
        if not line:
            raise NetworkFailure(f"the proxy ended with {self.process.wait()}")
        return json.loads(line)

    def between(self) -> list[tuple[str, str]]:
        """The ends of each connection: who began it, and to whom."""
        return [(first, second) for first, second in self.ask({"do": "list"})["between"]]

    # Faults

    def pairs(self, first: str, second: str) -> list[tuple[str, str]]:
        return [(one, other) for one in (self.servers if first == DATABASE else [first]) for other in (self.servers if second == DATABASE else [second])]

    def reset(self, first: str, second: str) -> int:
        """All connections between two machines end at once, by RST at both ends; how many there were."""
        return self.ask({"do": "reset", "machines": self.pairs(first, second)})["reset"]

    def silence(self, *bytes_: tuple[str, str]) -> None:
        """What goes from the first machine to the second is held, until `go_on`."""
        self.ask({"do": "silence", "bytes": [pair for first, second in bytes_ for pair in self.pairs(first, second)]})

    def go_on(self, breaks: bool = False) -> int:
        """What was held arrives, or the connections are reset; how many there were between machines that were silent."""
        return self.ask({"do": "go on", "breaks": breaks})["silent"]


def prove_network() -> None:
    """A network that breaks nothing proves nothing: before it is believed, each fault is done to a connection between two sockets."""
    network, (port,) = Network(), free_ports(1)
    with socket.create_server(("127.0.0.1", port)) as listener:
        try:
            (way,) = network.begin([{"from": "x", "to": "y", "port": port}])

            def join() -> tuple[socket.socket, socket.socket]:
                near = socket.create_connection(("127.0.0.1", way), 2)
                far, _ = listener.accept()
                for one in (near, far):
                    one.settimeout(0.1)
                return near, far

            def heard(one: socket.socket) -> bytes | None:
                try:
                    return one.recv(100)
                except TimeoutError:
                    return None
                except ConnectionResetError:
                    return b"reset"

            def is_silent(one: socket.socket, other: socket.socket, expected: tuple[bytes | None, bytes | None]) -> bool:
                one.sendall(b"there")
                other.sendall(b"back")
                return (heard(other), heard(one)) == expected

            near, far = join()
            found = [is_silent(near, far, (b"there", b"back"))]
            network.silence(("x", "y"))
            found.append(is_silent(near, far, (None, b"back")))
            network.silence(("y", "x"))
            found.append(is_silent(near, far, (None, None)))
            near.shutdown(socket.SHUT_WR)
            network.go_on()
            time.sleep(0.05)
            # All that was held, in order, and then the end.
            found += [heard(far) == b"therethere", heard(far) == b"", heard(near) == b"back"]
            near, far = join()
            network.silence(("x", "y"), ("y", "x"))
            near.sendall(b"lost")
            network.go_on(breaks=True)
            found.append((heard(near), heard(far)) == (b"reset", b"reset"))
            near, far = join()
            found.append(network.reset("y", "x") == 1)
            found.append((heard(near), heard(far)) == (b"reset", b"reset"))
        finally:
            network.end()
    if not all(found):
        raise NetworkFailure(f"the proxy does not break connections as it must: {found}")
