"""Rules about answers: which are left out by the type or the size of their documents.

========== =======================================================================================
``type``   the media type in Content-Type, ``type:application/pdf`` or ``type:image/*``; an answer
           without the header counts as ``text/html``
``size``   more bytes than a number, ``size:>5MB``, by Content-Length or in the uncompressed body;
           only to exclude
========== =======================================================================================

They are applied to answers of status 200 once the head has come, and never to a robots.txt or
a sitemap. The size is that of the uncompressed body, or Content-Length if that is larger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from counterpoint.crawler.errors import CrawlError

KINDS = ("type", "size")
"""What a rule about answers can be about."""

_TYPE = re.compile(r"([a-z0-9!#$&^_.+-]+)/([a-z0-9!#$&^_.+-]+|\*)")
_SIZE = re.compile(r">\s*(\d{1,15})\s*(B|kB|MB|GB|)", re.A)
_UNITS = {"": 1, "B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3}


def is_about_answers(rule: str) -> bool:
    """Return whether a rule, ``KIND:VALUE``, is about answers and not about addresses."""
    kind, colon, _ = rule.partition(":")
    return bool(colon) and kind in KINDS


@dataclass(frozen=True)
class AnswerRules:
    """The rules of a crawl about answers.

    Attributes
    ----------
    include, exclude : tuple of str
        The media types that are wanted (none: all), and those that are not.
    largest : int or None
        The most bytes of a document; None: no rule says so.
    size_rule : str
        The rule that says so.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    largest: int | None = None
    size_rule: str = ""

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude or self.largest is not None)

    @property
    def no_include(self) -> str:
        """What is said of an answer to which no rule of inclusion applies."""
        return f"none of --include {', '.join(f'type:{one}' for one in self.include)} applies"

    def rules(self) -> frozenset[str]:
        """Return all that `of_head` and `of_size` can say."""
        said = {f"--exclude type:{one}" for one in self.exclude} | {self.no_include}
        return frozenset(said | {f"--exclude {self.size_rule}"})

    def of_head(self, status: int, headers: Mapping[str, str]) -> str:
        """Return which rule leaves an answer out by its head; "" if none does."""
        if status != 200 or not self:
            return ""
        kind = headers.get("Content-Type", "").partition(";")[0].strip().lower() or "text/html"
        for one in self.exclude:
            if _is_of(kind, one):
                return f"--exclude type:{one}"
        if self.include and not any(_is_of(kind, one) for one in self.include):
            return self.no_include
        length = headers.get("Content-Length", "").strip()
        said = int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0
        return self.of_size(said)

    def at_most(self, limit: int) -> int:
        """Return how many bytes of a body are read, if there is a limit for all bodies."""
        return limit if self.largest is None else min(limit, self.largest)

    def of_size(self, size: int) -> str:
        """Return which rule leaves a document of so many bytes out; "" if none does."""
        if self.largest is None or size <= self.largest:
            return ""
        return f"--exclude {self.size_rule}"


NO_RULES = AnswerRules()
"""Leaves no answer out."""


def _is_of(kind: str, wanted: str) -> bool:
    """Return whether a media type is the one of a rule, or one of its range."""
    return kind == wanted or (wanted.endswith("/*") and kind.startswith(wanted[:-1]))


def answer_rules(include: tuple[str, ...], exclude: tuple[str, ...]) -> AnswerRules:
    """Return the rules about answers among the rules of a crawl.

    Parameters
    ----------
    include, exclude : tuple of str
        Rules as the user writes them, also those about addresses.

    Raises
    ------
    CrawlError
        If a rule is wrong; the message names it.
    """
    sizes = []
    for rule in exclude:
        if rule.startswith("size:"):
            sizes.append((_bytes(rule), rule))
    for rule in include:
        if rule.startswith("size:"):
            raise CrawlError(f"--include {rule}: sizes can only be excluded: --exclude size:>5MB")
    largest, size_rule = min(sizes, default=(None, ""))
    return AnswerRules(_types("--include", include), _types("--exclude", exclude), largest,
                       size_rule)  # fmt: skip


def _types(option: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    """Return the media types of the rules of an option."""
    found = []
    for rule in rules:
        if rule.startswith("type:"):
            kind = rule.removeprefix("type:").strip().lower()
            if _TYPE.fullmatch(kind) is None:
                raise CrawlError(f"{option} {rule[:60]}: a type is such as text/html or image/*")
            found.append(kind)
    return tuple(found)


def _bytes(rule: str) -> int:
    """Return the number of bytes of a rule about sizes."""
    found = _SIZE.fullmatch(rule.removeprefix("size:").strip())
    if found is None:
        raise CrawlError(f"--exclude {rule[:60]}: a size is such as >500kB or >5MB")
    return int(found[1]) * _UNITS[found[2]]
