"""Which tests claim which ids, and what is wrong with a claim whatever the id: a test that asserts nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .swift import Function, Source, Sources
from .web import WebTest, WebTests

RAW = re.compile(r"\brawValue\b|\ballCases\b")
THROWN = re.compile(r"\bthrow\b")


@dataclass
class Claim:
    title: str
    file: str
    tests: list[Function] = field(default_factory=list)
    web: WebTest | None = None


class Tests:
    """All tests of the repository that a title claims ids with."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.swift = Sources(root)
        self.web = WebTests(root)

    def claims(self) -> Iterator[Claim]:
        for source in self.swift.files:
            for suite in source.suites:
                if suite.title:
                    inside = [one for one in source.functions if one.is_test and suite.begin < one.begin < suite.end]
                    yield Claim(suite.title, source.file, [one for one in inside if not one.is_disabled])
            for test in source.functions:
                if test.title and not test.is_disabled:
                    yield Claim(test.title, source.file, [test])
        for test in self.web.tests:
            yield Claim(test.title, test.file, web=test)
        yield from self.scripts()

    def scripts(self) -> Iterator[Claim]:
        for path in sorted((self.root / "tools").rglob("*")):
            if not path.is_file() or path.name == "parity" or path.suffix not in ("", ".py", ".sh"):
                continue
            for line in path.read_text(errors="replace").splitlines():
                if match := re.match(r"\s*#?\s*Proves: (.*)", line):
                    yield Claim(match[1], str(path.relative_to(self.root)))

    def can_fail(self, test: Function) -> bool:
        """Whether it asserts, or calls what does. A library of the tests asserts by throwing, too."""
        return bool(test.assertions) or any(
            one.assertions or (not one.target.endswith("Tests") and THROWN.search(self.body(one))) for one in self.swift.reached(test))

    def source(self, function: Function) -> Source:
        return self.swift.by_name[function.file]

    def body(self, function: Function) -> str:
        return self.source(function).text[function.begin:function.end]

    def around(self, test: Function) -> str:
        """All that a test says but for its title: its cases, its body, the constants it names, the helpers it calls."""
        source = self.source(test)
        own = test.attributes.replace(test.title or "", "", 1) + test.name + self.body(test)
        texts = [own, *(self.body(one) for one in self.swift.reached(test) if one.target == test.target)]
        names = set(re.findall(r"\b[A-Za-z_]\w*\b", "\n".join(texts)))
        texts += [text for name, text in source.tables.items() if name in names]
        for other in self.swift.files:
            if other is not source and other.file.split("/")[1] == test.target:
                texts += [text for name, text in other.shared.items() if name in names]
        return "\n".join(texts)

    def is_by_raw_values(self, test: Function) -> bool:
        """Whether all that it asserts is which raw value a case has."""
        text = self.source(test).text
        asserted = [text[one.begin:one.end] for one in test.assertions if one.kind == "expect"]
        return bool(asserted) and all(RAW.search(one) for one in asserted)
