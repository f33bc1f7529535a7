"""What the class of a Scrapy spider says about itself: its name, and where it begins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

ARGUMENT = "start_url"
"""The argument of a spider that takes none which looks like a start."""

_BEGINNING = re.compile(r"start|seed|url", re.IGNORECASE)
_NOT_GIVEN = frozenset({"start", "start_urls", "start_requests", "urljoin"})
"""Attributes of Scrapy's own spiders: a spider that uses them takes no argument by this name."""


@dataclass(frozen=True)
class FoundSpider:
    """A Scrapy spider.

    Attributes
    ----------
    file, name : str
    argument : str
        The argument that says where it begins; "" if none looks like it.
    takes_file : bool
        Whether the argument is the name of a file with addresses.
    """

    file: str
    name: str
    argument: str = ""
    takes_file: bool = False


def of_class(file: str, declared: ast.ClassDef) -> FoundSpider | None:
    """Return the spider that a class is; None if it has no name, as a base class of others.

    Parameters
    ----------
    file : str
    declared : ast.ClassDef
    """
    name = _name(declared)
    if not name:
        return None
    named = list(
        dict.fromkeys(n for n in _arguments(declared) if _BEGINNING.search(n) and n.isidentifier())
    )
    argument = next(iter(named), "")
    return FoundSpider(file, name, argument, bool(argument) and _is_file(argument, declared))


def _name(declared: ast.ClassDef) -> str:
    for node in declared.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and any(isinstance(t, ast.Name) and t.id == "name" for t in node.targets)
        ):
            return str(node.value.value)
    return ""


def _arguments(declared: ast.ClassDef) -> Iterator[str]:
    """Yield the arguments that a spider takes: those of ``__init__`` first, then attributes.

    Scrapy makes an attribute of each argument that ``__init__`` does not take.
    """
    for method in declared.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            given = method.args
            taken = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            yield from (argument.arg for argument in taken[1:])
    for node in ast.walk(declared):
        if isinstance(node, ast.Call) and node.args:
            yield from _asked_for(node)
    made = set(_made(declared))
    for node in ast.walk(declared):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and ast.unparse(node.value) == "self"
            and node.attr not in made | _NOT_GIVEN
        ):
            yield node.attr


def _asked_for(call: ast.Call) -> Iterator[str]:
    """Yield the name of ``getattr(self, name)``, and of ``kwargs.get(name)`` and ``pop``."""
    function = ast.unparse(call.func)
    at = call.args[1:2] if function == "getattr" else call.args[:1]
    if function == "getattr" or re.fullmatch(r"\w*(args|more|options)\.(get|pop)", function):
        yield from (
            one.value
            for one in at
            if isinstance(one, ast.Constant)
            and isinstance(one.value, str)
            and one.value not in _NOT_GIVEN
        )


def _made(declared: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes and methods that the class makes itself."""
    for node in ast.walk(declared):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _is_file(argument: str, declared: ast.ClassDef) -> bool:
    """Return whether an argument is named as a file, or opened as one."""
    if re.search(r"file|path", argument, re.IGNORECASE):
        return True
    return any(
        isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("open", "Path")
        and any(re.search(rf"\b{argument}\b", ast.unparse(given)) for given in node.args)
        for node in ast.walk(declared)
    )
