#!/usr/bin/env python3
"""Measures what compare.py cannot: the members' side, events over HTTP, and members over TLS.

    clients.py [--program FILE] [--generator FOLDER] [--seconds N] [rest|members|tls ...]

`rest`      events over HTTP, one after the other on one connection: events a second, server's CPU an event
`members`   a member that receives 60 operations a second, of one writer and of 20: CPU of `boardroom watch` (the
            Swift SDK) and of the page's core in Node
`tls`       50 members, 60 operations a second, through stunnel: server's CPU a delivery. compare.py's s1-50 of the
            dialect boardroom is the same without TLS

Prints one JSON object a line. Needs Node, and for `tls` stunnel4 and openssl, from Debian; --generator is the folder
that build.py has written. Everything runs on loopback and ends by itself.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TICKS = os.sysconf("SC_CLK_TCK")
SERVER_CORE, OTHER_CORE = 0, 1

# A member of a room with the page's core, which only receives.
NODE_MEMBER = """
import { joinRoom } from "ROOT/Sources/BoardroomWeb/Client/index.js";
const [server, uuid, token] = process.argv.slice(2);
const room = await joinRoom({ server, uuid, token, isWritable: false });
process.stdout.write("in\\n");
"""


def cpu_seconds(pid: int) -> float:
    """Running time of all threads of a process, kernel work included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def on_core(core: int, *command: str, **more) -> subprocess.Popen:
    return subprocess.Popen(["taskset", "-c", str(core), *command], **more)


