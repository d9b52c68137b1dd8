"""Reads tests written in Swift: their titles, their bodies and the assertions in them, each with its place in the file.

This is no parser of Swift. Comments, texts and regular expressions are blanked first, so that brackets and commas can be counted.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

IDENTIFIER = r"[A-Za-z_]\w*"
BLANKED = re.compile(r'//|/\*|/|#*"')


def masked(text: str) -> str:
    """The text with every comment, string and regular expression blanked; of the same length, with the same line ends."""
    out, at = list(text), 0

    def blank(begin: int, end: int) -> int:
        for place in range(begin, min(end, len(out))):
            if out[place] != "\n":
                out[place] = " "
        return end

    while match := BLANKED.search(text, at):
        at = match.start()
        if match[0] == "//":
            at = blank(at, end_of_line(text, at))
        elif match[0] == "/*":
            end = text.find("*/", at)
            at = blank(at, len(text) if end < 0 else end + 2)
        elif match[0] == "/":
            at = blank(at, end_of_expression(text, at) or at)
            at = max(at, match.end())
        else:
            at = blank(at, end_of_string(text, at))
    return "".join(out)


def end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def end_of_string(text: str, at: int) -> int:
    """Where the string that begins at `at` ends; what is put into it by \\( ) may hold strings of its own."""
    hashes = re.match(r"#*", text[at:])[0]
    at += len(hashes)
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    escape = "\\" + hashes
    while at < len(text):
        if text.startswith(escape + "(", at):
            at = end_of_brackets_in_text(text, at + len(escape))
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif text.startswith(quote + hashes, at):
            return at + len(quote) + len(hashes)
        elif quote == '"' and text[at] == "\n":
            return at
        else:
            at += 1
    return at


def end_of_brackets_in_text(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at = end_of_string(text, at)
            continue
        depth += (char == "(") - (char == ")")
        at += 1
        if depth == 0:
            return at
    return at


def end_of_expression(text: str, at: int) -> int | None:
    """Where a regular expression literal ends, if one begins here: after a bracket, a comma or a sign, and on this line."""
    before = text[max(0, at - 100):at].rstrip(" ")
    if not before or before[-1] not in "(,=[:" or text[at + 1:at + 2] in " \n/*=":
        return None
    match = re.match(r"/(?:[^/\\\n]|\\.)+/", text[at:end_of_line(text, at)])
    return at + match.end() if match else None


def end_of_brackets(mask: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack = []
    for place in range(at, len(mask)):
        char = mask[place]
        if char in pairs:
            stack.append(pairs[char])
        elif char in ")]}":
            if not stack or stack.pop() != char:
                return place
            if not stack:
                return place + 1
    return len(mask)


def parts(mask: str, begin: int, end: int, sign: str = ",") -> list[tuple[int, int]]:
    """The ranges between the signs that stand in no bracket."""
    found, depth, start, at = [], 0, begin, begin
    while at < end:
        char = mask[at]
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and mask.startswith(sign, at):
            found.append((start, at))
            at += len(sign)
            start = at
            continue
        at += 1
    return [*found, (start, end)]


@dataclass
class Assertion:
    file: str
    line: int
    column: int
    kind: str       # expect, require or record
    begin: int      # of the # or the word, in the file
    end: int
    edits: list[tuple[int, int, str]] = field(default_factory=list)     # ranges of the file and what inverts the assertion

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass
class Function:
    name: str
    file: str
    line: int
    begin: int      # of the body with its brackets
    end: int
    suite: str
    attributes: str = ""
    """What stands between its title and `func`."""
    title: str | None = None
    is_disabled: bool = False
    assertions: list[Assertion] = field(default_factory=list)
    calls: set[tuple[str, str]] = field(default_factory=set)
    """Type, if it is named, and name of what it calls."""

    @property
    def is_test(self) -> bool:
        return self.title is not None

    @property
    def target(self) -> str:
        return self.file.split("/")[1]

    @property
    def id(self) -> str:
        """As swift test writes it, without the labels of its arguments."""
        return f"{self.target}.{self.suite + '/' if self.suite else ''}{self.name}"


@dataclass
class Suite:
    name: str
    title: str | None
    begin: int
    end: int


ASSERTION = re.compile(r"#(expect|require)\b|\bIssue\s*\.\s*record\b")
ATTRIBUTE = re.compile(r"@(Test|Suite)\b")
DECLARED = re.compile(rf"\bfunc\s+(`[^`]+`|{IDENTIFIER})|\b(?:struct|class|actor|enum|extension)\s+({IDENTIFIER}(?:\.{IDENTIFIER})*)")
CALL = re.compile(rf"\b(?:([A-Z]\w*)\.)?({IDENTIFIER})(?: ?{{|\()")
LET = re.compile(rf"\b(?:let|var)\s+({IDENTIFIER})\b")


class Source:
    """One Swift file of the tests."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.file = str(path.relative_to(root))
        self.text = path.read_text()
        self.mask = masked(self.text)
        self.starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self.suites: list[Suite] = []
        self.functions: list[Function] = []
        self.tables: dict[str, str] = {}
        """What each constant of the file says."""
        self.shared: dict[str, str] = {}
        """Those at the margin or in a type, which others of the target may use."""
        self.read()

    def line(self, at: int) -> int:
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= at else (low, middle)
        return low + 1

    def column(self, at: int) -> int:
        """As Swift counts: bytes of UTF-8, from 1."""
        start = self.starts[self.line(at) - 1]
        return len(self.text[start:at].encode()) + 1

    def read(self) -> None:
        titles: dict[int, tuple[str, str | None, str]] = {}
        for match in ATTRIBUTE.finditer(self.mask):
            end, inside = match.end(), ""
            if self.mask[end:end + 1] == "(":
                end = end_of_brackets(self.mask, end)
                inside = self.text[match.end():end]
            declared = DECLARED.search(self.mask, end)
            if declared:
                text = re.match(r'\(\s*(#*)"((?:[^"\\]|\\.)*)"', inside)
                titles[declared.start()] = (match[1], text[2] if text else "", inside)
        for match in DECLARED.finditer(self.mask):
            opening = self.opening(match.end())
            if opening is None:
                continue
            end = end_of_brackets(self.mask, opening)
            kind, title, inside = titles.get(match.start(), ("", None, ""))
            if match[2]:
                self.suites.append(Suite(match[2], title if kind == "Suite" else None, match.start(), end))
            else:
                self.functions.append(Function(
                    match[1].strip("`"), self.file, self.line(match.start()), opening, end, "", inside,
                    title if kind == "Test" else None, ".disabled(" in inside))
        for function in self.functions:
            around = [suite for suite in self.suites if suite.begin < function.begin < suite.end]
            function.suite = "/".join(suite.name.replace(".", "/") for suite in around)
            function.assertions = self.assertions(function.begin, function.end)
            body = self.mask[function.begin:function.end]
            function.calls = set(CALL.findall(body))
        self.read_tables()

    def opening(self, at: int) -> int | None:
        """The bracket of the body of what is declared; nil for one without."""
        depth = 0
        for place in range(at, len(self.mask)):
            char = self.mask[place]
            if char == "{" and depth == 0:
                return place
            depth += (char in "([") - (char in ")]")
            if depth == 0 and char == "}":
                return None
        return None

    def read_tables(self) -> None:
        """The text of every constant, up to the next declaration at its own depth: what is given to tests as arguments."""
        for match in LET.finditer(self.mask):
            indent = self.text[self.starts[self.line(match.start()) - 1]:match.start()]
            spaces = len(indent) - len(indent.lstrip(" "))
            end = re.compile(rf"\n {{0,{spaces}}}(?! |\]|\}}|\))\S").search(self.mask, match.end())
            self.tables.setdefault(match[1], self.text[match.start():end.start() if end else len(self.text)])
            if spaces == 0 or (spaces == 2 and "static" in indent):
                self.shared.setdefault(match[1], self.tables[match[1]])

    def assertions(self, begin: int, end: int) -> list[Assertion]:
        found = []
        for match in ASSERTION.finditer(self.mask, begin, end):
            at = match.end()
            if self.mask[at:at + 1] != "(":
                continue
            closing = end_of_brackets(self.mask, at)
            # What only a broken test reaches.
            kind = "record" if not match[1] or self.mask.startswith("(Bool(false)", at) else match[1]
            one = Assertion(self.file, self.line(match.start()), self.column(match.start()), kind, match.start(), closing)
            if kind != "record":
                one.edits = self.inversion(match, at, closing)
            found.append(one)
        return found

    def inversion(self, match: re.Match, opening: int, closing: int) -> list[tuple[int, int, str]]:
        """What makes the assertion demand the opposite; nothing where that cannot be written."""
        statement = self.begins_statement(match.start())
        arguments = parts(self.mask, opening + 1, closing - 1)
        begin, end = arguments[0]
        first = self.mask[begin:end].strip()
        if thrown := re.match(r"throws\s*:\s*(.*)", first, re.S):
            if not statement or match[1] == "require":
                return []
            where = self.mask.index(thrown[1], begin)
            return [(where, where + len(thrown[1]), "(any Error).self" if thrown[1] == "Never.self" else "Never.self")]
        if not first or (match[1] == "require" and not statement):
            return []
        begin += len(self.text[begin:end]) - len(self.text[begin:end].lstrip())
        end = begin + len(self.text[begin:end].rstrip())
        words = re.compile(r"(?:(?:try|await)\b[?!]?\s*)*").match(self.mask, begin)
        # Of `try?` the value is what is asserted.
        if re.search(r"[?!]", words[0]):
            words = re.compile("").match(self.mask, begin)
        return [(words.end(), words.end(), "!("), (end, end, ")")]

    def begins_statement(self, at: int) -> bool:
        before = self.mask[max(0, at - 200):at].rstrip(" ")
        before = re.sub(r"(?:(?:\btry\b|\bawait\b)\s*)+\Z", "", before).rstrip(" ")
        return not before or before[-1] in "\n{;" or before.endswith(" in") or bool(re.search(r"\n *(?:case\b[^\n]*|default):\Z", before))


