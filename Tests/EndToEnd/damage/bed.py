"""The folder that is damaged, in two variants, and the truth about it: written down before anything is damaged.

Three rooms: one imported (sealed blocks only), one drawn in live and closed (snapshots, images, an open block) and drawn in
again, one that stands in the journal alone. `killed` is the folder after SIGKILL right behind the last receipt; `orderly` is
`killed`, started again, drawn in and ended by SIGTERM.
"""

import hashlib
import json
import random
import sqlite3
import struct
import threading
import time
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from websockets.sync.client import connect

from .files import Folder
from .process import Broken, Program, Server

VARIANTS = ["killed", "orderly"]
SETTINGS = ["journal.segment=4MiB", "snapshot.events=256", "snapshot.bytes=64KiB", "rate=0", "rates=magix=0"]
START = 1_764_000_000_000


@dataclass
class Truth:
    rooms: dict[str, list[bytes]] = field(default_factory=dict)     # uuid: exported lines
    hashes: dict[str, str] = field(default_factory=dict)            # uuid: state hash at the end
    blocks: dict[str, list[tuple[int, int]]] = field(default_factory=dict)     # uuid: first and last revision of each
    states: dict[str, object] = field(default_factory=dict)         # uuid: GET …/state at the last revision
    images: dict[str, str] = field(default_factory=dict)            # address: SHA-256
    verify: list[str] = field(default_factory=list)                 # what verify said of the undamaged folder

    def document(self) -> dict:
        """As it is written down: hashes in place of lines."""
        return {"rooms": {room: {"revisions": len(lines), "lines": [hashlib.sha256(line).hexdigest() for line in lines],
                                 "stateHash": self.hashes[room]} for room, lines in self.rooms.items()},
                "images": self.images}


