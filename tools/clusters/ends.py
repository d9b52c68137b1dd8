"""Does what tools/drill --cluster does as a program would, and as somebody at a terminal: all of it once, with --json, within a limit of time; and
again and again with Ctrl-C in the middle of an act. Looks each time at what was printed, and for processes and folders that are left.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from options import Options, seeded

DRILL = Path(__file__).resolve().parent / "drill.py"
LIMIT = 100
"""Seconds that all acts may take."""
GOING = 30
"""Seconds after Ctrl-C within which nothing may be left."""
HANGING = 600
"""Seconds after which a run is given up."""


class Wrong(Exception):
    """What is not as it must be."""


def say(text: str) -> None:
    print(f"ends: {text}", file=sys.stderr, flush=True)


def left_of(home: Path) -> list[str]:
    """Processes that were started with a path below a folder or work in one; of a server's children only the latter can be seen."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if f"{home}/" in words or os.readlink(process / "cwd").startswith(f"{home}/"):
                found.append(f"{process.name}: {words[:200]}")
    return found + ([str(home)] if home.exists() else [])


class Ends:
    def __init__(self, options: argparse.Namespace, seed: int) -> None:
        self.options, self.seed, self.chance = options, seed, random.Random(seed)
        self.drill: subprocess.Popen | None = None
        # Servers may be another user's.
        options.home.chmod(0o711)

    def begin(self, *words: str) -> tuple[Path, subprocess.Popen]:
        home = Path(tempfile.mkdtemp(prefix="run-", dir=self.options.home))
        self.drill = subprocess.Popen(
            [sys.executable, "-B", DRILL, "--home", home, "--program", self.options.program, "--seed", str(self.seed), "--json", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        return home, self.drill

    def end(self) -> None:
        """The drill that is under way ends what it has started."""
        if self.drill is None or self.drill.poll() is not None:
            return
        self.drill.send_signal(signal.SIGINT)
        try:
            self.drill.communicate(timeout=GOING)
        except subprocess.TimeoutExpired:
            self.drill.kill()

    def ended(self, home: Path, drill: subprocess.Popen, seconds: float, status: int) -> dict:
        """What it printed, which is one line of JSON."""
        try:
            out, told = drill.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Wrong(f"not ended within {seconds:g} s; left are {left_of(home)}") from None
        if drill.returncode != status:
            raise Wrong(f"ended with {drill.returncode} in place of {status}: {told[-800:]}")
        if left := left_of(home):
            raise Wrong(f"left are {left}")
        if len(out.splitlines()) != 1:
            raise Wrong(f"standard output is not one line: {out[:400]}")
        return json.loads(out)

    def whole(self) -> None:
        began = time.monotonic()
        outcome = self.ended(*self.begin(), HANGING, 0)
        took = time.monotonic() - began
        acts = {act["name"]: act["seconds"] for act in outcome["acts"]}
        if not all(act["is_well"] for act in outcome["acts"]) or "end" not in acts or "failed" in outcome:
            raise Wrong(f"not all acts are well: {outcome['acts']}")
        say(f"whole: {took:.1f} s; {', '.join(f'{name} {seconds:g}' for name, seconds in acts.items())}")
        if took > self.options.limit:
            raise Wrong(f"it took {took:.0f} s; {self.options.limit:g} may be")

    def cut_short(self, act: str) -> None:
        home, drill = self.begin(*(["--only", act] if act != "start" else []))
        # The first acts that come before it are of no interest.
        for line in drill.stderr:
            if line.rstrip().endswith(f": {act}"):
                break
        after = self.chance.uniform(0.2, 4)
        time.sleep(after)
        if drill.poll() is not None:
            raise Wrong(f"{act} was over before Ctrl-C: {drill.communicate()}")
        began = time.monotonic()
        # To all of the group, as a terminal does.
        os.killpg(drill.pid, signal.SIGINT)
        outcome = self.ended(home, drill, GOING, 130)
        if outcome.get("failed") != "stopped":
            raise Wrong(f"Ctrl-C is not what it says: {outcome}")
        last = outcome["acts"][-1]
        say(f"Ctrl-C after {after:.1f} s of {act}, in {last['name']}: ended after {time.monotonic() - began:.1f} s, nothing left")

    def carry_out(self) -> int:
        try:
            if not self.options.without_whole:
                self.whole()
            for act in self.options.acts:
                self.cut_short(act)
        except Wrong as wrong:
            say(f"seed {self.seed}: {wrong}; the folder is {self.options.home}")
            return 1
        except KeyboardInterrupt:
            self.end()
            shutil.rmtree(self.options.home, ignore_errors=True)
            return 130
        finally:
            self.end()
        shutil.rmtree(self.options.home)
        return 0


def main() -> int:
    parser = Options("tools/drill --ends")
    parser.add_argument("--seed", type=int, help="of the moments of Ctrl-C, and of the drill")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that all acts may take")
    parser.add_argument("--acts", nargs="*", default=["start", "upgrade", "restore", "lost database"], help="in which there is Ctrl-C")
    parser.add_argument("--without-whole", action="store_true", help="Ctrl-C only")
    options = parser.parse_args()
    seed = seeded(options)
    say(f"seed {seed}")
    # A shell that starts it in the background has SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    return Ends(options, seed).carry_out()


if __name__ == "__main__":
    sys.exit(main())
