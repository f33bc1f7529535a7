"""What a step changes, as people read it: sequences and sets as a whole, other values by cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .data.composite import Part, Where, Whole

if TYPE_CHECKING:
    from ._model import Model
    from ._starts import Values


def readable_changes(
    model: Model, before: Values, after: Values, *, sets: bool = False
) -> dict[str, tuple[Any, Any]]:
    """Return what differs between two states: for each label, the old and the new value as shown.

    A queue or another sequence is one value, as in ``⟨a, b⟩``, whatever it is a part of.

    Parameters
    ----------
    model : Model
    before, after : Values
    sets : bool
        Whether a set is one value too, as in ``{a, b}``. If not, its members are shown one by one.
    """
    changed = [k for k, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    of_place: dict[int, tuple[Whole, Whole]] = {}
    for name in _composites(model, changed):
        composite = model.spec.declared_composites[name]
        ends = [
            composite.wholes(Where(model.at(values), name, (), name), name)
            for values in (before, after)
        ]
        for old, new in zip(*ends, strict=True):
            if sets or not new.is_set:
                places = [model.layout.places[leaf.variable, leaf.key] for leaf in new.leaves]
                of_place |= dict.fromkeys(places, (old, new))
    found: dict[str, tuple[Any, Any]] = {}
    for k in changed:
        if k in of_place:
            old, new = of_place[k]
            found[new.label] = old.text, new.text
        else:
            cell = model.cells[k]
            found[cell.label] = (
                model.show_value(cell, before[k]), model.show_value(cell, after[k]),
            )  # fmt: skip
    return found


def _composites(model: Model, places: list[int]) -> list[str]:
    """Return the variables with parts to which cells belong."""
    names = {model.cells[k].variable for k in places}
    parts = {n for n in names if isinstance(model.spec.declared_variables[n], Part)}
    composites = model.spec.declared_composites.items()
    return [name for name, of in composites if parts & {part.name for part in of.variables()}]
