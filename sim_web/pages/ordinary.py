"""The fast way to answer a request for an ordinary page; most requests are of this kind."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterpoint.compiling import Array
from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.generator import Web

from . import delivery
from .address import WAYS
from .fragments import Fragments, fragments
from .host import HOSTS_KEPT, Host, varied
from .numbers import (
    FIELDS,
    FRAMES,
    HEAD,
    MODIFIED,
    NO_FRAMES,
    PAGE,
    PARAGRAPHS,
    START,
    THEME,
    VERSION,
)
from .plan import plan
from .resolve import host_named
from .writer import draw_and_write

_URL = re.compile(
    r"http://([a-z0-9.\-]+)(?:/|(/[a-z/.]+(?:[-/]|\?id=))(0|[1-9a-z][0-9a-z]{0,11})(\.html|/|))",
    re.ASCII,
)
"""Addresses that pages may have; requests for all others take the slow way."""

_BEGUN = ("Last-Modified", delivery.http_date(0))


class _Habits(NamedTuple):
    """The properties that the answers for all pages of a host share."""

    host: Host
    first: int
    pages: int
    own: Array
    head: int
    pool: Fragments
    plain: bool
    vanishes_at: float


class Ordinary:
    """Answers for ordinary pages of a web, written by compiled code.

    Parameters
    ----------
    web : Web
    """

    def __init__(self, web: Web) -> None:
        laws = plan(web)
        self._web = web
        self._slow = varied(web) or web.profile.change.passing > 0
        self._numbers = laws.whole, laws.real, laws.chances, laws.law
        self._habits = lru_cache(maxsize=HOSTS_KEPT)(self._habits_of)

    def _habits_of(self, name: str) -> _Habits | None:
        host = host_named(self._web, name)
        if host is None or host.session_ids or self._slow:
            return None
        how, pages = host.encoding, host.pages
        own = np.frombuffer(host.head + host.origin, dtype=np.uint8).copy()
        pool = fragments(self._web, how.language, how.name)
        plain = not (host.gzip or host.brotli)
        return _Habits(
            host, pages.start, len(pages), own, len(host.head), pool, plain, host.vanishes_at
        )

    def answer(self, question: Question) -> Answer | None:
        """Return the answer; None if the request is not for an ordinary page."""
        url, time, method, none_match, since, accepted = question
        found = _URL.fullmatch(url)
        if found is None or none_match is not None or since is not None:
            return None
        name, before, number, after = found.groups()
        way, code = START, 0
        if before is not None:
            way, code = WAYS.get(f"{before}*{after}", -1), int(number, 36)
        habits = self._habits(name)
        if habits is None or way < 0 or method not in ("GET", "HEAD"):
            return None
        host = habits.host
        if habits.vanishes_at <= time or (code == 0 and (host.has_trap_at_start or host.hidden)):
            return None
        content, body = self._written(habits, way, code, float(time))
        return self._answer(habits, content, body, accepted) if len(body) else None

    def _written(self, habits: _Habits, way: int, code: int, time: float) -> tuple[Array, Array]:
        host, first, pages, own, head, pool, _, _ = habits
        numbers = self._numbers
        while True:
            content, body = draw_and_write(
                *numbers, host.number, first, pages, -1, way, code, host.theme, host.paragraphs,
                time, own, head, *pool.pool,
            )  # fmt: skip
            if len(body) or not len(content) or content[FRAMES] != NO_FRAMES:
                return content, body
            begin = HEAD + int(content[PARAGRAPHS])
            pool.add({host.theme, *content[begin + THEME :: FIELDS].tolist()})

    def _answer(self, habits: _Habits, content: Array, body: Array, accepted: str | None) -> Answer:
        host, page, version = habits.host, content.item(PAGE), content.item(VERSION)
        modified = _BEGUN
        if version:
            modified = ("Last-Modified", delivery.http_date(content.item(MODIFIED)))
        headers: delivery.Headers = (
            host.content_type,
            ("ETag", f'"{page:x}-{version:x}"'),
            modified,
        )
        whole = body.tobytes()
        if not habits.plain:
            whole, headers = delivery.packed(host, accepted, whole, headers)
        return Answer(200, headers, whole, Kind.PAGE, page, version, Fault.NONE, host.chunked)
