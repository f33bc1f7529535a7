"""What ``counterpoint step`` answers to each line; it reads and prints nothing itself."""

from __future__ import annotations

import difflib
import random
import textwrap
from collections.abc import Callable, Iterator
from itertools import islice

from counterpoint.models.present.chart import drawn
from counterpoint.models.present.lanes import changes_as_text
from counterpoint.models.runs.showing import (
    named,
    possible_lines,
    property_lines,
    state_lines,
    variables,
)
from counterpoint.models.runs.steps import written
from counterpoint.models.runs.walk import Option, Walk, initial
from counterpoint.models.verdict import in_steps
from counterpoint.spec.notation import Model, SpecError

from .saving import save

HELP = """\
  3                 take the possible step with this number
  read t=T0 x=y     take a step by name; what is left out must not matter
  back, back 3      take back one step, or several
  random, random 5  take steps by chance, until a property is violated
  show, show NAME   show all of the state, or a variable
  steps, steps NAME show all possible steps, or those of an action
  properties        show which properties are true here
  chart             show the run so far
  goto initial 2    begin anew in an initial state; goto initial lists them
  save FILE         write the run as a scenario, or as JSON for FILE.json;
                    save --force FILE replaces a file
  help, quit        this list; leave
An action that is called like a command is taken by step: NAME."""

_LISTED = 10
"""How many initial states are listed."""
_COUNTED = 1000
"""As many initial states are counted."""
_MOST_RANDOM = 10_000


