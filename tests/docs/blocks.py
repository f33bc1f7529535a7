"""Parses a Markdown page into its code blocks and the marks that say how the tests run them.

This is a small parser of our own, and not sybil: sybil makes one test of each block and not of a
page, knows nothing of ``console`` blocks, of titles in the info string or of our marks, so that
all that would be left for it is to find the fences.

Marks are HTML comments, each alone on a line:

- before a block: ``<!-- exit: 1 -->`` (the exit code of its commands; several numbers are one for
  each command), ``<!-- not run: REASON -->``;
- anywhere, for the whole page: ``<!-- slow -->`` or ``<!-- long -->`` (the marks of pytest),
  ``<!-- needs: PACKAGE ... -->`` (Debian packages of `tests.needs`), ``<!-- files: PATH ... -->``
  (files of the checkout that are copied to the page's folder, with the same path).
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")
_COMMENT = re.compile(r"^\s*<!--\s*(.*?)\s*-->\s*$")
_TITLE = re.compile(r'title="([^"]*)"')
_LIST_OR_ADMONITION = re.compile(r'^ *([-*+] |\d+[.)] |!!! |\?\?\?\+? |=== ")')

BEFORE_BLOCKS = ("exit", "not run")
ON_PAGES = ("slow", "long", "needs", "files")


class PageError(Exception):
    """A page that the conventions do not allow; the message names its line."""


@dataclass(frozen=True)
class Command:
    """A command of a ``console`` block with the output that the page shows.

    Attributes
    ----------
    line : int
        The command's line in the page, from 1.
    text : str
        The command without ``$``; continued lines are joined.
    expected : str
        The lines up to the next command, without blank lines at the end.
    exit_code : int
        The exit code that it must have.
    """

    line: int
    text: str
    expected: str
    exit_code: int = 0


@dataclass(frozen=True)
class Block:
    """A fenced code block.

    Attributes
    ----------
    line : int
        The line of the opening fence, from 1.
    language, title : str
        The info string's first word, and its ``title``; empty if there is none.
    text : str
        Its lines without the indentation of the fence.
    marks : dict
        The marks before it, by name.
    """

    line: int
    language: str
    title: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def not_run(self) -> str | None:
        """The reason why the tests do not run it; None if they do."""
        return self.marks.get("not run")

    def commands(self) -> list[Command]:
        """Return the commands of a ``console`` block."""
        lines = self.text.splitlines()
        starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
        if not starts or starts[0] != 0:
            raise PageError(f"line {self.line}: a console block must begin with '$ '")
        codes = [int(code) for code in self.marks.get("exit", "0").split()]
        if len(codes) == 1:
            codes *= len(starts)
        if len(codes) != len(starts):
            raise PageError(f"line {self.line}: {len(codes)} exit codes, {len(starts)} commands")
        found = []
        for start, end, code in zip(starts, [*starts[1:], len(lines)], codes, strict=True):
            last = start
            while lines[last].endswith("\\") and last + 1 < end:
                last += 1
            parts = [lines[start][2:], *lines[start + 1 : last + 1]]
            text = " ".join(part.removesuffix("\\").strip() for part in parts)
            expected = "\n".join(lines[last + 1 : end]).rstrip()
            found.append(Command(self.line + 1 + start, text, expected, code))
        return found


@dataclass(frozen=True)
class Page:
    """The code blocks of a page in order, and the marks of the whole page."""

    blocks: list[Block]
    needs: list[str]
    files: list[str]


def read_page(text: str) -> Page:
    """Return the code blocks and marks of a Markdown page.

    Raises
    ------
    PageError
        If a fence is not closed, a code block is indented instead of fenced (it would never be
        run), or a comment before a block is no known mark.
    """
    lines = text.splitlines()
    blocks: list[Block] = []
    on_page: dict[str, str] = {}
    before: dict[str, str] = {}
    unknown, in_container, after_blank = "", False, True
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if comment := _COMMENT.match(line):
            name, _, value = (part.strip() for part in comment[1].partition(":"))
            if name in ON_PAGES:
                on_page[name] = value
            elif name in BEFORE_BLOCKS:
                before[name] = value
            else:
                unknown = comment[1]
        elif fence := _FENCE.match(line):
            if unknown:
                raise PageError(f"line {number}: unknown mark before a block: {unknown}")
            end = _closing(lines, number, fence["ticks"])
            blocks.append(_block(number, fence, lines[number:end], before))
            before, number = {}, end + 1
        elif not line.strip():
            after_blank = True
            continue
        else:
            if before:
                raise PageError(f"line {number}: the mark before it belongs to no block")
            if _LIST_OR_ADMONITION.match(line):
                in_container = True
            elif not line.startswith(" "):
                in_container = False
            elif line.startswith("    ") and after_blank and not in_container:
                raise PageError(f"line {number}: an indented code block; use a fence")
            unknown = ""
        after_blank = False
    if before:
        raise PageError("the mark at the end belongs to no block")
    return Page(
        blocks,
        on_page.get("needs", "").split(),
        on_page.get("files", "").split(),
    )


def _closing(lines: list[str], start: int, ticks: str) -> int:
    """Return the index of the line that closes a fence, looking from ``start``."""
    for number in range(start, len(lines)):
        if re.fullmatch(rf" *{ticks}`* *", lines[number]):
            return number
    raise PageError(f"line {start}: the fence is not closed")


def _block(line: int, fence: re.Match[str], lines: list[str], marks: dict[str, str]) -> Block:
    info = fence["info"].strip()
    title = _TITLE.search(info)
    indent = len(fence["indent"])
    inside = [row[indent:] if not row[:indent].strip() else row for row in lines]
    text = "\n".join(inside) + "\n" if inside else ""
    language = info.split(maxsplit=1)[0] if info else ""
    return Block(line, language, title[1] if title else "", textwrap.dedent(text), marks)
