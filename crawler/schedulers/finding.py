"""Finds policies by the names that users write.

Examples are ``R2``, ``R2,step=20`` and ``my_policy:Greedy,depth=3``. In the names of built-in
policies an underscore may replace a dash: ``breadth_first``.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterpoint.crawler.errors import CrawlError, one_line_error
from counterpoint.crawler.policy.protocol import Frontier, Policy, Scheduler, Scope, Setting, Truth
from counterpoint.graph.errors import GraphError

from .catalogue import ALIASES, POLICIES
from .signatures import MadeBySignature, signature_of


@dataclass(frozen=True)
class ChosenPolicy:
    """A policy with parameters, as a user wrote it.

    Attributes
    ----------
    text : str
        What the user wrote; reports and messages name the policy by it.
    policy : Policy
    parameters : dict
        The parameters that the user gave.
    """

    text: str
    policy: Policy
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def is_of_user(self) -> bool:
        """Whether the policy comes from a module of the user."""
        return ":" in self.text

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
            Passed on only if the policy is an oracle or has the parameter ``rates=true``.
        frontier : Frontier, optional
            A frontier in a store; by default the scheduler keeps its own.
        query : str
            The words of the search query.
        hosts : callable, optional
            Returns the number of a page's host, or None if the host is not known.

        Raises
        ------
        CrawlError
            If a parameter is invalid, or the policy does not make a scheduler.
        """
        given = _ParametersRead(self.parameters)
        known = truth if self.policy.oracle or given.get("rates") is True else None
        setting = Setting(list(starts), budget, seed, known, given, frontier, query, hosts)
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
            raise CrawlError(
                f"{self.text}: {kind} is not a scheduler: it must have methods next and observe"
            )
        if not self.policy.parameters and (unread := given.unread()):
            raise CrawlError(
                f"{self.text}: {type(made).__name__} does not read the parameter {unread[0]!r} "
                "when it is made; if that is its name, declare it in the class: "
                f"parameters = {{{unread[0]!r}: ...}}"
            )
        return made


class _ParametersRead(dict[str, Any]):
    """Parameters that a policy is made with, and which of them it has read."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self._unread = set(given)

    def unread(self) -> list[str]:
        """Return the names that were not read, sorted."""
        return sorted(self._unread)

    def __getitem__(self, name: str) -> Any:
        self._unread.discard(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._unread.discard(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter, or a default."""
        self._unread.discard(name)
        return super().get(name, default)

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return a parameter; set it to a default if it is missing."""
        self._unread.discard(name)
        return super().setdefault(name, default)

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last parameter."""
        name, value = super().popitem()
        self._unread.discard(name)
        return name, value

    def pop(self, name: str, *default: Any) -> Any:
        """Take a parameter out."""
        self._unread.discard(name)
        return super().pop(name, *default)

    def __iter__(self) -> Iterator[str]:
        self._unread.clear()
        return super().__iter__()

    def keys(self) -> Any:
        """Return all names; a policy that asks for them reads all parameters."""
        self._unread.clear()
        return super().keys()

    def items(self) -> Any:
        """Return all names and values."""
        self._unread.clear()
        return super().items()

    def values(self) -> Any:
        """Return all values."""
        self._unread.clear()
        return super().values()


def find(text: str) -> ChosenPolicy:
    """Return the policy that a user named.

    Parameters
    ----------
    text : str
        ``NAME`` or ``module:attribute``, followed by any number of ``,key=value``. Values are whole
        numbers, numbers, ``true``, ``false``, or text. The attribute is a `Policy`, or a callable
        that makes a scheduler from a `Setting`; the callable may have the attributes ``scope``,
        ``oracle``, ``reads``, ``about`` and ``parameters`` of a `Policy`. Parameters that stand in
        its signature, after the setting, are passed by name. Modules are also searched in the
        current folder.

    Raises
    ------
    CrawlError
        If there is no such policy, or it has no such parameter.
    """
    name, *given = (part.strip() for part in text.split(","))
    policy = _users(name) if ":" in name else _ours(name)
    texts: dict[str, str] = {}
    for item in given:
        key, sign, value = (part.strip() for part in item.partition("="))
        if not sign or not key or not value:
            raise CrawlError(f"{name}: parameters are key=value, not {item!r}")
        if key in texts:
            raise CrawlError(f"{name}: {key} is given twice")
        if key not in policy.parameters and (":" not in name or policy.parameters):
            raise CrawlError(f"{name} has no parameter {key!r}; {_has(policy)}")
        texts[key] = value
    parameters = {key: _value(value) for key, value in texts.items()}
    if isinstance(policy.make, MadeBySignature):
        parameters = policy.make.signature.checked(name, texts, parameters)
    return ChosenPolicy(text, policy, parameters)


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
    """Return a policy from a module of the user."""
    place, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in place.split(".")) or not attribute.isidentifier():
        raise CrawlError(
            f"{name}: name a policy of your own as module:attribute, for example my_policy:Greedy"
        )
    with _present_folder(), redirect_stdout(sys.stderr):
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
        raise CrawlError(
            f"{name}: {attribute} is neither a Policy nor a callable that makes a scheduler; it is "
            f"of type {type(found).__name__}"
        )
    return _made_by(found, name)


def _made_by(found: Any, name: str) -> Policy:
    """Return a policy that makes its schedulers by a callable."""
    try:
        scope = Scope(getattr(found, "scope", Scope.WEB))
    except ValueError:
        known = ", ".join(Scope)
        raise CrawlError(f"{name}: scope is one of {known}, not {found.scope!r}") from None
    about = getattr(found, "about", None) or (found.__doc__ or "").strip().partition("\n")[0]
    oracle, reads = (bool(getattr(found, wish, False)) for wish in ("oracle", "reads"))
    parameters = getattr(found, "parameters", {})
    if not isinstance(parameters, Mapping):  # a method or a property of that name declares nothing
        parameters = {}
    if not all(isinstance(key, str) for key in parameters):
        raise CrawlError(f"{name}: the attribute parameters maps names to default values")
    signature = signature_of(found, name)
    make = MadeBySignature(found, signature)
    declared = dict(parameters) | ({} if signature.rest else signature.defaults)
    return Policy(name, str(about), make, scope, declared, oracle=oracle, reads=reads)


@contextmanager
def _present_folder() -> Iterator[None]:
    """Let modules be imported from the current folder."""
    before = list(sys.path)
    sys.path.insert(0, str(Path.cwd()))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def _in_one_line(error: BaseException) -> str:
    """Return an error in user code as one line, with the file and the line number."""
    text = one_line_error(error)
    if isinstance(error, SyntaxError):
        return text  # its message contains the place
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{text} ({Path(place.filename).name}:{place.lineno})"
