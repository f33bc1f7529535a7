"""Admission to the API: by a token alone, never by the cookie of a browser; and its failures.

A page of another site can make a browser send requests, but not with the header ``Authorization``
that this asks for. So no form token is needed here; the checks of the Host header and of where a
request comes from are those of all requests.
"""

from __future__ import annotations

import asyncio
import json
import os
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn

from aiohttp import web

from counterpoint.crawler.errors import CrawlError
from counterpoint.studio.api.declared import BODY, ApiError, Failure
from counterpoint.studio.api.shapes import plain
from counterpoint.studio.guard import (
    ACCESS,
    LARGE,
    PATIENCE,
    SMALL,
    Handler,
    is_api,
    is_embedded,
    same,
)
from counterpoint.studio.terminal import LOG

VARIABLE = "COUNTERPOINT_API_TOKEN"
"""The variable of the environment that may have the token."""
SHORTEST = 16
"""The fewest characters of a token."""
_MOST = 4096


def token_of(file: Path | None) -> str:
    """Return the token of a file, or else of the environment, from which it is removed.

    Parameters
    ----------
    file : Path or None

    Returns
    -------
    str
        "" if there is neither: the API is off.

    Raises
    ------
    CrawlError
        If the file cannot be read, or the token is none.
    """
    given = os.environ.pop(VARIABLE, "")  # crawls are processes of their own, and need it not
    if file is None:
        return _checked(given, VARIABLE) if given else ""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST + 1).decode("ascii")
    except OSError as error:
        raise CrawlError(f"--api-token {file}: {error.strerror}") from error
    except UnicodeDecodeError:
        text = ""
    return _checked(text.strip(), f"--api-token {file}")


def _checked(text: str, name: str) -> str:
    if not (SHORTEST <= len(text) <= _MOST and text.isascii() and text.isprintable()
            and " " not in text):  # fmt: skip
        raise CrawlError(f"{name}: a token has {SHORTEST} to {_MOST:,} letters, digits and signs "
                         "of ASCII, without spaces")  # fmt: skip
    return text


LARGE_PATHS = web.AppKey("large_paths", frozenset[str])
"""The paths whose bodies may be as large as a list of sites."""


@web.middleware
async def api(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Admit requests of the API that have its token, read their bodies, and answer failures."""
    if not is_api(request):
        return await handler(request)
    try:
        _admit(request)
        request[BODY] = await _body(request)
        return await handler(request)
    except ApiError as error:
        return failed(error.status, str(error), error.fields)
    except CrawlError as error:
        return failed(503, f"{error}.")
    except web.HTTPException as error:
        answer = failed(error.status, _WORDS.get(error.status, f"{error.reason}."))
        if "Allow" in error.headers:
            answer.headers["Allow"] = error.headers["Allow"]
        return answer
    except Exception:
        # A bug of the studio: its user sees the details in the terminal.
        LOG.exception("%s %s failed", request.method, request.path)
        return failed(500, "The studio has an error; its terminal shows the details.")


_WORDS = {404: "There is no such thing.", 405: "This method is not allowed here."}


def failed(status: int, message: str, fields: dict[str, str] | None = None) -> web.Response:
    """Return the answer to a request that failed."""
    answer = web.json_response(plain(Failure(message, fields or {})), status=status)
    if status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _admit(request: web.Request) -> None:
    """Check the token of a request.

    Raises
    ------
    ApiError
        If the API is off, a page of another site sends the request, or its token is wrong.
    """
    token = request.app[ACCESS].api
    if not token:
        raise ApiError(404, "The API is off: start the studio with --api-token FILE.")
    if is_embedded(request):
        raise ApiError(403, "Pages of other sites may not use this.")
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not same(given.strip(), token):
        raise ApiError(401, "Send the header Authorization: Bearer TOKEN.")


async def _body(request: web.Request) -> Any:
    """Return the body of a request, read from JSON; None if there is none.

    Raises
    ------
    ApiError
        If the body is too large, arrives too slowly, or is no JSON.
    """
    size = request.content_length
    if size is None and request.body_exists:
        raise ApiError(411, "The request must give its Content-Length.")
    if not size:
        return None
    _must_be_json(request, size)
    try:
        async with asyncio.timeout(PATIENCE):
            read = await request.read()
    except TimeoutError:
        raise ApiError(408, f"The body did not arrive in {PATIENCE:g} seconds.") from None
    except Exception:  # the connection is lost, or the parser fails in a way of its own
        raise ApiError(400, "The body cannot be read.") from None
    try:
        return json.loads(read.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ApiError(400, "The body is no JSON.") from None


def _must_be_json(request: web.Request, size: int) -> None:
    """Refuse a request whose head already says that its body is too large, or no JSON."""
    limit = LARGE if request.path in request.app[LARGE_PATHS] else SMALL
    if size > limit:
        raise ApiError(413, f"The request is too large: at most {limit // 1024:,} KiB.")
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise ApiError(415, "Send the body without a Content-Encoding.")
    if request.content_type != "application/json":
        raise ApiError(415, "The body must be of the type application/json.")


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)
