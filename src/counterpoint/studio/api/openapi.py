"""The OpenAPI document of the API, made of the declarations that are its routes, too."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from counterpoint.studio.api.declared import ROOT, Endpoint
from counterpoint.studio.api.shapes import Schema


def document(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of some declarations."""
    components: dict[str, Schema] = {}
    paths: dict[str, Schema] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = one.described(components)
    try:
        number = version("counterpoint")
    except PackageNotFoundError:  # a checkout that was not installed
        number = "0"
    return {
        "openapi": "3.1.0",
        "info": {"title": "Counterpoint studio", "version": number,
                 "description": "A crawl that is kept in a store: watched, steered and read. Times "
                                "are in seconds; those of events since 1970."},
        "servers": [{"url": ROOT}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }  # fmt: skip
