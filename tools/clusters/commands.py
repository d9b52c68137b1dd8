"""Commands that end by themselves, and what Ctrl-C does to them: those that are under way are ended, no other begins, and whoever waits
for one in a thread waits no longer.
"""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path


class Stopped(Exception):
    """All of it is being ended."""


_stopped = threading.Event()
_lock = threading.Lock()
_under_way: set[subprocess.Popen] = set()


def run(words: Sequence[object], env: Mapping[str, str] | None = None, cwd: Path | None = None, seconds: float | None = None,
        must_end: bool = False) -> subprocess.CompletedProcess:
    """A command's status, output and errors.

    It has a process group of its own: Ctrl-C at the terminal is for us. One that `must_end` is waited for, whatever happens: nobody
    would know of what it had started.
    """
    with _lock:
        if _stopped.is_set():
            raise Stopped
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=env, cwd=cwd, start_new_session=True)
        if not must_end:
            _under_way.add(process)
    try:
        out, told = process.communicate(timeout=seconds)
    except BaseException:
        if must_end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
        kill(process)
        raise
    finally:
        with _lock:
            _under_way.discard(process)
    if process.returncode < 0 and _stopped.is_set():
        raise Stopped
    return subprocess.CompletedProcess(process.args, process.returncode, out, told)


def kill(process: subprocess.Popen) -> None:
    """It and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def pause(seconds: float) -> None:
    """In a thread that waits for something."""
    if _stopped.wait(seconds):
        raise Stopped


def stop() -> None:
    """Ends what is under way. Does not wait."""
    _stopped.set()
    with _lock:
        for process in _under_way:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def go_on() -> None:
    """For what is to be ended in order."""
    _stopped.clear()
