"""The extras that each command needs, and the error message where one is missing."""

from __future__ import annotations

import click

EXTRAS = {
    "compare": "crawl,web", "coverage": "crawl,web", "crawl": "crawl",
    "evaluate": "crawl", "gate": "crawl,web",
    "graph": "graph", "index": "crawl", "links": "crawl", "list": "crawl,web",
    "papers": "crawl,web", "sites": "crawl", "studio": "studio", "try": "crawl", "web": "web",
}  # fmt: skip
"""The extras that each command needs; commands that are not listed need none."""

OPTIONAL = {
    "distributed": "dask", "matplotlib": "plots", "psycopg": "postgresql", "pyarrow": "parquet",
    "webgraph": "webgraph",
}  # fmt: skip
"""The extra that installs each module that only some options need."""

_CAPTURED = frozenset(["ada_url"])
"""Modules that `web` needs for a captured web alone."""


def command_to_install(extras: str) -> str:
    """Return the shell command that installs some extras, separated by commas."""
    return f"pip install 'counterpoint[{extras}]'"


class MissingExtraError(click.ClickException):
    """A command needs packages that are not installed; the message says how to install them.

    Parameters
    ----------
    error : ModuleNotFoundError
        Python's error; it names a module that does not belong to Counterpoint.
    command : str
        The command's name.
    """

    exit_code = 2

    def __init__(self, error: ModuleNotFoundError, command: str) -> None:
        module = (error.name or "").partition(".")[0]
        extras = OPTIONAL.get(module) or EXTRAS.get(command, "all")
        if module in _CAPTURED and command in ("web", "graph"):
            extras = "crawl,web"
        needed = command_to_install(extras)
        super().__init__(f"{command} needs {module}, which is not installed: {needed}")
