"""What became of a page, in one word: for a row of the store, and as a condition of the database.

A page is *broken* if it was asked for and did not come: it is gone, another error, redirects that
lead nowhere, or no answer. One that robots.txt or a rule forbids, or about which a replayed capture
says nothing, is left out.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import cast

from sqlalchemy import ColumnElement, and_, or_, text

from counterpoint.crawler.documents.exchange import DAMAGED, NOT_CAPTURED
from counterpoint.crawler.documents.scope import LEFT_OUT

from .recording import TAKEN_OUT
from .schema import IS_APART, IS_IN_FRONTIER, State, pages

_NOT_ASKED = (
    rf"^(?:{LEFT_OUT}|{NOT_CAPTURED}|{TAKEN_OUT}|forbidden by robots\.txt|robots\.txt asks for"
    r"|robots\.txt is no text|.* is no public address|.* must be left alone"
    r"|is no address of http or https|robots\.txt: (?:[1-5][0-9][0-9];|leads outside of|redirects "
    rf"|breaks off after|longer than |{DAMAGED}|.*: read as it came))"
)
"""How the problems of pages begin that were not requested, with status 0: nothing is known of them.
A robots.txt without an answer is another matter: nor would the page have come."""
_LOST = "^(?:redirects in a circle|more than |redirects to no address)"
"""How the problems of redirects begin that lead nowhere."""
_PUT_OFF = " must be left alone"
_IS_NOT_ASKED, _IS_LOST = re.compile(_NOT_ASKED), re.compile(_LOST)


class PageKind(StrEnum):
    """What became of a page; each page is of one kind."""

    QUEUED = "queued"
    """It waits in the frontier."""
    IN_FLIGHT = "in flight"
    """It was requested, and the answer has not come yet."""
    FETCHED = "fetched"
    """It came; an answer that a rule leaves out was not read, and its problem says so."""
    REDIRECTED = "redirected"
    """It leads to another page."""
    BROKEN = "broken"
    """It was asked for and did not come."""
    LEFT_OUT = "left out"
    """It is not asked for; its problem says why."""
    BEYOND = "beyond limits"
    """It is beyond the maximal level or the site's cap, or the present plan has not met it."""
    DROPPED = "dropped"
    """It was taken out of the frontier by hand."""


def _literal(words: str) -> ColumnElement[bool]:
    return cast(ColumnElement[bool], text(words))


IS_NOT_200 = _literal("status <> 200")
"""The condition of the index of statuses, word for word."""
_OF_STATE = {State.QUEUED: PageKind.QUEUED, State.ISSUED: PageKind.IN_FLIGHT,
             State.DROPPED: PageKind.DROPPED}  # fmt: skip


def was_asked(state: int, status: int | None, problem: str) -> bool:
    """Return whether a page was asked for, so that something is known of it."""
    if state != State.DONE or status is None or problem == NOT_CAPTURED:
        return False
    return bool(status) or not _IS_NOT_ASKED.match(problem)


def is_put_off(problem: str) -> bool:
    """Return whether a page was not asked for only because its host had to be left alone then."""
    return _PUT_OFF in problem


def is_broken(state: int, status: int | None, problem: str) -> bool:
    """Return whether a page was asked for and did not come."""
    return kind_of(state, status, problem) is PageKind.BROKEN


def kind_of(state: int, status: int | None, problem: str) -> PageKind:
    """Return what became of a page, from three columns of its row."""
    of_state = _OF_STATE.get(State(state))
    if of_state is not None:
        return of_state
    if state == State.DONE and status is not None:
        return _answered(status, problem)
    return PageKind.LEFT_OUT if state == State.BEYOND and problem else PageKind.BEYOND


def _answered(status: int, problem: str) -> PageKind:
    if not was_asked(State.DONE, status, problem):
        return PageKind.LEFT_OUT
    if status == 0 or status >= 400:
        return PageKind.BROKEN
    if status < 300:
        return PageKind.FETCHED
    return PageKind.BROKEN if _IS_LOST.match(problem) else PageKind.REDIRECTED


def condition(kind: PageKind) -> ColumnElement[bool]:
    """Return the condition that a page is of a kind."""
    state, status, problem = pages.c.state, pages.c.status, pages.c.problem
    done = state == State.DONE
    left = or_(problem == NOT_CAPTURED, and_(status == 0, problem.regexp_match(_NOT_ASKED)))
    lost = problem.regexp_match(_LOST)
    led_on = status.between(300, 399)
    if kind is PageKind.LEFT_OUT:
        return or_(and_(state == State.BEYOND, problem != ""),
                   and_(done, status.is_not(None), left))  # fmt: skip
    if kind is PageKind.BEYOND:
        return or_(and_(state == State.BEYOND, problem == ""), and_(done, status.is_(None)))
    if kind is PageKind.BROKEN:
        failed = or_(status == 0, status >= 400, and_(led_on, lost))
        return and_(done, failed, ~left)
    if kind is PageKind.REDIRECTED:
        return and_(done, led_on, ~lost, problem != NOT_CAPTURED)
    if kind is PageKind.FETCHED:
        return and_(done, status.between(1, 299), problem != NOT_CAPTURED)
    return state == next(one for one, of in _OF_STATE.items() if of is kind)


def indexed(kind: PageKind) -> list[list[ColumnElement[bool]]]:
    """Return ways to find all pages of a kind by indices; none: no index has them.

    Each way is a list of conditions that one index answers. A page of the kind meets those of one
    way at least; others may meet them, too. The words of the partial indices stand in them
    literally, else no index is used.
    """
    if kind is PageKind.QUEUED:
        return [[_literal(IS_IN_FRONTIER), pages.c.state == State.QUEUED]]
    if kind in (PageKind.IN_FLIGHT, PageKind.DROPPED):
        return [[_literal(IS_APART), condition(kind)]]
    if kind in (PageKind.BROKEN, PageKind.REDIRECTED):
        return [[IS_NOT_200]]
    if kind is PageKind.LEFT_OUT:
        return [[_literal(IS_APART), pages.c.state == State.BEYOND], [IS_NOT_200]]
    return []
