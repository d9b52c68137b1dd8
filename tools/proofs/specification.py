"""Holds docs/parity/rows.tsv against the specification that it was taken from: ids, sections, statuses, and the rows that have only words there."""

import re
from collections.abc import Iterator
from pathlib import Path

from .ids import NUMBERED, cells

STATUSES = ("MUST", "SHOULD", "MAY", "DECIDE")
SECTIONS = ("2", "3", "4", "5", "6", "7", "8", "11")
# What a section's rows are where the row itself does not say: the words above its tables.
SECTION_STATUS = {"3": "SHOULD", "3.6": "MUST", "4": "SHOULD", "4.2": "DECIDE", "8.2": "MUST", "11": "DECIDE"}
# Its clocks are those of rows of other sections.
NO_ROWS = ("8.1",)
# A worded id says what the specification says; where it does not, these words stand there.
WORDS = {
    "JO-readOnce": "Options are read at join", "META-numbers": "100 users, survival 30 000 ms", "ROLE-convert": "start conversion task",
    "SCB-memoryRecovery": "RecoveringFromMemoryIssues",
    "RTCB-blip": "data returns before 4 s", "RTCB-late": "back after UID 2 saw offline", "RTCB-killedApple": "process killed on iOS / macOS",
    "RTCB-killedBack": "process killed on Android / Windows / Linux, back within 20 s", "RTCB-killedGone": "same, not back",
    "RTCB-empty": "last member leaves", "RTMO-short": "less than 30 s", "RTMO-long": "30 s or more",
    "RTMM-received": "to the client while it is away", "RTMX-attributeTotals": "user attributes / channel attributes total",
    "RTMX-attributeSizes": "one attribute value / key / count", "SIGL-names": "account, channel id, attribute name",
    "RTMX-ids": "user id, channel id", "SIGL-rates": "user message rate / channel message rate", "SIGD-headerOnly": "messageInstantSend2",
}
# What is an item of a sentence there has no status of its own: options and callbacks of the SDK.
IN_PROSE = ("SO", "SCB", "ERR")
# Tables by their first heading that list no rows: what another implementation does wrong; states, which name no transition.
NO_TABLES = ("Upstream defect", "From", "State")


class Line:
    """A line of the specification; of a table, if it has cells."""

    def __init__(self, section: str, text: str) -> None:
        self.section, self.text = section, text
        self.cells = cells(text) if text.startswith("|") else []
        self.heading = ""
        """The first cell of its table's heading; its own, if it is that."""

    @property
    def id(self) -> str | None:
        match = re.match(r"([A-Z]{1,5}-[A-Z]?\d+)\b", self.cells[0]) if self.cells else None
        return match[1] if match else None

    @property
    def names(self) -> list[str]:
        """What its first cell names."""
        return [flat(name) for name in re.split(r", | / ", re.sub(r"\(.*?\)", "", self.cells[0]))]

    @property
    def is_heading(self) -> bool:
        return bool(self.cells) and self.cells[0] == self.heading

    @property
    def statuses(self) -> list[str]:
        return [one for one in STATUSES if re.search(rf"\b{one}\b", self.text)]


def read(path: Path) -> list[Line]:
    section, table, found = "0", "", []
    for text in path.read_text().splitlines():
        if heading := re.match(r"#{2,3} (\d+(?:\.\d+)?)", text):
            section = heading[1]
        if not within(section, SECTIONS):
            continue
        if re.match(r"\|[\s:|-]+\Z", text) and found:
            table = found[-1].heading = found[-1].cells[0]
        else:
            found.append(Line(section, text))
            found[-1].heading = table
    return found


def within(section: str, sections: tuple[str, ...]) -> bool:
    return any(section == one or section.startswith(one + ".") for one in sections)


def flat(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def differences(path: Path, rows: dict) -> Iterator[str]:
    lines = read(path)
    if not any(line.id for line in lines):
        yield f"no id was found in {path.name}: is it the specification?"
        return
    yield from numbered(lines, rows)
    yield from worded(lines, rows)
    yield from unlisted(lines, rows)


def numbered(lines: list[Line], rows: dict) -> Iterator[str]:
    """Every id of the specification is in the list, with the status that the specification gives it."""
    for line in lines:
        if not line.id:
            continue
        usual = SECTION_STATUS.get(line.section) or SECTION_STATUS.get(line.section.split(".")[0])
        status = next(iter(line.statuses), usual)
        row = rows.get(line.id)
        if row is None:
            yield f"the specification has {line.id} (section {line.section}), rows.tsv has not"
        elif row.status != status:
            yield f"{row.name} is {row.status} in rows.tsv and {status} in the specification"
        elif not within(line.section, (row.section,)):
            yield f"{row.name} is of section {line.section}, rows.tsv says {row.section}"


def words(row) -> str:
    """What the specification says where rows.tsv has a worded id."""
    return flat(WORDS.get(row.name, row.name.split("-", 1)[1]))


def worded(lines: list[Line], rows: dict) -> Iterator[str]:
    """Every worded id is said in its section, and has a status that stands beside it there."""
    for row in rows.values():
        if NUMBERED.match(row.name.split("-", 1)[1]) or not within(row.section, SECTIONS):
            continue
        said = [line for line in lines if within(line.section, (row.section,)) and words(row) in flat(line.text)]
        first = [line for line in said if line.cells and not line.is_heading and words(row) in [*line.names, flat(line.cells[0])]]
        if not said:
            yield f"{row.name} is in rows.tsv; section {row.section} of the specification has no such words"
        elif first and first[0].statuses and row.name.split("-", 1)[0] not in IN_PROSE and row.status not in first[0].statuses:
            yield f"{row.name} is {row.status} in rows.tsv and {first[0].statuses[0]} in the specification"


def unlisted(lines: list[Line], rows: dict) -> Iterator[str]:
    """Every row of a table that has no id there has one of ours: it is named by its id or by its text."""
    listed: dict[str, list[tuple[str, str]]] = {}
    for row in rows.values():
        listed.setdefault(row.section, []).append((words(row), flat(row.text)))
    for line in lines:
        if not line.cells or line.id or line.is_heading or line.section in NO_ROWS or line.section not in listed or line.heading in NO_TABLES:
            continue
        cell, names = flat(line.cells[0]), line.names
        is_listed = any((len(said) > 1 and said in cell) or any(name and (name in text or name in said) for name in names)
                        for said, text in listed[line.section])
        if not is_listed:
            yield f"the specification has {line.cells[0]!r} (section {line.section}), rows.tsv has not"