class Session:
    """A walk through a spec, by lines of text.

    Parameters
    ----------
    walk : Walk
        Where it begins.
    seed : int
        For random steps.
    width : int
        Columns of the terminal.

    Attributes
    ----------
    ended : bool
        Whether the user wants to leave.
    is_broken : bool
        Whether the spec raised an error on the way.
    """

    def __init__(self, walk: Walk, seed: int = 0, width: int = 80) -> None:
        self.walk, self.width = walk, width
        self.ended = self.is_broken = False
        self._chance = random.Random(seed)
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "back": self._back, "random": self._random, "show": self._show, "steps": self._steps,
            "properties": self._properties, "chart": self._chart, "goto": self._goto,
            "save": self._save, "help": self._help, "quit": self._quit,
        }  # fmt: skip

    @property
    def model(self) -> Model:
        """The spec."""
        return self.walk.model

    def greeting(self) -> list[str]:
        """Return the first lines: the spec, and where the walk begins."""
        given = "".join(f" {n}={v}" for n, v in self.model.changed_parameters().items())
        rows = textwrap.wrap(f"{self.model.name}{given}", self.width)
        if not self.walk.length:
            rows += self._other_starts()
        return [*rows, *self._standing()]

    def _other_starts(self) -> Iterator[str]:
        number = sum(1 for _ in islice(self.model.initial_states(), _COUNTED))
        if number > 1:
            there = f"{number:,} or more" if number == _COUNTED else f"{number:,}"
            yield f"There are {there} initial states; this is the first: goto initial lists them."

    def answer(self, line: str) -> list[str]:
        """Return the answer to a line; a line that is wrong changes nothing."""
        word, _, rest = line.strip().partition(" ")
        try:
            if not word:
                return self._standing()
            if word in self._commands:
                return list(self._commands[word](rest.strip()))
            return list(self._step(line.strip()))
        except SpecError as error:
            return [f"wrong: {' '.join(str(error).split())}"]

    def completions(self, begun: str) -> list[str]:
        """Return the lines that begin as typed."""
        lines = [*self._commands, *(written(self.model, o.step) for o in self.walk.options)]
        lines += [f"show {one.name}" for one in variables(self.model)]
        lines += [f"steps {action.name}" for action in self.model.actions]
        return [line for line in lines if line.startswith(begun)]

    # Steps

    def _step(self, text: str) -> Iterator[str]:
        option = self._numbered(int(text[:12])) if text.isdecimal() else self._named(text)
        yield from self._taken(option)
        yield from self._standing()

    def _numbered(self, number: int) -> Option:
        last = len(self.walk.options)
        if 1 <= number <= last:
            return self.walk.options[number - 1]
        there = f"the numbers go from 1 to {last}" if last else "no step is possible"
        raise SpecError(f"there is no step {number} here: {there}")

    def _named(self, text: str) -> Option:
        own = text.removeprefix("step:").strip()
        action = own.partition(" ")[0].partition("(")[0]
        if own == text and action not in [one.name for one in self.model.actions]:
            known = [*self._commands, *(one.name for one in self.model.actions)]
            near = difflib.get_close_matches(action, known, 1)
            hint = f"did you mean {near[0]}?" if near else "help lists the commands"
            raise SpecError(f"there is no command and no action {action!r}; {hint}")
        return self.walk.find(own)

    def _taken(self, option: Option) -> Iterator[str]:
        """Take a step; if the spec cannot be run after it, take it back."""
        before = {claim.name for claim in self.walk.violated}
        self.walk.go(option)
        try:
            new = [claim.name for claim in self.walk.violated if claim.name not in before]
            states = [self.model.at(values) for values in self.walk.trace.states]
            why = self.model.spec.explain(new[0], states).lines if new else ()
        except SpecError:
            self.walk.back()
            self.is_broken = True
            raise
        yield f"step {self.walk.length}: {written(self.model, option.step)}"
        yield from property_lines(self.walk, self.width, changed_only=True)
        for line in why:
            yield from textwrap.wrap(line, self.width, initial_indent="  ",
                                     subsequent_indent="    ")  # fmt: skip

    def _standing(self) -> list[str]:
        """Return where the run stands: the state, what is violated, and what is possible."""
        walk = self.walk
        rows = [walk.heading, *state_lines(self.model, walk.here, walk.before, self.width)]
        if walk.violated:
            names = ", ".join(claim.name for claim in walk.violated)
            rows += textwrap.wrap(f"Violated: {names}", self.width, subsequent_indent="  ")
        if walk.end:
            return [*rows, *textwrap.wrap(walk.end, self.width)]
        return [*rows, "Possible now:", *possible_lines(self.model, walk.options, self.width)]

    def _back(self, rest: str) -> Iterator[str]:
        number = _number(rest, "back", self.walk.length)
        if not self.walk.length:
            raise SpecError("there is no step to take back")
        taken = self.walk.back(number)
        yield f"{in_steps(taken)} taken back"
        yield from self._standing()

    def _random(self, rest: str) -> Iterator[str]:
        known = set(self.walk.violated)
        for _ in range(_number(rest, "random", _MOST_RANDOM)):
            if not self.walk.options:
                break
            yield from self._taken(self._chance.choice(self.walk.options))
            before = self.walk.before
            changes = changes_as_text(self.model, before, self.walk.here) if before else ()
            yield from textwrap.wrap(", ".join(changes), self.width, initial_indent="  ",
                                     subsequent_indent="    ")  # fmt: skip
            if set(self.walk.violated) - known:
                break
        yield from self._standing()

    def _goto(self, rest: str) -> Iterator[str]:
        words = rest.split()
        if words[:1] != ["initial"] or len(words) > 2:
            raise SpecError("write goto initial, or goto initial 2")
        if len(words) == 1:
            for number, values in enumerate(islice(self.model.initial_states(), _LISTED), start=1):
                own = ", ".join(f"{n}={v}" for n, v in self.model.show_open_cells(values).items())
                text = f"{number:4}  {own or 'the only one'}"
                yield from textwrap.wrap(text, self.width, subsequent_indent=" " * 6)
            return
        number = _number(words[1], "goto initial", 10**9)
        self.walk = Walk(self.model, initial(self.model, number))
        yield from self._standing()

    # What is shown

    def _show(self, rest: str) -> Iterator[str]:
        chosen = named(self.model, rest) if rest else variables(self.model)
        yield from state_lines(self.model, self.walk.here, self.walk.before, self.width, chosen)

    def _steps(self, rest: str) -> Iterator[str]:
        actions = [action.name for action in self.model.actions]
        if rest and rest not in actions:
            raise SpecError(f"there is no action {rest!r} (there are: {', '.join(actions)})")
        for action in [rest] if rest else actions:
            yield from possible_lines(self.model, self.walk.options, self.width, action)

    def _properties(self, rest: str) -> Iterator[str]:
        _must_be_empty(rest, "properties")
        yield from property_lines(self.walk, self.width)

    def _chart(self, rest: str) -> Iterator[str]:
        _must_be_empty(rest, "chart")
        if not self.walk.length:
            raise SpecError("the run has no step yet")
        yield from drawn(self.model, self.walk.trace, self.width)

    def _save(self, rest: str) -> Iterator[str]:
        yield save(self.walk, rest)

    def _help(self, rest: str) -> Iterator[str]:
        yield from HELP.splitlines()

    def _quit(self, rest: str) -> Iterator[str]:
        _must_be_empty(rest, "quit")
        self.ended = True
        yield from ()


def _number(text: str, command: str, most: int) -> int:
    """Return a number of steps from 1 on; 1 for no text, and at most ``most``."""
    if not text:
        return 1
    if not text.isdecimal() or not int(text[:12]):
        raise SpecError(f"{command} takes a whole number from 1 on, not {text!r}")
    return min(int(text[:12]), max(most, 1))


def _must_be_empty(rest: str, command: str) -> None:
    if rest:
        raise SpecError(f"{command} takes nothing after it, not {rest!r}")
