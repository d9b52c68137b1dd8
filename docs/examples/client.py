#!/usr/bin/env python3
"""A Boardroom client, written from docs/PROTOCOL.md alone, in both subprotocols.

    pip install websockets
    python3 client.py --room UUID --token TOKEN                       # joins, draws, is cut off, resumes
    python3 client.py --room UUID --token TOKEN --subprotocol boardroom.json.v1

It joins, draws two strokes, loses its socket in the middle of a third, comes back with its session and its
cursor, sends again what had no receipt, and checks that it saw every revision once and in order, and every
command of its own once. Exit status 0 and one line of JSON if all of that holds.
"""

import argparse
import json
import socket
import sys
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

BINARY, JSON = "boardroom.v1", "boardroom.json.v1"
STROKE, MAGIX = 1, 30
HELLO, COMMANDS, HEARTBEAT = 1, 2, 3
NOTICES = {65: "welcome", 66: "run", 68: "receipts", 69: "refused", 70: "catchUp", 71: "snapshotRoot",
           72: "snapshotPart", 73: "live", 74: "heartbeat", 75: "farewell"}


# Section 1: numbers

def uv(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zz(value: int) -> bytes:
    return uv(value * 2 if value >= 0 else -value * 2 - 1)


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def uv(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise ValueError("a field ends behind the message")
        self.at += count
        return self.data[self.at - count:self.at]

    @property
    def more(self) -> bool:
        return self.at < len(self.data)


# Section 4: runs and records

def read_run(data: bytes) -> list[dict]:
    reader = Reader(data)
    first, count, when, length = reader.uv(), reader.uv(), reader.uv(), reader.uv()
    if len(data) - reader.at != length:
        raise ValueError("the run's length is not that of its records")
    records = []
    for place in range(count):
        size, kind = reader.uv(), reader.byte()
        when += reader.uv()
        actor = reader.uv()
        body = Reader(reader.take(size))
        records.append({"rev": first + place, "t": when, "by": actor - 1 if actor else None, "n": body.uv(),
                        "kind": kind, "payload": body.data[body.at:]})
    return records


class Client:
    """One session. `seen` is every revision received, in order; `done` the own commands that are in the log."""

    def __init__(self, url: str, room: str, token: str, subprotocol: str) -> None:
        self.url, self.room, self.token, self.subprotocol = url, room, token, subprotocol
        self.session = None
        self.epoch, self.revision = None, 0
        self.seen: list[int] = []
        self.done: dict[int, int] = {}
        self.pending: dict[int, object] = {}
        self.counter = self.strokes = 0
        self.catch_ups: list[str] = []
        self.socket = None
        self.silence = 10.0
        self.renumbered = None

    # Joining and coming back

    def open(self) -> None:
        self.connection = connect(self.url, subprotocols=[self.subprotocol], max_size=None, compression=None)
        self.socket = self.connection.__enter__()
        self.renumbered = None
        hello = {"room": self.room, "token": self.token, "client": "client.py/1"}
        if self.session:
            hello |= {"session": self.session, "generation": self.generation, "ticket": self.ticket}
        if self.epoch:
            hello |= {"epoch": self.epoch, "revision": self.revision}
        self.send("hello", hello)
        while self.receive() != "live":
            pass

    def cut(self) -> None:
        """Loses the connection without a word, as a network does."""
        self.socket.socket.shutdown(socket.SHUT_RDWR)

    # Section 3 and 5: messages

    def send(self, name: str, body: dict) -> None:
        if self.subprotocol == JSON:
            self.socket.send(json.dumps({"m": name} | body))
        elif name == "hello":
            self.socket.send(bytes([HELLO]) + json.dumps(body).encode())
        elif name == "heartbeat":
            self.socket.send(bytes([HEARTBEAT]) + uv(body["revision"]))
        else:
            raise ValueError(name)

    def receive(self) -> str:
        message = self.socket.recv(self.silence)
        if self.subprotocol == JSON:
            body = json.loads(message)
            name = body["m"]
        else:
            name, body = self.unpack(message)
        getattr(self, "on_" + name)(body)
        return name

    def unpack(self, message: bytes) -> tuple[str, dict]:
        name, rest = NOTICES[message[0]], message[1:]
        reader = Reader(rest)
        if name == "run":
            return name, {"records": read_run(rest)}
        if name == "receipts":
            receipts = []
            while reader.more:
                receipts.append([reader.uv(), reader.uv()])
            return name, {"receipts": receipts}
        if name == "snapshotRoot":
            return name, {"revision": reader.uv(), "time": reader.uv(), "stateHash": reader.take(32).hex(),
                          "parts": reader.uv()}
        if name == "snapshotPart":
            return name, {}
        if name == "live":
            return name, {"revision": reader.uv()}
        if name == "heartbeat":
            return name, {"revision": reader.uv(), "time": reader.uv()}
        return name, json.loads(rest)

    # What the server says

    def on_welcome(self, body: dict) -> None:
        if self.session and not body["resumed"]:
            raise ValueError("the session was not resumed")
        self.session, self.generation, self.member = body["session"], body["generation"], body["member"]
        self.ticket, self.epoch = body["ticket"], body["epoch"]
        # Who hears nothing for so long has lost the connection.
        self.silence = body["suspectMs"] / 1000
        for counter in [n for n in self.pending if n <= body["lastCounter"]]:
            del self.pending[counter]

    def on_catchUp(self, body: dict) -> None:
        self.catch_ups.append(f"{body['mode']} ({body['reason']}) {body['from']}-{body['to']}")

    def on_snapshotRoot(self, body: dict) -> None:
        self.revision = body["revision"]
        self.seen = [self.revision]

    def on_snapshotPart(self, body: dict) -> None:
        pass

    def on_run(self, body: dict) -> None:
        for record in body["records"]:
            if record["rev"] != self.revision + 1:
                raise ValueError(f"revision {record['rev']} came after {self.revision}")
            self.revision = record["rev"]
            self.seen.append(record["rev"])
            if record["by"] == self.member and record["n"]:
                self.note(record["n"], record["rev"])

    def on_receipts(self, body: dict) -> None:
        for counter, revision in body["receipts"]:
            self.note(counter, revision)

    def note(self, counter: int, revision: int) -> None:
        if self.done.setdefault(counter, revision) != revision:
            raise ValueError(f"command {counter} was applied twice")
        self.pending.pop(counter, None)

    def on_live(self, body: dict) -> None:
        if body["revision"] != self.revision:
            raise ValueError("live at a revision that is not the last one received")
        for counter, command in sorted(self.pending.items()):
            self.put(counter, command)

    def on_heartbeat(self, body: dict) -> None:
        self.send("heartbeat", {"revision": self.revision})

    def on_refused(self, body: dict) -> None:
        if body["code"] == "outOfOrder" and "allowed" in body:
            return self.renumber(body["allowed"])
        raise ValueError(f"refused: {body['code']}: {body['cause']} {body['cure']}")

    def renumber(self, expected: int) -> None:
        """A restarted server may expect a lower counter (section 2): what waits under that or a higher one is numbered anew
        from there. What was sent before that is refused with the same number, which counts once."""
        if expected == self.renumbered:
            return
        self.renumbered = expected
        waiting = [command for counter, command in sorted(self.pending.items()) if counter >= expected]
        self.pending = {counter: command for counter, command in self.pending.items() if counter < expected}
        self.done = {counter: revision for counter, revision in self.done.items() if counter < expected}
        self.counter = expected - 1
        for kind, payload in waiting:
            self.command(kind, payload)

    def on_farewell(self, body: dict) -> None:
        raise ValueError(f"farewell: {body['code']}: {body['cause']} {body['cure']}")

    # Section 6: commands

    def put(self, counter: int, command: tuple) -> None:
        kind, payload = command
        if self.subprotocol == JSON:
            name = {STROKE: "stroke", MAGIX: "magix"}[kind]
            text = json.dumps({"m": "commands", "commands": [{"n": counter, "kind": name, "body": payload}]})
            self.socket.send(text)
            return
        body = uv(counter) + (stroke_bytes(payload) if kind == STROKE else json.dumps(payload).encode())
        self.socket.send(bytes([COMMANDS]) + uv(len(body)) + bytes([kind]) + body)

    def command(self, kind: int, payload: dict) -> None:
        self.counter += 1
        self.pending[self.counter] = (kind, payload)
        self.put(self.counter, self.pending[self.counter])

    def stroke(self, points: list[tuple[int, int]], cut_after: int | None = None) -> None:
        """Draws a line through points (in pixels), two to a segment; may lose the socket in between."""
        self.strokes += 1
        # Element numbers are this member's own and rise; the time makes them fresh over several runs of one session.
        pairs = [points[i:i + 2] for i in range(0, len(points), 2)]
        last = (0, 0)
        for index, pair in enumerate(pairs):
            dx, dy = [], []
            for x, y in pair:
                dx.append(x - last[0])
                dy.append(y - last[1])
                last = (x, y)
            body = {"stroke": self.strokes}
            if index == 0:
                body["begin"] = {"scene": 1, "unit": 0, "tool": "pencil", "colour": [30, 90, 200], "opacity": 255,
                                 "width": 12}
            body |= {"end": index == len(pairs) - 1, "dx": dx, "dy": dy, "dt": [8] * len(dx)}
            self.command(STROKE, body)
            if cut_after == index:
                self.cut()
                return self.resume_and_go_on(body, points, index, last)

    def resume_and_go_on(self, body: dict, points: list, index: int, last: tuple) -> None:
        self.open()
        rest = points[2 * (index + 1):]
        for place in range(0, len(rest), 2):
            dx, dy = [], []
            for x, y in rest[place:place + 2]:
                dx.append(x - last[0])
                dy.append(y - last[1])
                last = (x, y)
            end = place + 2 >= len(rest)
            self.command(STROKE, {"stroke": body["stroke"], "end": end, "dx": dx, "dy": dy, "dt": [8] * len(dx)})

    def settle(self, seconds: float = 10) -> None:
        """Waits until every command has its receipt."""
        limit = time.monotonic() + seconds
        while self.pending or len(self.done) < self.counter:
            if time.monotonic() > limit:
                raise TimeoutError(f"{len(self.pending)} commands without a receipt")
            self.receive()


def stroke_bytes(body: dict) -> bytes:
    begin = body.get("begin")
    flags = (1 if begin else 0) | (2 if body["end"] else 0) | 4
    out = uv(body["stroke"]) + bytes([flags])
    if begin:
        out += uv(begin["scene"]) + bytes([begin["unit"] & 0xFF, 0, *begin["colour"], begin["opacity"]])
        out += uv(begin["width"])
    out += uv(len(body["dx"]))
    out += b"".join(map(zz, body["dx"])) + b"".join(map(zz, body["dy"])) + b"".join(map(uv, body["dt"]))
    return out


def story(client: Client) -> dict:
    client.open()
    member = client.member
    client.stroke([(0, 0), (10, 5), (20, 0), (30, 5)])
    client.stroke([(0, 40), (10, 45), (20, 40), (30, 45)])
    client.command(MAGIX, {"event": "hello", "payload": {"from": "client.py"}})
    client.settle()
    client.stroke([(0, 80), (10, 85), (20, 80), (30, 85), (40, 80), (50, 85)], cut_after=1)
    client.settle()
    if client.member != member:
        raise ValueError("came back as another member")
    if client.seen != list(range(client.seen[0], client.seen[0] + len(client.seen))):
        raise ValueError("a gap or a repeat")
    if sorted(client.done) != list(range(1, client.counter + 1)):
        raise ValueError("a command is missing")
    return {"subprotocol": client.subprotocol, "member": member, "revision": client.revision,
            "events": len(client.seen), "commands": client.counter, "catchUps": client.catch_ups}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="ws://127.0.0.1:8080/v1/rooms")
    parser.add_argument("--room", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--subprotocol", choices=[BINARY, JSON], default=BINARY)
    options = parser.parse_args()
    try:
        print(json.dumps(story(Client(options.url, options.room, options.token, options.subprotocol))))
        return 0
    except (ValueError, TimeoutError, ConnectionClosed, OSError) as error:
        print(f"client.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
