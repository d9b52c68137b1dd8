#!/usr/bin/env python3
"""Folds a log and compares the state hash at every revision with the published one.

    python3 docs/examples/fold.py Tests/Golden/v1/fold/*.jsonl

Written from docs/PROTOCOL.md (sections 1, 6, 7 and 8) alone, with the standard library only, for whoever writes a fold in
another language: NAME.jsonl is a log as `boardroom export` writes it, NAME.hashes has the state hash after each of its
lines. Exit status 0 if all are equal; 1 at the first that is not, with its revision, its record, and the root as it was folded.
"""

import hashlib
import json
import struct
import sys
import unicodedata
from pathlib import Path

DECODER = json.JSONDecoder()
NULL = "null"
SHAPES = ["rectangle", "text", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon", "straight", "arrow",
          "image", "note"]
TOOLS = ["pencil", "highlighter", "laser"]
SERVICES = ["white", "rtc", "rtm", "signaling"]


class Misfit(Exception):
    """The event does not fit. What was done before it was raised stays done."""


def needs(condition: object) -> None:
    if not condition:
        raise Misfit


# Numbers and text (section 1). Values of clients are kept as the text that they came as.

def fields(text: str) -> dict[str, str]:
    """The members of a JSON object, each as its own text. Later ones of one key do not happen: no key comes twice."""
    found, at = {}, text.index("{") + 1
    while True:
        at = skip(text, at)
        if text[at] == "}":
            return found
        key, at = DECODER.raw_decode(text, at)
        at = skip(text, skip(text, at) + 1)
        end = DECODER.raw_decode(text, at)[1]
        found[key] = text[at:end]
        at = skip(text, end)
        at += text[at] == ","


def items(text: str) -> list[str]:
    """The values of a JSON array, each as its own text."""
    found, at = [], text.index("[") + 1
    while True:
        at = skip(text, at)
        if text[at] == "]":
            return found
        end = DECODER.raw_decode(text, at)[1]
        found.append(text[at:end])
        at = skip(text, end)
        at += text[at] == ","


def skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined(pairs: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{quoted(key)}:{text}" for key, text in pairs) + "}"


def listed(texts: list[str]) -> str:
    return "[" + ",".join(texts) + "]"


