"""The answers of the synthetic web: a pure function of seed, request and virtual time."""

from __future__ import annotations

from counterpoint.sim_web.answer import Answer, Fault, Kind, Question
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.pages import (
    change,
    delivery,
    faults,
    life,
    render,
    robots,
    sitemap,
    traps,
)
from counterpoint.sim_web.pages.address import base36, path_of
from counterpoint.sim_web.pages.delivery import Headers
from counterpoint.sim_web.pages.host import Host
from counterpoint.sim_web.pages.ordinary import Ordinary
from counterpoint.sim_web.pages.plan import plan
from counterpoint.sim_web.pages.resolve import Place, host_named, own_fault, resolve, split

_PLAIN = ("Content-Type", "text/plain; charset=utf-8")
_XML = ("Content-Type", "application/xml")
_OTHER_TYPES = ("image/jpeg", "application/octet-stream", "text/plain", "application/pdf")
_STATUSES = (301, 302, 307, 308)
_HUGE = 2_000_000
"""The least number of bytes that are added to a huge page; some huge pages get twice as many."""


class SyntheticSite:
    """Answers requests for all hosts of a web.

    Parameters
    ----------
    web : Web
        Two sites with equal webs give the same answers, byte by byte.
    """

    def __init__(self, web: Web) -> None:
        self.web = web
        self._plan = plan(web)
        self._ordinary = Ordinary(web)

    def answer(self, question: Question) -> Answer:
        """Return the answer to a request.

        The answer to HEAD is the answer to GET with its body, because the server needs the length
        of the body; the server does not send it. Status 0 means that the server sends nothing. With
        a fault of the body (truncated, wrong length) the answer contains the complete body.
        """
        return self._ordinary.answer(question) or self.reference(question)

    def kind(self, question: Question) -> Kind | None:
        """Return the kind of the answer without computing it; None: its host has vanished."""
        parts = split(question.url)
        if parts is None:
            return Kind.BAD
        host = host_named(self.web, parts[0])
        if host is None:
            return Kind.FOREIGN
        if host.vanishes_at <= question.time:
            return None
        place = resolve(self.web, host, parts[1])
        return place.kind if self._is_there(place, question.time) else Kind.MISSING

    def _is_there(self, place: Place, time: float) -> bool:
        """Return whether the page of an address exists at a time, if it has one."""
        return place.page is None or life.is_there(self.web, place.page, time)

    def reference(self, question: Question) -> Answer:
        """Return the same answer as `answer`, by slower code that is written to be read."""
        parts = split(question.url)
        if parts is None:
            return _plain(400, "no address of this web", Kind.BAD)
        name, path = parts
        host = host_named(self.web, name)
        if host is None:
            return _plain(502, "no such host", Kind.FOREIGN)
        place = resolve(self.web, host, path)
        if host.vanishes_at <= question.time:
            return Answer(0, (), b"", place.kind, fault=Fault.VANISHED)
        if question.method not in ("GET", "HEAD"):
            return _plain(405, "GET or HEAD", place.kind, ("Allow", "GET, HEAD"))
        if not self._is_there(place, question.time):
            return self._absent(question, place)
        if place.kind is Kind.PAGE or place.kind is Kind.ALIAS:
            return self._page(question, host, place)
        return _ANSWERS[place.kind](self, question, host, place, path)

    def _page(self, question: Question, host: Host, place: Place) -> Answer:
        page, code = place.page, place.code
        assert page is not None
        number = own_fault(self._plan, page, code)
        if number >= 0:
            if number in faults.PASSING and faults.is_ill(self.web, page, question.time):
                return self._ill(number, place)
            extras = self._extra_links(host, place, number, question.time)
        else:
            extras = self._traps(host, place, question.time)
        look = render.look(self.web, host, page, place.way, code, question.time)
        version = look.version
        fault = faults.OF_PAGES[number][1] if number in faults.STEADY else Fault.NONE
        validators = None if host.session_ids else self._validators(page, version)
        if validators and _is_current(host, validators, question):
            return self._unchanged(question, host, place, version, validators[0])
        body = render.document(self.web, look, extras)
        content = look.host.content_type
        if fault is Fault.HUGE_PAGE:
            body = _swollen(body, host, code)
        elif fault is Fault.WRONG_TYPE:
            content = ("Content-Type", _OTHER_TYPES[page % len(_OTHER_TYPES)])
        headers = (content, *validators[0]) if validators else (content,)
        return _sent(question, host, body, headers, place, version, fault)

    def _extra_links(self, host: Host, place: Place, fault: int, time: float) -> list[bytes]:
        """Return the paths of a page's extra links, which are not in the planted graph."""
        found = self._traps(host, place, time)
        folder = faults.OWN_FOLDERS.get(fault)
        if folder == "loop":
            found.append(b"/loop/%b/a" % base36(place.code))
        elif folder:
            found.append(b"/%b/%b.html" % (folder.encode(), base36(place.code)))
        return found

    def _traps(self, host: Host, place: Place, time: float) -> list[bytes]:
        found = []
        if place.code == 0 and host.has_trap_at_start:
            found += [first for first, is_there in (
                (traps.CALENDAR, host.calendar), (traps.PATHS, host.endless_paths),
                (traps.QUERIES, host.endless_queries),
            ) if is_there]  # fmt: skip
        if host.session_ids and place.page is not None:
            found.append(traps.session(self.web, place.page, path_of(place.way, place.code), time))
        return found

    def _validators(self, page: int, version: int) -> tuple[Headers, float]:
        key, law = self._plan.key, self._plan.law
        modified = change.time_of(key, law, page, version) if version else 0.0
        date = delivery.http_date(int(modified))
        return (("ETag", f'"{page:x}-{version:x}"'), ("Last-Modified", date)), modified

    def _unchanged(
        self, question: Question, host: Host, place: Place, version: int, headers: Headers
    ) -> Answer:
        headers = delivery.tagged(headers, delivery.coding(host, question.accept_encoding))
        headers = (*headers, delivery.VARY) if host.gzip or host.brotli else headers
        return Answer(304, headers, b"", place.kind, place.page, version)

    def _ill(self, number: int, place: Place) -> Answer:
        fault = faults.OF_PAGES[number][1]
        if fault is Fault.RESET:
            return Answer(0, (), b"", place.kind, place.page, fault=fault)
        if fault is Fault.SERVER_ERROR:
            return _plain(500, "something went wrong", place.kind, page=place.page, fault=fault)
        wait = ("Retry-After", str(int(faults.wait(self.web.profile.faults))))
        return _plain(503, "later, please", place.kind, wait, page=place.page, fault=fault)

    def _robots(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        if robots.is_silent(self.web, host.number):
            return _plain(504, "no answer", Kind.ROBOTS, fault=Fault.ROBOTS_TIMEOUT)
        text = robots.text(self.web, host.number)
        if text is None:
            return _plain(404, "no robots.txt", Kind.ROBOTS)
        return _sent(question, host, text.encode(), (_PLAIN,), place)

    def _sitemap(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        body = sitemap.sitemap(self.web, host, path, question.time)
        return _sent(question, host, body, (_XML,), place)

    def _form(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        body = render.behind_form(self.web, host, place.number)
        return _sent(question, host, body, (host.content_type,), place)

    def _redirect(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        fault = Fault.REDIRECT_CHAIN if place.number > 1 else Fault.NONE
        code = base36(place.code)
        if place.what == "loop":
            fault = Fault.REDIRECT_LOOP
            goal = b"/loop/%b/%b" % (code, b"ba"[place.number : place.number + 1])
        elif place.what == "hop" and place.number > 1:
            goal = b"/r/%d/%b" % (place.number - 1, code)
        else:
            goal = path_of(place.way, place.code)
        if place.code % 2:
            goal = host.origin + goal
        status = 301 if place.what == "slash" else _STATUSES[place.code // 2 % len(_STATUSES)]
        return Answer(status, (("Location", goal.decode()), _PLAIN), b"moved\n", Kind.REDIRECT,
                      place.page, fault=fault, chunked=host.chunked)  # fmt: skip

    def _frame(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        assert place.page is not None
        look = render.look(self.web, host, place.page, place.way, place.code, question.time)
        number = own_fault(self._plan, place.page, place.code)
        body = render.frame(self.web, look, place.number,
                            self._extra_links(host, place, number, question.time))  # fmt: skip
        return _sent(question, host, body, (look.host.content_type,), place, look.version)

    def _trap(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        if place.what == "session":
            return self._page(question, host, place)
        if place.what in _ENDLESS:
            body = _ENDLESS[place.what](host, path)
            return _sent(question, host, body, (host.content_type,), place)
        if place.what == "bomb":
            headers = (host.content_type, ("Content-Encoding", "gzip"))
            return Answer(200, headers, traps.bomb(), Kind.TRAP, fault=Fault.BOMB)
        body = host.head + b"...</title>\n</head>\n<body>\n" + b"".join(host.tables.paragraphs[:8])
        return Answer(200, (host.content_type,), body, Kind.TRAP, fault=Fault.ENDLESS_BODY,
                      chunked=host.chunked)  # fmt: skip

    def _absent(self, question: Question, place: Place) -> Answer:
        assert place.page is not None
        born, _ = life.life(self.web, place.page)
        if question.time < born:
            return _plain(404, "nothing is here yet", Kind.MISSING, page=place.page)
        return _plain(410, "gone for good", Kind.MISSING, page=place.page)

    def _missing(self, question: Question, host: Host, place: Place, path: str) -> Answer:
        if place.what == "gone":
            return _plain(410, "gone for good", Kind.MISSING, fault=Fault.GONE)
        fault = Fault.NOT_FOUND if place.what else Fault.NONE
        return _plain(404, "nothing is here", Kind.MISSING, fault=fault)


_ENDLESS = {
    "calendar": traps.calendar, "path": lambda host, _: traps.deeper(host), "query": traps.found,
}  # fmt: skip
_ANSWERS = {
    Kind.ROBOTS: SyntheticSite._robots,
    Kind.SITEMAP: SyntheticSite._sitemap,
    Kind.FORM: SyntheticSite._form,
    Kind.REDIRECT: SyntheticSite._redirect,
    Kind.FRAME: SyntheticSite._frame,
    Kind.TRAP: SyntheticSite._trap,
    Kind.MISSING: SyntheticSite._missing,
}


def _plain(
    status: int, text: str, kind: Kind, *more: tuple[str, str],
    page: int | None = None, fault: Fault = Fault.NONE,
) -> Answer:  # fmt: skip
    """Return an answer whose body is a line of text.

    Parameters
    ----------
    status : int
        The status, which also begins the line.
    text : str
        The rest of the line.
    kind : Kind
    *more : tuple of str
        Headers in addition to the content type.
    page : int, optional
    fault : Fault
    """
    return Answer(status, (_PLAIN, *more), f"{status} {text}\n".encode(), kind, page, fault=fault)


def _is_current(host: Host, validators: tuple[Headers, float], question: Question) -> bool:
    if question.if_none_match is None and question.if_modified_since is None:
        return False
    tag = delivery.tag(validators[0][0][1], delivery.coding(host, question.accept_encoding))
    return delivery.is_current(
        tag, validators[1], question.if_none_match, question.if_modified_since
    )


def _sent(
    question: Question, host: Host, body: bytes, headers: Headers, place: Place, version: int = 0,
    fault: Fault = Fault.NONE,
) -> Answer:  # fmt: skip
    """Return an answer whose body is compressed as the host and the request want it.

    Parameters
    ----------
    question : Question
    host : Host
    body : bytes
        The body before compression.
    headers : tuple of pairs
        The headers without those of compression.
    place : Place
        The meaning of the requested address.
    version : int
        How often the page has changed.
    fault : Fault
    """
    body, headers = delivery.packed(host, question.accept_encoding, body, headers)
    chunked = host.chunked or fault is Fault.TRUNCATED_CHUNKS
    return Answer(200, headers, body, place.kind, place.page, version, fault, chunked)


def _swollen(body: bytes, host: Host, code: int) -> bytes:
    """Return a document with megabytes of text added before its end."""
    text = b"".join(host.tables.paragraphs)
    times = -(-_HUGE // len(text)) * (1 + code % 2)
    before, end, after = body.rpartition(b"</body>")
    return before + text * times + end + after
