"""Nodes of Boardroom that serve one database, as processes of this program, and what a supervisor does with them."""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import commands
from database import Database, free_ports

FENCED, UNAVAILABLE = 74, 69


class NodeFailure(Exception):
    """A node does not start, or has ended in a way that it must not; the message has its last words."""


class Node:
    def __init__(self, name: str, port: int, program: Path, database: Database, home: Path, more: list[str]) -> None:
        self.name, self.port, self.program, self.database, self.more = name, port, program, database, more
        self.data, self.address = database.address, f"127.0.0.1:{port}"
        """Where it finds the database, and where other nodes find it."""
        self.files = home / f"files-{name}"
        self.log = home / f"node-{name}.log"
        self.process: subprocess.Popen | None = None
        self.is_stopped = False
        self.starts = 0

    @property
    def server(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as log:
            # In a process group of its own: Ctrl-C at the terminal is for us, who end all in order.
            self.process = subprocess.Popen(
                [self.program, "serve", "--host", "127.0.0.1", "--port", str(self.port), "--data", self.data,
                 "--files", self.files, "--node", self.name, "--address", self.address, *self.more],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.database.environment, start_new_session=True)

    @property
    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.server}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def wait_until_ready(self, seconds: float = 30) -> None:
        limit = time.monotonic() + seconds
        while not self.is_ready:
            if self.process.poll() is not None or time.monotonic() > limit:
                raise NodeFailure(f"the node {self.name} did not start: {self.told()}")
            commands.pause(0.05)

    def told(self) -> str:
        return self.log.read_text(errors="replace")[-800:]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.is_stopped = False

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        self.is_stopped = True

    def go_on(self) -> None:
        self.is_stopped = False
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)

    def end(self, seconds: float = 30) -> int:
        """In order, as a supervisor does; its exit status."""
        if self.process is None:
            return 0
        self.go_on()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise NodeFailure(f"the node {self.name} did not end within {seconds:g} s of SIGTERM") from None


def start_nodes(nodes: list[Node], names: str, program: Path, database: Database, home: Path, more: list[str],
                lay: Callable[[list[Node], Database], None] | None = None) -> None:
    """The first one makes the keys, and all others get a copy: each signs and knows the same tokens. `lay` lays them on a network.

    Each is in `nodes` before it is started, so that whoever is interrupted meanwhile knows what to end.
    """
    nodes += [Node(name, port, program, database, home, more) for name, port in zip(names, free_ports(len(names)), strict=True)]
    if lay:
        lay(nodes, database)
    for node in nodes:
        if node is not nodes[0]:
            give_keys(nodes[0], node)
        node.start()
        if node is nodes[0]:
            node.wait_until_ready()
    for node in nodes:
        node.wait_until_ready()


def give_keys(first: Node, other: Node) -> None:
    """Makes another node's folder."""
    other.files.mkdir(mode=0o700)
    shutil.copy2(first.files / "keys.json", other.files / "keys.json")


def make_tables(program: Path, database: Database) -> int:
    """Their version."""
    done = commands.run([program, "database", "make", database.address, "--json"], database.environment)
    if done.returncode:
        raise NodeFailure(f"the tables could not be made: {done.stderr[-800:]}")
    return json.loads(done.stdout)["version"]


STATE = """
select json_build_object(
  'nodes', (select coalesce(json_agg(json_build_object('name', node, 'incarnation', id, 'address', address,
      'beatMs', round(extract(epoch from clock_timestamp() - at) * 1000),
      'fenced', exists (select 1 from fence where incarnation = id and fenced),
      'rooms', (select count(*) from log where owner = incarnation.id and state = 0)) order by node, id), '[]')
    from incarnation left join beat on incarnation = id where not recovered),
  'rooms', (select coalesce(json_agg(room order by created, room->>'id'), '[]') from (
    select created_ms created, json_build_object('id', encode(log.id, 'hex'), 'owner', node, 'sealed', next - 1, 'bytes', stored_bytes) room
    from log left join incarnation on owner = incarnation.id where state = 0 order by created_ms limit 100) r),
  'logs', (select count(*) from log where state = 0))
"""
