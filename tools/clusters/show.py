"""The cluster of tools/cluster: makes it, shows its state as text, as lines of JSON and on a page, and ends it."""

import argparse
import contextlib
import http.server
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import commands
from database import Database, DatabaseFailure
from nodes import STATE, Node, NodeFailure, make_tables, start_nodes
from options import Options

HERE = Path(__file__).resolve().parent
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AFTER, PAUSE = 10, 5
"""Seconds until --kill and --kill-primary, and until what was killed is brought back."""
SOON = 30.0
"""Seconds after --seconds within which all must be there again. Clients have come back to a lost room after 5."""


def say(text: str) -> None:
    # Who reads it may be gone, and nothing must be left for that.
    with contextlib.suppress(OSError):
        print(f"cluster: {text}", file=sys.stderr, flush=True)


class Cluster:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.database = Database(options.home)
        self.nodes: list[Node] = []
        self.events: list[str] = []
        self.striking: threading.Thread | None = None
        self.failures: list[str] = []
        """What went wrong in bringing back what was killed."""
        self.rooms: list[str] = []
        self.moved: list[str] = []
        """Rooms that the node had which was killed."""
        self.text = "{}"

    def make(self) -> None:
        began = time.monotonic()
        self.database.make()
        make_tables(self.options.program, self.database)
        start_nodes(self.nodes, "abc", self.options.program, self.database, self.options.home, ["--log-level", "warning"])
        say(f"three servers and three nodes are there after {time.monotonic() - began:.1f} s")

    def greet(self, page: int) -> None:
        """Makes a room at each node, and prints where to draw in that of the first one."""
        first = self.nodes[0]
        place = ["--data", self.database.address, "--files", first.files]
        for node in self.nodes:
            name = "demo" if node is first else f"of {node.name}"
            self.rooms.append(self.boardroom("room", "create", "--name", name, "--server", node.server, "--quiet", *place))
        room = self.rooms[0]
        token = self.boardroom("token", "room", room, "--role", "admin", "--lifespan", "24h", *place)
        lines = ["", "Draw in one room, through each of the nodes:", ""]
        lines += [f"  {node.name}  {node.server}/r/{room}#{token}" for node in self.nodes]
        lines += ["", f"Nodes, rooms, owners and lag: http://127.0.0.1:{page}/", "", "In another terminal:", "",
                  f"  export PGPASSFILE={self.database.passwords}", f"  data='{self.database.address}'",
                  f"  {self.options.program} verify --level deep --data \"$data\" --files {first.files}", ""]
        print("\n".join(lines), file=sys.stderr, flush=True)

    def boardroom(self, *words: object) -> str:
        done = subprocess.run([self.options.program, *map(str, words)], capture_output=True, text=True, check=False,
                              env=self.database.environment)
        if done.returncode:
            raise NodeFailure(f"boardroom {words[0]} {words[1]}: {done.stderr[-600:]}")
        return done.stdout.strip()

    # State

    def state(self) -> dict:
        state = {"time": round(time.time(), 1), "servers": self.database.state(), "nodes": [], "rooms": [], "logs": None}
        try:
            state |= json.loads(self.database.ask(STATE, seconds=5))
        except (DatabaseFailure, subprocess.TimeoutExpired) as failure:
            state["without"] = f"no server takes writes: {str(failure).strip().splitlines()[-1]}"
        runs = {node.name: node.process.poll() is None for node in self.nodes}
        known = {node["name"] for node in state["nodes"]}
        for node in state["nodes"]:
            node["runs"] = runs.get(node["name"], False)
        state["nodes"] += [{"name": node.name, "address": f"127.0.0.1:{node.port}", "incarnation": None, "beatMs": None, "fenced": False, "rooms": 0,
                            "runs": runs[node.name]} for node in self.nodes if node.name not in known]
        state["nodes"].sort(key=lambda node: node["name"])
        return state | {"events": self.events[-10:]}

    def show(self) -> None:
        """Once a second, until the time is over."""
        limit = time.monotonic() + (self.options.seconds or float("inf"))
        is_terminal = sys.stdout.isatty() and not self.options.json
        before = 0
        while time.monotonic() < limit:
            state = self.state()
            self.text = json.dumps(state)
            if self.options.json:
                print(self.text, flush=True)
            elif is_terminal:
                lines = described(state)
                print((f"\033[{before}A\033[J" if before else "") + "\n".join(lines), flush=True)
                before = len(lines)
            elif int(time.monotonic()) % 5 == 0:
                print("\n".join(described(state)) + "\n", flush=True)
            time.sleep(1)

    # What is broken

    def note(self, text: str) -> None:
        self.events.append(f"{time.strftime('%H:%M:%S')} {text}")
        say(text)

    def strike(self) -> None:
        try:
            commands.pause(AFTER)
            if self.options.kill:
                self.kill(next(node for node in self.nodes if node.name == self.options.kill))
            if self.options.kill_primary:
                self.kill_primary()
        except commands.Stopped:
            return
        except (DatabaseFailure, NodeFailure, subprocess.TimeoutExpired) as failure:
            self.failures.append(str(failure))
            self.note(str(failure))

    def kill(self, node: Node) -> None:
        rows = self.database.ask(f"select encode(log.id, 'hex') from log join incarnation on owner = incarnation.id where state = 0 and node = '{node.name}'")
        self.moved = rows.split()
        node.kill()
        self.note(f"node {node.name} was killed; the others fence it and recover its rooms")
        commands.pause(PAUSE)
        node.start()
        node.wait_until_ready()
        self.note(f"node {node.name} is back, and owns what it is asked for and nobody owns")

    def kill_primary(self) -> None:
        old = self.database.primary
        old.kill()
        self.note(f"the primary, {old.name}, was killed")
        done = self.database.fail_over()
        self.note(f"{done.new} is the primary after {done.seconds} s; received were {done.received}")
        commands.pause(PAUSE)
        self.note(f"{old.name} is a standby again, {self.database.bring_back(old)}")

    def missing(self) -> list[str]:
        """After a kill: what is not there, that was there before it."""
        if self.striking.is_alive():
            return [f"what was killed was not brought back within {self.options.seconds:g} s"]
        missing = self.failures + [f"{one} (it was copied anew)" for one in self.database.unrewound]
        if self.options.kill and not self.moved:
            missing.append(f"node {self.options.kill} had no room when it was killed, so that no room had to move")
        limit = time.monotonic() + SOON
        while (away := self.away()) and time.monotonic() < limit:
            time.sleep(0.5)
        return missing + away

    def away(self) -> list[str]:
        state = self.state()
        away = [f"server {one['name']} is {one['is']}, {one.get('state')}" for one in state["servers"]
                if not one["runs"] or one["is"] == "standby" and one["state"] != "streaming"]
        names = [node.name for node in self.nodes]
        if [one["name"] for one in state["nodes"]] != names:
            away.append(f"the database has nodes {[one['name'] for one in state['nodes']]} in place of {names}")
        away += [f"node {one['name']} is {one}" for one in state["nodes"] if not one["runs"] or one["incarnation"] is None or one["fenced"]]
        away += [f"node {node.name} is not ready" for node in self.nodes if not node.is_ready]
        there = [room["id"] for room in state["rooms"]]
        away += [f"room {room} is not in the database" for room in self.rooms if room not in there]
        # Whoever is asked owns what nobody owns any more.
        token = self.boardroom("token", "sdk", "--role", "admin", "--data", self.database.address, "--files", self.nodes[0].files).splitlines()[-1]
        return away or [text for node in self.nodes for room in self.rooms if (text := self.refused(node, room, token))]

    def refused(self, node: Node, room: str, token: str) -> str | None:
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{node.server}/v5/rooms/{room}/members", headers={"token": token}), timeout=5):
                return None
        except OSError as failure:
            return f"node {node.name} does not answer for room {room}: {failure}"

    # The end

    def end(self) -> None:
        # What is struck may be about to be started again.
        commands.stop()
        if self.striking:
            self.striking.join(60)
        commands.go_on()
        for node in self.nodes:
            try:
                node.end()
            except NodeFailure as failure:
                say(str(failure))
        self.database.end()


