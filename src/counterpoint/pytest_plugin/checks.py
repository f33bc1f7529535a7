"""A check whose properties are items; they share its one run."""

from __future__ import annotations

import inspect
import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from counterpoint.ci.gate import JobOutcome, run_job
from counterpoint.ci.job import Job
from counterpoint.models.loading import load
from counterpoint.models.present.formats import command_line
from counterpoint.spec.notation import Model, Property, SpecError
from counterpoint.testing.asserting import difference
from counterpoint.testing.messages import message

WHOLE = "(check)"
"""The item for what concerns a check and no single property, such as its number of states."""


class Differs(Exception):
    """A result is not as expected; the message is all that pytest shows."""


class Check(pytest.Collector):
    """A check of a spec; its items are the properties.

    Parameters
    ----------
    job : Job
        What is checked, and what is expected.
    seconds : float
        The time limit.
    unknown : str
        What an undecided property does: ``fail`` or ``skip``.
    entered : callable
        Returns a context in which the spec's reference is found.
    whole : bool
        Whether there is an item for the whole check.
    """

    def __init__(
        self,
        name: str,
        parent: pytest.Collector,
        *,
        job: Job,
        seconds: float,
        unknown: str,
        entered: Callable[[], AbstractContextManager[None]],
        whole: bool,
    ) -> None:
        super().__init__(name, parent)
        self.job, self.seconds, self.unknown, self.entered = job, seconds, unknown, entered
        self._whole = whole
        self._outcome: JobOutcome | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each property, then perhaps one for the whole check."""
        model = self._model()
        for claim in self.job.wanted(model) if model is not None else ():
            yield self._item(claim.name, _place(model, claim))
        if self._whole or model is None:
            place = self.job.place
            yield self._item(WHOLE, (self.path, place.line) if place is not None else None)

    def _model(self) -> Model | None:
        given = [f"{name}={value}" for name, value in self.job.parameters.items()]
        with self.entered():
            try:
                return load(self.job.reference, given)
            except SpecError as error:
                if not self._whole:
                    raise self.CollectError(str(error)) from None
                return None  # its run says why

    def _item(self, name: str, place: tuple[Path, int] | None) -> PropertyItem:
        item = PropertyItem.from_parent(self, name=name, place=place or (self.path, 1))
        if self.config.getoption("loadgroup", False):  # of xdist: one worker runs the check, once
            item.add_marker(pytest.mark.xdist_group(self.nodeid))
        return item

    def command(self, check: str, name: str) -> str:
        """Return the commands that repeat an item.

        Parameters
        ----------
        check : str
            The command that repeats it without pytest, in the folder where the spec is found.
        name : str
            The item's name for pytest, in the top folder.
        """
        with self.entered():
            folder = Path.cwd()
        if folder != Path.cwd():
            check = f"cd {shlex.quote(os.path.relpath(folder))} && {check}"
        path, _, rest = name.partition("::")
        name = f"{os.path.relpath(self.config.rootpath / path)}::{rest}"
        option = "--counterpoint " if self.config.getoption("counterpoint") else ""
        return f"{check}\n              pytest {option}{shlex.quote(name)}"

    @property
    def outcome(self) -> JobOutcome:
        """The results; the first item makes the run."""
        if self._outcome is None:
            with self.entered():
                self._outcome = run_job(self.job, time.monotonic() + self.seconds)
        return self._outcome


class PropertyItem(pytest.Item):
    """A property of a check, or the whole check.

    Parameters
    ----------
    place : (Path, int)
        File and line of the property.
    """

    parent: Check

    def __init__(self, name: str, parent: Check, *, place: tuple[Path, int]) -> None:
        super().__init__(name, parent)
        self._place = place

    def runtest(self) -> None:
        """Fail if the result is not as expected; an unknown result fails or skips."""
        check = self.parent
        outcome = check.outcome
        of = "" if self.name == WHOLE else self.name
        mine = [text for name, text in outcome.surprises if name == of or not outcome.verdicts]
        if mine:
            raise Differs(self._message(outcome, mine))
        unknown = [text for name, text in outcome.unknown if name == of or not outcome.verdicts]
        if unknown:
            text = self._message(outcome, unknown)
            if check.unknown == "skip":
                pytest.skip("\n".join(unknown))
            raise Differs(text)

    def _message(self, outcome: JobOutcome, wrong: Sequence[str]) -> str:
        job = self.parent.job
        shown = next((v for v in outcome.verdicts if v.claim.name == self.name), None)
        if shown is not None and self.name not in job.violated:
            wrong = [difference(shown)]
        only = job.only if self.name == WHOLE else (self.name,)
        again = command_line(job.reference, job.parameters, job.engine, only, job.options)
        again = self.parent.command(again, self.nodeid)
        if not outcome.verdicts:
            return "\n".join([*wrong, "", f"To reproduce: {again}"])
        return message(outcome.verdicts, wrong, shown, again)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message alone for a result that differs."""
        if isinstance(excinfo.value, Differs):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return file, line (from 0) and name."""
        path, line = self._place
        return path, line - 1, f"{self.parent.name}::{self.name}"


def _place(model: Model | None, claim: Property) -> tuple[Path, int] | None:
    """Return the file and the line of a property, or of its class."""
    assert model is not None
    found: Any = type(model.spec)
    try:
        if claim.method:
            code = getattr(found, claim.method).__code__
            return Path(code.co_filename), int(code.co_firstlineno)
        return Path(inspect.getfile(found)), inspect.getsourcelines(found)[1]
    except (OSError, TypeError):
        return None
