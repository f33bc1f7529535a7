"""Policies by the names that users write: ``R2``, ``R2,step=20``, ``my_policy:Greedy,depth=3``.

In our own names an underscore is as good as a dash: ``breadth_first``.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterpoint.crawler.errors import CrawlError, in_words
from counterpoint.crawler.policy.protocol import Frontier, Policy, Scheduler, Scope, Setting, Truth
from counterpoint.graph.errors import GraphError

from .catalogue import ALIASES, POLICIES


@dataclass(frozen=True)
class Chosen:
    """A policy with parameters, as a user named it.

    Attributes
    ----------
    text : str
        What the user wrote: its name in reports and messages.
    policy : Policy
    parameters : dict
        Those that were given.
    """

    text: str
    policy: Policy
    parameters: dict[str, Any] = field(default_factory=dict)

    def scheduler(
        self, starts: Sequence[int], budget: int, seed: int = 0, truth: Truth | None = None,
        frontier: Frontier | None = None, query: str = "",
        hosts: Callable[[int], int | None] | None = None,
    ) -> Scheduler:  # fmt: skip
        """Return a new scheduler.

        Parameters
        ----------
        starts : sequence of int
            The start page of each site; for a policy of scope `Scope.KNOWN` all pages.
        budget : int
            How many pages may be fetched.
        seed : int
        truth : Truth, optional
            Withheld unless the policy is an oracle or is set to use true rates.
        frontier : Frontier, optional
            Where pages wait, if not in the scheduler.
        query : str
            What is looked for.
        hosts : callable, optional
            Returns the number of a page's host, if it is known.

        Raises
        ------
        CrawlError
            If a parameter is not as it must be, or the policy does not make a scheduler.
        """
        told = truth if self.policy.oracle or self.parameters.get("rates") is True else None
        setting = Setting(
            list(starts), budget, seed, told, dict(self.parameters), frontier, query, hosts
        )
        try:
            made = self.policy.make(setting)
        except (CrawlError, GraphError) as error:
            raise CrawlError(f"{self.text}: {error}") from error
        except Exception as error:
            raise CrawlError(f"{self.text}: {_in_one_line(error)}") from error
        if not callable(getattr(made, "next", None)) or not callable(
            getattr(made, "observe", None)
        ):
            kind = type(made).__name__
            raise CrawlError(f"{self.text}: {kind} is no scheduler: it has no next and observe")
        return made


def find(text: str) -> Chosen:
    """Return the policy that a user named.

    Parameters
    ----------
    text : str
        ``NAME`` or ``module:attribute``, then ``,key=value`` as often as wanted. Values are whole
        numbers, numbers, ``true``, ``false``, or text. The attribute is a `Policy`, or a callable
        that makes a scheduler of a `Setting`; it may have attributes ``scope``, ``oracle``,
        ``reads`` and ``about`` as a policy has. Modules are also looked for in the present folder.

    Raises
    ------
    CrawlError
        If there is no such policy, or it has no such parameter.
    """
    name, *given = (part.strip() for part in text.split(","))
    policy = _users(name) if ":" in name else _ours(name)
    parameters: dict[str, Any] = {}
    for item in given:
        key, sign, value = (part.strip() for part in item.partition("="))
        if not sign or not key or not value:
            raise CrawlError(f"{name}: parameters are key=value, not {item!r}")
        if key in parameters:
            raise CrawlError(f"{name}: {key} is given twice")
        if key not in policy.parameters and (":" not in name or policy.parameters):
            raise CrawlError(f"{name} has no parameter {key!r}; {_has(policy)}")
        parameters[key] = _value(value)
    return Chosen(text, policy, parameters)


def _has(policy: Policy) -> str:
    names = ", ".join(policy.parameters)
    return f"it has {names}" if names else "it has none"


def _value(text: str) -> Any:
    """Return a value as a user writes it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _ours(name: str) -> Policy:
    dashes = name.replace("_", "-")
    if (known := ALIASES.get(dashes, dashes)) in POLICIES:
        return POLICIES[known]
    lower = {known.lower(): known for known in POLICIES}
    near = difflib.get_close_matches(name.lower().replace("_", "-"), lower, 1)
    hint = f"did you mean {lower[near[0]]}?" if near else f"there are: {', '.join(POLICIES)}"
    raise CrawlError(f"there is no policy {name!r}; {hint} (your own: module:attribute)")


def _users(name: str) -> Policy:
    """Return the policy that stands in a module of the user's."""
    place, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in place.split(".")) or not attribute.isidentifier():
        raise CrawlError(f"{name}: a policy of your own is module:attribute, as my_policy:Greedy")
    with _present_folder():
        try:
            module = importlib.import_module(place)
        except (Exception, SystemExit) as error:
            if isinstance(error, ModuleNotFoundError) and place.startswith(str(error.name)):
                raise CrawlError(f"{name}: there is no module {error.name}") from error
            raise CrawlError(f"{name}: {_in_one_line(error)}") from error
    found = getattr(module, attribute, None)
    if found is None:
        raise CrawlError(f"{name}: the module {place} has no {attribute}")
    if isinstance(found, Policy):
        return replace(found, name=name)
    if not callable(found):
        raise CrawlError(f"{name}: a {type(found).__name__} is no policy and makes no scheduler")
    return _made_by(found, name)


def _made_by(found: Any, name: str) -> Policy:
    """Return the policy that a callable stands for."""
    try:
        scope = Scope(getattr(found, "scope", Scope.WEB))
    except ValueError:
        known = ", ".join(Scope)
        raise CrawlError(f"{name}: scope is one of {known}, not {found.scope!r}") from None
    about = getattr(found, "about", None) or (found.__doc__ or "").strip().partition("\n")[0]
    oracle, reads = (bool(getattr(found, wish, False)) for wish in ("oracle", "reads"))
    return Policy(name, str(about), found, scope, oracle=oracle, reads=reads)


@contextmanager
def _present_folder() -> Iterator[None]:
    """Let modules be found where the user is."""
    before = list(sys.path)
    sys.path.insert(0, str(Path.cwd()))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def _in_one_line(error: BaseException) -> str:
    """Return an error in a user's code, with its place."""
    text = in_words(error)
    if isinstance(error, SyntaxError):
        return text  # it names its place
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{text} ({Path(place.filename).name}:{place.lineno})"
