"""Checks of a spec's source: it must mean the same in a plain and in a symbolic run.

A plain-Python run gives a spec its meaning; the engines run the same code once on symbols. Some
Python means one thing on integers and another on symbols (``is``), or differs from call to call
(``random``), or stores data outside the state (a set that grows). Where the syntax tree shows that,
the spec is rejected; the message names the line and what to write instead. What the syntax tree
cannot show is found by comparing symbolic with plain runs
(`counterpoint.models.symbolic.comparing`).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import operator
import sys
from collections import deque
from collections.abc import Collection, Hashable, Iterable
from functools import lru_cache
from types import FunctionType, MethodType, MethodWrapperType, ModuleType, WrapperDescriptorType
from typing import Any

from .errors import SpecError

UNSTEADY = frozenset({"random", "secrets", "time", "datetime", "uuid", "numpy.random"})
"""Modules whose functions return something else at each call."""

SEES_MORE = frozenset({
    "asyncio", "concurrent", "ctypes", "gc", "inspect", "io", "multiprocessing", "os", "posix",
    "pickle", "signal", "socket", "subprocess", "sys", "threading", "traceback", "weakref",
})  # fmt: skip
"""Modules that can distinguish a symbol from an integer, or have effects outside the run."""

CHANGING = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "popleft", "remove", "reverse", "rotate", "setdefault", "sort", "subtract", "update",
})  # fmt: skip
"""Methods that change the object they are called on."""

ASKS_THE_KIND = frozenset({
    isinstance, issubclass, type, id, hash, vars, dir, hasattr, getattr, callable,
    operator.is_, operator.is_not,
})  # fmt: skip
"""Functions of Python that can distinguish an integer from a symbol."""

CHANGEABLE = (list, dict, set, bytearray, deque)

HIDES = frozenset({eval, exec, compile, __import__, globals, locals})
"""Functions of Python that hide code from these checks."""

KEPT = "is kept from run to run: declare all that a run stores as variables of the spec"

CHOOSE = "for a choice among values, add a parameter to the action that ranges over an index"

OURS = frozenset({"counterpoint"})

Function = ast.FunctionDef | ast.Lambda


def check_source(spec: type, base: type, marked: Iterable[str]) -> list[FunctionType]:
    """Reject a spec whose source means different things in a plain and in a symbolic run.

    Parameters
    ----------
    spec : type
        The spec's class.
    base : type
        The base class of all specs; it is not checked.
    marked : iterable of str
        Names of actions and properties. They are checked, together with the methods and the user's
        functions that they use. A function without source, such as one typed at a prompt, is
        skipped.

    Returns
    -------
    list of function
        The functions that were found, by module and line.

    Raises
    ------
    SpecError
        For the first fault; the message has file and line, and says what to write instead.
    """
    found: dict[str, list[FunctionType]] = {}
    for above in spec.__mro__:
        if above not in (base, object):
            for name, value in vars(above).items():
                found.setdefault(name, []).extend(_functions(value))
    methods = {n for n in found if isinstance(getattr(spec, n), FunctionType)}
    todo = [f for name in marked for f in found[name]]
    known = set(todo)
    first = frozenset(todo)
    while todo:
        function = todo.pop()
        tree = _tree(function)
        if tree is not None:
            reader = _Reader(function, methods, function in first)
            reader.read(tree)
            used = [f for name in reader.asked for f in found.get(name, ())]
            new = [f for f in (*reader.called, *used) if f not in known]
            known.update(new)
            todo += new
    return sorted(known, key=lambda f: (f.__module__ or "", f.__code__.co_firstlineno))


def _functions(found: Any) -> list[FunctionType]:
    """Return the functions behind a method or a property."""
    of_property = [getattr(found, name, None) for name in ("fget", "func", "__func__")]
    return [f for f in (found, *of_property) if isinstance(f, FunctionType)]


@lru_cache(maxsize=64)
def _trees(lines: tuple[str, ...]) -> dict[tuple[int, str], Function]:
    """Return the functions that a file defines, by their first line and their name."""
    try:
        found = ast.walk(ast.parse("".join(lines)))
    except SyntaxError:
        return {}
    return {
        (node.decorator_list[0].lineno if node.decorator_list else node.lineno, node.name): node
        for node in found
        if isinstance(node, ast.FunctionDef)
    }


def _tree(function: FunctionType) -> Function | None:
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    return _trees(tuple(lines)).get((code.co_firstlineno, code.co_name)) if lines else None


class _Reader(ast.NodeVisitor):
    """Checks one function.

    Attributes
    ----------
    called : list of function
        The user's functions that it calls.
    asked : set of str
        The names of the attributes that it uses, methods among them.
    """

    def __init__(self, function: FunctionType, methods: Collection[str], marked: bool) -> None:
        self.function, self.methods, self.marked = function, methods, marked
        self.called: list[FunctionType] = []
        self.asked: set[str] = set()
        self.local: set[str] = set()

    def read(self, tree: Function) -> None:
        """Check the function's body; decorators and annotations have no effect on a run."""
        if inspect.iscoroutinefunction(self.function) or (
            inspect.isgeneratorfunction(self.function) and self.marked
        ):
            self._refuse(tree, "a method with yield or async does nothing when it is called")
        for default in (*(self.function.__defaults__ or ()), *self._named_defaults()):
            if isinstance(default, CHANGEABLE):
                self._refuse(tree, f"the default {default!r} {KEPT}")
        self.local = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        self.local |= {
            n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self.local |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        body = tree.body if isinstance(tree.body, list) else [tree.body]
        for statement in body:
            self.visit(statement)

    def _named_defaults(self) -> Iterable[Any]:
        return (self.function.__kwdefaults__ or {}).values()

    def _refuse(self, node: ast.AST, why: str) -> None:
        line = getattr(node, "lineno", self.function.__code__.co_firstlineno)
        place = f"{self.function.__code__.co_filename}:{line}"
        raise SpecError(f"{place}: in {self.function.__name__}: {why}")

    def _meant(self, node: ast.AST) -> Any:
        """Return the value of a name defined outside the function; None for any other node."""
        if not isinstance(node, ast.Name) or node.id in self.local:
            return None
        code, cells = self.function.__code__, self.function.__closure__ or ()
        for name, cell in zip(code.co_freevars, cells, strict=True):
            if name == node.id:
                return getattr(cell, "cell_contents", None)
        return self.function.__globals__.get(node.id, getattr(builtins, node.id, None))

    # Statements

    def visit_Global(self, node: ast.Global) -> None:
        self._refuse(node, f"global {', '.join(node.names)} {KEPT}")

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        self._refuse(node, "try: a failed requirement and a range error end an action by an "
                           "exception that must not be caught; use require or if")  # fmt: skip

    def visit_TryStar(self, node: ast.TryStar) -> None:
        self.visit_Try(node)

    def visit_With(self, node: ast.With) -> None:
        self._refuse(node, "with: an action is one atomic step, and must not open or lock anything")

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> None:
        if node.value is not None:
            self._refuse(node, f"case {node.value} compares by identity, and a symbol has none; "
                               f"use if, or a member of an enumeration")  # fmt: skip

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self._refuse(node, "a class pattern tests the type, and a symbol has none; compare "
                           "the value")  # fmt: skip

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._changes(target)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._changes(node.target)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._changes(target)

    def _changes(self, target: ast.expr) -> None:
        """Reject an assignment to a part of an object defined outside the function."""
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._changes(one)
        part = target
        while isinstance(part, ast.Subscript | ast.Attribute):
            part = part.value
        if part is not target and self._meant(part) is not None:
            self._refuse(target, f"{ast.unparse(target)} = ... {KEPT}")

    # Expressions

    def visit_Compare(self, node: ast.Compare) -> None:
        parts = [node.left, *node.comparators]
        for sign_of, left, right in zip(node.ops, parts, parts[1:], strict=False):
            if isinstance(sign_of, ast.Is | ast.IsNot) and not (_is_none(left) or _is_none(right)):
                sign = "!=" if isinstance(sign_of, ast.IsNot) else "=="
                self._refuse(node, f"{ast.unparse(node)} compares by identity, and a symbol has "
                                           f"none; write {sign}")  # fmt: skip
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        meant = self._meaning(function)
        if isinstance(meant, FunctionType) and self._is_of_user(meant):
            self.called.append(meant)
        if meant is next and any(hasattr(self._meant(a), "__next__") for a in node.args):
            self._refuse(node, f"{ast.unparse(node)} returns something else at each call")
        if isinstance(function, ast.Attribute) and function.attr in CHANGING:
            self._refuse_change(node, function)
        self.generic_visit(node)

    def _meaning(self, node: ast.expr) -> Any:
        """Return the value of a name, or of a module's attribute, defined outside the function."""
        if isinstance(node, ast.Attribute):
            of = self._meant(node.value)
            return getattr(of, node.attr, None) if isinstance(of, ModuleType) else None
        return self._meant(node)

    def _is_of_user(self, meant: FunctionType) -> bool:
        """Return whether a function is defined in this module or another one of the user's."""
        name = meant.__module__ or ""
        if name == self.function.__module__:
            return True
        ours = name.partition(".")[0] in {*sys.stdlib_module_names, *OURS}
        return not ours and "site-packages" not in meant.__code__.co_filename

    def _refuse_change(self, node: ast.Call, function: ast.Attribute) -> None:
        root = function.value
        while isinstance(root, ast.Subscript | ast.Attribute):
            root = root.value
        if isinstance(self._meant(root), CHANGEABLE):
            self._refuse(node, f"{ast.unparse(function)}(...) {KEPT}")

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._must_not_be_special(node, node.value)

    def _must_not_be_special(self, node: ast.expr, name: str) -> None:
        """Reject Python's special methods: those of an integer do not work on symbols.

        ``__class__`` is rejected when the code runs, by the symbol itself.
        """
        if name != "__class__" and len(name) > 4 and name[:2] == name[-2:] == "__":
            self._refuse(node, f"{ast.unparse(node)} is a special method, and behaves "
                               f"differently on a symbol; write the operator")  # fmt: skip

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.asked.add(node.attr)
        self._must_not_be_special(node, node.attr)
        self._must_be_plain(node, self._meaning(node))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._must_be_plain(node, self._meant(node))

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        names = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        for name in UNSTEADY.intersection(filter(None, names)):
            self._refuse(node, f"{name} returns something else at each call; {CHOOSE}")
        for name in filter(None, names):
            if name.partition(".")[0] in SEES_MORE:
                self._refuse(node, f"{name} has effects outside the state")
            if name.partition(".")[0] not in {*sys.stdlib_module_names, *OURS}:
                self._refuse(node, f"{ast.unparse(node)} within a function is resolved when the "
                                   f"function runs, perhaps in another folder; write it at the top "
                                   f"of the file")  # fmt: skip
        if isinstance(node, ast.ImportFrom) and node.level:
            self._refuse(node, "import at the top of the file")

    visit_ImportFrom = visit_Import

    def _must_be_plain(self, node: ast.expr, meant: Any) -> None:
        hashable = isinstance(meant, Hashable)
        if hashable and meant in ASKS_THE_KIND:
            self._refuse(node, f"{ast.unparse(node)} distinguishes integers from symbols; "
                               f"compare values instead")  # fmt: skip
        if hashable and meant in HIDES:
            self._refuse(node, f"{ast.unparse(node)} hides code from the engines")
        if _from(meant, UNSTEADY):
            self._refuse(node, f"{ast.unparse(node)} returns something else at each call; {CHOOSE}")
        if _from(meant, SEES_MORE):
            self._refuse(node, f"{ast.unparse(node)} has effects outside the state")
        if isinstance(meant, MethodWrapperType | WrapperDescriptorType):
            self._must_not_be_special(node, meant.__name__)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> None:
        self._must_be_condition(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_Assert = visit_If

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for part in node.values:
            self._must_be_condition(part)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._must_be_condition(node.operand)
        self.generic_visit(node)

    def _must_be_condition(self, node: ast.expr) -> None:
        """Reject a condition that is always true: a generator, or a method that is not called."""
        if isinstance(node, ast.GeneratorExp | ast.Lambda):
            self._refuse(node, "a generator is always true; write every(...) or some(...)")
        state = self.function.__code__.co_varnames[:1]
        methods = {f"{name}.{method}" for name in state for method in self.methods}
        if isinstance(node, ast.Attribute) and (written := ast.unparse(node)) in methods:
            self._refuse(node, f"{written} is a method, and always true; call it: {written}()")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _from(meant: Any, modules: Collection[str]) -> bool:
    """Return whether a value is one of some modules, or comes from one."""
    if isinstance(meant, ModuleType):
        return _is_one(meant.__name__, modules)
    if isinstance(meant, MethodType) or inspect.isbuiltin(meant):
        owner = getattr(meant, "__self__", None)
        if isinstance(owner, ModuleType):
            return _is_one(owner.__name__, modules)
        return _is_one(type(owner).__module__, modules)
    module = meant.__module__ if isinstance(meant, type | FunctionType) else type(meant).__module__
    of_class = isinstance(meant, type | FunctionType) or module == "random"
    return of_class and isinstance(module, str) and _is_one(module, modules)


def _is_one(module: str, modules: Collection[str]) -> bool:
    return module in modules or module.partition(".")[0] in modules
