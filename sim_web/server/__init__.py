"""The synthetic web over HTTP: answers by Host header and as a proxy, forwards nothing."""

from counterpoint.sim_web.answer import SECONDS_PER_REQUEST

from .clock import LATEST, Clock, RealClock, VirtualClock
from .log import Log
from .mounts import Mounts
from .mounts import parse as parse_mounts
from .request import TIME_HEADER
from .server import Server
from .settings import Settings, allow_many_files

__all__ = [
    "LATEST",
    "SECONDS_PER_REQUEST",
    "TIME_HEADER",
    "Clock",
    "Log",
    "Mounts",
    "RealClock",
    "Server",
    "Settings",
    "VirtualClock",
    "allow_many_files",
    "parse_mounts",
]
