"""An endpoint of webhooks that remembers what it was told by all nodes, and what must be true of that."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "a secret of all nodes that serve it"


class Endpoint:
    """Answers 204 to everything."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.told: dict[str, dict[int, str]] = {}
        """Of each room: what was told at which revision."""
        self.newest: dict[str, int] = {}
        self.again = 0
        self.faults: list[str] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                events = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.take(events)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def settings(self) -> list[str]:
        """For each node."""
        pairs = {"urls": f"http://127.0.0.1:{self.server.server_port}/hook", "secret": SECRET, "kinds": "magix", "batch": "500"}
        return [word for name, value in pairs.items() for word in ("--set", f"webhooks.{name}={value}")]

    def take(self, events: list[dict]) -> None:
        with self.lock:
            for event in events:
                room, revision = event["partitionkey"], int(event["sequence"])
                text = json.dumps(event, sort_keys=True)
                told = self.told.setdefault(room, {})
                if revision in told:
                    self.again += 1
                    if told[revision] != text:
                        self.fault(f"revision {revision} of {room} was told in two ways")
                    continue
                if revision < self.newest.get(room, 0):
                    self.fault(f"revision {revision} of {room} was told for the first time after {self.newest[room]}")
                self.newest[room] = max(revision, self.newest.get(room, 0))
                told[revision] = text

    def fault(self, text: str) -> None:
        if len(self.faults) < 20:
            self.faults.append(text)

    def untold(self, room: str, revisions: set[int]) -> set[int]:
        with self.lock:
            return revisions - self.told.get(room, {}).keys()

    @property
    def count(self) -> int:
        with self.lock:
            return sum(len(told) for told in self.told.values())

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()
