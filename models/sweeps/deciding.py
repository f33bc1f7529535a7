"""Finds the choices that decide whether a claim is kept, from the rows of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import TypeAlias

from .readings import Kind, ReadingsRow, ReadingsStudy

Cube: TypeAlias = tuple[frozenset[int], ...]
"""For each parameter, the positions of its allowed values."""


def single_changes(study: ReadingsStudy) -> list[tuple[ReadingsRow, Kind]]:
    """Return the default row and those that differ from it in one choice, with their kinds."""
    near = [row for row in study.rows if len(study.changes(row)) <= 1]
    return [(row, row.kind(study.claim.criterion)) for row in near]


def deciding(study: ReadingsStudy) -> dict[str, int]:
    """Return, for each choice, in how many rows it can change the answer by itself.

    A row counts if it keeps the claim, and another row that differs from it in this choice alone
    does not, or the other way round. The choice that decides most often comes first.
    """
    criterion = study.claim.criterion
    kept = {_key(row): row.kind(criterion) == "kept" for row in study.rows}
    found = {}
    for place, name in enumerate(study.choices):
        groups: dict[tuple[str, ...], list[bool]] = {}
        for key, keeps in kept.items():
            groups.setdefault(key[:place] + key[place + 1 :], []).append(keeps)
        found[name] = sum(len(g) for g in groups.values() if True in g and False in g)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _key(row: ReadingsRow) -> tuple[str, ...]:
    return tuple(row.choices.values())


def hopeless(study: ReadingsStudy) -> list[tuple[str, str]]:
    """Return the readings with which no row keeps the claim, although other rows do."""
    kept = [row for row in study.rows if row.kind(study.claim.criterion) == "kept"]
    return [
        (name, value)
        for name, values in study.choices.items()
        for value in values
        if kept and all(row.choices[name] != value for row in kept)
    ]


def conjunctions(study: ReadingsStudy) -> list[tuple[dict[str, tuple[str, ...]], int]]:
    """Return conjunctions of choices that together describe exactly the rows that keep the claim.

    Returns
    -------
    list of (conjunction, int)
        For each parameter that matters, its allowed values; and the number of rows that satisfy the
        conjunction. No conjunction can be made wider; a row may satisfy several.
    """
    names = list(study.choices)
    places = {n: {v: i for i, v in enumerate(values)} for n, values in study.choices.items()}
    kept = frozenset(
        tuple(places[n][row.choices[n]] for n in names)
        for row in study.rows
        if row.kind(study.claim.criterion) == "kept"
    )
    sizes = tuple(len(v) for v in study.choices.values())
    return [
        (
            {
                n: tuple(study.choices[n][i] for i in sorted(allowed))
                for n, allowed, size in zip(names, cube, sizes, strict=True)
                if len(allowed) < size
            },
            prod(map(len, cube)),
        )
        for cube in cover(kept, sizes)
    ]


def cover(kept: frozenset[tuple[int, ...]], sizes: tuple[int, ...]) -> list[Cube]:
    """Return cubes that cover exactly the points of a set, the largest first; none can be wider."""
    candidates = sorted(widest(kept, sizes), key=lambda c: (-prod(map(len, c)), _order(c)))
    open_, chosen = set(kept), []
    while open_:
        best = max(candidates, key=lambda c: sum(_in(p, c) for p in open_))
        chosen.append(best)
        open_ = {p for p in open_ if not _in(p, best)}
    return sorted(chosen, key=candidates.index)


def _in(point: Sequence[int], cube: Cube) -> bool:
    return all(value in allowed for value, allowed in zip(point, cube, strict=True))


def _order(cube: Cube) -> list[list[int]]:
    return [sorted(allowed) for allowed in cube]


def widest(kept: frozenset[tuple[int, ...]], sizes: tuple[int, ...]) -> list[Cube]:
    """Return the maximal cubes within a set of points."""

    @cache
    def within(points: frozenset[tuple[int, ...]], place: int) -> tuple[Cube, ...]:
        if place == len(sizes):
            return ((),)
        after = {v: frozenset(p[1:] for p in points if p[0] == v) for v in range(sizes[place])}
        found = []
        for allowed in _subsets(sizes[place]):
            common = frozenset.intersection(*(after[v] for v in allowed))
            if common:
                found += [(frozenset(allowed), *rest) for rest in within(common, place + 1)]
        return tuple(c for c in found if not any(c != d and _contains(d, c) for d in found))

    return list(within(kept, 0)) if kept else []


def _subsets(size: int) -> Iterator[tuple[int, ...]]:
    for number in range(size, 0, -1):
        yield from combinations(range(size), number)


def _contains(outer: Cube, inner: Cube) -> bool:
    return all(i <= o for i, o in zip(inner, outer, strict=True))