def described(state: dict) -> list[str]:
    lines = [time.strftime("%H:%M:%S", time.localtime(state["time"]))]
    for server in state["servers"]:
        text = server["is"] if server["runs"] else "does not run"
        if server["runs"] and server["is"] == "primary":
            text += f", timeline {server['timeline']}"
        elif server["runs"]:
            lag = server.get("replayLagMs")
            text += f", {server.get('state') or 'hears nobody'}" + (
                f", {server['sync']}, {server['behindBytes']} bytes behind" + (f", {lag} ms" if lag is not None else "")
                if server.get("state") else "")
        lines.append(f"  database {server['name']:6} {server['address']:16} {text}")
    lines += [f"  {state['without']}"] if "without" in state else []
    for node in state["nodes"]:
        beat = "not in the database" if node["incarnation"] is None else (
            f"incarnation {node['incarnation']}, " + ("fenced" if node["fenced"] else f"beat {node['beatMs'] or 0:.0f} ms ago") + f", {node['rooms']} rooms")
        lines.append(f"  node     {node['name']:6} {node['address']:16} {'runs' if node['runs'] else 'does not run'}, {beat}")
    for room in state["rooms"][:12]:
        lines.append(f"  room     {room['id'][:16]}…        owner {room['owner'] or 'nobody'}, {room['sealed']} events sealed")
    return lines + [f"  {event}" for event in state["events"][-4:]]


def serve_page(cluster: Cluster) -> http.server.ThreadingHTTPServer:
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = {"/": ("text/html; charset=utf-8", (HERE / "page.html").read_bytes()),
                     "/state.json": ("application/json", cluster.text.encode())}.get(self.path)
            if found is None:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Type", found[0])
            self.send_header("Content-Length", str(len(found[1])))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(found[1])

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> int:
    parser = Options("tools/cluster")
    parser.add_argument("--kill", choices=list("abc"), help="kill this node after a while, and start it again")
    parser.add_argument("--kill-primary", action="store_true", help="kill the primary after a while, and promote a standby")
    parser.add_argument("--json", action="store_true", help="one line a second")
    parser.add_argument("--seconds", type=float, help="end after so long")
    options = parser.parse_args()
    # A shell that starts it in the background has SIGINT ignored.
    for number in ENDING:
        signal.signal(number, signal.default_int_handler)
    cluster = Cluster(options)
    try:
        cluster.make()
        page = serve_page(cluster)
        cluster.greet(page.server_port)
        if options.kill or options.kill_primary:
            cluster.striking = threading.Thread(target=cluster.strike, daemon=True)
            cluster.striking.start()
        cluster.show()
        if cluster.striking:
            missing = cluster.missing()
            if missing:
                say(f"not all is there again: {'; '.join(missing)}")
                return 1
            say(f"all is there again: {len(cluster.database.servers)} servers, {len(cluster.nodes)} nodes, and each room through each node")
        return 0
    except KeyboardInterrupt:
        return 0
    except (DatabaseFailure, NodeFailure, subprocess.TimeoutExpired) as failure:
        print(f"cluster: {failure}", file=sys.stderr)
        return 1
    finally:
        # A second Ctrl-C must not leave servers behind.
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        say("ending")
        cluster.end()
        shutil.rmtree(options.home, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
