"""A client of the studio's HTTP API that checks each answer against the OpenAPI document."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from jsonschema import Draft202012Validator

from counterpoint.crawler.store.opening import open_store
from counterpoint.studio.api.declared import ROOT
from counterpoint.studio.api.openapi import document
from counterpoint.studio.api.routes import ENDPOINTS

from .client import Client, serve_studio

T = TypeVar("T")
TOKEN = "a-token-of-the-tests"
DOCUMENT = document(ENDPOINTS)


def operation(method: str, path: str) -> dict[str, Any] | None:
    """Return the operation of the document that a request asks for; None: there is none."""
    parts = path.split("/")
    for template, methods in DOCUMENT["paths"].items():
        known = template.split("/")
        fits = len(known) == len(parts) and all(
            (one.startswith("{") and part.isdecimal()) or one == part
            for one, part in zip(known, parts, strict=True)
        )
        if fits and method.lower() in methods:
            found: dict[str, Any] = methods[method.lower()]
            return found
    return None


def must_agree(method: str, path: str, status: int, value: Any) -> None:
    """Check an answer against what the document says of its operation and status."""
    described = operation(method, path)
    if described is None:
        assert status in (404, 405), (method, path, status)
        schema: Any = {"$ref": "#/components/schemas/Failure"}
    else:
        assert str(status) in described["responses"], (method, path, status, value)
        content = described["responses"][str(status)]["content"]
        schema = content["application/json"]["schema"]
    whole = {**schema, "components": DOCUMENT["components"]}
    errors = [error.message for error in Draft202012Validator(whole).iter_errors(value)]
    assert errors == [], (method, path)


@dataclass
class ApiClient:
    """A client with the token, or with other headers.

    Attributes
    ----------
    studio : Client
    """

    studio: Client

    async def ask(self, method: str, path: str, body: Any = None, *, status: int = 200,
                  headers: dict[str, str] | None = None) -> Any:  # fmt: skip
        """Send a request, check the answer and its status, and return its value."""
        options: dict[str, Any] = {"headers": {"Authorization": f"Bearer {TOKEN}"}}
        if body is not None:
            options["data"] = json.dumps(body)
            options["headers"]["Content-Type"] = "application/json"
        if headers is not None:
            options["headers"] = {**options["headers"], **headers}
        answer = await self.studio.request(method, ROOT + path, **options)
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        value = json.loads(answer.text)
        must_agree(method, path.partition("?")[0], answer.status, value)
        assert answer.status == status, (method, path, value)
        return value

    async def get(self, path: str, status: int = 200) -> Any:
        """Send a GET request."""
        return await self.ask("GET", path, status=status)

    async def all_of(self, path: str, which: str = "next", parameter: str = "after") -> list[Any]:
        """Return all entries of a list, part by part."""
        found, place = [], ""
        sign = "&" if "?" in path else "?"
        while True:
            part = await self.get(f"{path}{sign}{parameter}={place}" if place else path)
            found.append(part["items"])
            place = part[which]
            if not place:
                return [item for items in found for item in items]


def use_api(directory: Path, act: Callable[[ApiClient], Awaitable[T]], token: str = TOKEN) -> T:
    """Serve the store ``crawl.db`` of a directory with an API; return what ``act`` returns."""

    async def run() -> T:
        with open_store(directory / "crawl.db", create=True) as store:
            async with serve_studio(store, api=token) as client:
                return await act(ApiClient(client))

    return asyncio.run(run())
