"""The options of tools/cluster and its siblings. They are read twice: before a folder is made and a program is built, and for the run itself.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

USABLE = 10
"""The exit status which says, to one who names no folder, that the options can be used (tools/postgresql.sh)."""


class Options(argparse.ArgumentParser):
    refuses: Callable[[argparse.Namespace], str | None] = staticmethod(lambda _: None)
    """Why options cannot be used together; nothing where they can."""

    def __init__(self, program: str) -> None:
        # The scripts look for --program by its whole name.
        super().__init__(prog=program, allow_abbrev=False)
        self.add_argument("--home", type=Path, help=argparse.SUPPRESS)
        self.add_argument("--program", type=Path, help="a program that was built with PostgreSQL; else it is built")

    def parse_args(self, args: Sequence[str] | None = None, namespace: None = None) -> argparse.Namespace:
        options = super().parse_args(args, namespace)
        if why := self.refuses(options):
            self.error(why)
        if options.home is None:
            sys.exit(USABLE)
        return options

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Nothing was begun, so that nothing is left."""
        if "--home" in sys.argv[:-1]:
            shutil.rmtree(sys.argv[sys.argv.index("--home") + 1], ignore_errors=True)
        super().exit(status, message)


def parser(program: str, rooms: int, members: int) -> Options:
    parser = Options(program)
    parser.add_argument("--seed", type=int, help="of all that is drawn by chance")
    parser.add_argument("--rooms", type=int, default=rooms)
    parser.add_argument("--members", type=int, default=members, help="of all rooms together")
    parser.add_argument("--json", action="store_true", help="the numbers as JSON")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    return parser


def executable(text: str) -> Path:
    path = Path(text).absolute()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{path} is no program")
    return path


def boardroom(text: str) -> Path:
    """A program of Boardroom: it says its version."""
    path = executable(text)
    try:
        done = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise argparse.ArgumentTypeError(f"{path} does not say its version: {failure}") from None
    if done.returncode:
        raise argparse.ArgumentTypeError(f"{path} does not say its version; it ended with {done.returncode}")
    return path


def seeded(options: argparse.Namespace) -> int:
    return options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
