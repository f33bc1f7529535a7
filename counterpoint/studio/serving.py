"""The studio as a server: its routes, its errors, its beginning and its end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import secrets
import signal
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import click
from aiohttp import web

from counterpoint.console import progress
from crawler.errors import CrawlError
from crawler.store.opening import Store, open_store

from . import deleting, exports, links, plan, report, sites, tuning
from .crawling import CRAWLING, Crawling
from .guard import ACCESS, LARGE, Access, Handler, Refused, headers, is_loopback, names_of
from .guard import sessions, writes
from .live import Feed
from .rendering import FLASHES, STATIC, STORE_NAME, TEMPLATES, environment, render
from .stored import FEED, STORE
from .watching import Watch