class Sources:
    """All Swift files of the tests."""

    def __init__(self, root: Path) -> None:
        self.files = [Source(path, root) for path in sorted((root / "Tests").rglob("*.swift"))]
        self.by_name = {source.file: source for source in self.files}
        self.functions = [function for source in self.files for function in source.functions]
        self.tests = [function for function in self.functions if function.is_test]
        self.helpers: dict[str, list[Function]] = {}
        for function in self.functions:
            if not function.is_test:
                self.helpers.setdefault(function.name, []).append(function)

    def reached(self, test: Function) -> list[Function]:
        """The helpers that a test calls, and those that they call: by name, the nearest of that name."""
        found, left = {}, [test]
        while left:
            caller = left.pop(0)
            for owner, name in sorted(caller.calls):
                for helper in self.nearest(owner, name, caller):
                    if id(helper) not in found:
                        found[id(helper)] = helper
                        left.append(helper)
        return list(found.values())

    def nearest(self, owner: str, name: str, caller: Function) -> list[Function]:
        all_of_name = self.helpers.get(name, [])
        if owner and owner != "Self":
            all_of_name = [one for one in all_of_name if one.suite.split("/")[-1] == owner]
        for is_near in (lambda one: one.file == caller.file and one.suite == caller.suite, lambda one: one.file == caller.file,
                        lambda one: one.target == caller.target, lambda one: not one.target.endswith("Tests")):
            if near := [helper for helper in all_of_name if is_near(helper)]:
                return near
        return []
