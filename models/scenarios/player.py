"""Plays a scenario: takes its steps, and judges what it expects after them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from counterpoint.models.lassos import fault_of_lasso
from counterpoint.models.runs.steps import fitting, pieces, read, written
from counterpoint.models.runs.walk import Option, Walk
from counterpoint.models.verdict import Trace
from counterpoint.spec.notation import TEMPORAL, Model, Property, SpecError, Values

from .comparing import Comparison, comparison, initial_value
from .endings import as_endless, surely_violated

_PROPERTY = re.compile(r"(?:property\s+)?(.+?)\s+(violated|holds|not\s+reached|reached)")
_POSSIBLE = re.compile(r"(possible|impossible)\s*:\s*(.*)")
NOTHING = "nothing"


class Unmet(Exception):
    """A step is not possible, or something is not as the scenario expects it."""


class Player:
    """A run of a spec, with expectations.

    Parameters
    ----------
    model : Model
    initial : iterable of str
        What is true of the initial state, as ``cell = value``; it must leave one only.

    Raises
    ------
    SpecError
        If it leaves none, or several.
    """

    def __init__(self, model: Model, initial: Iterable[str] = ()) -> None:
        self.walk = Walk(model, start(model, list(initial)))
        self.model = model
        self.expectations = 0
        self._loop: int | None = None
        self._expected: set[str] = set()
        self._expected_of_run: set[str] = set()

    # What a line may say

    def take(self, text: str) -> None:
        """Take a step.

        Raises
        ------
        Unmet
            If it is not possible, or a violation after the last step was not expected.
        SpecError
            If the spec has no such step, or several fit.
        """
        self.must_expect_violations()
        wanted = read(text)
        if not fitting(self.model, wanted, (o.step for o in self.walk.options)):
            try:
                self.walk.find(text)
            except SpecError as error:
                raise Unmet(str(error)) from None
        self.walk.go(self.walk.find(text))
        self._expected &= {claim.name for claim in self.walk.violated}

    def expect(self, text: str) -> None:
        """Judge an expectation of the present state.

        Parameters
        ----------
        text : str
            ``clock == 1``, ``ready == {A, C}``, ``property opacity violated``, ``all-commit
            reached``, ``possible: read T0 y`` or ``impossible: read T0 y``.

        Raises
        ------
        Unmet
            If it is not true.
        SpecError
            If it cannot be read, or names something that the spec does not have.
        """
        self.expectations += 1
        if found := _POSSIBLE.fullmatch(text):
            self._expect_possible(found[2], found[1] == "possible")
        elif compared := comparison(self.model, text):
            self._expect_value(compared)
        elif named := _PROPERTY.fullmatch(text):
            word = " ".join(named[2].split())
            for name in pieces(named[1]):
                self._expect_property(self.walk.claim(name), word)
        else:
            raise SpecError(f"expect {text}: an expectation is as in clock == 1, property NAME "
                            "violated, possible: STEP or impossible: STEP")  # fmt: skip

    def must(self, text: str) -> None:
        """Judge which steps are the only possible ones.

        Parameters
        ----------
        text : str
            ``T0: read x=y; abort``: each possible step of T0 fits one of these, and each of them
            fits one. Without a member, as in ``: abort``, all possible steps are meant. ``nothing``
            says that none is possible.

        Raises
        ------
        Unmet
            If another step is possible, or one of these is not.
        SpecError
            If it cannot be read, or names something that the spec does not have.
        """
        self.expectations += 1
        of, colon, rest = text.partition(":")
        if not colon or not rest.strip():
            raise SpecError(f"must {text}: write must T0: STEP; STEP, or must T0: {NOTHING}")
        own = self._of_member(of.strip())
        whose = f" of {of.strip()}" if of.strip() else ""
        patterns = pieces(rest, ";")
        patterns = [] if patterns == [NOTHING] else patterns
        covered = set()
        for pattern in patterns:
            fit = fitting(self.model, read(pattern), (o.step for o in own))
            if not fit:
                raise Unmet(f"{pattern}{whose} should be possible {self.walk.where}, and is not")
            covered |= set(fit)
        others = [written(self.model, o.step) for o in own if o.step not in covered]
        if others:
            only = "; ".join(patterns) or NOTHING
            raise Unmet(f"{only} should be all that is possible{whose} {self.walk.where}; "
                        f"possible too: {'; '.join(others)}")  # fmt: skip

    def begin_cycle(self) -> None:
        """Say that the steps from here on are repeated for ever.

        Raises
        ------
        SpecError
            If that was said before.
        """
        if self._loop is not None:
            raise SpecError("for ever: stands twice")
        self.must_expect_violations()
        self._loop = self.walk.length

    def close(self) -> None:
        """Judge what can be judged at the end only.

        Raises
        ------
        Unmet
            If a violation was not expected, or a cycle does not lead back to its beginning.
        """
        self.must_expect_violations()
        if self._loop is not None:
            self._must_lead_back()
        self._must_expect_violations_of_run()

    @property
    def trace(self) -> Trace:
        """The run; if its last steps lead back to where ``for ever:`` stands, as a lasso."""
        states, loop = self.walk.trace.states, self._loop
        closed = loop is not None and not self.walk.fault and states[-1] == states[loop]
        return replace(self.walk.trace, loop=loop if closed else None)

    # How it is judged

    def must_expect_violations(self) -> None:
        """Refuse a violation after the last step that the scenario does not expect."""
        new = [c.name for c in self.walk.violated if c.name not in self._expected]
        if not new:
            return
        what = f"{', '.join(new)} {'is' if len(new) == 1 else 'are'} violated {self.walk.where}"
        why = f" ({self.walk.fault})" if self.walk.fault else ""
        raise Unmet(f"{what}{why}; if this is meant, say so: expect property {', '.join(new)} "
                    "violated")  # fmt: skip

    def _must_expect_violations_of_run(self) -> None:
        """Refuse a temporal property that the run violates if the scenario does not expect it."""
        found = [claim.name for claim in surely_violated(self.walk, self.trace)]
        new = [name for name in found if name not in self._expected_of_run]
        if new:
            raise Unmet(f"the run violates {', '.join(new)}; if this is meant, say so: expect "
                        f"property {', '.join(new)} violated")  # fmt: skip

    def _expect_possible(self, text: str, wanted: bool) -> None:
        step = read(text)
        fit = fitting(self.model, step, (o.step for o in self.walk.options))
        if bool(fit) == wanted:
            return
        if fit:
            shown = written(self.model, fit[0])
            also = "" if shown == step.text else f" ({shown})"
            where = self.walk.where
            raise Unmet(f"{step.text}{also} should be impossible {where}, and is possible")
        try:
            self.walk.find(text)
        except SpecError as error:
            raise Unmet(str(error)) from None

    def _expect_value(self, compared: Comparison) -> None:
        if not compared.holds(self.walk.here):
            now = compared.shown(self.walk.here)
            raise Unmet(f"{compared.text} should be true {self.walk.where}; {now}")

    def _expect_property(self, claim: Property, word: str) -> None:
        if claim.kind in TEMPORAL:
            self._expect_temporal(claim, word)
            return
        witness = claim.kind == "sometimes"
        if witness != word.endswith("reached"):
            words = "reached or not reached" if witness else "violated or holds"
            kind = "a witness" if witness else "no witness"
            raise SpecError(f"{claim.name} is {kind}: write {words}")
        truth = self.walk.truths.get(claim.name)
        if truth is None:
            raise SpecError(f"{claim.name} is a property of steps, and there is no step before")
        if truth != (word in ("holds", "reached"),):
            now = {"violated": "holds", "holds": "is violated", "reached": "is not reached",
                   "not reached": "is reached"}[word]  # fmt: skip
            raise Unmet(f"{claim.name} should be {word.replace('holds', 'true')} "
                        f"{self.walk.where}, and {now}")  # fmt: skip
        if word == "violated":
            self._expected.add(claim.name)

    def _expect_temporal(self, claim: Property, word: str) -> None:
        if word.endswith("reached"):
            raise SpecError(f"{claim.name} is no witness: write violated or holds")
        if self._loop is not None:
            self._must_lead_back()
        run = as_endless(self.walk, self.trace)
        # A run may break an until before its end.
        if run.loop is None and (claim.kind != "until" or word == "holds"):
            raise SpecError(f"{claim.name} is a temporal property, of runs without end: write "
                            "for ever: before the steps that are repeated")  # fmt: skip
        fault = fault_of_lasso(self.model, claim, run)
        unfair = fault not in ("", "not violated")
        if unfair:
            raise Unmet(f"{fault}, so the run says nothing about {claim.name}")
        if (fault == "") != (word == "violated"):
            now = "violates it" if not fault else "does not violate it"
            raise Unmet(f"{claim.name} should be {word.replace('holds', 'true')}; the run {now}")
        if word == "violated":
            self._expected_of_run.add(claim.name)

    def _must_lead_back(self) -> None:
        states, loop = self.walk.trace.states, self._loop or 0
        if self.walk.fault:
            raise Unmet(f"a run that leaves a range has no cycle: {self.walk.fault}")
        if states[-1] != states[loop]:
            changed = self.model.changes(states[loop], states[-1])
            shown = ", ".join(f"{n} {a}→{b}" for n, (a, b) in islice(changed.items(), 3))
            raise Unmet(f"the steps after for ever: do not lead back to where they began: {shown}")

    def _of_member(self, of: str) -> list[Option]:
        """Return the possible steps of a member, ``T0`` or ``t=T0``; all without one."""
        if not of:
            return list(self.walk.options)
        name, _, label = of.rpartition("=")
        name, label = name.strip(), label.strip()
        known = {
            (parameter, index.label(self.model.spec, k))
            for action in self.model.actions
            for parameter, index in action.parameters
            for k in range(index.size(self.model.spec))
        }
        if not any(b == label and name in ("", a) for a, b in known):
            raise SpecError(f"must {of}: no action has a parameter that can be {label}")
        return [
            option
            for option in self.walk.options
            if any(
                b == label and name in ("", a)
                for a, b in self.model.show_binding(option.step).items()
            )
        ]


def start(model: Model, given: Sequence[str]) -> Values:
    """Return the one initial state of which all is true.

    Raises
    ------
    SpecError
        If there is none, or there are several.
    """
    wanted = [initial_value(model, text) for text in given]
    fit = (v for v in model.initial_states() if all(v[k] == value for k, value in wanted))
    found = list(islice(fit, 2))
    if len(found) == 1:
        return found[0]
    if not found:
        raise SpecError(f"no initial state of {model.name} has {', '.join(given)}")
    differ = ", ".join(islice(model.changes(*found), 3))
    raise SpecError(f"{model.name} has several initial states: say which one, as in initial: "
                    f"NAME=VALUE; they differ in {differ}")  # fmt: skip
