"""Access control of the studio: middleware that checks each request before a view handles it.

A page of a foreign site can make a browser send requests to the studio. Three checks refuse them:
the Host header must name the studio, so DNS rebinding fails; the Origin header of a write must be
the studio's; and each form carries a token that other sites do not know.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, TypeAlias

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
"""The Content-Security-Policy of all pages: only the studio's own files, nothing inline."""

# With no-referrer, a browser would send ``Origin: null`` with the studio's own forms. Other sites
# get no referrer in either case.
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
"""Largest body of a request in bytes; `LARGE` for the import of a list of sites."""
LARGE = 8 * 1024 * 1024
IMPORT = "/sites/import"

PATIENCE = 60.0
"""Seconds in which the body of a request must arrive."""
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")

WORDS = web.RequestKey("csrf", str)
"""The token that forms of this session must carry."""
SESSION = web.RequestKey("session", str)


class RequestRefused(Exception):
    """A refused request; the message is one line for the user."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Access:
    """The rules of access.

    Attributes
    ----------
    hosts : frozenset of str
        Allowed values of the Host header, in lower case.
    port : int
        The port of the studio; it is part of the cookie's name, so that several studios on one
        host do not share sessions.
    token : str
        The token in the start address; "" if none is needed, as on loopback.
    api : str
        The token of the HTTP API; "": the API is off.
    secret : bytes
        The key that signs sessions; each start of the studio has a new one.
    """

    hosts: frozenset[str]
    port: int
    token: str = field(default="", repr=False)
    api: str = field(default="", repr=False)
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"counterpoint-studio-{self.port}"

    def session(self) -> str:
        """Return a new session, the value of the cookie."""
        nonce = secrets.token_urlsafe(18)
        return f"{nonce}.{self._mac('session', nonce)}"

    def known(self, session: str) -> bool:
        """Return whether this studio has signed a session."""
        nonce, _, mac = session.partition(".")
        return same(mac, self._mac("session", nonce))

    def words(self, session: str) -> str:
        """Return the token that forms of a session carry."""
        return self._mac("form", session)

    def folder(self) -> str:
        """Return the secret path of the report: a client that knows it may read the report."""
        return self._mac("report", "")[:32]

    def admits(self, token: str) -> bool:
        """Return whether a token is the token of the start address."""
        return bool(self.token) and same(token, self.token)

    def _mac(self, use: str, text: str) -> str:
        message = f"{use}:{text}".encode(errors="replace")
        return hmac.new(self.secret, message, hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Return whether two texts are equal, in a time that says nothing about where they differ."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def is_loopback(address: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    if address == "localhost":
        return True
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def names_of(listen: str, port: int, more: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the allowed Host headers of a studio.

    Parameters
    ----------
    listen : str
        The address at which it listens.
    port : int
        The port at which it listens.
    more : tuple of str
        Other host names of the studio.
    """
    names = {listen, *more}
    if is_loopback(listen):
        names |= {"127.0.0.1", "localhost", "::1"}
    shown = {f"[{name}]" if ":" in name else name.lower() for name in names}
    with_port = {f"{name}:{port}" for name in shown}
    return frozenset(with_port | shown if port == 80 else with_port)


ACCESS = web.AppKey("access", Access)


