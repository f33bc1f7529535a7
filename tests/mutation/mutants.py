"""Small changes of a module, by the operators of cosmic-ray.

Left out is what certainly means the same, changes of annotations that nobody asks for when the
program runs; a comparison with a literal by identity, since Python itself warns of it; and what is
no Python.
"""

from __future__ import annotations

import ast
import difflib
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from cosmic_ray.ast import get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names


@dataclass(frozen=True)
class Mutant:
    """One change of a module.

    Attributes
    ----------
    operator : str
        The name of the operator that makes it.
    occurrence : int
        Which of the places that it fits.
    line : int
        Where.
    """

    operator: str
    occurrence: int
    line: int

    def text(self, path: Path) -> str | None:
        """Return the changed text; None if it means the same, as in an annotation."""
        return _changed(path.read_text(encoding="utf-8"), self.operator, self.occurrence)

    def difference(self, path: Path) -> str:
        """Return the lines that differ."""
        before, after = path.read_text(encoding="utf-8"), self.text(path) or ""
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


@cache
def _changed(before: str, operator: str, occurrence: int) -> str | None:
    after = mutate_code(before, get_operator(operator)(), occurrence)
    try:
        same = after is None or _meaning(before) == _meaning(after) or _warned_of(after)
    except SyntaxError:  # an operator that does not know all of the syntax
        return None
    return None if same else str(after)


@lru_cache(maxsize=4)
def _meaning(text: str) -> str:
    """Return a module's syntax tree without annotations and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not _is_text(s)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _warned_of(text: str) -> bool:
    """Return whether Python warns of a text, as it does of ``x is 3``."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compile(text, "mutant", "exec")
    return any(issubclass(w.category, SyntaxWarning) for w in found)


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every change that an operator can make to a module."""
    tree = get_ast(path.read_text(encoding="utf-8"))
    for name in sorted(operator_names()):
        try:
            operator = get_operator(name)()
        except TypeError:  # it needs to know what it replaces
            continue
        places = [at for node in _nodes(tree) for at in operator.mutation_positions(node)]
        for occurrence, (begin, _) in enumerate(places):
            yield Mutant(name, occurrence, begin[0])


def _nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for child in getattr(tree, "children", ()):
        yield from _nodes(child)


def sample(path: Path, number: int, seed: int) -> list[Mutant]:
    """Return so many changes of a module that mean something else, or all; chosen by a seed."""
    found = list(mutants(path))
    random.Random(seed).shuffle(found)
    chosen: list[Mutant] = []
    for mutant in found:
        if len(chosen) == number:
            break
        if mutant.text(path) is not None:
            chosen.append(mutant)
    return chosen
