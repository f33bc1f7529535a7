"""Serves the synthetic web over HTTP: by Host header, and as a proxy that forwards nothing."""

from counterpoint.sim_web.answer import SECONDS_PER_REQUEST

from .clock import LATEST, Clock, RealClock, VirtualClock
from .log import AccessLog
from .mounts import Mounts
from .mounts import parse as parse_mounts
from .request import TIME_HEADER
from .server import Server
from .settings import ServerSettings, allow_many_files

__all__ = [
    "LATEST",
    "SECONDS_PER_REQUEST",
    "TIME_HEADER",
    "AccessLog",
    "Clock",
    "Mounts",
    "RealClock",
    "Server",
    "ServerSettings",
    "VirtualClock",
    "allow_many_files",
    "parse_mounts",
]
