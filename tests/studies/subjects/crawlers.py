"""Subjects of the tests: the crawler in `double`, on a small web."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from counterpoint.sim_web import profile
from counterpoint.studies.subjects import Subject, command_of

PROFILE = profile.from_mapping(
    {
        **profile.to_mapping(profile.load("broder-1999")),
        "name": "guarded",
        "robots": {"disallow": 0.7, "forbidden": 0.2},
        "style": {"frames": 0.2},
    },
    "the tests",
    "",
)
"""Many robots.txt that forbid, and many frames."""

DOUBLE = Path(__file__).with_name("double.py")
WEB_PAGES, PAGES = 300, 100


def command(*faults: str) -> str:
    """Return the command of the double with some faults."""
    return " ".join([sys.executable, str(DOUBLE), "{seeds_file}", "{pages}", *faults])


def subject(*faults: str, text: str = "", **options: Any) -> Subject:
    """Return the double, or the crawler of another command, as a subject."""
    options = {"pages": PAGES, "web_pages": WEB_PAGES, "seeds": (7,), "timeout": 100.0} | options
    name = "-".join(faults) or "good"
    return Subject(
        options.pop("name", name), command_of(text or command(*faults)),
        PROFILE, **options,
    )  # fmt: skip