@dataclass
class Variant:
    name: str
    folder: Folder
    olds: list[Folder]      # earlier ones, the newest first
    truth: Truth
    settings: list[str]
    token: str

    def old(self, file: str) -> bytes | None:
        """The newest earlier content of a file that differs."""
        return next((old.files[file] for old in self.olds if old.files.get(file, self.folder.files[file]) != self.folder.files[file]), None)


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks, so that there are cursors."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Bed:
    def __init__(self, program: Program, home: Path, seed: int) -> None:
        self.program, self.home, self.data, self.chance = program, home, home / "data", random.Random(seed)
        self.rooms = [self.chance.randbytes(16).hex() for _ in range(3)]
        self.receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=self.receiver.serve_forever, daemon=True).start()
        self.settings = [*SETTINGS, f"webhooks.urls=http://127.0.0.1:{self.receiver.server_port}/hook", "webhooks.from=beginning",
                         "webhooks.kinds=standard"]
        self.server: Server | None = None
        self.counters: dict[str, int] = {}      # room: revisions that were acknowledged

    def end(self) -> None:
        if self.server:
            self.server.kill()
        self.receiver.shutdown()
        self.receiver.server_close()

    def build(self) -> list[Variant]:
        imported, closed, unsealed = self.rooms
        for room, count in [(imported, 1_100), (closed, 5), (unsealed, 1)]:
            self.bring(room, count)
        imported_only = Folder(self.data)
        self.start(["rooms.idle=1s"])
        self.put_images(closed)
        self.draw({closed: 560}, leaves=True)
        self.until_sealed(closed)
        first = Folder(self.data)
        self.draw({closed: 60, unsealed: 160}, leaves=False)
        killed = Folder(self.data)
        token = self.program.well("token", "sdk", "--role", "admin", "--data", self.data).strip()
        variants = [self.variant("killed", killed, [first, imported_only], token)]
        killed.lay(self.data)
        self.start([])
        self.draw({unsealed: 40, closed: 10}, leaves=True)
        ended = self.server.stop()
        if ended.status != 0:
            raise Broken(f"the server ended with {ended.status}: {ended.last()}")
        variants.append(self.variant("orderly", Folder(self.data), [killed, first, imported_only], token))
        return variants

    # Rooms

    def bring(self, room: str, count: int) -> None:
        file = self.home / "room.jsonl"
        with file.open("w") as lines:
            for rev in range(1, count + 1):
                kind, body = ("roomCreated", {"name": "flips", "limit": 0, "isRecord": True}) if rev == 1 else ("magix", self.event())
                lines.write(json.dumps({"rev": rev, "t": START + rev, "by": None, "n": 0, "kind": kind, "body": body},
                                       separators=(",", ":")) + "\n")
        self.program.well("import", file, "--room", room, "--data", self.data, "--quiet")

    def event(self) -> dict:
        # Random letters, so that LZ4 leaves something of a block.
        return {"event": "tick", "payload": self.chance.randbytes(self.chance.randrange(20, 70)).hex()}

    def start(self, more: list[str]) -> None:
        self.server = Server(self.program, self.data, self.settings + more)
        if not self.server.wait():
            raise Broken(f"the server did not start: {self.server.lines()[-3:]}")

    def put_images(self, room: str) -> None:
        token = self.program.well("token", "room", room, "--role", "writer", "--data", self.data).strip()
        self.images = []
        for colour in range(2):
            status, body = self.server.ask(f"/v5/rooms/{room}/images", token, png(self.chance, colour), "image/png")
            if status != 201:
                raise Broken(f"an image was answered with {status}: {body[:200]!r}")
            self.images.append(json.loads(body)["url"])

    def commands(self, room: str, member: int, count: int) -> list[dict]:
        """Events and shapes; the first shapes of a room's first visit are its images."""
        begun = self.counters.get(room, 0)
        self.counters[room] = begun + count
        made = []
        for n in range(1, count + 1):
            place = {"id": f"{member}.{n}", "scene": 1, "x": n, "y": begun, "width": 20, "height": 10}
            if room == self.rooms[1] and begun == 0 and n <= len(self.images):
                made.append({"n": n, "kind": "elementPut", "body": place | {"type": "image", "src": self.images[n - 1]}})
            elif n % 3 == 0:
                made.append({"n": n, "kind": "elementPut", "body": place | {"type": "rectangle"}})
            else:
                made.append({"n": n, "kind": "magix", "body": self.event()})
        return made

    def draw(self, counts: dict[str, int], leaves: bool) -> None:
        """All is acknowledged when this returns. A server is killed while the members are inside, unless they leave."""
        sockets = []
        for room, count in counts.items():
            token = self.program.well("token", "room", room, "--role", "writer", "--data", self.data).strip()
            ws = connect(f"ws://127.0.0.1:{self.server.port}/v1/rooms", subprotocols=["boardroom.json.v1"], compression=None,
                         close_timeout=0.2)
            sockets.append(ws)
            ws.send(json.dumps({"m": "hello", "room": room, "token": token, "client": "flips/1", "acceptsBlocks": False}))
            member = self.hear(ws, "welcome")["member"]
            self.hear(ws, "live")
            commands = self.commands(room, member, count)
            for at in range(0, count, 20):
                ws.send(json.dumps({"m": "commands", "commands": commands[at:at + 20]}))
                while self.hear(ws, "receipts")["receipts"][-1][0] < min(at + 20, count):
                    pass
            if leaves:
                ws.send('{"m":"leave"}')
                self.hear(ws, "farewell")
        if not leaves:
            self.server.kill()
        for ws in sockets:
            ws.close()

    @staticmethod
    def hear(ws, name: str) -> dict:
        while (heard := json.loads(ws.recv(30)))["m"] != name:
            if heard["m"] in ("refused", "farewell"):
                raise Broken(f"the member was told {heard}")
        return heard

    def until_sealed(self, room: str) -> None:
        """A room that is closed is sealed with a snapshot; a copy taken then has both."""
        limit = time.monotonic() + self.program.bound
        while time.monotonic() < limit:
            lines = self.program.well("verify", "--json", "--quiet", "--data", self.data).splitlines()
            if json.loads(lines[0])["snapshots"] >= 2 and self.server.ask("/readyz")[0] == 200:
                return time.sleep(1.2)      # webhook cursors are synced once a second
            time.sleep(0.1)
        raise Broken(f"room {room} was not sealed: {lines[0]}")

    # Truth

    def variant(self, name: str, folder: Folder, olds: list[Folder], token: str) -> Variant:
        """Asks the program about the undamaged folder, and compares with what was acknowledged."""
        copy, truth = self.home / "truth", Truth()
        folder.lay(copy)
        truth.verify = self.program.well("verify", "--level", "deep", "--json", "--quiet", "--data", copy).splitlines()
        sealed = self.sealed(copy)
        folder.lay(copy)
        for room in self.rooms:
            truth.rooms[room] = self.program.well("export", room, "--quiet", "--data", copy).encode().splitlines()
            if len(truth.rooms[room]) < self.counters.get(room, 0):
                raise Broken(f"room {room} has fewer events than were acknowledged, with no damage at all")
            pieces = map(json.loads, self.program.well("inspect", room, "--json", "--data", copy).splitlines())
            truth.blocks[room] = [(line["piece"], line["last"]) for line in pieces if line.get("piece") and line["last"] < sealed[room]]
        for line in map(json.loads, truth.verify):
            if "stateHash" in line:
                truth.hashes[line["room"]] = line["stateHash"]
        server = Server(self.program, copy, self.settings)
        try:
            if not server.wait():
                raise Broken("the server does not start on the undamaged folder")
            for room, lines in truth.rooms.items():
                status, body = server.ask(f"/v5/rooms/{room}/state?at=r{len(lines)}", token)
                if status != 200:
                    raise Broken(f"the state of room {room} was answered with {status}: {body[:200]!r}")
                truth.states[room] = json.loads(body)
            for address in self.images:
                status, body = server.ask(address)
                if status != 200:
                    raise Broken(f"the image {address} was answered with {status}")
                truth.images[address] = hashlib.sha256(body).hexdigest()
        finally:
            server.stop()
        (self.home / f"{name}.truth.json").write_text(json.dumps(truth.document()))
        return Variant(name, folder, olds, truth, self.settings, token)

    @staticmethod
    def sealed(copy: Path) -> dict[str, int]:
        """Of each room the first revision that is not sealed (docs/FORMAT.md, Tables): inspect shows what is in the journal as a piece,
        too."""
        database = sqlite3.connect(copy / "log.db")
        try:
            return {id.hex(): next for id, next in database.execute("SELECT id, next FROM log")}
        finally:
            database.close()


def png(chance: random.Random, colour: int) -> bytes:
    def part(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    side = 24
    rows = b"".join(b"\0" + bytes(chance.randrange(256) for _ in range(side)) for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + part(b"IDAT", zlib.compress(rows, colour)) + part(b"IEND", b""))
