"""Which specs are parts of others, and whether a spec claims anything itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._spec import Spec

SILENT = frozenset({"action", "initially", "constraint"})
"""The kinds of methods that claim nothing."""


def parts_of(spec: type[Spec]) -> set[type[Spec]]:
    """Return the other specs that a spec refines, or has as parts."""
    refined = (mark.refined for mark in spec.declared_methods.values())
    found = {one.spec for one in refined if one is not None}
    for composite in spec.declared_composites.values():
        found |= composite.specs()
    return found


def claims(spec: type[Spec]) -> bool:
    """Return whether a spec claims more than that no variable leaves its range."""
    return any(mark.kind not in SILENT for mark in spec.declared_methods.values())
