"""Runs a command line where only the packages of some extras can be imported.

``python -m tests.counterpoint.without EXTRAS ARGUMENTS…``: EXTRAS are names with commas between
them, or "" for what is installed always.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def required(name: str, extras: Sequence[str], known: set[tuple[str, str]]) -> Iterator[str]:
    """Yield the distributions that a distribution needs with some extras, including itself."""
    name = canonicalize_name(name)
    todo = [extra for extra in ("", *extras) if (name, extra) not in known]
    known.update((name, extra) for extra in todo)
    try:
        lines = metadata.requires(name) or [] if todo else []
    except metadata.PackageNotFoundError:  # it is for another kind of machine
        return
    yield name
    for line in lines:
        one = Requirement(line)
        if any(one.marker is None or one.marker.evaluate({"extra": extra}) for extra in todo):
            yield from required(one.name, sorted(one.extras), known)


class Denied(MetaPathFinder):
    """Import hook that denies modules of installed distributions that are not allowed."""

    def __init__(self, allowed: set[str]) -> None:
        self.denied = {
            module
            for module, names in metadata.packages_distributions().items()
            if not allowed & {canonicalize_name(name) for name in names}
        }

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise the error that Python raises for a module that is not installed."""
        if name.partition(".")[0] in self.denied:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


if __name__ == "__main__":
    extras = [extra for extra in sys.argv[1].split(",") if extra]
    sys.meta_path.insert(0, Denied(set(required("counterpoint", extras, set()))))
    for module in [m for m in sys.modules if m.partition(".")[0] == "packaging"]:
        del sys.modules[module]
    sys.argv = ["counterpoint", *sys.argv[2:]]
    from counterpoint.main import main

    main()
