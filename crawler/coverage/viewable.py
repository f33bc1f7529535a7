"""The third coverage of [COV]: which share of the collected pages can be shown again later.

[COV] defines it and measures it not: much of what is stored cannot be viewed in some years, since
large resources such as pictures were not collected, and some formats never were. Here a page can be
shown if its document is whole, has a coding and characters that can be decoded, is of a format that
browsers show, and if each resource that it needs (`embedded`) is whole, too.

An archive (WARC) has all this: `of_archive` examines it. A link store keeps no documents, but it
knows their formats and what was wrong with them, and so `of_store` finds an upper bound.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import case, func, select

from counterpoint.crawler.archives.archives import Archived, answers, files_of, unpacked
from counterpoint.crawler.archives.warc_records import Damage
from counterpoint.crawler.documents.addresses import joined, key
from counterpoint.crawler.documents.decoding import as_declared
from counterpoint.crawler.documents.embedded import embedded
from counterpoint.crawler.documents.exchange import is_html
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.store.opening import Store
from counterpoint.crawler.store.schema import State, pages

HOPS = 10
"""The most redirects from a reference to its resource."""
GARBLED = 0.05
"""A text in which a larger share of the characters are errors cannot be read."""

_NO_HTML = "is no HTML but "
"""How the problem of a page begins in a store; its format follows."""
_ERRORS = re.compile("[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")


class Reason(StrEnum):
    """Why a page cannot be shown again as it was."""

    CUT = "cut"
    """The end of the document is missing."""
    CODING = "coding"
    """The document has a content coding that is unknown, or is not coded as its headers say."""
    EMPTY = "empty"
    """There is no document: the answer has no bytes, or they were not read."""
    CHARACTERS = "characters"
    """Of its characters, more than `GARBLED` are errors of decoding or control characters."""
    FORMAT = "format"
    """No browser shows its format."""
    UNREAD = "unread"
    """The document takes too long, or too much memory, to be read."""
    RESOURCES = "resources"
    """The document can be shown, but a resource that it needs is missing or not whole."""


SAID = {
    Reason.CUT: "the end of the document is missing",
    Reason.CODING: "the coding is unknown, or wrong",
    Reason.EMPTY: "there is no document",
    Reason.CHARACTERS: "the characters cannot be decoded",
    Reason.FORMAT: "browsers do not show the format",
    Reason.UNREAD: "the document cannot be read within the limits",
    Reason.RESOURCES: "resources are missing: images, style sheets, scripts or frames",
}
"""What the reasons mean, for users."""

_NO_FAULTS = (None, Reason.FORMAT, Reason.EMPTY, Reason.CHARACTERS, Reason.UNREAD)
"""The reasons of a document that is no HTML page, and yet is whole where a page needs it."""


class Viewable(NamedTuple):
    """How many of the collected pages can be shown again.

    Attributes
    ----------
    pages : int
        The collected pages: those that were answered with status 200.
    shown : int
        Those that can be shown with all resources; in a store, at most so many.
    alone : int
        Those whose document can be shown, with or without its resources.
    reasons : dict of Reason to int
        How many of the other pages have each reason, its first one.
    needed, kept : int or None
        The distinct resources that the documents need, and those of them that are there; None: the
        source does not know.
    damages : tuple of Damage
        The damaged places of an archive. What was lost there counts nowhere.
    """

    pages: int
    shown: int
    alone: int
    reasons: dict[Reason, int]
    needed: int | None = None
    kept: int | None = None
    damages: tuple[Damage, ...] = ()


def of_store(store: Store) -> Viewable:
    """Return which of the pages of a link store can be shown again, as far as the store knows."""
    problem = pages.c.problem
    kind = case((problem.like(f"{_NO_HTML}%"), problem), else_="")
    reason = case(
        (problem.like("% read as it came"), Reason.CODING.value),
        (problem.like("longer than %: cut"), Reason.CUT.value),
        (problem.like("breaks off after %"), Reason.CUT.value),
        (problem.like("%: cut"), Reason.CODING.value),
        (problem.like(f"{_NO_HTML}%"), Reason.FORMAT.value),
        (problem.like("takes too %"), Reason.UNREAD.value),
        (pages.c.size == 0, Reason.EMPTY.value),
        else_="",
    )
    # Redirects of several addresses can lead to one document.
    document = case((pages.c.final == "", pages.c.address), else_=pages.c.final)
    query = select(reason, kind, func.count(document.distinct())).where(
        pages.c.status == 200, pages.c.state == State.DONE
    )
    found: Counter[str] = Counter()
    with store.reading() as connection:
        for why, said, count in connection.execute(query.group_by(reason, kind)):
            is_shown = why == Reason.FORMAT and _is_shown(said.removeprefix(_NO_HTML))
            found["" if is_shown else why] += count
    shown = found.pop("", 0)
    reasons = {one: found[one.value] for one in Reason if one.value in found}
    return Viewable(shown + sum(reasons.values()), shown, shown, reasons)


class _Document(NamedTuple):
    """A captured document.

    Attributes
    ----------
    reason : Reason or None
        Why it cannot be shown, whatever its resources are.
    page : bool
        Whether it is a page even if another one shows it: its answer says that it is HTML.
    needs : tuple of int
        The numbers of its resources.
    """

    reason: Reason | None
    page: bool
    needs: tuple[int, ...] = ()


class _Archive:
    """What is known of the addresses of an archive, by their numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.documents: dict[int, _Document] = {}
        self._without: set[int] = set()
        self._leads: dict[int, int] = {}

    def _number(self, address: str) -> int:
        return self._numbers.setdefault(key(address), len(self._numbers))

    def take(self, answer: Archived) -> None:
        """Take an answer in; of several answers of an address, one that can be shown is kept."""
        number = self._number(answer.address)
        if 300 <= answer.status < 400 and "location" in answer.headers:
            target = joined(answer.address, answer.headers["location"])
            if target is not None:
                self._leads[number] = self._number(target)
        if answer.status == 204:
            self._without.add(number)
        if answer.status != 200 or urlsplit(answer.address).path == "/robots.txt":
            return
        before = self.documents.get(number)
        found = self._examined(answer)
        if before is None or before.reason is not None or found.reason is None:
            self.documents[number] = found

    def _examined(self, answer: Archived) -> _Document:
        kind = answer.headers.get("content-type", "")
        html, page = is_html(kind), is_html(kind) and bool(kind.strip())
        found = unpacked(answer)
        body = found.body
        if found.unknown or found.broken:
            return _Document(Reason.CODING, page)
        if found.cut:
            return _Document(Reason.CUT, page)
        if not body:
            return _Document(Reason.EMPTY, page)
        if not html:
            return _Document(None if _is_shown(kind) else Reason.FORMAT, page)
        if found.partial:
            return _Document(Reason.UNREAD, page)
        text = as_declared(body, kind)
        if _is_garbled(text):
            return _Document(Reason.CHARACTERS, page)
        needs = embedded(text, answer.address)
        if isinstance(needs, str):
            return _Document(Reason.UNREAD, page)
        return _Document(None, page, tuple(self._number(address) for address in needs))

    def has(self, number: int) -> bool:
        """Return whether a resource is there and whole, perhaps after redirects.

        It may be empty, or without a document (status 204). If its format is unknown or not said,
        browsers look at its bytes.
        """
        for _ in range(HOPS + 1):
            found = self.documents.get(number)
            if found is not None:
                return found.reason in (_NO_FAULTS[:2] if found.page else _NO_FAULTS)
            if number in self._without:
                return True
            if number not in self._leads:
                break
            number = self._leads[number]
        return False

    def end(self, number: int) -> int:
        """Return the address to which redirects lead from an address."""
        for _ in range(HOPS):
            if number in self.documents or number not in self._leads:
                break
            number = self._leads[number]
        return number


