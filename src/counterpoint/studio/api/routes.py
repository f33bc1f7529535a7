"""The routes of the API, and its document; both are made of the same declarations."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from counterpoint.studio.api import crawl, lists, sites
from counterpoint.studio.api.admission import LARGE_PATHS
from counterpoint.studio.api.declared import ROOT, Endpoint, Given
from counterpoint.studio.api.openapi import document

DOCUMENT = "/openapi.json"


async def show_document(_: Given) -> dict[str, Any]:
    """Return the OpenAPI document."""
    return document(ENDPOINTS)


ENDPOINTS = (
    *crawl.ENDPOINTS,
    *sites.ENDPOINTS,
    *lists.ENDPOINTS,
    Endpoint("GET", DOCUMENT, "This document.", show_document, dict[str, Any]),
)


def add_api(application: web.Application) -> None:
    """Add the routes of the API to the studio."""
    application[LARGE_PATHS] = frozenset(ROOT + one.path for one in ENDPOINTS if one.large)
    application.add_routes([one.route() for one in ENDPOINTS])
