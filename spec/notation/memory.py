"""Digests of the objects outside the state that a spec's code can reach.

A spec must not store anything outside its state. Most violations are visible in the source and are
rejected by `text`. Others, such as an object that counts its own calls, are found by computing
these digests before and after a check: they must not have changed.
"""

from __future__ import annotations

import functools
import pickle
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from hashlib import blake2b
from types import FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from ._marks import MARK
from .text import OURS

MOST = 100_000
"""The most objects that are followed from one name."""

PLAIN = (int, float, complex, str, bytes, bool, type(None), range, Enum)

SEVERAL = (list, tuple, set, frozenset, deque)

Digests = dict[tuple[str, str], bytes]
"""For each name, and the function or class that uses it: a digest of all that it can reach."""


def digests_of(functions: Iterable[FunctionType], spec: type) -> Digests:
    """Return, for each name that the functions use, a digest of the objects it can reach.

    Parameters
    ----------
    functions : iterable of functions
        Actions, properties, and the functions they call.
    spec : type
        The spec's class; its other attributes are included.
    """
    found: Digests = {}
    done: dict[int, tuple[Any, bytes]] = {}  # each object once, and kept alive
    for name, user, value in _used(functions, spec):
        if id(value) not in done:
            done[id(value)] = value, _digest(value)
        found[name, user] = done[id(value)][1]
    return found


def _used(functions: Iterable[FunctionType], spec: type) -> Iterator[tuple[str, str, Any]]:
    """Yield each name, the function or class that uses it, and its value there."""
    for number, function in enumerate(functions):
        for name, value in _named(function):
            yield name, f"function {number}", value
    for above in spec.__mro__:
        if _is_of_user(above.__module__) or above is spec:
            for name, value in vars(above).items():
                own = name.startswith("_") or isinstance(value, FunctionType)
                if not own and not _is_ours(value):
                    yield name, above.__qualname__, value


def changed_names(before: Digests, after: Digests) -> list[str]:
    """Return the names whose digests differ."""
    return list(dict.fromkeys(k[0] for k in before if after.get(k) != before[k]))


def said_of_change(before: Digests, after: Digests) -> str:
    """Return in words what a run changed outside the state, and what to do; "" if nothing."""
    if not (changed := changed_names(before, after)):
        return ""
    return (f"{', '.join(changed)} changed while the spec was run: declare all that a run "
            "stores as variables")  # fmt: skip


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the names that a function uses, with their values."""
    code = function.__code__
    for name in _names(code):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not yet filled
            continue
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield f"a default of {function.__name__}", default
    own = {n: v for n, v in vars(function).items() if n != MARK}
    if own:
        yield function.__name__, own


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _names(constant)


def _digest(root: Any) -> bytes:
    digest = blake2b(digest_size=16)
    seen: dict[int, Any] = {}
    todo = [root]
    while todo and len(seen) < MOST:
        value = todo.pop()
        if isinstance(value, PLAIN):
            digest.update(f"{type(value).__name__} {value!r};".encode(errors="replace"))
        elif id(value) in seen:
            digest.update(b"again;")
        else:
            seen[id(value)] = value  # kept alive, so that its id is not reused
            parts = _parts(value)
            digest.update(f"{type(value).__name__} {len(parts)};".encode())
            todo += parts
    return digest.digest()


def _parts(value: Any) -> list[Any]:
    """Return the parts of an object that a run could change."""
    if isinstance(value, SEVERAL):
        return list(value)
    if isinstance(value, dict):
        return [part for pair in value.items() for part in pair]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords, vars(value)]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        return [-1] if frame is None else [frame.f_lasti, dict(frame.f_locals)]
    return _of_text(value) if _has_text(value) else _of_object(value)


def _has_text(value: Any) -> bool:
    return isinstance(value, FunctionType | type | ModuleType) or _is_ours(value)


def _of_text(value: Any) -> list[Any]:
    """Return the changeable parts of a user's function, class or module; none of a library's."""
    if _is_ours(value):
        return []
    if isinstance(value, FunctionType):
        return [reached for _, reached in _named(value)]
    return [{n: v for n, v in vars(value).items() if not n.startswith("__")}]


def _of_object(value: Any) -> list[Any]:
    wrapped = getattr(value, "__wrapped__", None)
    if wrapped is not None:  # a cache: its content changes no answer
        return [wrapped]
    owner = getattr(value, "__self__", None)
    if owner is not None:  # a method written in C
        return [] if isinstance(owner, ModuleType) else [owner]
    state = getattr(value, "__dict__", None)
    slots = [s for c in type(value).__mro__ for s in getattr(c, "__slots__", ())]
    if state is not None or slots:
        kept = (n for n in state or {} if not _is_computed(type(value), n))
        own = {n: state[n] for n in kept} if state else {}
        return [own, [getattr(value, s, None) for s in slots if s != "__dict__"]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [pickle.dumps(value)]
    except Exception:  # the last resort: its repr may show a change
        return [repr(value)]


def _is_computed(owner: type, name: str) -> bool:
    return isinstance(getattr(owner, name, None), functools.cached_property)


def _is_ours(value: Any) -> bool:
    """Return whether an object belongs to this program or a library: no run stores data there.

    Instances of Python's own classes do not count: their class says nothing about their content.
    """
    if isinstance(value, ModuleType):
        return not _is_of_user(value.__name__)
    if isinstance(value, FunctionType):
        return not _is_of_user(value.__module__)
    of = value if isinstance(value, type) else type(value)
    if any(c.__module__.startswith("counterpoint.spec.notation") for c in of.__mro__):
        return True
    return isinstance(value, type) and not _is_of_user(value.__module__)


def _is_of_user(module: str | None) -> bool:
    first = (module or "").partition(".")[0]
    if first in OURS or first in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    return "site-packages" not in file
