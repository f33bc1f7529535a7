"""The readers by name; each module here has some of them in a tuple ``READERS``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..reader import Reader


def readers() -> dict[str, Reader]:
    """Return all readers by name, in the order of their modules.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found: dict[str, Reader] = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        for reader in import_module(f"{__name__}.{path.stem}").READERS:
            if found.setdefault(reader.name, reader) is not reader:
                raise ValueError(f"two readers have the name {reader.name}")
    return found
