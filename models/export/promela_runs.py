"""A temporal property as a Promela model: Spin looks for a fair run that violates it.

The loop of guarded commands has further options, which lead through the promises of fairness: the
variable ``promise`` is the number of the promise that the run must meet next. While it is 0,
promises do not count yet; Spin chooses when they begin to. Each time when all of them are met, in
their order, the never claim accepts, if the run violates the property in its states. So there is an
acceptance cycle if and only if a fair run violates the property.

These options are the only steps that change nothing else, so they are the stuttering of the run: it
may stay in a state for ever if all promises are met there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from counterpoint.models.symbolic.trace import Command, System, facts_of
from counterpoint.spec.notation import Fairness, Property, nodes
from counterpoint.spec.notation.nodes import Node

from ._bounds import bounds_of
from ._expressions import c_function
from .promela import Writer, comment, flag

STAY = {
    "eventually": "it never satisfies the condition",
    "infinitely-often": "from some time on it does not satisfy the condition",
    "stays": "it does not satisfy the condition again and again",
    "leads-to": "after a state with the first condition it never satisfies the second one",
    "until": "it never satisfies the second condition, or not before it leaves the first",
}
"""What a run does that violates a property of a kind."""


def changing(system: System) -> Iterator[Command]:
    """Yield the commands with a next state, each with a guard by which it changes the state."""
    for command in system.commands:
        if command.leaves:
            continue
        facts = facts_of(command.guard)
        differs = nodes.disjunction(
            nodes.negation(nodes.equal(system.cells[i], node)) for i, node in command.updates
        )
        rest = nodes.rebuild(differs, facts.replacements(), {})
        known = facts.known(rest)
        if known:
            yield command
        elif known is None:
            yield replace(command, guard=(*command.guard, rest))


@dataclass
class RunWriter(Writer):
    """Writes a model with one temporal property and all promises of fairness."""

    claim: Property = field(kw_only=True)
    formulas: tuple[Node, ...] = field(kw_only=True)

    def __post_init__(self) -> None:
        self.promises = self.system.model.fairness
        self.kept_by: dict[object, list[int]] = {}
        for number, promise in enumerate(self.promises, start=1):
            for step in promise.steps:
                self.kept_by.setdefault(step, []).append(number)
        # The condition of `stays` is false again and again: one more thing for a run to meet.
        self.last = len(self.promises) + (self.claim.kind == "stays")

    @property
    def done(self) -> int:
        """The value of ``promise`` when all are met."""
        return self.last + 1

    @property
    def stay(self) -> Node:
        """The condition that is true in all states of the violating part of a run."""
        if self.claim.kind == "stays":
            return nodes.TRUE
        without = nodes.negation(self.formulas[-1])
        if self.claim.kind == "until":
            return nodes.conjunction([self.formulas[0], without])
        return without

    # Above the process

    def _named(self) -> list[str]:
        return [self.claim.name]

    _checked = _named

    def _how_to_run(self) -> list[str]:
        lines = [
            f"A run that violates {self.claim.name} and keeps all promises of fairness is an",
            "acceptance cycle. To look for one:",
            "  spin -a -o2 FILE",
            "  gcc -O2 -DNOREDUCE -DNOFAIR -o pan pan.c",
            "  ./pan -a -m1000000           stops at the first one",
            "  ./pan -r                     shows it; its cycle is repeated for ever",
            "Simulation (spin -t) cannot show it, because the promises are counted in C.",
        ]
        lines += bounds_of(self.system, runs=True)
        if self.claim.kind == "until":
            lines.append("Or a run leads to the end of the claim: neither condition is true.")
        return lines

    def _flags(self) -> list[str]:
        kind = "byte" if self.done <= 255 else "short"
        lines = [
            "/* The promise that the run must meet next; 0: they do not count yet;",
            f" * {self.done}: all are met, and the first is next. */",
            f"{kind} promise = 0;",
        ]
        if self.extra_states:
            lines += ["/* Whether Spin has chosen the initial state. */", "bool begun = false;"]
        for number, promise in self._strong():
            lines += [
                f"/* {comment(promise.name)} is given up: it is never possible again. */",
                f"bool given_up_{number} = false;",
            ]
        return lines

    def _strong(self) -> list[tuple[int, Fairness]]:
        return [(k, one) for k, one in enumerate(self.promises, start=1) if one.strong]

    def _functions(self) -> list[str]:
        lines = []
        for number, promise in enumerate(self.promises, start=1):
            lines.append(
                f"/* Whether {comment(promise.name)} is possible and changes the state. */"
            )
            lines += [*c_function(f"possible_{number}", self._due(promise), self.printer), ""]
        if self.claim.kind == "stays":
            lines.append("/* The condition of the property. */")
            lines += [*c_function("condition", self.formulas[0], self.printer), ""]
        return [*super()._functions(), *lines, *self._advance(), ""]

    def _due(self, promise: Fairness) -> Node:
        """Return when a promise is due: also where a constraint leaves out its step.

        So a run that stops at a constraint, which a run of the spec would leave, is not fair.
        """
        steps = set(promise.steps)
        possible = (*self.system.commands, *self.system.left_out)
        return nodes.disjunction(nodes.conjunction(c.guard) for c in possible if c.step in steps)

    def _advance(self) -> list[str]:
        """Return the function that goes on past the promises that are met in a state."""
        tests = []
        for number, promise in enumerate(self.promises, start=1):
            name = comment(promise.name)
            if promise.strong:
                met = f"now.given_up_{number}"
                tests.append(f"  /* {name}, strong: a step keeps it, or it is given up. */")
            else:
                met = f"!possible_{number}()"
                tests.append(f"  /* {name}, weak: a step keeps it, or it is not possible. */")
            tests.append(f"  if (now.promise == {number} && {met}) now.promise = {number + 1};")
        if self.claim.kind == "stays":
            tests.append("  /* The condition of the property is false again. */")
            tests.append(
                f"  if (now.promise == {self.last} && !condition()) now.promise = {self.done};"
            )
        return ["c_code {", "static void advance(void)", "{", *tests, "}", "};"]

    # The process

    def _begun(self) -> Sequence[str]:
        return ("begun = true",)

    def _guard(self, command: Command) -> str:
        return f"promise <= {self.last} && {super()._guard(command)}"

    def _effect(self, command: Command) -> list[str]:
        kept = self.kept_by.get(command.step, ())
        return [
            *super()._effect(command),
            *(f"promise = (promise == {k} -> {k + 1} : promise)" for k in kept),
            "c_code { advance(); }",
        ]

    def _monitors(self) -> Iterator[str]:
        yield "  /* From here on, promises count. */"
        stay = "" if self.stay is nodes.TRUE else f" && {self._condition(self.stay)}"
        yield from self._turn(f"promise == 0{stay}", 'printf("for ever:\\n"); promise = 1')
        yield "  /* All promises are met, and will be again. */"
        yield from self._turn(f"promise == {self.done}", "promise = 1")
        for number, promise in self._strong():
            yield f"  /* {comment(promise.name)} is given up. */"
            free = f"promise == {number} && !given_up_{number}"
            still = f"c_expr {{ possible_{number} () }}"
            yield from self._turn(f"{free} && !{still}", f"given_up_{number} = true")

    def _turn(self, when: str, moves: str) -> list[str]:
        return [f"  :: d_step {{ {when} ->", f"       {moves}; c_code {{ advance(); }} }}"]

    # The claim

    def _claim(self) -> list[str]:
        name = self.claim.name
        region = self._region()
        lines = [
            "",
            f"/* {comment(f'{name}: {self.claim.description}').rstrip(': ')}",
            f" * A run violates it if {STAY[self.claim.kind]}.",
            " * The claim moves before each step of the process, so it reads every state once. */",
            "#define VIOLATING (" + " \\\n    && ".join(region) + ")",
            "",
            f"never {flag(self.claim)}",
            "{",
        ]
        begun = "begun && " if self.extra_states else ""
        wait = ["  :: !begun -> goto {}"] if self.extra_states else []
        if self.claim.kind == "leads-to":
            first = self._condition(self.formulas[0])
            lines += [
                "any:  /* before the state with the first condition */",
                "  if",
                *(line.format("any") for line in wait),
                f"  :: {begun}promise == 0 -> goto any",
                f"  :: {begun}promise == 0 && {first} && VIOLATING -> goto stays",
                "  fi;",
            ]
            begun, wait = "", []
        lines += [
            "stays:  /* as long as the run violates the property */",
            "  if",
            *(line.format("stays") for line in wait),
            f"  :: {begun}VIOLATING && promise != {self.done} -> goto stays",
            f"  :: {begun}VIOLATING && promise == {self.done} -> goto accept_all_met",
            *self._broken(begun),
            "  fi;",
            "accept_all_met:  /* all promises are met once more */",
            "  if",
            f"  :: VIOLATING && promise != {self.done} -> goto stays",
            f"  :: VIOLATING && promise == {self.done} -> goto accept_all_met",
            "  fi;",
        ]
        if self.claim.kind == "until":
            lines += [
                "broken:  /* neither condition is true: no later state can mend it */",
                "  skip",
            ]
        return [*lines, "}"]

    def _region(self) -> list[str]:
        """Return the conditions on the states of the violating part of a run."""
        stay = self._condition(self.stay)
        parts = [f"(promise == 0 || {stay})" if self.claim.kind == "infinitely-often" else stay]
        parts += [
            f"!(given_up_{number} && c_expr {{ possible_{number} () }})"
            for number, _ in self._strong()
        ]
        return parts

    def _broken(self, begun: str) -> list[str]:
        if self.claim.kind != "until":
            return []
        neither = nodes.conjunction(map(nodes.negation, self.formulas))
        return [f"  :: {begun}{self._condition(neither)} -> goto broken"]