@web.middleware
async def names(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests with a foreign Host header."""
    if request.host.lower() not in request.app[ACCESS].hosts:
        return web.Response(
            status=HTTPStatus.MISDIRECTED_REQUEST,
            text="This studio is not served under that name.\n",
        )
    return await handler(request)


async def dress(_: web.Request, answer: web.StreamResponse) -> None:
    """Set the security headers of an answer that will be sent, except those that it has."""
    for name, value in _HEADERS.items():
        answer.headers.setdefault(name, value)


@web.middleware
async def sessions(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Accept requests with a session; start a session on loopback, or for the token."""
    if is_api(request):  # it has a token of its own, and takes no session
        return await handler(request)
    access = request.app[ACCESS]
    if is_embedded(request) and not _is_report(request):
        raise RequestRefused(403, "Only pages of this studio may load this.")
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


def is_api(request: web.Request) -> bool:
    """Return whether a request is one of the HTTP API; by its route, if it has one."""
    resource = request.match_info.route.resource
    path = request.path if resource is None else resource.canonical
    return path.startswith("/api/")


def is_embedded(request: web.Request) -> bool:
    """Return whether a page of another site requests this as a picture, script or stream."""
    site, mode = (request.headers.get(f"Sec-Fetch-{name}", "") for name in ("Site", "Mode"))
    return site in ("cross-site", "same-site") and mode != "navigate"


def _is_report(request: web.Request) -> bool:
    # Pages of the report are sandboxed, so their requests have no cookie; the path is secret.
    return request.path.startswith(f"/report/{request.app[ACCESS].folder()}/")


def _admitted(request: web.Request, access: Access) -> web.Response:
    """Answer a request without a session: the start address starts one, others are refused."""
    if request.method != "GET" or not access.admits(request.query.get("token", "")):
        raise RequestRefused(401, "Open the address that the studio printed when it started.")
    answer = web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": request.path})
    _give(answer, access, access.session())
    return answer


def _give(answer: web.StreamResponse, access: Access, session: str) -> None:
    # With Strict, a link from another place, such as a mail, would come without the cookie. Writes
    # are protected by the Origin header and the form's token.
    answer.set_cookie(access.cookie, session, httponly=True, samesite="Lax", path="/")


@web.middleware
async def writes(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse writes that do not come from a page of this studio."""
    if is_api(request) or request.method in ("GET", "HEAD"):
        return await handler(request)
    if request.method != "POST":
        raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD", "POST"))
    origin = request.headers.get("Origin", "")
    if origin.lower() != f"http://{request.host.lower()}":
        raise RequestRefused(403, "Only pages of this studio may change anything.")
    _must_be_a_form(request)
    submitted = await _form(request)
    try:
        given = submitted.get("csrf", "")
        if not isinstance(given, str) or not same(given, request[WORDS]):
            raise RequestRefused(
                403, "This page is from an earlier studio: load it again, then repeat."
            )
        return await handler(request)
    finally:
        for value in submitted.values():
            if isinstance(value, web.FileField):
                value.file.close()


def _must_be_a_form(request: web.Request) -> None:
    """Refuse a request whose head already says that its body is no form.

    Raises
    ------
    RequestRefused
        If the length is missing or too large, or the type or a coding is none of a form.
    """
    limit = LARGE if request.path == IMPORT else SMALL
    size = request.content_length
    if size is None:
        raise RequestRefused(411, "The request must give its Content-Length.")
    if size > limit:
        raise RequestRefused(413, f"The request is too large: at most {limit // 1024:,} KiB.")
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise RequestRefused(415, "Send the form without a Content-Encoding.")
    if size and request.content_type not in _FORMS:
        raise RequestRefused(415, f"The request must be a form: {' or '.join(_FORMS)}.")


async def _form(request: web.Request) -> Mapping[str, Any]:
    """Return the submitted form.

    Raises
    ------
    RequestRefused
        If the body arrives too slowly, or cannot be read.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            submitted = await request.post()
        # With a charset of the sender's choice, a text may be impossible to encode in a page.
        for name, value in submitted.items():
            text = value.filename if isinstance(value, web.FileField) else value
            f"{name}{text if isinstance(text, str) else ''}".encode()
    except TimeoutError:
        raise RequestRefused(408, f"The form did not arrive in {PATIENCE:g} seconds.") from None
    except web.HTTPException:
        raise
    except Exception:  # the connection is lost, or a parser or codec fails in a way of its own
        raise RequestRefused(400, "The form cannot be read.") from None
    return submitted
