"""Folders in memory, and what happens to a file of one: all from a seed."""

import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

PAGE = 4_096
CHUNK = 64 << 10
BLANK = bytes(CHUNK)


class Folder:
    """The files of a data folder as they were, to be laid down again for each damage."""

    def __init__(self, path: Path) -> None:
        self.files = {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}
        self.folders = [str(p.relative_to(path)) for p in sorted(path.rglob("*")) if p.is_dir()]
        self.pieces = {name: pieces(content) for name, content in self.files.items()}

    def lay(self, path: Path, changed: str | None = None, content: bytes | None = None) -> None:
        """Writes the folder anew; of `changed` there is `content`, or nothing."""
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(0o700)
        for folder in self.folders:
            (path / folder).mkdir(0o700, exist_ok=True)
        for name in self.files:
            if name != changed:
                put(path / name, len(self.files[name]), self.pieces[name])
            elif content is not None:
                put(path / name, len(content), pieces(content))


def pieces(content: bytes) -> list[tuple[int, bytes]]:
    """What is not zero: a journal segment is 4 MiB, of which some KB are written."""
    chunks = ((at, content[at:at + CHUNK]) for at in range(0, len(content), CHUNK))
    return [(at, chunk) for at, chunk in chunks if chunk != BLANK[:len(chunk)]]


def put(path: Path, length: int, written: list[tuple[int, bytes]]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.ftruncate(descriptor, length)
        for at, chunk in written:
            os.pwrite(descriptor, chunk, at)
    finally:
        os.close(descriptor)


@dataclass
class Damage:
    kind: str       # flip, cut, swap, removed, doubled, old
    about: str      # the place, for people
    content: bytes | None


def damage(content: bytes, old: bytes | None, number: int, seed: str) -> Damage | None:
    """Damage `number` of a file; nil if there is none of this kind for it. The first three are what happens to whole files, the others
    are mostly flips."""
    chance = random.Random(seed)
    if number == 0:
        return Damage("removed", "the file is gone", None)
    if not content:
        return None
    if number == 1:
        return Damage("doubled", "a copy of the file is appended", content + content)
    if number == 2:
        return None if old is None or old == content else Damage("old", "an older copy of the file was put back", old)
    kind = chance.choices(["flip", "cut", "swap"], [70, 15, 15])[0]
    if kind == "cut":
        to = place(content, chance) if chance.random() < 0.8 else chance.randrange(len(content)) // PAGE * PAGE
        return Damage("cut", f"cut at byte {to} of {len(content)}", content[:to])
    if kind == "swap":
        return swap(content, chance)
    at, bit = place(content, chance), chance.randrange(8)
    changed = bytearray(content)
    changed[at] ^= 1 << bit
    return Damage("flip", f"bit {bit} of byte {at} flipped", bytes(changed))


def place(content: bytes, chance: random.Random) -> int:
    """A byte, mostly where something is written: most of a segment is zero."""
    if chance.random() < 0.1:
        return chance.randrange(len(content))
    used = [at for at, chunk in pieces(content) for at in range(at, at + len(chunk), 512) if any(content[at:at + 512])]
    if not used:
        return chance.randrange(len(content))
    return min(chance.choice(used) + chance.randrange(512), len(content) - 1)


def swap(content: bytes, chance: random.Random) -> Damage | None:
    size = PAGE if len(content) >= 2 * PAGE else max(1, len(content) // 8)
    first = place(content, chance) // size
    second = place(content, chance) // size if chance.random() < 0.7 else chance.randrange(len(content) // size)
    a, b = sorted([first * size, second * size])
    if a + size > b or b + size > len(content) or content[a:a + size] == content[b:b + size]:
        return None
    changed = content[:a] + content[b:b + size] + content[a + size:b] + content[a:a + size] + content[b + size:]
    return Damage("swap", f"{size} bytes at {a} and at {b} swapped", changed)