def uv(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def zz(value: int) -> bytes:
    return uv(value * 2 if value >= 0 else -value * 2 - 1)


def same(text: str) -> str:
    """Texts that are canonically equivalent in Unicode are one: this is what they have in common."""
    return unicodedata.normalize("NFC", text)


class Keys:
    """Keys that are canonically equivalent are one, written as it was first set (section 6)."""

    def __init__(self, pairs: list[tuple[str, object]] = ()) -> None:
        self.held: dict[str, tuple[str, object]] = {}
        for key, value in pairs:
            self[key] = value

    def __setitem__(self, key: str, value: object) -> None:
        name = same(key)
        self.held[name] = (self.held[name][0] if name in self.held else key, value)

    def __contains__(self, key: str) -> bool:
        return same(key) in self.held

    def __bool__(self) -> bool:
        return bool(self.held)

    def get(self, key: str) -> object:
        return self.held.get(same(key), (None, None))[1]

    def drop(self, key: str) -> None:
        self.held.pop(same(key), None)

    def lay(self, patch: dict[str, str]) -> None:
        """Sets keys to texts of JSON; null removes."""
        for key, text in patch.items():
            if text == NULL:
                self.drop(key)
            else:
                self[key] = text

    def copy(self) -> "Keys":
        other = Keys()
        other.held = dict(self.held)
        return other

    def sorted(self) -> list[tuple[str, object]]:
        return sorted(self.held.values(), key=lambda pair: pair[0].encode())

    def json(self) -> str:
        return joined(self.sorted())


class Element:
    """A stroke or a shape, in its place."""

    def __init__(self, identity: tuple[int, int], scene: int) -> None:
        self.id, self.scene = identity, scene
        self.style = b""                   # of a stroke, as in a part
        self.segments: list[bytes] = []
        self.points = 0
        self.ended = True
        self.body: str | None = None       # of a shape
        self.type = ""
        self.attributes = Keys()
        self.copied = self.buried = False

    @property
    def is_stroke(self) -> bool:
        return self.body is None

    def shape(self) -> tuple[str, str, bool]:
        """What a step keeps of a shape: body, attributes, whether it is a copy."""
        return self.body, self.attributes.json(), self.copied

    def bytes(self) -> bytes:
        form = (1 if self.is_stroke else 2) + (4 if self.attributes else 0) + (8 if self.buried else 0)
        out = bytes([form + (16 if self.copied else 0)]) + uv(self.id[0]) + uv(self.id[1]) + uv(self.scene)
        if self.is_stroke:
            drawn = b"".join(self.segments)
            out += self.style + bytes([self.ended]) + uv(self.points) + uv(len(drawn)) + drawn
        else:
            body = self.body.encode()
            out += bytes([SHAPES.index(self.type)]) + uv(len(body)) + body
        if self.attributes:
            text = self.attributes.json().encode()
            out += uv(len(text)) + text
        return out


def identity(text: str) -> tuple[int, int]:
    member, number = text.split(".")
    return int(member), int(number)


def name_of(element: tuple[int, int]) -> str:
    return f"{element[0]}.{element[1]}"


class Operation:
    """put, erase, set or replace, with its own JSON and the element that it refers to."""

    def __init__(self, verb: str, element: tuple[int, int], key: str = "", before: object = None,
                 after: object = None) -> None:
        self.verb, self.element, self.key, self.before, self.after = verb, element, key, before, after

    @staticmethod
    def shape(kept: tuple[str, str, bool]) -> str:
        body, attributes, copied = kept
        return joined([("shape", body)] + ([("set", attributes)] if attributes != "{}" else [])
                      + ([("copy", "true")] if copied else []))

    def json(self) -> str:
        pairs = [(self.verb, quoted(name_of(self.element)))]
        if self.verb == "set":
            pairs.append(("key", quoted(self.key)))
            pairs += [(name, value) for name, value in (("before", self.before), ("after", self.after)) if value]
        if self.verb == "replace":
            pairs += [("before", self.shape(self.before)), ("after", self.shape(self.after))]
        return joined(pairs)


class Track:
    def __init__(self, scene: int) -> None:
        self.scene = scene
        self.undo: list[tuple[int, list[Operation]]] = []      # (revision, operations), oldest first
        self.redo: list[tuple[int, list[Operation]]] = []

    def json(self) -> str:
        def steps(side: list) -> str:
            return listed([joined([("revision", str(revision)),
                                   ("operations", listed([one.json() for one in operations]))])
                           for revision, operations in side])
        return joined([("scene", str(self.scene)), ("undo", steps(self.undo)), ("redo", steps(self.redo))])


class History:
    def __init__(self, scenes: int, depth: int) -> None:
        self.scenes, self.depth = scenes, depth
        self.tracks: list[Track] = []

    def operations(self) -> list[Operation]:
        return [one for track in self.tracks for _, operations in track.undo + track.redo for one in operations]

    def strike(self, element: tuple[int, int], keys: set[str] | None) -> None:
        """Strikes what touching the element, or only those of its attributes, takes out."""
        for track in self.tracks:
            # From the newest done and undone backwards to the oldest: what a struck put, erase or replace carried goes too.
            track.undo = self.struck(track.undo, element, keys, reverse=True)
            track.redo = self.struck(track.redo, element, keys, reverse=False)
        self.tracks = [track for track in self.tracks if track.undo or track.redo]

    @staticmethod
    def struck(side: list, element: tuple[int, int], keys: set[str] | None, reverse: bool) -> list:
        # `side` is in the order in which steps came to it. Undone steps come newest first, so that what is newer
        # stands before. Walking from what is last done to what is first done of the side:
        whole = False
        left = []
        for revision, operations in reversed(side):
            kept = []
            for one in reversed(operations) if reverse else operations:
                if one.element != element:
                    kept.append(one)
                elif whole or keys is None or one.verb != "set" or same(one.key) in keys:
                    whole = whole or one.verb != "set"
                else:
                    kept.append(one)
            if reverse:
                kept.reverse()
            if kept:
                left.append((revision, kept))
        left.reverse()
        return left

    def track(self, scene: int) -> Track | None:
        return next((track for track in self.tracks if track.scene == scene), None)

    def record(self, scene: int, revision: int, operations: list[Operation]) -> None:
        track = self.track(scene) or Track(scene)
        self.tracks = [other for other in self.tracks if other is not track] + [track]
        track.redo = []
        track.undo.append((revision, operations))
        track.undo = track.undo[max(0, len(track.undo) - self.depth):]
        self.tracks = self.tracks[max(0, len(self.tracks) - self.scenes):]


class Member:
    def __init__(self, number: int, body: dict[str, str], time: int, following: bool) -> None:
        self.id, self.body, self.joined = number, body, time
        self.role = json.loads(body["role"])
        self.uid = json.loads(body["uid"]) if body.get("uid", NULL) != NULL else None
        self.writable = body["writable"] == "true"
        self.generation, self.phase = 1, "connected"
        self.mode = "follower" if following else "freedom"
        self.state = Keys()
        self.camera = self.pointer = self.hand = None
        self.counter = self.revision = 0
        self.kept = self.barred = False

    def json(self) -> str:
        def there(key: str) -> list[tuple[str, str]]:
            text = self.body.get(key, NULL)
            return [(key, text)] if text != NULL else []
        pairs = [("id", str(self.id)), ("session", self.body["session"]), ("generation", str(self.generation))]
        pairs += [("uid", quoted(self.uid))] if self.uid is not None else []
        pairs += [("role", quoted(self.role)), ("writable", quoted(self.writable))] + there("payload")
        pairs += [("client", quoted(json.loads(text))) for _, text in there("client")]
        pairs += [("joined", str(self.joined)), ("phase", quoted(self.phase)), ("viewMode", quoted(self.mode)),
                  ("state", self.state.json())]
        pairs += [("camera", self.camera)] if self.camera else []
        pairs += [("pointer", self.pointer)] if self.pointer else []
        pairs += [("lastCounter", str(self.counter)), ("lastRevision", str(self.revision))]
        pairs += [("kept", "true")] if self.kept else []
        pairs += [("barred", "true")] if self.barred else []
        pairs += [("hand", str(self.hand))] if self.hand is not None else []
        pairs += [("bound", "true")] if self.body.get("bound") == "true" else []
        return joined(pairs)


class Scene:
    def __init__(self, number: int, directory: str, name: str, ppt: str | None = None) -> None:
        self.id, self.directory, self.name, self.ppt, self.step = number, directory, name, ppt, 0

    def json(self) -> str:
        pairs = [("id", str(self.id)), ("directory", quoted(self.directory)), ("name", quoted(self.name))]
        pairs += [("ppt", self.ppt)] if self.ppt is not None else []
        pairs += [("pptStep", str(self.step))] if self.step else []
        return joined(pairs)


class Slot:
    """What an account has in one service."""

    def __init__(self) -> None:
        self.attributes, self.channels, self.inbox = Keys(), [], []
        self.last = self.acked = 0

    def is_empty(self) -> bool:
        return not (self.attributes or self.channels or self.inbox or self.last or self.acked)

    def json(self) -> str:
        pairs = [("attributes", self.attributes.json())] if self.attributes else []
        pairs += [("channels", quoted(self.channels))] if self.channels else []
        pairs += [("lastVersion", str(self.last)), ("acked", str(self.acked)), ("inbox", quoted(self.inbox))]
        return joined(pairs)


class Space:
    """A channel or an account."""

    def __init__(self, body: dict[str, object]) -> None:
        self.body, self.is_channel = body, body["space"] == "channel"
        self.attributes = Keys()
        self.emptied = self.told = self.since = self.moved = None
        self.joins = self.last_invitation = 0
        self.slots: dict[str, Slot] = {}
        self.invitations: dict[int, dict] = {}
        self.calls: dict[tuple[str, int], dict] = {}
        self.applied: list[dict] = []

    def move(self, time: int) -> None:
        if self.since is not None and self.moved is None:
            self.moved = time

    def json(self) -> str:
        pairs = [(key, quoted(self.body[key])) for key in ("space", "service", "name") if self.body.get(key) is not None]
        pairs += [("attributes", self.attributes.json())] if self.attributes else []
        pairs += [("emptied", str(self.emptied))] if self.emptied is not None else []
        pairs += [("joins", str(self.joins))] if self.joins else []
        pairs += [("told", quoted(self.told))] if self.told is not None else []
        pairs += [("numbersSince", str(self.since))] if self.since is not None else []
        pairs += [("moved", str(self.moved))] if self.moved is not None else []
        if self.slots:
            pairs.append(("slots", joined([(name, self.slots[name].json()) for name in SERVICES if name in self.slots])))
        pairs += [("lastInvitation", str(self.last_invitation))] if self.last_invitation else []
        if self.invitations:
            pairs.append(("invitations", quoted([self.invitations[number] for number in sorted(self.invitations)])))
        if self.calls:
            pairs.append(("calls", quoted([self.calls[key] for key in sorted(self.calls)])))
        pairs += [("applied", quoted(self.applied))] if self.applied else []
        return joined(pairs)


class State:
    def __init__(self) -> None:
        self.revision = self.time = self.created_at = 0
        self.created: str | None = None
        self.values = Keys()
        self.members: dict[int, Member] = {}
        self.next_member = 0
        self.scenes: list[Scene] = []
        self.current, self.next_scene = 0, 1
        self.broadcaster: int | None = None
        self.banned = self.deleted = False
        self.lock: list[int | None] = []       # empty, or who locked
        self.barred: list[str] = []
        self.limits, self.stores = Keys(), Keys()
        self.bans: dict[int, str] = {}
        self.histories: dict[int, History] = {}
        self.space: Space | None = None
        self.places: list[Element | None] = []
        self.ordinals: dict[tuple[int, int], int] = {}     # of elements and graves
        self.parts: dict[int, bytes] = {}                  # hashes of parts that nothing has changed since

    # Snapshots (section 7)

    def hash(self) -> str:
        for number in range(0, (len(self.places) + 255) // 256):
            if number not in self.parts:
                self.parts[number] = hashlib.sha256(self.part(number)).digest()
        parts = [self.parts[number] for number in sorted(self.parts)]
        return hashlib.sha256(b"boardroom.state.1\n" + self.root(parts).encode() + b"".join(parts)).hexdigest()

    def part(self, number: int) -> bytes:
        before = first = number * 256
        out = uv(first)
        for place in range(first, min(first + 256, len(self.places))):
            if self.places[place]:
                out += uv(place - before) + self.places[place].bytes()
                before = place
        return out

    def root(self, parts: list[bytes]) -> str:
        pairs = [("revision", str(self.revision)), ("time", str(self.time))]
        pairs += [("created", self.created)] if self.created else []
        pairs += [("createdAt", str(self.created_at)), ("globalState", self.values.json()),
                  ("members", listed([self.members[number].json() for number in sorted(self.members)])),
                  ("nextMember", str(self.next_member)), ("scenes", listed([scene.json() for scene in self.scenes])),
                  ("currentScene", str(self.current)), ("nextScene", str(self.next_scene))]
        pairs += [("broadcaster", str(self.broadcaster))] if self.broadcaster is not None else []
        pairs += [("banned", "true")] if self.banned else []
        pairs += [("deleted", "true")] if self.deleted else []
        if self.lock:
            pairs.append(("lock", quoted({"by": self.lock[0]} if self.lock[0] is not None else {})))
        pairs += [("barred", quoted(self.barred))] if self.barred else []
        pairs += [("limits", self.limits.json())] if self.limits else []
        if self.stores:
            pairs.append(("stores", joined([(name, store.json()) for name, store in self.stores.sorted()])))
        pairs += [("bans", listed([self.bans[number] for number in sorted(self.bans)]))] if self.bans else []
        if self.histories:
            pairs.append(("histories", listed([
                joined([("member", str(number)), ("scenes", str(history.scenes)), ("depth", str(history.depth)),
                        ("tracks", listed([track.json() for track in history.tracks]))])
                for number, history in sorted(self.histories.items())])))
        pairs += [("space", self.space.json())] if self.space else []
        pairs += [("places", str(len(self.places))), ("parts", quoted([part[:16].hex() for part in parts]))]
        return joined(pairs)

    # Elements

    def touch(self, place: int) -> None:
        self.parts.pop(place // 256, None)

    def on_board(self, element: tuple[int, int]) -> Element | None:
        found = self.known(element)
        return found if found and not found.buried else None

    def known(self, element: tuple[int, int]) -> Element | None:
        place = self.ordinals.get(element)
        return None if place is None else self.places[place]

    def add(self, element: Element) -> None:
        if self.known(element.id):     # a grave: given up first
            self.strike(element.id, None, None)
            self.remove(element.id)
        self.ordinals[element.id] = len(self.places)
        self.places.append(element)
        self.touch(len(self.places) - 1)

    def changed(self, element: tuple[int, int]) -> None:
        self.touch(self.ordinals[element])

    def remove(self, element: tuple[int, int]) -> None:
        place = self.ordinals.pop(element, None)
        if place is not None:
            self.places[place] = None
            self.touch(place)

    def take_off(self, element: tuple[int, int], buries: bool) -> None:
        if not buries:
            return self.remove(element)
        found = self.known(element)
        found.buried = found.ended = True
        self.changed(element)

    def end_strokes(self, member: int) -> None:
        for place, element in enumerate(self.places):
            if element and element.id[0] == member and not element.ended:
                element.ended = True
                self.touch(place)

    def on_scene(self, scene: int) -> list[Element]:
        return [element for element in self.places if element and element.scene == scene]

    # Histories

    def strike(self, element: tuple[int, int], keys: set[str] | None, but: int | None) -> None:
        for number, history in self.histories.items():
            if number != but:
                history.strike(element, keys)

    def give_up(self) -> None:
        """Graves that no operation refers to any more."""
        graves = [element.id for element in self.places if element and element.buried]
        if graves:
            referred = {one.element for history in self.histories.values() for one in history.operations()}
            for grave in graves:
                if grave not in referred:
                    self.remove(grave)

    # Members

    def may_write(self, member: Member) -> bool:
        if member.barred:
            return False
        if not self.lock:
            return True
        by = self.lock[0]
        return by == member.id if by in self.members else member.role == "admin"

    def settle(self, member: Member, wants: bool | None = None) -> None:
        wants = member.writable or member.kept if wants is None else wants
        was = member.writable
        member.writable = wants and self.may_write(member)
        member.kept = wants and not member.writable
        if was and not member.writable:
            self.end_strokes(member.id)
            if self.broadcaster == member.id:
                self.end_broadcast()

    def settle_all(self) -> None:
        for number in sorted(self.members):
            self.settle(self.members[number])

    def end_broadcast(self) -> None:
        self.broadcaster = None
        for member in self.members.values():
            member.mode = "freedom"

    def scene(self, number: int) -> Scene | None:
        return next((scene for scene in self.scenes if scene.id == number), None)

    def drop_scenes(self, numbers: set[int]) -> None:
        self.scenes = [scene for scene in self.scenes if scene.id not in numbers]
        for element in [element for element in self.places if element and element.scene in numbers]:
            self.remove(element.id)
        for history in self.histories.values():
            history.tracks = [track for track in history.tracks if track.scene not in numbers]

    # The fold (section 8)

    def apply(self, line: str) -> None:
        record = fields(line)
        self.revision, self.time = int(record["rev"]), int(record["t"])
        actor = None if record["by"] == NULL else int(record["by"])
        member = self.members.get(actor)
        counter = 0 if record["n"] == NULL else int(record["n"])
        if member and counter > 0 and counter >= member.counter:
            member.counter, member.revision = counter, self.revision
        kind = json.loads(record["kind"])
        rule = getattr(Rules, kind, None) if isinstance(kind, str) and "body" in record else None
        if rule:
            try:
                rule(self, actor, member, record["body"])
            except Misfit:
                pass
        self.give_up()


class Rules:
    """One function for each kind; `body` is the text of the record's body."""

    # The room and its members

    @staticmethod
    def roomCreated(state: State, actor, member, body: str) -> None:
        needs(state.created is None)
        value = json.loads(body)
        state.created = quoted({key: value[key] for key in ("name", "limit", "isRecord")})
        state.created_at = state.time
        state.scenes = [Scene(state.next_scene, "/", "init")]
        state.current = state.next_scene
        state.next_scene += 1

    @staticmethod
    def memberJoined(state: State, actor, member, body: str) -> None:
        needs(actor is not None and actor >= state.next_member)
        new = state.members[actor] = Member(actor, fields(body), state.time, state.broadcaster is not None)
        state.next_member = actor + 1
        if new.uid is not None and new.uid in state.barred:
            state.barred.remove(new.uid)
            new.barred = True
        if new.writable and not state.may_write(new):
            new.writable, new.kept = False, True
        if state.space and state.space.is_channel:
            state.space.joins += 1
            state.space.emptied = None
            state.space.move(state.time)

    @staticmethod
    def memberLeft(state: State, actor, member, body: str) -> None:
        needs(member)
        state.end_strokes(actor)
        del state.members[actor]
        state.histories.pop(actor, None)
        if state.broadcaster == actor:
            state.end_broadcast()
        if member.barred and member.uid is not None:
            state.barred = ([uid for uid in state.barred if uid != member.uid] + [member.uid])[-1000:]
        if state.lock and state.lock[0] == actor:
            state.settle_all()
        if state.space and state.space.is_channel:
            if not state.members:
                state.space.emptied = state.time
            state.space.move(state.time)
        elif state.space and member.uid in state.space.slots:
            slot = state.space.slots[member.uid]
            slot.attributes = Keys()
            if slot.is_empty():
                del state.space.slots[member.uid]

    @staticmethod
    def memberPhase(state: State, actor, member, body: str) -> None:
        needs(member)
        value = json.loads(body)
        member.phase, member.generation = value["phase"], value["generation"]

    @staticmethod
    def memberWritable(state: State, actor, member, body: str) -> None:
        needs(member)
        state.settle(member, json.loads(body)["writable"])

    @staticmethod
    def handRaised(state: State, actor, member, body: str) -> None:
        needs(member)
        if not json.loads(body)["raised"]:
            member.hand = None
        elif member.hand is None:
            member.hand = state.time

    @staticmethod
    def writingAllowed(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        about = state.members.get(value["member"])
        needs(about and about.role != "reader")
        about.barred = not value["allowed"]
        state.settle(about, True if value["allowed"] else None)

    @staticmethod
    def roomLocked(state: State, actor, member, body: str) -> None:
        needs(state.created and (actor is None or member))
        state.lock = [actor] if json.loads(body)["locked"] else []
        state.settle_all()

    @staticmethod
    def globalState(state: State, actor, member, body: str) -> None:
        state.values.lay(fields(body))

    @staticmethod
    def memberState(state: State, actor, member, body: str) -> None:
        needs(member)
        member.state.lay(fields(body))

    @staticmethod
    def pointer(state: State, actor, member, body: str) -> None:
        needs(member)
        member.pointer = body

    @staticmethod
    def camera(state: State, actor, member, body: str) -> None:
        needs(member)
        member.camera = body
        if member.mode == "follower":
            member.mode = "freedom"

    @staticmethod
    def viewMode(state: State, actor, member, body: str) -> None:
        needs(member)
        mode = json.loads(body)["mode"]
        if mode == "broadcaster":
            for other in state.members.values():
                other.mode = "follower"
            state.broadcaster, member.mode = actor, "broadcaster"
            return
        if state.broadcaster == actor:
            state.end_broadcast()
        if mode == "freedom":
            member.mode = "freedom"
        else:
            member.mode = "follower" if state.broadcaster is not None else "freedom"
            needs(state.broadcaster is not None)

    # Scenes

    @staticmethod
    def put_in(state: State, scenes: list[Scene], directory: str, index: int | None) -> None:
        """Before the page that has this index in its directory, else after its last page, else at the end."""
        places = [at for at, scene in enumerate(state.scenes) if same(scene.directory) == same(directory)]
        if not places:
            at = len(state.scenes)
        elif index is None or index >= len(places):
            at = places[-1] + 1
        else:
            at = places[max(0, index)]
        state.scenes[at:at] = scenes

    @staticmethod
    def scenesPut(state: State, actor, member, body: str) -> None:
        value = fields(body)
        directory, index = json.loads(value["directory"]), int(value["index"])
        pages = [fields(text) for text in items(value["scenes"])]
        names = [json.loads(page["name"]) for page in pages]
        numbers = [int(page["id"]) for page in pages]
        low = state.next_scene
        needs(state.created)
        for number in numbers:
            needs(low <= number < 2**32 - 1)
            low = number + 1
        needs(len({same(name) for name in names}) == len(names))
        new = [Scene(number, directory, name, page["ppt"] if page.get("ppt", NULL) != NULL else None)
               for number, name, page in zip(numbers, names, pages)]
        gone = {scene.id: same(scene.name) for scene in state.scenes
                if same(scene.directory) == same(directory) and same(scene.name) in map(same, names)}
        state.drop_scenes(set(gone))
        Rules.put_in(state, new, directory, index)
        if state.current in gone:
            state.current = next(scene.id for scene in new if same(scene.name) == gone[state.current])
        state.next_scene = max(state.next_scene, low)

    @staticmethod
    def sceneSwitched(state: State, actor, member, body: str) -> None:
        number = json.loads(body)["scene"]
        needs(state.scene(number))
        state.current = number

    @staticmethod
    def sceneCleaned(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        scene = state.scene(value["scene"])
        needs(scene)
        elements = [element.id for element in state.on_scene(scene.id) if not element.buried]
        for element in elements:
            state.strike(element, None, actor)
            state.take_off(element, actor in state.histories)
        Rules.step(state, actor, {scene.id: [Operation("erase", element) for element in elements]})
        if not value["retainPPT"]:
            scene.ppt, scene.step = None, 0

    @staticmethod
    def scenesRemoved(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        numbers, current, fresh = set(value["scenes"]), value["current"], value.get("fresh")
        needs(numbers and all(state.scene(number) for number in numbers))
        left = {scene.id for scene in state.scenes} - numbers
        if left:
            needs(fresh is None and current in left)
        else:
            needs(fresh is not None and state.next_scene <= fresh < 2**32 - 1 and current == fresh)
        state.drop_scenes(numbers)
        if fresh is not None:
            state.scenes, state.next_scene = [Scene(fresh, "/", "init")], fresh + 1
        state.current = current

    @staticmethod
    def sceneMoved(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        scene = state.scene(value["scene"])
        needs(scene)
        path = value["directory"], value["name"]
        needs(all(other is scene or (same(other.directory), same(other.name)) != (same(path[0]), same(path[1]))
                  for other in state.scenes))
        index = value.get("index")
        stays = index is None and same(scene.directory) == same(path[0])
        scene.directory, scene.name = path
        if not stays:
            state.scenes.remove(scene)
            Rules.put_in(state, [scene], path[0], index)

    @staticmethod
    def pptStepped(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        scene = state.scene(value["scene"])
        needs(scene and value["step"] >= 0)
        scene.step, state.current = value["step"], scene.id

    # Elements

    @staticmethod
    def step(state: State, actor, operations: dict[int, list[Operation]]) -> None:
        """What the event did, scene by scene, becomes a step of its actor's, if it keeps a history."""
        history = state.histories.get(actor)
        for scene, done in operations.items():
            if history and done:
                history.record(scene, state.revision, done)

    @staticmethod
    def stroke(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        begin, known = value.get("begin"), (actor, value["stroke"])
        pressure = value.get("dp")
        segment = bytes([4 if pressure is None else 0]) + uv(len(value["dx"]))
        segment += b"".join(map(zz, value["dx"])) + b"".join(map(zz, value["dy"])) + b"".join(map(uv, value["dt"]))
        segment += b"".join(map(zz, pressure or []))
        if begin is None:
            element = state.on_board(known)
            needs(element and element.is_stroke and not element.ended)
        else:
            needs(member and state.scene(begin["scene"]) and not state.on_board(known))
            element = Element(known, begin["scene"])
            element.style = struct.pack("<bB3BB", begin["unit"], TOOLS.index(begin["tool"]), *begin["colour"],
                                        begin["opacity"]) + uv(begin["width"])
            state.add(element)
            Rules.step(state, actor, {element.scene: [Operation("put", known)]})
        element.segments.append(segment)
        element.points += len(value["dx"])
        element.ended = value["end"]
        state.changed(known)

    @staticmethod
    def elementPut(state: State, actor, member, body: str) -> None:
        value = fields(body)
        known, scene, kind = identity(json.loads(value["id"])), int(value["scene"]), json.loads(value["type"])
        needs(state.scene(scene))
        attributes = Keys()
        attributes.lay(fields(value["set"]) if value.get("set", NULL) != NULL else {})
        element = state.on_board(known)
        operations = []
        if element is None:
            element = Element(known, scene)
            state.add(element)
            operations = [Operation("put", known)]
        elif element.is_stroke or element.scene != scene:
            state.strike(known, None, None)
        else:
            state.strike(known, None, actor)
            before, after = element.shape(), (body, attributes.json(), False)
            operations = [Operation("replace", known, before=before, after=after)] if before != after else []
        element.scene, element.type, element.body, element.attributes = scene, kind, body, attributes
        element.copied, element.ended = False, True
        element.segments, element.style = [], b""
        state.changed(known)
        Rules.step(state, actor, {scene: operations})

    @staticmethod
    def erased(state: State, actor, member, body: str) -> None:
        operations: dict[int, list[Operation]] = {}
        fits = True
        for text in json.loads(body)["elements"]:
            known = identity(text)
            element = state.on_board(known)
            if not element:
                fits = False
                continue
            state.strike(known, None, actor)
            operations.setdefault(element.scene, []).append(Operation("erase", known))
            state.take_off(known, actor in state.histories)
        Rules.step(state, actor, operations)
        needs(fits)

    @staticmethod
    def lay(state: State, actor, changes: str) -> tuple[bool, dict[int, list[Operation]]]:
        fits, operations = True, {}
        for change in map(fields, items(changes)):
            known, patch = identity(json.loads(change["id"])), fields(change["set"])
            element = state.on_board(known)
            if not element:
                fits = False
                continue
            state.strike(known, {same(key) for key in patch}, actor)
            for key, text in patch.items():
                before = element.attributes.get(key)
                after = None if text == NULL else text
                element.attributes.lay({key: text})
                if before != after:
                    operations.setdefault(element.scene, []).append(
                        Operation("set", known, key=key, before=before, after=after))
            state.changed(known)
        return fits, operations

    @staticmethod
    def elementsChanged(state: State, actor, member, body: str) -> None:
        fits, operations = Rules.lay(state, actor, fields(body)["changes"])
        Rules.step(state, actor, operations)
        needs(fits)

    @staticmethod
    def elementsCopied(state: State, actor, member, body: str) -> None:
        operations: dict[int, list[Operation]] = {}
        fits = True
        for copy in map(fields, items(fields(body)["copies"])):
            source = state.on_board(identity(json.loads(copy["from"])))
            known, scene = identity(json.loads(copy["id"])), int(copy["scene"])
            if not source or not state.scene(scene) or state.on_board(known):
                fits = False
                continue
            element = Element(known, scene)
            element.style, element.segments, element.points = source.style, list(source.segments), source.points
            element.type, element.body, element.copied = source.type, source.body, not source.is_stroke
            element.attributes = source.attributes.copy()
            element.attributes.lay(fields(copy["set"]) if copy.get("set", NULL) != NULL else {})
            state.add(element)
            operations.setdefault(scene, []).append(Operation("put", known))
        Rules.step(state, actor, operations)
        needs(fits)

    # Histories

    @staticmethod
    def historySet(state: State, actor, member, body: str) -> None:
        needs(member)
        value = json.loads(body)
        if value["scenes"] <= 0 or value["depth"] <= 0:
            state.histories.pop(actor, None)
            return
        history = state.histories.setdefault(actor, History(value["scenes"], value["depth"]))
        history.scenes, history.depth = value["scenes"], value["depth"]
        history.tracks = history.tracks[max(0, len(history.tracks) - history.scenes):]
        for track in history.tracks:
            track.undo = track.undo[min(len(track.undo), max(0, len(track.undo) + len(track.redo) - history.depth)):]
            track.redo = track.redo[max(0, len(track.undo) + len(track.redo) - history.depth):]

    @staticmethod
    def undone(state: State, actor, member, body: str) -> None:
        Rules.compensate(state, actor, fields(body), "undo", "redo")

    @staticmethod
    def redone(state: State, actor, member, body: str) -> None:
        Rules.compensate(state, actor, fields(body), "redo", "undo")

    @staticmethod
    def compensate(state: State, actor, value: dict[str, str], source: str, target: str) -> None:
        history = state.histories.get(actor)
        track = history and history.track(int(value["scene"]))
        needs(track and getattr(track, source))
        getattr(track, target).append(getattr(track, source).pop())
        history.tracks = [other for other in history.tracks if other is not track] + [track]
        fits = True

        def each(name: str) -> list[str]:
            return items(value[name]) if value.get(name, NULL) != NULL else []

        for text in each("erased"):
            known = identity(json.loads(text))
            if not state.on_board(known):
                fits = False
                continue
            state.strike(known, None, actor)
            referred = any(one.element == known for other in state.histories.values() for one in other.operations())
            state.take_off(known, referred)
        for text in each("restored"):
            known = identity(json.loads(text))
            # Strikes also if the element is on the board or nowhere.
            state.strike(known, None, actor)
            element = state.known(known)
            if not element or not element.buried:
                fits = False
                continue
            element.buried = False
            state.changed(known)
        for put in map(fields, each("puts")):
            known = identity(json.loads(put["id"]))
            element = state.on_board(known)
            if not element:
                fits = False
                continue
            state.strike(known, None, actor)
            shape = fields(put["shape"])
            element.type, element.body, element.attributes = json.loads(shape["type"]), put["shape"], Keys()
            element.copied = identity(json.loads(shape["id"])) != known or int(shape["scene"]) != element.scene
            element.ended = True
            element.segments, element.style = [], b""
            state.changed(known)
        if "changes" in value and value["changes"] != NULL:
            fits = Rules.lay(state, actor, value["changes"])[0] and fits
        needs(fits)

    # The room's own marks and stores

    @staticmethod
    def storeSet(state: State, actor, member, body: str) -> None:
        needs(state.created)
        value = fields(body)
        name = json.loads(value["store"])
        if name not in state.stores:
            state.stores[name] = Keys()
        store = state.stores.get(name)
        if value.get("reset") == "true":
            store.held.clear()
        store.lay(fields(value["set"]))

    @staticmethod
    def storeDeleted(state: State, actor, member, body: str) -> None:
        name = json.loads(body)["store"]
        needs(name in state.stores)
        state.stores.drop(name)

    @staticmethod
    def roomBanned(state: State, actor, member, body: str) -> None:
        needs(state.created)
        state.banned = json.loads(body)["banned"]

    @staticmethod
    def roomDeleted(state: State, actor, member, body: str) -> None:
        needs(state.created)
        state.deleted = True

    @staticmethod
    def limitsSet(state: State, actor, member, body: str) -> None:
        needs(state.created)
        state.limits.lay(fields(fields(body)["set"]))

    @staticmethod
    def banSet(state: State, actor, member, body: str) -> None:
        value = json.loads(body)
        kept = ("ban", "room", "uid", "address", "until", "token", "since", "member", "name")
        state.bans[value["ban"]] = quoted({key: value[key] for key in kept if value.get(key) is not None})

    @staticmethod
    def banLifted(state: State, actor, member, body: str) -> None:
        number = json.loads(body)["ban"]
        needs(number in state.bans)
        del state.bans[number]

    # Channels and accounts

    @staticmethod
    def spaceCreated(state: State, actor, member, body: str) -> None:
        needs(state.created is None)
        value = json.loads(body)
        state.created = quoted({"name": value["name"], "limit": 0, "isRecord": True})
        state.created_at, state.space = state.time, Space(value)

    @staticmethod
    def slot(state: State, member, makes: bool) -> Slot | None:
        """The slot of the service that the actor, a login, stands for."""
        needs(state.space and not state.space.is_channel and member and member.uid in SERVICES)
        if makes:
            return state.space.slots.setdefault(member.uid, Slot())
        return state.space.slots.get(member.uid)

    @staticmethod
    def attributesSet(state: State, actor, member, body: str) -> None:
        needs(state.space)
        patch = fields(fields(body)["set"])
        held = state.space.attributes if state.space.is_channel else Rules.slot(state, member, True).attributes
        held.lay({key: text if text == NULL else quoted(json.loads(text)) for key, text in patch.items()})
        if state.space.is_channel and "_auto_update_num" in patch:
            interval = json.loads(patch["_auto_update_num"])
            state.space.since = None if interval in (None, "0") else state.time
            state.space.moved = None

    @staticmethod
    def attributesCleared(state: State, actor, member, body: str) -> None:
        needs(state.space)
        if not state.space.is_channel:
            slot = Rules.slot(state, member, False)
            if slot:
                slot.attributes = Keys()
            return
        state.space.attributes = Keys()
        state.space.since = state.space.moved = state.space.told = None

    @staticmethod
    def numbersTold(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        state.space.told = {key: value[key] for key in ("members", "total") if value.get(key) is not None}
        state.space.moved = None

    @staticmethod
    def spaceExpired(state: State, actor, member, body: str) -> None:
        needs(state.space)
        applied = state.space.applied
        state.space = Space(state.space.body)
        state.space.applied = applied

    @staticmethod
    def questionApplied(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        state.space.applied = [one for one in state.space.applied if one["time"] + 60_000 > state.time and not (
            (one["engine"], one["loop"]) == (value["engine"], value["loop"]) and one["question"] <= value["settled"])]
        state.space.applied.append({"engine": value["engine"], "loop": value["loop"], "question": value["question"],
                                    "time": state.time})
        state.space.applied = state.space.applied[-1024:]

    @staticmethod
    def inboxMessage(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        slot = state.space.slots.setdefault(value["service"], Slot())
        slot.last = value["version"]
        slot.inbox.append({"version": value["version"], "time": state.time, "from": value["from"], "id": value["id"],
                           "text": value["text"]})

    @staticmethod
    def inboxAcked(state: State, actor, member, body: str) -> None:
        slot, version = Rules.slot(state, member, False), json.loads(body)["version"]
        if slot:
            slot.inbox = [message for message in slot.inbox if message["version"] > version]
            slot.acked = max(slot.acked, version)

    @staticmethod
    def inboxExpired(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        slot = state.space.slots.get(value["service"])
        if slot:
            slot.inbox = [message for message in slot.inbox if message["version"] > value["version"]]

    @staticmethod
    def channelEntered(state: State, actor, member, body: str) -> None:
        slot, channel = Rules.slot(state, member, True), json.loads(body)["channel"]
        if same(channel) not in map(same, slot.channels):
            slot.channels.append(channel)

    @staticmethod
    def channelLeft(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        slot = state.space.slots.get(value["service"])
        if slot:
            slot.channels = [channel for channel in slot.channels if same(channel) != same(value["channel"])]
            if slot.is_empty():
                del state.space.slots[value["service"]]

    @staticmethod
    def inviteMoved(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        number, step = value["invite"], value["step"]
        if step == "created":
            needs(number > state.space.last_invitation)
            state.space.last_invitation = number
            invitation = {key: value[key] for key in ("invite", "service", "channel", "callee", "extra", "needsPeer")}
            if value.get("until") is not None:
                invitation["until"] = value["until"]
            state.space.invitations[number] = invitation | {"began": state.time, "step": step, "since": state.time}
            return
        needs(number in state.space.invitations)
        if step in ("refused", "failed", "ended"):
            del state.space.invitations[number]
        elif step != "tones":
            state.space.invitations[number] |= {"step": step, "since": state.time}

    @staticmethod
    def inviteHeard(state: State, actor, member, body: str) -> None:
        needs(state.space)
        value = json.loads(body)
        key, news = (same(value["caller"]), value["invite"]), value["news"]
        if news == "offered":
            caller = state.space.calls.get(key, value)["caller"]      # as it was first written
            state.space.calls[key] = {"caller": caller} | {
                name: value[name] for name in ("invite", "service", "channel", "extra")} | {
                "accepted": False, "since": state.time}
        elif news == "accepted" and key in state.space.calls:
            state.space.calls[key]["accepted"] = True
        elif news in ("withdrawn", "refused", "ended"):
            state.space.calls.pop(key, None)


def compare(log: Path) -> bool:
    hashes = log.with_suffix(".hashes").read_text().split()
    state = State()
    with log.open(encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines):
            state.apply(line)
            if number >= len(hashes) or state.hash() != hashes[number]:
                print(f"{log.name}: revision {state.revision} differs, after {line[:2000].strip()}", file=sys.stderr)
                print(state.root([state.parts[part] for part in sorted(state.parts)]), file=sys.stderr)
                return False
    if state.revision != len(hashes):
        print(f"{log.name}: {state.revision} events, {len(hashes)} hashes", file=sys.stderr)
        return False
    print(f"{log.name}: {state.revision} revisions, every state hash as published")
    return True


def main() -> int:
    logs = [Path(argument) for argument in sys.argv[1:]]
    if not logs:
        print(__doc__, file=sys.stderr)
        return 64
    return 0 if all([compare(log) for log in logs]) else 1


if __name__ == "__main__":
    sys.exit(main())
