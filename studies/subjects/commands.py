"""The command of a foreign crawler, with placeholders such as ``{start}``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from counterpoint.crawler.errors import CrawlError

PLACEHOLDERS = {
    "proxy": "the address of the served web, which is also in http_proxy",
    "start": "the first start address",
    "seeds_file": "a file with all start addresses, one on each line",
    "pages": "how many pages the crawler may fetch",
    "seed": "the seed of the web",
    "web_pages": "how many pages the web has",
}
"""The placeholders of a command, and what replaces them."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


@dataclass(frozen=True)
class CrawlerCommand:
    """A command, split into its arguments as a shell splits them, and checked.

    Attributes
    ----------
    text : str
        The command as it was written.
    arguments : tuple of str
        The arguments, with their placeholders.
    """

    text: str
    arguments: tuple[str, ...]

    def uses(self, name: str) -> bool:
        """Return whether the command has a placeholder of that name."""
        return any(
            found[1] == name for argument in self.arguments for found in _PART.finditer(argument)
        )

    def filled(self, values: Mapping[str, object]) -> list[str]:
        """Return the arguments, with a value in place of each placeholder."""

        def replaced(found: re.Match[str]) -> str:
            if found[1] is None:
                return found[0][0]  # a doubled brace stands for one
            return str(values[found[1]])

        return [_PART.sub(replaced, argument) for argument in self.arguments]


def command_of(text: str) -> CrawlerCommand:
    """Split a command, and check its placeholders.

    Raises
    ------
    CrawlError
        If the command is empty, has a quotation mark without its partner, a brace that belongs to
        no placeholder, or a character that no program can be given.
    """
    if "\0" in text:
        raise CrawlError("the command has the character \\0, which no program can be given")
    try:
        arguments = tuple(shlex.split(text))
    except ValueError as error:
        raise CrawlError(f"the command {text!r} cannot be split: {error}") from None
    if not arguments or not arguments[0]:
        raise CrawlError("the command of the crawler is empty")
    for argument in arguments:
        for found in _PART.finditer(argument):
            _check(found)
    return CrawlerCommand(text, arguments)


def _check(found: re.Match[str]) -> None:
    if found[0] in ("{{", "}}") or found[1] in PLACEHOLDERS:
        return
    twice = "a brace that belongs to no placeholder is written twice: {{ or }}"
    if found[1] is None:
        raise CrawlError(f"the command has a single {found[0]!r}; {twice}")
    near = get_close_matches(found[1], PLACEHOLDERS, 1)
    meant = f" (did you mean {{{near[0]}}}?)" if near else ""
    names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    raise CrawlError(
        f"the command has an unknown placeholder {found[0]}{meant}; there are {names}; {twice}"
    )
