"""The ids of rows and rules: where they are listed, and how titles name them."""

import re
from pathlib import Path

NUMBERED = re.compile(r"[A-Za-z]?\d+\Z")


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def read_rules(path):
    """Ids of docs/SPEC.md: those in the first cells of its tables."""
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("|"):
            found += re.findall(r"\b[A-Z]{1,5}-[A-Z]?\d+\b", cells(line)[0])
    return list(dict.fromkeys(found))


class Ids:
    """Finds ids in titles. Only letters that some known id begins with count as one, so that UTF-8 is none."""

    def __init__(self, known):
        self.known = set(known)
        numbered, worded = set(), set()
        for name in known:
            letters, rest = name.split("-", 1)
            (numbered if NUMBERED.match(rest) else worded).add(letters)
        forms = [f"(?:{'|'.join(sorted(numbered))})-[A-Z]?\\d+\\b"]
        if worded:
            forms.append(f"(?:{'|'.join(sorted(worded))})-\\w+")
        self.one = re.compile(r"(?<![\w-])(?:" + "|".join(forms) + ")")
        self.next = re.compile(r"(?:,| and)\s+-(\w+)")
        self.more = re.compile(r"\s*(?:\.\.\.?|–)\s*(?:([A-Z]{1,5})-)?([A-Z]?)(\d+)\b|\s+to\s+([A-Z]{1,5})-([A-Z]?)(\d+)\b")

    def claimed(self, title):
        """Ids that a title names, ranges written out."""
        found, at = [], 0
        while match := self.one.search(title, at):
            at = match.end()
            found.append(match[0])
            if more := self.more.match(title, at):
                between = self.range(match[0], more)
                found += between
                at = more.end() if between else at
            while another := self.next.match(title, at):
                found.append(f"{match[0].split('-', 1)[0]}-{another[1]}")
                at = another.end()
        return list(dict.fromkeys(found))

    def range(self, first, more):
        letters, rest = first.split("-", 1)
        last_letters, kind, last = more.group(1, 2, 3) if more[3] else more.group(4, 5, 6)
        begin = re.match(r"([A-Z]?)(\d+)\Z", rest)
        if not begin or begin[1] != kind or last_letters not in (None, letters):
            return []
        # Numbers that are not given inside a range are no claim; its two ends are.
        names = [f"{letters}-{kind}{n}" for n in range(int(begin[2]) + 1, int(last))]
        return [name for name in names if name in self.known] + [f"{letters}-{kind}{last}"]


def known(root: Path) -> Ids:
    """All ids of docs/parity/rows.tsv and docs/SPEC.md."""
    rows = [line.split("\t")[0] for line in (root / "docs/parity/rows.tsv").read_text().splitlines()[1:]]
    return Ids(rows + read_rules(root / "docs/SPEC.md"))
