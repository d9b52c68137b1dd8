"""The program under test: its commands with a bound of time, and its server."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

BOUND = 60
"""Seconds for a command or a start on a folder of a few hundred KB: far more than a debug build takes."""
HUNG = 1_000
"""Stands for the exit status of a program that was over its bound; no program has it."""


class Broken(Exception):
    """The folder could not be built or asked: the message says why. No finding about damage."""


@dataclass
class Done:
    status: int
    out: bytes
    err: str

    @property
    def is_hung(self) -> bool:
        return self.status == HUNG

    @property
    def is_crashed(self) -> bool:
        # A trap of Swift is SIGILL or SIGTRAP; a shell in between would say 128 and the signal.
        return self.status < 0 or 132 <= self.status <= 139

    def last(self) -> str:
        lines = self.err.strip().splitlines() or self.out[-400:].decode(errors="replace").splitlines()
        return lines[-1][:300] if lines else ""


class Patience:
    """Counts the seconds in which a program could run: neither it nor this one was stopped (SIGSTOP), which is no hang."""

    def __init__(self, bound: float) -> None:
        self.bound, self.spent, self.seen = bound, 0.0, time.monotonic()

    def is_over(self, pid: int) -> bool:
        now = time.monotonic()
        # Asked once a second at least: a longer time between two questions is one in which this program did not run.
        since, self.seen = min(now - self.seen, 2.0), now
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (OSError, IndexError):
            state = ""      # it has ended, or there is no /proc here
        if state != "T":
            self.spent += since
        return self.spent > self.bound


class Program:
    def __init__(self, path: str, bound: float = BOUND) -> None:
        self.path, self.bound = path, bound

    def run(self, *words: object) -> Done:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BOARDROOM_")}
        process = subprocess.Popen([self.path, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment)
        patience = Patience(self.bound)
        try:
            while True:
                try:
                    out, err = process.communicate(timeout=1)
                    return Done(process.returncode, out, err.decode(errors="replace"))
                except subprocess.TimeoutExpired:
                    if patience.is_over(process.pid):
                        process.kill()
                        out, err = process.communicate()
                        return Done(HUNG, out, err.decode(errors="replace"))
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def well(self, *words: object) -> str:
        done = self.run(*words)
        if done.status != 0:
            raise Broken(f"boardroom {words[0]} ended with {done.status}: {done.last()}")
        return done.out.decode()

    def has(self, command: str, option: str) -> bool:
        return option in self.well(command, "--help")


class Server:
    """One `boardroom serve` on a free loopback port. Its log is a file beside the folder."""

    def __init__(self, program: Program, data: Path, settings: list[str]) -> None:
        self.program, self.log = program, data.parent / f"{data.name}.log"
        words = [program.path, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data), "--log-format", "json"]
        for setting in settings:
            words += ["--set", setting]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BOARDROOM_")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.port = None

    def lines(self) -> list[dict]:
        lines = []
        for line in self.log.read_text(errors="replace").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                lines.append({"level": "text", "message": line})
        return lines

    def wait(self) -> bool:
        """Whether it listens; false if it has ended or is over the bound."""
        patience = Patience(self.program.bound)
        while not patience.is_over(self.process.pid) and self.process.poll() is None:
            # The last line may be half written; it is whole at the next look.
            port = next((line.get("port") for line in self.lines() if line.get("message") == "listening"), None)
            if port is not None:
                self.port = int(port)
                return True
            time.sleep(0.01)
        return False

    def ask(self, path: str, token: str | None = None, body: bytes | None = None, kind: str = "") -> tuple[int, bytes]:
        """Status and body; status 0 if there was no answer, HUNG if it was over the bound."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body)
        if token:
            request.add_header("token", token)
        if kind:
            request.add_header("content-type", kind)
        try:
            with urllib.request.urlopen(request, timeout=self.program.bound) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()
        except TimeoutError:
            return HUNG, b""
        except OSError as failed:
            return (HUNG if "timed out" in str(failed) else 0), b""

    def stop(self) -> Done:
        """Ends it by SIGTERM, with SIGKILL over the bound."""
        if self.process.poll() is None:
            self.process.terminate()
        status, patience = HUNG, Patience(self.program.bound)
        while not patience.is_over(self.process.pid):
            if self.process.poll() is not None:
                status = self.process.returncode
                break
            time.sleep(0.01)
        self.kill()
        return Done(status, b"", self.log.read_text(errors="replace"))

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
