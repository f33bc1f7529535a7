"""Renders pages from templates; all values are escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from counterpoint.studio.guard import SESSION, WORDS

STATIC = Path(__file__).with_name("static")
TEMPLATES = web.AppKey("templates", Environment)
FLASHES = web.AppKey("flashes", dict[str, "Flash"])
STORE_NAME = web.AppKey("store_name", str)
_KEPT = 256
"""Number of sessions whose last message is kept."""


@dataclass(frozen=True)
class View:
    """An entry of the list of views."""

    name: str
    label: str
    path: str
    key: str
    live: str = ""


VIEWS = (
    ("", (View("crawl", "Crawl", "/crawl", "c"),
          View("sites", "Sites", "/sites", "s", "sites"),
          View("pages", "Pages", "/pages", "p", "known"),
          View("hosts", "Hosts", "/hosts", "h"))),
    ("Links", (View("internal", "Internal", "/links/internal", "i", "internal"),
               View("external", "External", "/links/external", "e", "external"),
               View("bad", "Bad", "/links/bad", "b", "bad"),
               View("broken", "Broken", "/links/broken", "k"))),
    ("Store", (View("export", "Export", "/export", "x"),
               View("settings", "Settings", "/settings", "t"))),
    ("Checks", (View("gate", "Gate", "/gate", "r"),)),
)  # fmt: skip


@dataclass(frozen=True)
class Flash:
    """A message at the top of the next page."""

    text: str
    wrong: bool = False


@dataclass
class Form:
    """The values of the fields of a form, and the errors in them."""

    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def environment() -> Environment:
    """Return the environment that renders the templates."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "broken": broken, "openable": openable, "moment": moment}
    return made


def number(value: float | None) -> str:
    """Return a number with separated thousands; a dash for None."""
    return "–" if value is None else f"{value:,}"


def moment(seconds: float | None) -> str:
    """Return a time in UTC as text; a dash for None."""
    if seconds is None:
        return "–"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def broken(text: str) -> Markup:
    """Return an escaped text that may be broken after the separators of an address."""
    return Markup("<wbr>").join(Markup(escape(part)) for part in re.split(r"(?<=[/?&=._-])", text))


def openable(address: str) -> bool:
    """Return whether the studio may show an address as a link: only http and https."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    plain = address.isprintable() and address == address.strip()
    return plain and parts.scheme in ("http", "https") and bool(parts.netloc)


def render(
    request: web.Request, template: str, here: str, status: int = 200, **values: Any
) -> web.Response:
    """Return a view as a page.

    Parameters
    ----------
    request : Request
    template : str
        The name of the template, without the ending.
    here : str
        The name of the view.
    status : int
        The HTTP status; 422 if a form is shown again with errors.
    values
        The variables of the template.
    """
    theme = request.cookies.get("theme", "")
    text = request.app[TEMPLATES].get_template(f"{template}.html.j2").render(
        csrf=request.get(WORDS, ""),
        flash=request.app[FLASHES].pop(request.get(SESSION, ""), None),
        here=here,
        store=request.app[STORE_NAME],
        theme=theme if theme in ("dark", "light") else "",
        views=VIEWS,
        **values,
    )  # fmt: skip
    return web.Response(text=text, status=status, content_type="text/html")


def redirect_with_message(
    request: web.Request, where: str, text: str, *, wrong: bool = False
) -> web.Response:
    """Return a redirect to a view that shows a message.

    Parameters
    ----------
    request : Request
    where : str
        The path of the view.
    text : str
        The message.
    wrong : bool
        Whether the message reports an error.
    """
    flashes = request.app[FLASHES]
    while len(flashes) >= _KEPT:
        del flashes[next(iter(flashes))]
    flashes[request[SESSION]] = Flash(text, wrong)
    return web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": where})