def stop(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Server:
    """A server with a data folder of its own, on one core."""

    def __init__(self, program: str, *settings: str, more: tuple[str, ...] = ()) -> None:
        self.program, self.folder = program, Path(tempfile.mkdtemp(prefix="boardroom-clients-"))
        sets = [word for setting in settings for word in ("--set", setting)]
        self.log = open(self.folder / "log", "w+")
        self.process = on_core(
            SERVER_CORE, program, "serve", "--data", str(self.folder / "data"), "--port", "0", "--set", "threads=1",
            "--set", "rate=0", "--set", "rates=magix=100000", *sets, *more, stdout=self.log, stderr=subprocess.STDOUT)
        self.port = self._port()

    def _port(self) -> int:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            found = re.findall(r"listening.*port=(\d+)", (self.folder / "log").read_text())
            if found:
                return int(found[-1])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise SystemExit("clients.py: the server did not start: " + (self.folder / "log").read_text()[-500:])

    def ask(self, *words: str) -> str:
        """What `boardroom` prints, told the server and its data folder."""
        environment = os.environ | {
            "BOARDROOM_DATA": str(self.folder / "data"), "BOARDROOM_SERVER": f"http://127.0.0.1:{self.port}"}
        return subprocess.run(
            [self.program, *words], env=environment, check=True, capture_output=True, text=True).stdout.strip()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        stop(self.process)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def rest(options: argparse.Namespace) -> None:
    with Server(options.program) as server:
        room = server.ask("room", "create", "--name", "rest", "--quiet")
        token = server.ask("token", "sdk")
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        body = json.dumps({"name": "b", "payload": {"text": "x" * 100}})
        headers = {"token": token, "Content-Type": "application/json"}

        def post() -> None:
            connection.request("POST", f"/v5/rooms/{room}/events", body, headers)
            answer = connection.getresponse()
            if answer.status != 201:
                raise SystemExit(f"clients.py: {answer.status} {answer.read()[:300]!r}")
            answer.read()

        for _ in range(50):
            post()
        count, before, begin = 0, cpu_seconds(server.process.pid), time.monotonic()
        while time.monotonic() < begin + options.seconds:
            post()
            count += 1
        took, used = time.monotonic() - begin, cpu_seconds(server.process.pid) - before
        print(json.dumps({
            "name": "rest", "events": count, "events_per_s": round(count / took),
            "server_cpu_us_per_event": round(1e6 * used / count, 1)}), flush=True)


class Writers(threading.Thread):
    """Members that send custom events of the generator's size, each at its own even rate, in JSON."""

    def __init__(self, url: str, room: str, token: str, count: int, each: float, seconds: float) -> None:
        super().__init__(daemon=True)
        try:
            from websockets.sync.client import connect  # only members needs it
        except ImportError:
            raise SystemExit("clients.py: there is no websockets. Run: pip install websockets") from None

        self.each, self.until = each, time.monotonic() + seconds
        self.open = contextlib.ExitStack()
        self.sockets = []
        for number in range(count):
            opening = connect(url, subprotocols=["boardroom.json.v1"], open_timeout=10, compression=None)
            link = self.open.enter_context(opening)
            link.send(json.dumps({"m": "hello", "room": room, "token": token, "uid": f"w{number}"}))
            threading.Thread(target=self._drain, args=(link,), daemon=True).start()
            self.sockets.append(link)
        time.sleep(1)

    @staticmethod
    def _drain(link) -> None:
        try:
            for _ in link:
                pass
        except Exception:  # the end of the connection is the end of the thread, whatever its kind
            pass

    def run(self) -> None:
        due, counter = time.monotonic(), 0
        step = 1 / (self.each * len(self.sockets))
        while due < self.until:
            time.sleep(max(0, due - time.monotonic()))
            link = self.sockets[counter % len(self.sockets)]
            body = {"event": "b", "payload": {"text": "x" * 90}}
            number = counter // len(self.sockets) + 1
            link.send(json.dumps({"m": "commands", "commands": [{"n": number, "kind": "magix", "body": body}]}))
            counter += 1
            due += step
        self.open.close()


def members(options: argparse.Namespace) -> None:
    for writers in (1, 20):
        with Server(options.program) as server:
            room = server.ask("room", "create", "--name", "members", "--quiet")
            reader, writer = (server.ask("token", "room", room, "--role", role) for role in ("reader", "writer"))
            base = f"http://127.0.0.1:{server.port}"
            script = server.folder / "member.mjs"
            script.write_text(NODE_MEMBER.replace("ROOT", str(ROOT)))
            watching = {
                "swift": on_core(
                    OTHER_CORE, options.program, "watch", room, "--server", base, "--token", reader, "--json",
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
                "node": on_core(
                    OTHER_CORE, "node", "--experimental-websocket", str(script), base, room, reader,
                    stdout=subprocess.DEVNULL),
            }
            try:
                ws = f"ws://127.0.0.1:{server.port}/v1/rooms"
                load = Writers(ws, room, writer, writers, 60 / writers, options.seconds + 4)
                load.start()
                time.sleep(2)
                before = {name: cpu_seconds(process.pid) for name, process in watching.items()}
                time.sleep(options.seconds)
                for name, process in watching.items():
                    if process.poll() is not None:
                        raise SystemExit(f"clients.py: the member in {name} ended with {process.returncode}")
                    used = cpu_seconds(process.pid) - before[name]
                    print(json.dumps({
                        "name": f"member-{name}", "writers": writers, "ops_per_s": 60,
                        "cpu_share": round(used / options.seconds, 4),
                        "cpu_us_per_op": round(1e6 * used / options.seconds / 60, 1)}), flush=True)
                load.join()
            finally:
                for process in watching.values():
                    stop(process)


def tls(options: argparse.Namespace) -> None:
    if not options.generator or not (Path(options.generator) / "roombench").exists():
        raise SystemExit("clients.py: tls needs --generator FOLDER, which build.py has written")
    stunnel = shutil.which("stunnel4") or shutil.which("stunnel")
    if not stunnel:
        raise SystemExit("clients.py: there is no stunnel. Run: apt-get install -y stunnel4")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as leaving:
        key, certificate = Path(folder) / "key.pem", Path(folder) / "cert.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)],
            check=True, capture_output=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        settings = (f"tls.certificate={certificate}", f"tls.key={key}", "limits.board=1GiB")
        server = leaving.enter_context(Server(options.program, *settings, more=("--open",)))
        configuration = Path(folder) / "stunnel.conf"
        configuration.write_text(
            "foreground = yes\npid =\n[rooms]\nclient = yes\n"
            f"accept = 127.0.0.1:{port}\nconnect = 127.0.0.1:{server.port}\n")
        relay = on_core(OTHER_CORE, stunnel, str(configuration), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            output = on_core(
                OTHER_CORE, str(Path(options.generator) / "roombench"), "--server", f"127.0.0.1:{port}",
                "--dialect", "boardroom", "--pid", str(server.process.pid), "--members", "50", "--rate", "60",
                "--seconds", str(options.seconds), "steady",
                stdout=subprocess.PIPE, text=True).communicate(timeout=120)[0]
            print(json.dumps({"name": "tls-50"} | json.loads(output)), flush=True)
        finally:
            stop(relay)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="rest|members|tls", help="(rest and members)")
    parser.add_argument("--program", default=str(ROOT / ".build/release/boardroom"))
    parser.add_argument("--generator", help="folder with roombench, for tls")
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    parts = {"rest": rest, "members": members, "tls": tls}
    for what in options.what:
        if what not in parts:
            parser.error(f"{what} is none of {', '.join(parts)}")
    for what in options.what or ["rest", "members"]:
        parts[what](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
