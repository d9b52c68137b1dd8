"""Reads the page's tests, which are written in JavaScript for node:test: titles, bodies, and whether they assert anything."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from .swift import end_of_brackets

BLANKED = re.compile(r"//|/\*|/|[\"'`]")
TEST = re.compile(r"^[ \t]*(browserTest|test)\(", re.M)
ASSERTS = re.compile(r"\bassert(?:\.\w+)?\(")
# The one way in which these tests wait ends with an error if it is in vain: a wait for what is wanted is an assertion.
WAIT = re.compile(r"until|see\Z")
FUNCTION = re.compile(r"\bfunction\*?\s+(\w+)\s*(?=\()|\b(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?(?=\([^()]*\)\s*=>|\w+\s*=>)")
CALL = re.compile(r"\b(\w+)\(")


def masked(text: str) -> str:
    """The text with comments, strings and regular expressions blanked; of the same length. What stands in ${ } stays."""
    out, at = list(text), 0

    def blank(begin: int, end: int) -> int:
        for place in range(begin, min(end, len(out))):
            if out[place] != "\n":
                out[place] = " "
        return end

    while match := BLANKED.search(text, at):
        at, sign = match.start(), match[0]
        if sign == "//":
            end = text.find("\n", at)
            at = blank(at, len(text) if end < 0 else end)
        elif sign == "/*":
            end = text.find("*/", at)
            at = blank(at, len(text) if end < 0 else end + 2)
        elif sign == "/":
            before = text[max(0, at - 50):at].rstrip(" ")
            literal = re.match(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/", text[at:at + 500])
            if literal and (not before or before[-1] in "(,=[:!&|?{};\n" or before.endswith("return")):
                at = blank(at, at + literal.end())
            else:
                at += 1
        else:
            at = blank(at, end_of_text(text, at))
    return "".join(out)


def end_of_text(text: str, at: int) -> int:
    quote = text[at]
    at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == quote or (quote != "`" and text[at] == "\n"):
            return at + 1
        if quote == "`" and text.startswith("${", at):
            at = end_of_insert(text, at + 1)
            continue
        at += 1
    return at


def end_of_insert(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        if text[at] in "\"'`":
            at = end_of_text(text, at)
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if depth == 0:
            return at
    return at


@dataclass
class WebTest:
    title: str
    file: str
    line: int
    last_line: int
    asserts: bool
    """In its own body."""
    body: str = ""
    calls: set[str] = field(default_factory=set)

    @property
    def id(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def needs_browser(self) -> bool:
        return not self.file.startswith("Tests/WebTests/unit/")


class WebTests:
    def __init__(self, root: Path) -> None:
        self.tests: list[WebTest] = []
        self.asserting: set[str] = set()
        """Names of functions of the tests and their kit that assert, themselves or by others."""
        calls: dict[str, set[str]] = {}
        for path in sorted((root / "Tests/WebTests").rglob("*.js")):
            self.read(path, str(path.relative_to(root)), calls)
        grows = True
        while grows:
            more = {name for name, called in calls.items() if name not in self.asserting and called & self.asserting}
            self.asserting |= more
            grows = bool(more)

    def read(self, path: Path, file: str, calls: dict[str, set[str]]) -> None:
        text = path.read_text()
        mask = masked(text)
        if file.endswith(".test.js"):
            for match in TEST.finditer(mask):
                end = end_of_brackets(mask, match.end() - 1)
                title = re.match(r'\s*(["\'`])((?:[^\\]|\\.)*?)\1', text[match.end():end])
                body = mask[match.start():end]
                self.tests.append(WebTest(
                    title[2] if title else "", file, text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 1,
                    bool(ASSERTS.search(body)), text[match.start():end], set(CALL.findall(body))))
        for match in FUNCTION.finditer(mask):
            begin = end_of_brackets(mask, match.end()) if mask[match.end()] == "(" else match.end()
            opening, line_end = mask.find("{", begin), mask.find(";\n", begin)
            # A short arrow function has its body without brackets, on the same line or on the next ones.
            is_short = match[2] and not re.match(r"\s*(?:=>)?\s*\{", mask[begin:])
            body = mask[begin:line_end] if is_short else mask[opening:end_of_brackets(mask, opening)]
            name = match[1] or match[2]
            # `const inked = (page, part) => until(...)` is a wait under another name.
            if ASSERTS.search(body) or (is_short and re.match(r"\s*=>\s*until\(", body)):
                self.asserting.add(name)
            calls.setdefault(name, set()).update(CALL.findall(body))

    def can_fail(self, test: WebTest) -> bool:
        return test.asserts or any(name in self.asserting or WAIT.match(name) for name in test.calls)
