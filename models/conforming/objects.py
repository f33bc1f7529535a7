"""An object beside a spec: after each call its state must be one that the spec allows."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoint.models.logs.explaining import Obstacle, Search
from counterpoint.models.logs.reading import Line
from counterpoint.models.logs.stepping import Steps
from counterpoint.spec.notation import Model, RangeError, SpecError, Step, Values

from .calls import Call, Naming, calls_of
from .columns import Difference, difference
from .mapped import Mapped, Row

ALLOWED, FORBIDDEN, BEYOND = "allowed", "forbidden", "beyond"
"""Whether a spec allows a call, forbids it, or does not say since its bounds end there."""


@dataclass
class Question:
    """What is compared: the code, the spec, and how one is read as the other.

    Attributes
    ----------
    model : Model
    make : callable
        Makes a new object.
    mapping : callable
        Returns the values of variables for an object.
    naming : Naming
    refuses : tuple of type
        The exceptions by which the code refuses a call.
    forbidden : bool
        Whether calls are tried that the spec forbids; the code must refuse them.
    finish : callable or None
        Called with each object at its end.
    """

    model: Model
    make: Callable[[], Any]
    mapping: Callable[[Any], Any]
    naming: Naming = field(default_factory=Naming)
    refuses: tuple[type[BaseException], ...] = ()
    forbidden: bool = False
    finish: Callable[[Any], object] | None = None

    def __post_init__(self) -> None:
        self.naming.check(self.model)
        self.calls = calls_of(self.model, self.naming)
        if not self.calls:
            raise SpecError(f"{self.model.name}: no action is left to be called")
        name = getattr(self.mapping, "__name__", "<lambda>")
        self.mapped = Mapped(self.model, "the mapping" if name == "<lambda>" else name)
        self.taking = Steps(self.model)
        self.accepted: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._kinds: dict[tuple[Values, Step], str] = {}

    def kind(self, values: Values, step: Step) -> str:
        """Return whether a step is allowed or forbidden in a state, or beyond the bounds."""
        key = (values, step)
        if key not in self._kinds:
            self._kinds[key] = self._kind(values, step)
        return self._kinds[key]

    def _kind(self, values: Values, step: Step) -> str:
        try:
            if self.model.take(values, step) is not None:
                return ALLOWED
        except RangeError:
            return BEYOND
        return BEYOND if self.model.is_left_out(values, step) else FORBIDDEN


class ObjectDiffers(AssertionError):
    """The code is not in a state that the spec allows, or it accepts or refuses wrongly.

    Attributes
    ----------
    calls : tuple of Call
        The calls up to the one that differs.
    said : tuple of str
        The same as text, with what came of them.
    found : Difference
        What differs, as two columns.
    name : str
        The type of the object.
    unfinished : str
        What the user's ``finish`` raised at the end of this object; "": nothing.
    """

    unfinished = ""

    def __init__(
        self, calls: Sequence[Call], said: Sequence[str], found: Difference, name: str
    ) -> None:
        super().__init__(found.reason)
        self.calls, self.said, self.found, self.name = tuple(calls), tuple(said), found, name


class Failed(AssertionError):
    """A function of the user failed that is no call of the object: it is no difference."""


@contextmanager
def _calling(what: str) -> Iterator[None]:
    """Say which function of the user raised an exception."""
    try:
        yield
    except SpecError:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        raise Failed(f"{what} raised {_words(error)} ({where})") from error


class ObjectComparison:
    """One object, and the states in which the spec can be.

    Parameters
    ----------
    question : Question

    Raises
    ------
    ObjectDiffers
        If the object does not begin as the spec does.
    Failed
        If the user's function that makes, maps or finishes an object raises an exception.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._model = question.model
        with _calling("making the object"):
            self._object = question.make()
        self._search = Search(self._model, question.naming.silent, steps=question.taking)
        self._said: list[str] = []
        self._calls: list[Call] = []
        self._found: ObjectDiffers | None = None
        try:
            self._begin()
        except BaseException:
            self.end()
            raise

    def _begin(self) -> None:
        """Compare before the first call."""
        self._rows = self._look()
        self._earlier = next(iter(self._search.states))
        if not self._rows:
            raise SpecError("the mapping names no variable, so nothing would be compared")
        obstacle = self._search.advance(self._line())
        if obstacle is not None:
            raise self._differs("the beginning", obstacle, (), "the code begins in another state")

    def possible(self) -> tuple[list[Call], list[Call]]:
        """Return the calls that the spec allows in some state, and those that it forbids in all."""
        allowed: list[Call] = []
        forbidden: list[Call] = []
        states = list(self._search.states)
        for call in self._question.calls:
            kinds = {self._question.kind(v, step) for v in states for step in call.steps}
            if BEYOND in kinds:
                continue
            (allowed if ALLOWED in kinds else forbidden).append(call)
        return allowed, forbidden if self._question.forbidden else []

    def call(self, call: Call) -> None:
        """Make a call, and compare.

        Raises
        ------
        ObjectDiffers
            If the code does otherwise than the spec.
        """
        before, question = self._rows, self._question
        self._earlier = next(iter(self._search.states))
        self._said.append(call.text)
        self._calls.append(call)
        try:
            result = self._made(call)
        except question.refuses as error:
            self._said[-1] += f": refused by {_words(error)}"
            self._rows = self._look()
            self._compare_refused(call, before, error)
            return
        except Exception as error:
            self._rows = self._look()
            self._raised(call, before, error)
        if call.action in question.naming.returns:
            self._said[-1] += f": {result!r}"
        self._rows = self._look()
        self._compare(call, before, result)

    def end(self) -> None:
        """Finish with the object; what fails then does not hide a difference that was found.

        Raises
        ------
        Failed
            If the user's function that finishes an object raises an exception.
        """
        if self._question.finish is None:
            return
        try:
            with _calling("finish"):
                self._question.finish(self._object)
        except Failed as failed:
            if self._found is None:
                raise
            self._found.unfinished = str(failed)

    def _made(self, call: Call) -> Any:
        name = self._question.naming.names.get(call.action, call.action)
        if callable(name):
            return name(self._object, **call.arguments)
        method = getattr(self._object, name or "", None)
        if not callable(method):
            raise SpecError(f"{type(self._object).__name__} has no method {name} for the action "
                            f"{call.action}: say names={{{call.action!r}: ...}}")  # fmt: skip
        return method(**call.arguments)

    def _look(self) -> tuple[Row, ...]:
        number = len(self._calls)
        after = f" after {number} call{'s'[: number != 1]}" if number else ""
        with _calling(f"the mapping{after}"):
            found = self._question.mapping(self._object)
        return self._question.mapped.rows(found)

    def _line(self, action: str = "", steps: tuple[Step, ...] = ()) -> Line:
        facts = tuple(fact for row in self._rows for fact in row.facts)
        return Line(len(self._said), "", action, steps, (), facts)

    def _compare(self, call: Call, before: tuple[Row, ...], result: object) -> None:
        """Compare after a call that was not refused."""
        question, reason, steps = self._question, "", call.steps
        states = list(self._search.states)
        kinds = {question.kind(v, step) for v in states for step in steps}
        if ALLOWED not in kinds:
            reason = "the code does not refuse this call, though the spec forbids it"
        elif call.action in question.naming.returns:
            parameter = question.naming.returns[call.action]
            steps = call.returning(self._model, parameter, result)
            if not any(question.kind(v, step) == ALLOWED for v in states for step in steps):
                able = [s for s in call.steps if any(question.kind(v, s) == ALLOWED
                                                     for v in states)]  # fmt: skip
                shown = " or ".join(self._model.show_binding(s)[parameter] for s in able[:4])
                reason = f"the call returned {result!r}, and the spec allows {shown}"
                steps = call.steps
        obstacle = self._search.settle(self._line(call.action, steps))
        if reason and obstacle is None:
            obstacle = Obstacle(self._line(), len(states), nearest=next(iter(self._search.states)))
        if obstacle is not None:
            raise self._differs(call.text, obstacle, before, reason)
        question.accepted[call.action] += 1

    def _compare_refused(self, call: Call, before: tuple[Row, ...], error: BaseException) -> None:
        states = list(self._search.states)
        allowed = [v for v in states if any(self._question.kind(v, step) == ALLOWED
                                            for step in call.steps)]  # fmt: skip
        obstacle = self._search.refuse(call.steps, self._line())
        if obstacle is None:
            self._question.refused[call.action] += 1
            return
        reason = "the code refused the call and changed its state"
        if len(allowed) == len(states):
            reason = f"the code refuses this call ({_words(error)}), though the spec allows it"
        raise self._differs(call.text, obstacle, before, reason)

    def _raised(self, call: Call, before: tuple[Row, ...], error: Exception) -> None:
        """Report an exception that is no refusal."""
        if isinstance(error, SpecError):
            raise error
        self._said[-1] += f": raised {_words(error)}"
        known = ", ".join(one.__name__ for one in self._question.refuses) or "none"
        reason = f"the call raised {_words(error)}, which is no refusal (refuses: {known})"
        nearest = next(iter(self._search.states))
        obstacle = Obstacle(self._line(), 1, nearest=nearest)
        raise self._differs(call.text, obstacle, before, reason) from error

    def _differs(
        self, step: str, obstacle: Obstacle, before: tuple[Row, ...], reason: str
    ) -> ObjectDiffers:
        found = difference(self._model, step, obstacle, self._earlier, self._rows, before, reason)
        self._found = ObjectDiffers(self._calls, self._said, found, type(self._object).__name__)
        return self._found


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")