def of_archive(paths: Iterable[Path]) -> Viewable:
    """Return which of the pages in WARC files, or in folders of them, can be shown again.

    Pages are all HTML documents, and other documents that no page needs as a resource.

    A record that is damaged is a page whose end is missing, if its address can be read.

    Raises
    ------
    CrawlError
        If a file is no WARC file, or cannot be read. In a folder it counts as damaged, unless no
        other one can be read.
    """
    archive, damages = _Archive(), list[Damage]()
    for path in paths:
        _take_all(archive, files_of(path), damages)
    needed = {number for one in archive.documents.values() for number in one.needs}
    kept = {number for number in needed if archive.has(number)}
    parts = {archive.end(number) for number in needed}
    reasons: Counter[Reason] = Counter()
    shown = 0
    for number, one in archive.documents.items():
        if not one.page and number in parts:
            continue
        if one.reason is not None:
            reasons[one.reason] += 1
        elif all(need in kept for need in one.needs):
            shown += 1
        else:
            reasons[Reason.RESOURCES] += 1
    count = shown + reasons.total()
    found = {reason: reasons[reason] for reason in Reason if reasons[reason]}
    alone = shown + reasons[Reason.RESOURCES]
    return Viewable(count, shown, alone, found, len(needed), len(kept), tuple(damages))


def _take_all(archive: _Archive, files: list[Path], damages: list[Damage]) -> None:
    wrong: list[CrawlError] = []
    for file in files:
        try:
            for answer in answers(file, damages):
                archive.take(answer)
        except CrawlError as error:
            wrong.append(error)
            damages.append(Damage(file, 0, str(error).removeprefix(f"{file}: ")))
    if len(wrong) == len(files):
        raise wrong[0]


_SHOWN = ("text/", "image/", "audio/", "video/", "application/pdf", "application/json",
          "application/xml", "application/javascript", "application/x-javascript")  # fmt: skip


def _is_shown(content_type: str) -> bool:
    """Return whether browsers show a format that is not HTML."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith(_SHOWN) or kind.endswith(("+xml", "+json"))


def _is_garbled(text: str) -> bool:
    """Return whether so many characters are errors that no encoding fits."""
    return len(_ERRORS.findall(text)) > GARBLED * len(text)
