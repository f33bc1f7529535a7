"""What commands need beyond the base installation, and what is said where it is missing."""

from __future__ import annotations

import click

EXTRAS = {
    "compare": "crawl,web", "coverage": "crawl,web", "crawl": "crawl",
    "evaluate": "crawl", "gate": "crawl,web",
    "graph": "graph", "index": "crawl", "links": "crawl", "list": "crawl,web",
    "papers": "crawl,web", "sites": "crawl", "studio": "studio", "web": "web",
}  # fmt: skip
"""For each command the extras that it needs; the others need none."""

OPTIONAL = {
    "distributed": "dask", "matplotlib": "plots", "psycopg": "postgresql", "pyarrow": "parquet",
    "webgraph": "webgraph",
}  # fmt: skip
"""For modules that only some options need, their extras."""


def command_to_install(extras: str) -> str:
    """Return how extras are installed, as one types it."""
    return f"pip install 'counterpoint[{extras}]'"


class MissingExtraError(click.ClickException):
    """A command needs packages that are not installed; the message says how they are.

    Parameters
    ----------
    error : ModuleNotFoundError
        What Python said of a module that is not ours.
    command : str
        The command's name.
    """

    exit_code = 2

    def __init__(self, error: ModuleNotFoundError, command: str) -> None:
        module = (error.name or "").partition(".")[0]
        needed = command_to_install(OPTIONAL.get(module) or EXTRAS.get(command, "all"))
        super().__init__(f"{command} needs {module}, which is not installed: {needed}")
