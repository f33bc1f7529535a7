"""Declarations of the API: each is a route, and its part of the OpenAPI document.

A declaration says which parameters and body a request has; both are checked before its function is
called, so a function gets only values of the declared kinds.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias

from aiohttp import web

from counterpoint.studio.api.shapes import Schema, plain, schema_of, wrong

ROOT = "/api/v1"
BODY = web.RequestKey("body", object)
"""The body of a request, read from JSON; None: there is none."""


class Failure(NamedTuple):
    """Why a request failed; ``fields``: what is wrong with which parameter or key of the body."""

    error: str
    fields: dict[str, str]


class ApiError(Exception):
    """A request that fails; the message is one sentence for the user.

    Parameters
    ----------
    status : int
        The HTTP status.
    message : str
    fields : dict of str to str
        What is wrong with which parameter or key of the body.
    """

    def __init__(self, status: int, message: str, fields: Mapping[str, str] = {}) -> None:
        super().__init__(message)
        self.status, self.fields = status, dict(fields)


@dataclass(frozen=True)
class Parameter:
    """A parameter of the query or a part of the path.

    Attributes
    ----------
    name, about : str
    schema : dict
        Of one type: string, integer or boolean.
    usual : str, int or bool
        The value if a request does not have the parameter; None: that is no value.
    """

    name: str
    about: str
    schema: Schema = field(default_factory=lambda: {"type": "string"})
    usual: Any = None

    def read(self, text: str) -> Any:
        """Return the value of a text.

        Raises
        ------
        ApiError
            If the text is none of the declared values.
        """
        value = _value(text, self.schema["type"])
        found = wrong(value, self.schema, self.name)
        if found:
            raise ApiError(422, f"{self.name} is wrong.", found)
        return value


def _value(text: str, kind: str) -> Any:
    if kind == "boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if kind == "integer" and re.fullmatch(r"-?[0-9]{1,19}", text):
        return int(text)
    return text


def number(name: str, about: str, most: int, least: int = 0, usual: Any = None) -> Parameter:
    """Return a parameter that is a whole number of a range."""
    return Parameter(name, about, {"type": "integer", "minimum": least, "maximum": most}, usual)


def choice(name: str, about: str, values: Any, usual: Any = None) -> Parameter:
    """Return a parameter that is one of some texts."""
    return Parameter(name, about, {"type": "string", "enum": [str(one) for one in values]}, usual)


def switch(name: str, about: str) -> Parameter:
    """Return a parameter that is true or false, false if it is missing."""
    return Parameter(name, about, {"type": "boolean"}, False)


class Given(NamedTuple):
    """A request that fits its declaration: the parameters by name, and the body."""

    request: web.Request
    values: dict[str, Any]
    body: Any


Act: TypeAlias = Callable[[Given], Awaitable[Any]]


@dataclass(frozen=True)
class Endpoint:
    """One method of one path.

    Attributes
    ----------
    method, path : str
        ``path`` is below `ROOT`, with the parts that vary in braces.
    about : str
        What it does, in one sentence; the function's own name is its name in the document.
    act : callable
        Returns the answer.
    answer : type
        The type of the answer.
    query, parts : tuple of Parameter
        The parameters, and the parts of the path that vary: whole numbers.
    body : dict or None
        The schema of the body; None: there is none.
    status : int
        Of an answer that is no failure.
    failures : tuple of int
        The statuses with which it can fail, besides those of every request.
    large : bool
        Whether the body may be as large as a list of sites.
    name : str
        Its name in the document, if the function has several.
    """

    method: str
    path: str
    about: str
    act: Act
    answer: Any
    query: tuple[Parameter, ...] = ()
    parts: tuple[Parameter, ...] = ()
    body: Schema | None = None
    status: int = 200
    failures: tuple[int, ...] = ()
    large: bool = False
    name: str = ""

    @property
    def called(self) -> str:
        """The name in the document."""
        return self.name or self.act.__name__

    def route(self) -> web.RouteDef:
        """Return the route."""
        path = self.path
        for part in self.parts:
            digits = len(str(part.schema["maximum"]))
            path = path.replace(f"{{{part.name}}}", rf"{{{part.name}:\d{{1,{digits}}}}}")
        options = {"allow_head": False} if self.method == "GET" else {}
        return web.RouteDef(self.method, ROOT + path, self.serve, options)

    async def serve(self, request: web.Request) -> web.Response:
        """Answer a request that was admitted, and whose body was read."""
        given = Given(request, self._values(request), self._checked(request.get(BODY)))
        return web.json_response(plain(await self.act(given)), status=self.status)

    def _values(self, request: web.Request) -> dict[str, Any]:
        known = {one.name: one for one in self.query}
        values = {one.name: one.usual for one in self.query}
        for name, text in request.query.items():
            if name not in known:
                shown = name[:80].encode("ascii", "replace").decode()
                has = f"there are {', '.join(known)}" if known else "there are none here"
                raise ApiError(
                    422, f"There is no such parameter; {has}.", {shown: "It is unknown."}
                )
            values[name] = known[name].read(text)
        return values | {part.name: part.read(request.match_info[part.name]) for part in self.parts}

    def _checked(self, body: Any) -> Any:
        if self.body is None:
            if body is not None:
                raise ApiError(422, "This request has no body.")
            return None
        found = wrong(body, self.body)
        if found:
            whole = found.pop("", None)
            raise ApiError(422, f"The body is wrong: {whole or 'see its fields.'}", found)
        return body

    def described(self, components: dict[str, Schema]) -> Schema:
        """Return the operation of the OpenAPI document."""
        inside = [(one, "query") for one in self.query] + [(one, "path") for one in self.parts]
        made: Schema = {
            "operationId": self.called,
            "summary": self.about,
            "parameters": [_described(one, place) for one, place in inside],
            "responses": {
                str(self.status): _answer("The answer.", schema_of(self.answer, components))
            },
        }
        failed = schema_of(Failure, components)
        for status in sorted({401, 422, 500, 503, *self.failures}):
            made["responses"][str(status)] = _answer(HTTPStatus(status).phrase, failed)
        made["responses"]["default"] = _answer("A request that HTTP or a check refuses.", failed)
        if self.body is not None:
            made["requestBody"] = {"required": True, **_content(self.body)}
        return made


def _described(one: Parameter, place: str) -> Schema:
    schema = one.schema if one.usual is None else one.schema | {"default": one.usual}
    return {"name": one.name, "in": place, "description": one.about, "schema": schema,
            "required": place == "path"}  # fmt: skip


def _content(schema: Schema) -> Schema:
    return {"content": {"application/json": {"schema": schema}}}


def _answer(about: str, schema: Schema) -> Schema:
    return {"description": about, **_content(schema)}
