"""Parameters in the signature of a user's policy: ``def __init__(self, setting, depth=2)``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scheduler, Setting

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True)
class Signature:
    """What a user's callable takes beside the setting.

    Attributes
    ----------
    defaults : dict
        The parameters with their defaults; `REQUIRED` where there is none.
    rest : bool
        Whether it takes any other name, by ``**``.
    """

    defaults: dict[str, Any]
    rest: bool = False

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters to call it with, by name."""
        names = list(parameters) if self.rest else self.defaults
        return {name: parameters[name] for name in names if name in parameters}

    def checked(
        self, name: str, texts: Mapping[str, str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the given parameters; those with a default have its type.

        Parameters
        ----------
        name : str
            The policy's name, for the message.
        texts : mapping
            What the user wrote, by parameter.
        values : mapping
            What it stands for: truth values, numbers and texts.

        Raises
        ------
        CrawlError
            If a value has another type than the default, or one without a default is missing.
        """
        found = dict(values)
        for key, default in self.defaults.items():
            if key not in values:
                if default is REQUIRED:
                    raise CrawlError(f"{name} needs the parameter {key!r}, as in {name},{key}=...")
                continue
            kind = type(default)
            if kind is str:
                found[key] = texts[key]
            elif kind is float and type(values[key]) is int:
                found[key] = float(values[key])
            elif kind in _KINDS and type(values[key]) is not kind:
                raise CrawlError(f"{name}: {key} is {_KINDS[kind]}, not {texts[key]!r}")
        return found


REQUIRED = inspect.Parameter.empty
"""Stands for the default of a parameter that has none."""


def signature_of(found: Callable[..., Any], name: str) -> Signature:
    """Return the parameters in the signature of a callable that makes a scheduler.

    Parameters
    ----------
    found : callable
        A class or a function of the user.
    name : str
        How the user names it.

    Raises
    ------
    CrawlError
        If it does not take a setting.
    """
    try:
        taken = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):  # a callable of C that has no signature
        return Signature({})
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not taken or taken[0].kind not in (*by_place, inspect.Parameter.VAR_POSITIONAL):
        written = "def __init__(self, setting)" if isinstance(found, type) else "def f(setting)"
        raise CrawlError(f"{name}: {_place(found)}it does not take the setting: write {written}")
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    defaults = {one.name: one.default for one in taken[1:] if one.kind in named}
    return Signature(defaults, any(one.kind is inspect.Parameter.VAR_KEYWORD for one in taken))


def _place(found: Any) -> str:
    """Return file and line of a callable, followed by a colon; "" if they are not known."""
    function = vars(found).get("__init__", found) if isinstance(found, type) else found
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}: " if code is not None else ""


@dataclass(frozen=True)
class MadeBySignature:
    """Makes the schedulers of a callable that takes parameters by name."""

    found: Callable[..., Scheduler]
    signature: Signature

    def __call__(self, setting: Setting) -> Scheduler:
        """Return a new scheduler."""
        return self.found(setting, **self.signature.given(setting.parameters))
