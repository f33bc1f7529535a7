"""Scenarios in tests: a run written by hand, with what must be true in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from counterpoint.models.present.chart import drawn
from counterpoint.models.runs.steps import quoted, written
from counterpoint.models.scenarios import Player, Unmet, play_file
from counterpoint.models.scenarios.notation import body
from counterpoint.models.scenarios.playing import say, standing
from counterpoint.spec.notation import SpecError

from .asserting import AnySpec, model_of, plain
from .isolation import load
from .messages import width


class Run:
    """A run that a test makes step by step; see `scenario`.

    Each method returns the run itself. If something is not as it should be, it raises an
    `AssertionError` that shows the run, the state, and the steps that are possible.
    """

    def __init__(self, player: Player) -> None:
        self._player = player

    @plain
    def take(self, step: str, **parameters: Any) -> Run:
        """Take a step: ``take("read t=T0 x=y")``, or ``take("read", t="T0", x="y")``.

        Raises
        ------
        AssertionError
            If it is not possible, or the last step violated a property that was not expected.
        SpecError
            If the spec has no such step, or several possible ones fit.
        """
        given = (f"{name}={quoted(str(value))}" for name, value in parameters.items())
        return self._say(self._player.take, " ".join([step, *given]))

    @plain
    def expect(self, *expectations: str) -> Run:
        """Check what is true now: ``expect("clock == 1", "property opacity holds")``.

        Raises
        ------
        AssertionError
            If one of them is not true.
        SpecError
            If one cannot be read, or names something that the spec does not have.
        """
        for text in expectations:
            self._say(self._player.expect, text)
        return self

    @plain
    def must(self, of: str, *steps: str) -> Run:
        """Check which steps of a member are possible: ``must("T0", "read x=y", "abort")``.

        Parameters
        ----------
        of : str
            A member, as ``T0`` or ``t=T0``; "" for all.
        *steps : str
            Each possible step fits one of these, and each of them fits one. None, if none is
            possible.

        Raises
        ------
        AssertionError
            If another step is possible, or one of these is not.
        SpecError
            If one cannot be read, or names something that the spec does not have.
        """
        return self._say(self._player.must, f"{of}: {'; '.join(steps) or 'nothing'}")

    @plain
    def follow(self, text: str) -> Run:
        """Do what the lines of a text say, written as in a file of scenarios, without the head.

        Raises
        ------
        AssertionError
            If a line is not met; the message has its number in the text.
        SpecError
            If a line cannot be read, or names something that the spec does not have.
        """
        for line in body(text):
            where = f"line {line.number}: "
            try:
                say(self._player, line)
            except Unmet as unmet:
                raise AssertionError(self._message(where + str(unmet))) from None
            except SpecError as error:
                raise SpecError(where + str(error)) from None
        return self

    def __getitem__(self, name: str) -> str | int | bool:
        """Return the value of a variable now, as it is shown: ``run["status[T0]"] == "LIVE"``.

        Raises
        ------
        SpecError
            If there is none.
        """
        model = self._player.model
        for cell, value in zip(model.cells, self._player.walk.here, strict=True):
            if cell.label == name:
                return model.show_value(cell, value)
        known = ", ".join(cell.label for cell in model.cells)
        raise SpecError(f"{model.name} has no variable {name} (it has: {known})")

    @property
    def possible(self) -> list[str]:
        """The steps that are possible now, as in ``read t=T0 x=y``."""
        return [written(self._player.model, one.step) for one in self._player.walk.options]

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        """Check that the last step violates no property that is not expected."""
        __tracebackhide__ = True
        if error is None:
            self.close()

    @plain
    def close(self) -> None:
        """Check what can be checked at the end only; ``with scenario(...) as run:`` does so.

        Raises
        ------
        AssertionError
            If the last step violates a property that was not expected, or steps that should be
            repeated for ever do not lead back.
        """
        try:
            self._player.close()
        except Unmet as unmet:
            raise AssertionError(self._message(str(unmet))) from None

    def _say(self, judge: Any, text: str) -> Run:
        try:
            judge(text)
        except Unmet as unmet:
            raise AssertionError(self._message(str(unmet))) from None
        return self

    def _message(self, reason: str) -> str:
        return _message(reason, self._player, width())


def _message(reason: str, player: Player, columns: int) -> str:
    rows = [reason, "", *standing(player.walk, columns)]
    if player.walk.length:
        rows += ["", *drawn(player.model, player.trace, columns)]
    return "\n".join(rows)


@plain
def scenario(
    spec: AnySpec,
    *,
    parameters: Mapping[str, Any] | None = None,
    initial: Sequence[str] = (),
) -> Run:
    """Begin a run that the test makes step by step, with what must be true in it.

    ::

        def test_t0_must_abort():
            with scenario("window-stm") as run:
                run.take("begin", t="T0").expect("status[T0] == LIVE")
                run.must("T0", "read", "write", "commit_read_only")

    Parameters
    ----------
    spec : Spec or type or Model or str
        ``Buffer(producers=3)``, a class, a model, or a reference such as ``buffer.py:Buffer``.
    parameters : mapping of str to value, optional
        Parameters of the spec, for a class or a reference.
    initial : sequence of str
        Of several initial states, what is true of the one to begin in: ``"lock = 1"``.

    Raises
    ------
    SpecError
        If there is no such spec, parameter or initial state, or there are several of them.
    """
    return Run(Player(model_of(spec, parameters), initial))


@plain
def assert_scenario(path: str | Path) -> None:
    """Play all scenarios of a file.

    Parameters
    ----------
    path : str or Path
        A file ``*.scenario``.

    Raises
    ------
    AssertionError
        If one of them is not met; the message has the line, the state, and what is possible there.
    SpecError
        If the file cannot be read, or names something that its spec does not have.
    """
    wrong = []
    for played in play_file(Path(path), load):
        if played.failure is not None:
            rows = [played.outcome, "", *played.details(width())]
            wrong.append("\n".join([*rows, "", *played.chart(width())]))
    if wrong:
        raise AssertionError("\n\n".join(wrong) + f"\n\nTo reproduce: counterpoint replay {path}")
