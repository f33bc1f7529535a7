"""The history of change of captured pages: how often each was captured, and how often it differed.

Two captures differ if the answer has another status or another body. A capture of which the body is
not whole, or whose payload is missing, shows nothing. How often a page changes is estimated as a
policy that revisits does it (`ChangeEstimator`): a capture shows whether the page has changed
since the one before, and not how often.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from counterpoint.crawler.archives.captured import CapturedAnswer, CapturedWeb
from counterpoint.crawler.archives.cdxj import key_of
from counterpoint.crawler.archives.index import Found
from counterpoint.crawler.documents.addresses import key
from counterpoint.crawler.schedulers.revisit import ChangeEstimator

DAY = 86_400.0


class Version(NamedTuple):
    """A capture of a page.

    Attributes
    ----------
    time : int
        When it was captured, in seconds since 1970.
    status : int
    size : int
        Bytes of the body, without its codings.
    changed : bool or None
        Whether it differs from the last capture before that was whole; None: there is none, or
        this one is not whole.
    """

    time: int
    status: int
    size: int
    changed: bool | None


class PageHistory(NamedTuple):
    """The history of a page.

    Attributes
    ----------
    address : str
    captures, comparisons, changes : int
        Captures, those that could be compared with one before, and those that differed.
    first, last : int
        The times of the first and of the last capture, in seconds since 1970.
    status : int
        The status of the last capture.
    per_day : float or None
        The estimated changes a day; None: no two captures at different times could be compared.
    """

    address: str
    captures: int
    comparisons: int
    changes: int
    first: int
    last: int
    status: int
    per_day: float | None


def versions(web: CapturedWeb, address: str) -> list[Version]:
    """Return the captures of an address, in the order of time.

    Parameters
    ----------
    web : CapturedWeb
    address : str
        Normalized.
    """
    return list(_versions(web, web.index.of(address)))


def histories(web: CapturedWeb) -> Iterator[PageHistory]:
    """Yield the history of each captured page, by host and path."""
    for _, together in groupby(web.index.captures(), lambda one: key_of(one.capture.url)):
        pages: dict[str, list[Found]] = {}
        for one in together:
            pages.setdefault(key(one.capture.url), []).append(one)
        for captures in pages.values():
            if found := list(_versions(web, captures)):
                yield _history(captures[0].capture.url, found)


def _versions(web: CapturedWeb, captures: Iterable[Found]) -> Iterator[Version]:
    before: tuple[int, bytes] | None = None
    for one in captures:
        answer = None if one.capture.type == "wat" else web.read(one)
        if answer is None:
            continue
        now = _seen(answer)
        changed = None if now is None or before is None else now != before
        before = now or before
        yield Version(answer.time, answer.status, len(answer.body), changed)


def _seen(answer: CapturedAnswer) -> tuple[int, bytes] | None:
    """Return what is compared of an answer; None: its body is not known."""
    if not answer.whole or answer.coded:
        return None
    return answer.status, hashlib.sha256(answer.body).digest()


def _history(address: str, found: list[Version]) -> PageHistory:
    estimator, comparisons, changes = ChangeEstimator(1), 0, 0
    whole = [one for k, one in enumerate(found) if one.changed is not None or k == 0]
    for one in whole:
        estimator.add(0, bool(one.changed), float(one.time))
        comparisons += one.changed is not None
        changes += bool(one.changed)
    spread = comparisons and whole[-1].time > whole[0].time
    per_day = float(estimator.rates()[0]) * DAY if spread else None
    last = found[-1]
    return PageHistory(address, len(found), comparisons, changes, found[0].time, last.time,
                       last.status, per_day)  # fmt: skip
