"""Rules of scope: which addresses a crawl asks for, by host, domain, path, address or pattern.

Rules about answers, by type and size, stand beside them (`answer_rules`).

A rule is written ``KIND:VALUE``:

========== =======================================================================================
``host``   the host of an address, with its port if it is not the default: ``host:www.a.test``
``domain`` a host and all hosts below it: ``domain:a.test``
``path``   how path and query begin, on any host: ``path:/docs/``
``url``    how the whole address begins: ``url:https://a.test/docs/``
``regex``  a pattern of RE2 that is searched in the whole address: ``regex:[?&]sort=``
========== =======================================================================================

An address is left out if a rule of exclusion applies to it, if there are rules of inclusion and
none applies, or if a detector of traps finds it by its form (`traps`). RE2 (R. Cox, *Regular
Expression Matching in the Wild*, 2010) takes time linear in the length of the address for every
pattern, so that no pattern of a user can stop a crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import re2

from counterpoint.crawler.errors import CrawlError

from .addresses import LONGEST, normalized, site
from .answer_rules import KINDS as OF_ANSWERS
from .answer_rules import AnswerRules, answer_rules, is_about_answers
from .traps import Traps

KINDS = ("host", "domain", "path", "url", "regex")
"""What a rule can be about."""

LEFT_OUT = "left out: "
"""How the problem of a page begins that a rule has left out."""

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False

_Test: TypeAlias = Callable[[str], bool]
_Tests: TypeAlias = list[tuple[str, _Test]]


@dataclass(frozen=True)
class ScopeRules:
    """The rules of a crawl.

    Parameters
    ----------
    include, exclude : tuple of str
        Rules as the user writes them.
    traps : str
        Detectors of traps, as `Traps` takes them.

    Raises
    ------
    CrawlError
        If a rule is wrong; the message names it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    traps: str = ""

    def __post_init__(self) -> None:
        _ = (
            self._including,
            self._excluding,
            self.answers,
            self.detectors,
        )  # a wrong one is refused at once

    @cached_property
    def _including(self) -> _Tests:
        return _tests("--include", self.include)

    @cached_property
    def _excluding(self) -> _Tests:
        return _tests("--exclude", self.exclude)

    @cached_property
    def answers(self) -> AnswerRules:
        """The rules about answers."""
        return answer_rules(self.include, self.exclude)

    @cached_property
    def detectors(self) -> Traps:
        """The detectors of traps."""
        return Traps(self.traps)

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude or self.detectors)

    def problem(self, address: str) -> str:
        """Return which rule leaves a normalized address out; "" if none does.

        Detectors of traps that count pages are not asked.
        """
        for rule, applies in self._excluding:
            if applies(address):
                return f"{LEFT_OUT}--exclude {rule}"
        if self._including and not any(applies(address) for _, applies in self._including):
            return f"{LEFT_OUT}no --include applies"
        why = self.detectors.problem(address)
        return f"{LEFT_OUT}{why}" if why else ""

    def left_out(self, problem: str) -> bool:
        """Return whether the problem of an answer that was left out would be the same today."""
        return problem.removeprefix(LEFT_OUT) in self.answers.rules()

    def require(self, starts: Iterable[str]) -> None:
        """Refuse rules that leave out a start page.

        Raises
        ------
        CrawlError
            If one is left out; the message names it and the rule.
        """
        for start in starts:
            if problem := self.problem(start):
                raise CrawlError(f"{start} is a start page, and is {problem}")


def _tests(option: str, rules: Iterable[str]) -> _Tests:
    """Return the rules about addresses, each with the function that applies it."""
    return [(rule, _test(option, rule)) for rule in rules if not is_about_answers(rule)]


def _test(option: str, rule: str) -> _Test:
    """Return the function that says whether a rule applies to an address."""
    kind, colon, value = rule.partition(":")
    if not colon or kind not in KINDS:
        kinds = ", ".join((*KINDS, *OF_ANSWERS))
        raise CrawlError(f"{option} {rule}: a rule is KIND:VALUE, and KIND is {kinds}")
    if not value:
        raise CrawlError(f"{option} {rule}: has no value")
    if len(value) > LONGEST:
        raise CrawlError(f"{option} {rule[:40]}...: is longer than {LONGEST:,} characters")
    try:
        return _MAKERS[kind](value)
    except ValueError as error:
        raise CrawlError(f"{option} {rule}: {error}") from None


def _host(value: str) -> _Test:
    wanted = _site_of(value)
    return lambda address: site(address) == wanted


def _domain(value: str) -> _Test:
    wanted = _site_of(value.removeprefix("."))
    if ":" in wanted:
        raise ValueError("a domain has no port")
    below = f".{wanted}"

    def applies(address: str) -> bool:
        host = site(address).partition(":")[0]
        return host == wanted or host.endswith(below)

    return applies


def _site_of(value: str) -> str:
    """Return a host as normalized addresses have it."""
    address = normalized(f"http://{value}/")
    strange = any(sign in value for sign in "/?#@\\")
    if strange or address is None or address.count("/") != 3:
        raise ValueError(f"{value!r} is no host")
    if value.endswith((":80", ":443")):
        raise ValueError("a port that a scheme has by default is left out: it stands for both")
    return site(address)


def _path(value: str) -> _Test:
    if not value.startswith("/"):
        raise ValueError("a path begins with /")
    wanted = _normal(f"http://a.test{value}")[len("http://a.test") :]
    return lambda address: _after_host(address).startswith(wanted)


def _url(value: str) -> _Test:
    wanted = _normal(value)
    return lambda address: address.startswith(wanted)


def _normal(value: str) -> str:
    """Return the begin of an address, normalized; a last ``?`` stays."""
    found = normalized(value)
    if found is None:
        raise ValueError("is no address of http or https")
    if "#" in value:
        raise ValueError("a fragment (#) is no part of what is asked for")
    if any(part in (".", "..") for part in value.partition("?")[0].split("/")):
        raise ValueError("a part of a path is . or ..")
    return f"{found}?" if value.endswith("?") and not found.endswith("?") else found


def _after_host(address: str) -> str:
    return address[address.index("/", len("https://")) :]


def _regex(value: str) -> _Test:
    try:
        pattern = re2.compile(value, _OPTIONS)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"is no pattern of RE2 ({why})") from None
    return partial(_found, pattern)


def _found(pattern: re2._Regexp, address: str) -> bool:
    return pattern.search(address) is not None


_MAKERS: dict[str, Callable[[str], _Test]] = {
    "host": _host, "domain": _domain, "path": _path, "url": _url, "regex": _regex,
}  # fmt: skip
