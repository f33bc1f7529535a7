"""A run that is made step by step in plain Python: what is possible, and what is true there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from counterpoint.models.verdict import Trace, in_steps
from counterpoint.spec.notation import (
    TEMPORAL,
    Model,
    Property,
    RangeError,
    SpecError,
    Step,
    Values,
)

from .steps import fitting, read, written

NAMED = 6
"""How many steps a message about an ambiguous text names."""


@dataclass(frozen=True)
class Option:
    """A step that is possible.

    Attributes
    ----------
    number : int
        From 1 on, in the order of the spec's steps.
    step : Step
    after : Values or None
        The next state; None if the step leaves a range.
    fault : str
        Which range it leaves, and how; "" if none.
    """

    number: int
    step: Step
    after: Values | None
    fault: str = ""


Truth = tuple[bool, ...]
"""The truth of a property in one state: one value; two for a temporal one with two conditions."""


class Walk:
    """A run so far, from one of the initial states.

    Parameters
    ----------
    model : Model
    start : Values, optional
        The initial state; by default the first one.

    Attributes
    ----------
    trace : Trace
        The run. If its last step left a range, it has as many states as steps.
    """

    def __init__(self, model: Model, start: Values | None = None) -> None:
        self.model = model
        self.trace = Trace((initial(model, 1) if start is None else start,), ())
        self._options: list[tuple[Option, ...] | None] = [None]
        self._truths: list[dict[str, Truth] | None] = [None]
        self._fault = ""

    @property
    def here(self) -> Values:
        """The last state; if the last step left a range, the one before it."""
        return self.trace.states[-1]

    @property
    def before(self) -> Values | None:
        """The state before the last step; None without one, or if it left a range."""
        return self.trace.states[-2] if len(self.trace.states) > 1 and not self._fault else None

    @property
    def fault(self) -> str:
        """How the last step left a range; "" if it did not."""
        return self._fault

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.trace.steps)

    @property
    def where(self) -> str:
        """Where the run stands, in words."""
        return f"after {in_steps(self.length)}" if self.length else "in the initial state"

    @property
    def heading(self) -> str:
        """The line above a state."""
        if self._fault:
            return f"The state before step {self.length}:"
        return f"The state {self.where}:" if self.length else "The initial state:"

    @property
    def options(self) -> tuple[Option, ...]:
        """The steps that are possible now."""
        if self._fault:
            return ()
        found = self._options[-1]
        if found is None:
            found = self._options[-1] = tuple(_options(self.model, self.here))
        return found

    @property
    def truths(self) -> dict[str, Truth]:
        """The truth of each property now, by name; a property of steps needs a step."""
        found = self._truths[-1]
        if found is None:
            found = self._truths[-1] = self._judge()
        return found

    @property
    def truths_before(self) -> dict[str, Truth]:
        """The truth of each property before the last step; empty in the initial state."""
        return (self._truths[-2] or {}) if len(self._truths) > 1 else {}

    def _judge(self) -> dict[str, Truth]:
        found = {}
        for claim in self.model.all_properties:
            truth = self._truth(claim)
            if truth is not None:
                found[claim.name] = truth
        return found

    def _truth(self, claim: Property) -> Truth | None:
        if claim.kind in TEMPORAL:
            return self.model.conditions(claim, self.here)
        if claim.kind == "range":
            return (not self._fault,)
        if claim.kind == "deadlock":
            stops = not self.options and not self._fault and not self.model.may_end(self.here)
            return (not stops,)
        if claim.kind == "transition":
            before = self.before
            return None if before is None else (self.model.holds(claim, before, self.here),)
        return (self.model.holds(claim, self.here),)

    @property
    def violated(self) -> list[Property]:
        """The properties of states and steps that the run violates now."""
        return [
            claim
            for claim in self.model.properties
            if claim.kind != "sometimes" and self.truths.get(claim.name) == (False,)
        ]

    @property
    def reached(self) -> list[Property]:
        """The witnesses that are reached now."""
        every = (p for p in self.model.properties if p.kind == "sometimes")
        return [claim for claim in every if self.truths[claim.name] == (True,)]

    @property
    def end(self) -> str:
        """A sentence about why no step is possible; "" if one is."""
        if self._fault:
            return f"The run ends here: {self._fault}."
        if self.options:
            return ""
        if not self.model.may_end(self.here):
            return "Deadlock: no step is possible, and the run may not end here."
        if any(p.kind == "deadlock" for p in self.model.properties):
            return "Finished: no step is possible, and the run may end here."
        return "No step is possible."

    def go(self, option: Option) -> None:
        """Take a step that is possible now."""
        self.truths  # noqa: B018 those before the step are compared with those after it
        trace = self.trace
        if option.after is None:
            self.trace = replace(trace, steps=(*trace.steps, option.step))
            self._fault = option.fault
        else:
            self.trace = Trace((*trace.states, option.after), (*trace.steps, option.step))
        self._options.append(None)
        self._truths.append(None)

    def back(self, number: int = 1) -> int:
        """Take back so many steps, or all if there are fewer; return how many."""
        number = min(number, self.length)
        if number:
            kept = self.length - number
            self.trace = Trace(self.trace.states[: kept + 1], self.trace.steps[:kept])
            self._fault = ""
            del self._options[kept + 1 :], self._truths[kept + 1 :]
        return number

    def find(self, text: str) -> Option:
        """Return the one possible step that a text fits; see `steps.read`.

        Raises
        ------
        SpecError
            If it is no step of the spec, none that it fits is possible, or several are.
        """
        wanted = read(text)
        fit = fitting(self.model, wanted, (option.step for option in self.options))
        if len(fit) > 1:
            shown = "; ".join(written(self.model, step) for step in fit[:NAMED])
            more = f"; and {len(fit) - NAMED:,} more" if len(fit) > NAMED else ""
            raise SpecError(f"{wanted.text} fits {len(fit):,} possible steps: {shown}{more}")
        if fit:
            return next(option for option in self.options if option.step == fit[0])
        raise SpecError(f"{wanted.text} is not possible {self.where}{self._why(text)}")

    def _why(self, text: str) -> str:
        """Return which requirement forbids a step, after a colon; "" if a text fits several."""
        if self._fault:
            return f": {self._fault}"
        fit = fitting(self.model, read(text), self.model.steps)
        obstacle = self.model.obstacle(self.here, fit[0]) if len(fit) == 1 else ""
        return f": {obstacle}" if obstacle else ""

    def claim(self, name: str) -> Property:
        """Return a property by name.

        Raises
        ------
        SpecError
            If there is none; the message suggests another one.
        """
        known = [claim.name for claim in self.model.all_properties]
        near = difflib.get_close_matches(name, known, 1)
        if name.replace("_", "-") not in known and near:
            raise SpecError(f"{self.model.name} has no property {name!r}; did you mean {near[0]}?")
        return self.model.property_named(name)


def _options(model: Model, values: Values) -> Sequence[Option]:
    found: list[Option] = []
    for step in model.steps:
        try:
            after = model.take(values, step)
        except RangeError as error:
            found.append(Option(len(found) + 1, step, None, str(error)))
            continue
        if after is not None:
            found.append(Option(len(found) + 1, step, after))
    return found


def initial(model: Model, number: int) -> Values:
    """Return an initial state, the first one for 1.

    Raises
    ------
    SpecError
        If there are not so many.
    """
    for values in islice(model.initial_states(), number - 1, number):
        return values
    there = sum(1 for _ in islice(model.initial_states(), number))
    raise SpecError(f"{model.name} has {there:,} initial state{'' if there == 1 else 's'}")
