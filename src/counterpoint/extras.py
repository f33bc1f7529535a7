"""What commands need beyond the base installation, and what is said where it is missing."""

from __future__ import annotations

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


def explain(error: ModuleNotFoundError, command: str) -> str:
    """Return in one line what is missing for a command, and how it is installed.

    Parameters
    ----------
    error : ModuleNotFoundError
        What Python said of a module that is not ours.
    command : str
        The command's name.
    """
    module = (error.name or "").partition(".")[0]
    extras = OPTIONAL.get(module) or EXTRAS.get(command, "all")
    needed = command_to_install(extras)
    return f"{command} needs {module}, which is not installed: {needed}"
