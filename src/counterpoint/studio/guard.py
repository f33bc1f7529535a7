"""Who may see the studio, and who may change anything: checked before any view is reached.

A page of a foreign site can make a browser send requests here. It cannot name our host (the Host
header is checked, so a name that is rebound to this address is refused), cannot write from its own
origin (the Origin header is checked), and does not know the token that each form carries.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import TypeAlias

from aiohttp import web

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""Of all pages of the studio: nothing but our own files, nothing inline."""

# Not no-referrer: a browser would then send ``Origin: null`` with our own forms. Other sites are
# told nothing either way.
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

SMALL = 64 * 1024
"""Bytes that the body of a request may have; more only where a list of sites is imported."""
LARGE = 8 * 1024 * 1024
IMPORT = "/sites/import"

WORDS = web.RequestKey("csrf", str)
"""What forms of this session must carry."""
SESSION = web.RequestKey("session", str)


class Refused(Exception):
    """A request that is not answered; the message is one line for whoever sent it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Access:
    """Who is let in.

    Attributes
    ----------
    hosts : frozenset of str
        Values of the Host header that are ours, in lower case.
    port : int
        Where it listens: sessions of studios on several ports are told apart by it.
    token : str
        What the start address carries; "": none is needed, as on loopback.
    secret : bytes
        Signs sessions; a new one with each start.
    """

    hosts: frozenset[str]
    port: int
    token: str = ""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"counterpoint-studio-{self.port}"

    def session(self) -> str:
        """Return a new session: what the cookie holds."""
        nonce = secrets.token_urlsafe(18)
        return f"{nonce}.{self._mac('session', nonce)}"

    def known(self, session: str) -> bool:
        """Return whether a session is one of ours."""
        nonce, _, mac = session.partition(".")
        return _same(mac, self._mac("session", nonce))

    def words(self, session: str) -> str:
        """Return what forms of a session carry."""
        return self._mac("form", session)

    def folder(self) -> str:
        """Return the name under which the report is served: whoever knows it may read it."""
        return self._mac("report", "")[:32]

    def admits(self, token: str) -> bool:
        """Return whether a token is the one of the start address."""
        return bool(self.token) and _same(token, self.token)

    def _mac(self, use: str, text: str) -> str:
        told = f"{use}:{text}".encode(errors="replace")
        return hmac.new(self.secret, told, hashlib.sha256).hexdigest()


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def is_loopback(address: str) -> bool:
    """Return whether an address to listen at is reached from this machine alone."""
    if address == "localhost":
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def names_of(listen: str, port: int, more: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the Host headers of a studio that listens at an address.

    Parameters
    ----------
    listen : str
    port : int
    more : tuple of str
        Other names by which it is reached.
    """
    names = {listen, *more}
    if is_loopback(listen):
        names |= {"127.0.0.1", "localhost", "::1"}
    shown = {f"[{name}]" if ":" in name else name.lower() for name in names}
    with_port = {f"{name}:{port}" for name in shown}
    return frozenset(with_port | shown if port == 80 else with_port)


ACCESS = web.AppKey("access", Access)


@web.middleware
async def headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give every answer its headers, and let a foreign Host have none of ours."""
    if request.host.lower() not in request.app[ACCESS].hosts:
        answer: web.StreamResponse = web.Response(
            status=HTTPStatus.MISDIRECTED_REQUEST,
            text="This studio is not served under that name.\n",
        )
    else:
        answer = await handler(request)
    if not answer.prepared:  # a stream has sent them itself
        dress(answer)
    return answer


def dress(answer: web.StreamResponse) -> None:
    """Set the headers that every answer has, unless it has set one itself."""
    for name, value in _HEADERS.items():
        answer.headers.setdefault(name, value)


@web.middleware
async def sessions(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let in who has a session; on loopback, or for the token, give one."""
    access = request.app[ACCESS]
    if _is_embedded(request) and not _is_report(request):
        raise Refused(403, "Only pages of this studio may load this.")
    session = request.cookies.get(access.cookie, "")
    known = access.known(session)
    if not known:
        if access.token and not _is_report(request):
            return _admitted(request, access)
        session = access.session()
    request[SESSION], request[WORDS] = session, access.words(session)
    answer = await handler(request)
    if not (known or answer.prepared or access.token or _is_report(request)):
        _give(answer, access, session)
    return answer


def _is_embedded(request: web.Request) -> bool:
    """Return whether a page of another site loads it: as its picture, script or stream."""
    site, mode = (request.headers.get(f"Sec-Fetch-{name}", "") for name in ("Site", "Mode"))
    return site in ("cross-site", "same-site") and mode != "navigate"


def _is_report(request: web.Request) -> bool:
    # Its pages are sandboxed, so their links come without a cookie; the address is the key.
    return request.path.startswith(f"/report/{request.app[ACCESS].folder()}/")


def _admitted(request: web.Request, access: Access) -> web.Response:
    """Answer somebody who has no session: the start address gives one, all else is refused."""
    if request.method != "GET" or not access.admits(request.query.get("token", "")):
        raise Refused(401, "Open the address that the studio printed when it started.")
    answer = web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": request.path})
    _give(answer, access, access.session())
    return answer


def _give(answer: web.StreamResponse, access: Access, session: str) -> None:
    # Not Strict: a link from elsewhere, as in a mail, would come without it and get another one,
    # or be refused. What changes something is checked by its Origin and its words.
    answer.set_cookie(access.cookie, session, httponly=True, samesite="Lax", path="/")


@web.middleware
async def writes(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what changes something and does not come from a page of this studio."""
    if request.method in ("GET", "HEAD"):
        return await handler(request)
    if request.method != "POST":
        raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD", "POST"))
    origin = request.headers.get("Origin", "")
    if origin.lower() != f"http://{request.host.lower()}":
        raise Refused(403, "Only pages of this studio may change anything.")
    limit = LARGE if request.path == IMPORT else SMALL
    if request.content_length is None or request.content_length > limit:
        raise Refused(413, f"That is too much: at most {limit // 1024:,} KiB can be sent here.")
    try:
        told = await request.post()
        # A charset of the sender's choice may make text of it that no page can show.
        "".join(text for text in told.values() if isinstance(text, str)).encode()
    except (ValueError, LookupError, RuntimeError):  # aiohttp: a body that is not what it says
        raise Refused(400, "The form cannot be read.") from None
    given = told.get("csrf", "")
    if not isinstance(given, str) or not _same(given, request[WORDS]):
        raise Refused(403, "This page is from an earlier studio: load it again, then repeat.")
    return await handler(request)
