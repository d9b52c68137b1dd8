"""Inverts the assertions of chosen tests, builds them once, runs just them, and says of each whether it failed and which of its assertions it
never reached. Whatever happens, the files are put back as they were.

An assertion by #expect goes on when it fails: with all of a test's inverted, one run tells which of them were executed. A test
that has none asserts by a helper of its own target, which is inverted then, or by #require.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .claims import Tests
from .swift import Assertion, Function

BUILD = ["swift", "build", "--build-tests", "--explicit-target-dependency-import-check", "error"]
WIDTH = "8"
"""Tests at once, as in tools/test: servers of more would wait for each other."""
FAULT = re.compile(r"^(?:macro expansion \S+ error:.*\n`- )?(\S+?\.swift):(\d+):\d+: (?:error|note: expanded code originates here)", re.M)
ATTEMPTS = 4
"""Builds at most: an assertion whose inversion is no Swift is left as it was, and the rest is built again."""


class Failed(Exception):
    """What keeps the tool from saying anything, in a sentence."""


@dataclass
class Verdict:
    test: Function
    inverted: list[Assertion] = field(default_factory=list)
    how: str = ""       # expect, helper, require, or none: nothing of it can be inverted
    outcome: str = ""   # failed (as it has to), passed, skipped, unseen, or left out
    issues: int = 0
    unreached: list[Assertion] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        return self.outcome in ("failed", "skipped")


class Originals:
    """Files as they were, kept beside the build until they are back; a run that was killed leaves them to the next one."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / ".build/mutants"
        self.list = self.folder / "files.json"

    def refuse_another(self) -> None:
        if self.list.exists():
            process = json.loads(self.list.read_text())["process"]
            if process != os.getpid() and Path(f"/proc/{process}").exists() and "mutants" in Path(f"/proc/{process}/cmdline").read_text():
                raise Failed(f"process {process} is at it in this work tree; wait until it has ended")

    def keep(self, files: list[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for number, file in enumerate(files):
            shutil.copyfile(self.root / file, self.folder / str(number))
        draft = self.list.with_suffix(".new")
        draft.write_text(json.dumps({"process": os.getpid(), "files": files}))
        draft.rename(self.list)

    def put_back(self) -> list[str]:
        """Their times are new ones, so that whatever builds next builds them again: nothing inverted stays in the build."""
        if not self.list.exists():
            return []
        files = json.loads(self.list.read_text())["files"]
        for number, file in enumerate(files):
            path = self.root / file
            draft = path.with_name(path.name + ".mutants")
            draft.write_bytes((self.folder / str(number)).read_bytes())
            shutil.copymode(path, draft)
            draft.rename(path)
        shutil.rmtree(self.folder)
        return files


def changed(root: Path, files: list[str]) -> list[str]:
    """Those of the files that git does not have like this. Without git there is nothing to compare with."""
    done = subprocess.run(["git", "-C", str(root), "status", "--porcelain", "--", *files], capture_output=True, text=True, check=False)
    return [line[3:] for line in done.stdout.splitlines()]


def plan(tests: Tests, chosen: list[Function]) -> list[Verdict]:
    verdicts = []
    for test in chosen:
        one = Verdict(test)
        own = [a for a in test.assertions if a.edits]
        helpers = [a for helper in tests.swift.reached(test) if helper.target == test.target for a in helper.assertions if a.edits]
        for one.how, one.inverted in (("expect", [a for a in own if a.kind == "expect"]),
                                      ("helper", [a for a in helpers if a.kind == "expect"]),
                                      ("require", [a for a in own if a.kind == "require"])):
            if one.inverted:
                break
        else:
            one.how, one.outcome = "none", "left out"
        verdicts.append(one)
    return verdicts


class Mutation:
    def __init__(self, tests: Tests, verdicts: list[Verdict], rebuilds: bool = True) -> None:
        self.root, self.tests, self.verdicts, self.rebuilds = tests.root, tests, verdicts, rebuilds
        self.originals = Originals(self.root)
        self.dropped: set[tuple[str, int]] = set()
        """Places whose inversion the compiler does not take."""
        self.seconds: dict[str, float] = {}

    @property
    def files(self) -> list[str]:
        return sorted({assertion.file for one in self.verdicts for assertion in one.inverted})

    def run(self) -> None:
        if not self.files:
            return
        if dirty := changed(self.root, self.files):
            raise Failed(f"these files have changes that are not committed, and would be edited: {', '.join(dirty)}. Commit them first")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.originals.keep(self.files)
        try:
            self.invert()
            self.timed("build", self.build)
            self.timed("tests", self.watch)
        finally:
            self.originals.put_back()
            # After an error or Ctrl-C whatever builds next does it.
            if self.rebuilds and sys.exc_info()[1] is None:
                self.timed("rebuild", self.rebuild)

    def timed(self, name: str, work) -> None:
        began = time.monotonic()
        work()
        self.seconds[name] = round(time.monotonic() - began, 1)

    def invert(self) -> None:
        edits: dict[str, set] = {file: set() for file in self.files}
        for one in self.verdicts:
            for assertion in one.inverted:
                if (assertion.file, assertion.line) not in self.dropped:
                    edits[assertion.file] |= set(assertion.edits)
        for file, wanted in edits.items():
            text = self.tests.swift.by_name[file].text
            for begin, end, new in sorted(wanted, reverse=True):
                text = text[:begin] + new + text[end:]
            (self.root / file).write_text(text)

    def build(self) -> None:
        for _ in range(ATTEMPTS):
            done = subprocess.run(BUILD, cwd=self.root, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            faults = {(str(Path(path).relative_to(self.root)), int(line)) for path, line in FAULT.findall(done.stdout)
                      if Path(path).is_relative_to(self.root)}
            new = {place for place in self.around(faults) if place not in self.dropped}
            if not new:
                raise Failed("the build with inverted assertions failed:\n" + (done.stdout + done.stderr)[-4_000:])
            self.dropped |= new
            self.invert()
        raise Failed(f"the build failed {ATTEMPTS} times; without the inversions at {sorted(self.dropped)}, too")

    def around(self, faults: set[tuple[str, int]]) -> set[tuple[str, int]]:
        """The inverted assertions that stand on these lines."""
        found = set()
        for one in self.verdicts:
            for assertion in one.inverted:
                source = self.tests.swift.by_name[assertion.file]
                last = source.line(assertion.end - 1)
                if any(file == assertion.file and assertion.line <= line <= last for file, line in faults):
                    found.add((assertion.file, assertion.line))
        return found

    def rebuild(self) -> None:
        done = subprocess.run(BUILD, cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed("the files are as they were, but building them failed:\n" + (done.stdout + done.stderr)[-4_000:])

    def watch(self) -> None:
        events = self.originals.folder / "events.jsonl"
        self.test(events)
        reached, told, ended = set(), {}, {}
        for line in events.read_text().splitlines() if events.exists() else []:
            event = json.loads(line)
            payload = event.get("payload", {})
            name = re.sub(r"\(.*", "", payload.get("testID", ""), flags=re.S)
            if payload.get("kind") == "issueRecorded" and not payload["issue"].get("isKnown"):
                place = payload["issue"].get("sourceLocation") or {}
                file = place.get("_filePath") or place.get("filePath") or ""
                if file and Path(file).is_relative_to(self.root):
                    reached.add((name, str(Path(file).relative_to(self.root)), place["line"]))
                told[name] = told.get(name, 0) + 1
            elif payload.get("kind") in ("testEnded", "testSkipped"):
                ended[name] = payload["kind"]
        for one in self.verdicts:
            self.judge(one, reached, told, ended)

    def judge(self, one: Verdict, reached: set, told: dict, ended: dict) -> None:
        one.inverted = [a for a in one.inverted if (a.file, a.line) not in self.dropped]
        if not one.inverted:
            one.how, one.outcome = "none", "left out"
            return
        one.issues = told.get(one.test.id, 0)
        places = {(file, line) for name, file, line in reached if name in (one.test.id, "")}
        hit = [a for a in one.inverted if (a.file, a.line) in places]
        # Of a helper that is told where it was called the issue stands at the caller.
        is_elsewhere = any("sourceLocation" in self.tests.swift.by_name[a.file].text[a.begin:a.end] for a in one.inverted)
        if hit or (one.issues and is_elsewhere):
            one.outcome = "failed"
        elif one.test.id not in ended:
            one.outcome = "unseen"
        else:
            one.outcome = "skipped" if ended[one.test.id] == "testSkipped" else "passed"
        if one.how == "expect" and one.outcome == "failed":
            one.unreached = [a for a in one.inverted if a not in hit and
                             "sourceLocation" not in self.tests.swift.by_name[a.file].text[a.begin:a.end]]

    def test(self, events: Path) -> None:
        """By the test program itself: swift test has no word for the file of events."""
        folder = subprocess.run([*BUILD, "--show-bin-path"], cwd=self.root, capture_output=True, text=True, check=True).stdout.strip()
        programs = list(Path(folder).glob("*PackageTests.xctest"))
        if len(programs) != 1:
            raise Failed(f"there is no test program in {folder}")
        filters = [word for one in self.verdicts if one.inverted for word in ("--filter", "^" + re.escape(one.test.id) + r"\(")]
        words = [str(programs[0]), "--testing-library", "swift-testing", *filters,
                 "--event-stream-output-path", str(events), "--event-stream-version", "0"]
        log = self.originals.folder / "log"
        with log.open("wb") as file:
            child = subprocess.Popen(words, cwd=self.root, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                     env=os.environ | {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": WIDTH})
            try:
                child.wait(60 + 20 * len(self.verdicts))
            except subprocess.TimeoutExpired:
                print("mutants: the tests were not done in time; those that had ended count", file=sys.stderr)
            finally:
                if child.poll() is None:
                    child.kill()
                    child.wait()
        if not events.exists():
            raise Failed("the tests did not run:\n" + log.read_text(errors="replace")[-2_000:])
