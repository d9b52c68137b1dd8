"""What verify, export and serve say of a damaged folder, held against the truth."""

import hashlib
import json
import math
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from .bed import Variant
from .files import Damage
from .process import Done, Program, Server

FRAME = 32
"""Revisions of one frame of the journal at most: the folder is drawn in by twenty commands at a time."""


@dataclass
class Verdict:
    said: list[str] = field(default_factory=list)       # command, exit status and last line, of those that were not plainly well
    faults: list[tuple[str, str]] = field(default_factory=list)     # silent, wrong, crash or hang, and the sentence
    is_found: bool = False
    is_late: bool = False       # verify said that all is well, and only another command told of the damage
    is_harmless: bool = False   # everything is as it was, and nobody said otherwise
    lost: dict[str, int] = field(default_factory=dict)  # room: revisions that no command gives any more
    is_bounded: bool = True
    served: str = ""            # "", ok, refused or told

    def has(self, kind: str) -> bool:
        return any(fault[0] == kind for fault in self.faults)


class Judge:
    def __init__(self, program: Program, home: Path) -> None:
        self.program, self.home, self.work = program, home, home / "work"
        self.takes_loss = program.has("export", "--accept-loss")

    def judge(self, variant: Variant, file: str, damage: Damage, serves: bool) -> Verdict:
        verdict, truth = Verdict(), variant.truth
        variant.folder.lay(self.work, file, damage.content)
        checked = self.run(verdict, "verify", "--level", "deep", "--json", "--quiet")
        blamed = checked.status != 0
        self.verified(verdict, checked, variant)
        lost, told_by_export, rest = {}, [], {}
        for room, lines in truth.rooms.items():
            done = self.run(verdict, "export", room, "--quiet")
            same = done.out.splitlines() == lines
            if done.status == 0 and not same:
                self.compare(verdict, f"export {room}", done, lines, blamed)
            if done.status != 0:
                told_by_export.append(room)
            rest[room] = self.readable(done.out, lines)
            if done.status != 0 and not same and self.takes_loss:
                more = self.run(verdict, "export", room, "--accept-loss", "--quiet")
                rest[room] |= self.readable(more.out, lines)
                self.compare(verdict, f"export --accept-loss {room}", more, lines, True)
            if len(rest[room]) < len(lines):
                lost[room] = len(lines) - len(rest[room])
        verdict.is_found = blamed or bool(told_by_export)
        verdict.is_late = not blamed and bool(told_by_export)
        if verdict.is_found or lost:
            self.repair(verdict, variant, rest)
            lost = {room: len(lines) - len(rest[room]) for room, lines in truth.rooms.items() if len(rest[room]) < len(lines)}
        verdict.lost = lost
        verdict.is_bounded = self.bounded(variant, damage, rest)
        if serves:
            self.serve(verdict, variant, file, damage)
        verdict.is_harmless = not (verdict.is_found or verdict.faults or lost)
        return verdict

    def run(self, verdict: Verdict, *words: object) -> Done:
        done = self.program.run(*words, "--data", self.work)
        name = " ".join(str(word) for word in words if word not in ("--json", "--quiet"))
        self.ended(verdict, name, done)
        if done.status != 0:
            verdict.said.append(f"{name}: {done.status}, {self.damages(done) or done.last()}")
        return done

    @staticmethod
    def ended(verdict: Verdict, name: str, done: Done) -> None:
        if done.is_hung:
            verdict.faults.append(("hang", f"{name} was over its bound"))
        elif done.is_crashed:
            verdict.faults.append(("crash", f"{name} ended with {done.status}: {done.last()}"))
        elif done.status != 0 and not done.err.strip() and not done.out.strip():
            verdict.faults.append(("wrong", f"{name} ended with {done.status} and said nothing"))

    @staticmethod
    def damages(done: Done) -> str:
        """What `verify --json` names, of all its lines."""
        named = []
        for line in done.out.splitlines() if done.out.startswith(b'{"logs"') else []:
            try:
                found = json.loads(line)
            except ValueError:
                continue    # it was ended in the middle of a line
            named += found.get("damages", []) + [f"uncertain: {place}" for place in found.get("uncertain", [])] + found.get("findings", [])
        return "; ".join(named)[:400]

    @staticmethod
    def verified(verdict: Verdict, checked: Done, variant: Variant) -> None:
        """A verification that calls all well has to have seen the rooms with their state hashes."""
        if checked.status != 0:
            return
        try:
            lines = [json.loads(line) for line in checked.out.splitlines()]
        except ValueError:
            return verdict.faults.append(("wrong", f"verify: 0, and what it printed is not JSON: {checked.out[-120:]!r}"))
        hashes = {line["room"]: line["stateHash"] for line in lines if "stateHash" in line}
        for room, hash in variant.truth.hashes.items():
            if hashes.get(room) != hash:
                verdict.faults.append(("silent", f"verify: 0, and room {room} has state {hashes.get(room)} in place of {hash}"))

    def compare(self, verdict: Verdict, name: str, done: Done, lines: list[bytes], blamed: bool) -> None:
        """Of an export that was not refused: each line is the truth's, and what is missing was named by verify or by it."""
        told = done.err.strip()
        if not self.written(verdict, name, done, lines):
            return
        missing = len(lines) - len(self.readable(done.out, lines))
        if missing and done.status == 0 and not told:
            verdict.faults.append(("wrong" if blamed else "silent", f"{name}: 0, and {missing} of {len(lines)} revisions are missing"))

    def written(self, verdict: Verdict, name: str, done: Done, lines: list[bytes]) -> bool:
        """Whether each line is the truth's."""
        for line in done.out.splitlines():
            rev = self.revision(line)
            if rev is None or not 1 <= rev <= len(lines) or lines[rev - 1] != line:
                verdict.faults.append(("wrong", f"{name}: {done.status}, and gives what was never written: {line[:120]!r}"))
                return False
        return True

    @staticmethod
    def revision(line: bytes) -> int | None:
        try:
            return json.loads(line)["rev"]
        except (ValueError, KeyError, TypeError):
            return None

    def readable(self, out: bytes, lines: list[bytes]) -> set[int]:
        """Revisions that stand in `out` as they were."""
        revisions = ((self.revision(line), line) for line in out.splitlines())
        return {rev for rev, line in revisions if rev is not None and 1 <= rev <= len(lines) and lines[rev - 1] == line}

    def repair(self, verdict: Verdict, variant: Variant, rest: dict[str, set[int]]) -> None:
        """What `repair` puts together is not lost. It gives nothing that was never written, never less than export did, and all
        of it where it says that nothing is lost."""
        target = self.home / "mended"
        shutil.rmtree(target, ignore_errors=True)
        done = self.run(verdict, "repair", target, "--json", "--quiet")
        if done.status not in (0, 1):
            if not done.is_crashed and not done.is_hung:
                verdict.faults.append(("wrong", f"repair made nothing: {done.status}, {done.last()}"))
            return
        for room, lines in variant.truth.rooms.items():
            # Damaged images were left out, and an export asks for them.
            given = self.program.run("export", room, "--quiet", "--accept-loss", "--data", target)
            self.ended(verdict, f"export {room} of what was repaired", given)
            self.written(verdict, f"repair, export {room}", given, lines)
            found = self.readable(given.out, lines)
            if done.status == 0 and len(found) < len(lines):
                verdict.faults.append(("silent", f"repair: 0, and {len(lines) - len(found)} revisions of room {room} are missing"))
            if less := rest[room] - found:
                verdict.faults.append(("wrong", f"repair left out {len(less)} revisions of room {room} that export gave"))
            rest[room] |= found
        shutil.rmtree(target, ignore_errors=True)

    @staticmethod
    def bounded(variant: Variant, damage: Damage, rest: dict[str, set[int]]) -> bool:
        """A flipped bit costs one block of one room at most (LOG-10), or one frame of what is not sealed; two pages that change places
        two of them. What a cut, an older copy or a missing file costs has no bound that was promised: it has to be found."""
        allowed = {"flip": 1, "swap": 2}.get(damage.kind)
        if allowed is None:
            return True
        units = 0
        for room, lines in variant.truth.rooms.items():
            lost = set(range(1, len(lines) + 1)) - rest[room]
            blocks = variant.truth.blocks[room]
            units += sum(any(first <= rev <= last for rev in lost) for first, last in blocks)
            sealed = max((last for _, last in blocks), default=0)
            units += math.ceil(sum(rev > sealed for rev in lost) / FRAME)
        return units <= allowed

    # A server on it

    def serve(self, verdict: Verdict, variant: Variant, file: str, damage: Damage) -> None:
        variant.folder.lay(self.work, file, damage.content)
        server = Server(self.program, self.work, variant.settings)
        try:
            if not server.wait():
                done = Done(server.process.poll(), b"", server.log.read_text(errors="replace")) if server.process.poll() is not None \
                    else server.stop()
                self.ended(verdict, "serve", done)
                verdict.said.append(f"serve: {done.status}, {done.last()}")
                verdict.served = "refused"
                return
            answers = self.questions(verdict, server, variant)
        finally:
            done = server.stop()
        self.ended(verdict, "serve", done)
        told = [line for line in server.lines() if line.get("level") in ("warning", "error", "critical", "text")
                and "connections.all" not in line.get("message", "")]
        verdict.said += [f"serve logged: {json.dumps(line)[:300]}" for line in told]
        verdict.said += [f"serve answered: {answer}" for answer in answers]
        verdict.served = "told" if told or answers else "ok"
        self.after(verdict, variant, bool(told))

    def questions(self, verdict: Verdict, server: Server, variant: Variant) -> list[str]:
        """What was answered otherwise than before the damage; an answer that is another content is a fault."""
        answers = []
        status, _ = server.ask("/readyz")
        if status != 200:
            answers.append(f"readyz {status}")
        for room, lines in variant.truth.rooms.items():
            status, body = server.ask(f"/v5/rooms/{room}/state?at=r{len(lines)}", variant.token)
            if status == 200 and json.loads(body) != variant.truth.states[room]:
                verdict.faults.append(("wrong", f"serve: the state of room {room} at {len(lines)} is another one"))
            elif status != 200:
                answers.append(f"state of {room}: {status} {body[:160].decode(errors='replace')}")
        for address, name in variant.truth.images.items():
            status, body = server.ask(address)
            if status == 200 and hashlib.sha256(body).hexdigest() != name:
                verdict.faults.append(("wrong", f"serve: the image {address} has other bytes"))
            elif status != 200:
                answers.append(f"image: {status}")
        for answer in answers:
            if f" {1_000}" in answer:
                verdict.faults.append(("hang", f"serve: {answer}"))
        return answers

    def after(self, verdict: Verdict, variant: Variant, told: bool) -> None:
        """A start that went well and said nothing has lost nothing: the rooms begin with the truth."""
        for room, lines in variant.truth.rooms.items():
            done = self.program.run("export", room, "--quiet", "--data", self.work)
            self.ended(verdict, f"after serve: export {room}", done)
            found = done.out.splitlines()[:len(lines)]
            if done.status == 0 and found != lines:
                wrong = [rev for rev, line in enumerate(found) if line != lines[rev]]
                if not told:
                    verdict.faults.append(("silent", f"serve started without a word, and room {room} has {len(found)} of {len(lines)} "
                                                     f"revisions, {len(wrong)} of them others, after it"))
                elif wrong:
                    verdict.said.append(f"after serve: room {room} goes on from revision {wrong[0]} with other events")
