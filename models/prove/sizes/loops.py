"""Checks the loops of a spec over an index of any size.

Such a loop is run once, with one symbol for each member. That is correct if the code loops by
``for p in s.processes``, and what it does with one member does not depend on what it did with
others. `loop_of` finds the loop in the syntax tree. Any other iteration over an index (``list``,
``sum``, ``enumerate``, a list comprehension) is rejected.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from types import CodeType, FrameType, FunctionType

from counterpoint.spec.notation import Spec, SpecError
from counterpoint.spec.notation.symbolic import Symbolic
from counterpoint.spec.notation.text import CHANGING

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def loop_of(frame: FrameType) -> ast.For | ast.GeneratorExp:
    """Return the loop or the generator expression that a frame is about to start.

    Raises
    ------
    SpecError
        If it iterates over the index in any other way, or what it does with one member may depend
        on what it did with others.
    """
    loop = _loop(frame.f_code, frame.f_lasti, tuple(_lines(frame)))
    for root, why in _changes(loop):
        if not isinstance(frame.f_locals.get(root), Spec):
            raise SpecError(why)
    left = _assigned_in(loop)
    for name, value in frame.f_locals.items():
        if name != ".0" and not _keeps_nothing(value, left):  # the iterable of a generator
            raise SpecError(
                f"{name} is in scope of a loop over an index, which could store something in it "
                f"from one iteration to the next: use values, and tuples of them"
            )
    return loop


PLAIN = (int, str, bytes, range, frozenset, Symbolic, Spec, type(None), type)
"""Types whose objects cannot be changed, or only where the checks see it."""


def _keeps_nothing(value: object, left: Collection[str]) -> bool:
    """Return whether a value cannot carry data from one iteration of a loop to the next.

    Parameters
    ----------
    value : object
        The value of a name at the start of the loop.
    left : collection of str
        The names that the loop assigns to; a function that reads one of them carries data.
    """
    if type(value) is Symbolic or isinstance(value, PLAIN) or hasattr(type(value), "any_size"):
        return True
    if isinstance(value, tuple):
        return all(_keeps_nothing(part, left) for part in value)
    if isinstance(value, FunctionType):
        inside = [cell.cell_contents for cell in value.__closure__ or ()]
        given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        reads = not set(value.__code__.co_freevars).isdisjoint(left)
        return not reads and all(_keeps_nothing(part, left) for part in (*inside, *given))
    return False


def _lines(frame: FrameType) -> list[str]:
    return linecache.getlines(frame.f_code.co_filename, frame.f_globals)


@lru_cache(maxsize=4096)
def _loop(code: CodeType, at: int, lines: tuple[str, ...]) -> ast.For | ast.GeneratorExp:
    if dis.opname[code.co_code[at]] != "GET_ITER":
        raise SpecError(
            "an index of any size can only be used in a for loop, or in a generator in every, "
            "some, no or count: it has no fixed size and no last member here"
        )
    if not lines:
        raise SpecError(
            "the source of this loop is not available, so it cannot be checked for any size"
        )
    place = list(code.co_positions())[at // 2]
    loop = _innermost(lines, place)
    if isinstance(loop, ast.GeneratorExp):
        return loop
    if not isinstance(loop, ast.For):
        raise SpecError(
            "a list or set of members has no size here: write a generator, without brackets"
        )
    if code.co_flags & inspect.CO_GENERATOR:
        raise SpecError(
            "a loop must not yield members: write a generator in every, some, no or count"
        )
    _Flow(loop).block(_function_around(lines, loop))
    return loop


@lru_cache(maxsize=64)
def _parsed(lines: tuple[str, ...]) -> ast.Module:
    return ast.parse("".join(lines))


Span = tuple[int | None, int | None, int | None, int | None]


def _span(node: ast.AST) -> Span:
    return (
        getattr(node, "lineno", None),
        getattr(node, "end_lineno", None),
        getattr(node, "col_offset", None),
        getattr(node, "end_col_offset", None),
    )


def _innermost(lines: tuple[str, ...], place: Span) -> ast.AST | None:
    """Return the innermost loop at a place in the source, or the one whose iterable is there."""
    for node in ast.walk(_parsed(lines)):
        if isinstance(node, ast.For):
            through = [] if isinstance(node.iter, Comprehension) else [_span(node.iter)]
            if place in (_span(node), *through):
                return node
        elif isinstance(node, Comprehension):
            through = [_span(part.iter) for part in node.generators]
            if place in (_span(node), *through):
                return node
    return None


def _function_around(lines: tuple[str, ...], loop: ast.For) -> list[ast.stmt]:
    """Return the body of the innermost function around a loop."""
    found = _parsed(lines).body
    for node in ast.walk(_parsed(lines)):  # breadth first: inner functions come later
        if isinstance(node, ast.FunctionDef) and any(part is loop for part in ast.walk(node)):
            if any(isinstance(part, ast.Nonlocal) for part in ast.walk(node)):
                raise SpecError(
                    f"line {node.lineno}: nonlocal in a function with a loop over an index"
                )
            found = node.body
    return found


@cache
def _changes(loop: ast.For | ast.GeneratorExp) -> list[tuple[str, str]]:
    """Return the names of the objects that a loop changes, each with the error message."""
    found = []
    for node in ast.walk(loop):
        changed = _changed(node)
        if isinstance(node, ast.NamedExpr):
            changed = node
        if changed is not None:
            why = (
                f"line {getattr(node, 'lineno', '?')}: {ast.unparse(node)} stores something from "
                f"one iteration of the loop over an index to the next"
            )
            found.append((changed.id if isinstance(changed, ast.Name) else "", why))
    return found


def _changed(node: ast.AST) -> ast.AST | None:
    """Return the object that a call or an assignment changes."""
    found: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        found = node.func.value if node.func.attr in CHANGING else None
    elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        found = node
    while isinstance(found, ast.Subscript | ast.Attribute):
        found = found.value
    return found


class _Flow:
    """Follows names through a function: no other code may read what one iteration assigned.

    Parameters
    ----------
    loop : ast.For
        The loop over an index of any size.
    """

    def __init__(self, loop: ast.For) -> None:
        self.loop = loop
        inside = [node for part in (loop.target, *loop.body) for node in ast.walk(part)]
        self.left = _stored(inside)
        self.closed: set[str] = set()  # names that must not be read now

    def block(self, statements: Iterable[ast.stmt]) -> None:
        """Follow statements in order."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If | ast.While):
            self._read(node.test)
            self._branches(node.body, node.orelse)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.FunctionDef):
            self._read(*node.body, hidden=self.left if self.closed else set())
        elif isinstance(node, ast.AugAssign):
            self._read(node.value, node.target, stored_too=True)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._read(*filter(None, [node.value]))
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._read(*targets)
            self.closed -= _stored(n for t in targets for n in ast.walk(t))
        else:
            self._read(node)
            self.closed -= _stored(ast.walk(node))

    def _branches(self, *blocks: list[ast.stmt]) -> None:
        before, after = set(self.closed), set(self.closed)
        for block in blocks:
            self.closed = set(before)
            self.block(block)
            after |= self.closed
        self.closed = after

    def _for(self, node: ast.For) -> None:
        self._read(node.iter)
        mine = node is self.loop
        before = set(self.closed)
        for _ in range(1 if mine else 2):  # the next iteration may read what one assigned
            self.closed |= self.left if mine else set()
            self.closed -= _stored(ast.walk(node.target))
            self.block(node.body)
        self.closed |= self.left if mine else before
        self.block(node.orelse)

    def _read(
        self, *parts: ast.AST, stored_too: bool = False, hidden: set[str] | None = None
    ) -> None:
        forbidden = self.closed | (hidden or set())
        for part in parts:
            for node in (n for n in ast.walk(part) if isinstance(n, ast.Name)):
                read = stored_too or isinstance(node.ctx, ast.Load)
                if read and node.id in forbidden - _own(part, node.id):
                    raise SpecError(
                        f"line {node.lineno}: {node.id} was assigned in an earlier iteration of "
                        f"the loop over an index: what a loop does with one member must not "
                        f"depend on the others"
                    )


def _own(part: ast.AST, name: str) -> set[str]:
    """Return the name if a comprehension or lambda in an expression binds it."""
    for node in ast.walk(part):
        if isinstance(node, Comprehension):
            targets = [n for one in node.generators for n in ast.walk(one.target)]
            if name in _stored(targets):
                return {name}
        elif isinstance(node, ast.Lambda) and name in {a.arg for a in node.args.args}:
            return {name}
    return set()


@cache
def _assigned_in(loop: ast.AST) -> frozenset[str]:
    return frozenset(_stored(ast.walk(loop)))


def _stored(found: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in found if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
