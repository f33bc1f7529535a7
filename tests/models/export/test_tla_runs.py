"""Temporal formulas and fairness in exported TLA+, judged by brute force on the module's states.

TLC is not run here. The reader below knows nothing of the spec: it takes promises, formulas, states
and steps from the text of the module, and needs them to have the forms that it knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.models.export.tla import tla
from counterpoint.spec.notation import Model
from tests.models.liveness.brute_force import KINDS, Machine
from tests.models.liveness.telling import telling
from tests.models.liveness.test_agreement import drawn, loaded
from tests.models.liveness.test_lassos import REFERENCE, Lock

from .test_tla import Module, State

FORMS = {
    "eventually": r"<>(?P<first>.*)",
    "infinitely-often": r"\[\]<>(?P<first>.*)",
    "stays": r"<>\[\](?P<first>.*)",
    "leads-to": r"(?P<first>.*) ~> (?P<second>.*)",
    "until": r"<>(?P<second>.*) /\\ "
    r"\[\]\((?P<waits>waits_\w+) => \((?P<first>.*) \\/ (?P=second)\)\)",
}
"""How each kind of property is written."""


class RunModule(Module):
    """A TLA+ module with fairness and temporal formulas."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.spec_variables = list(self.variables)
        every = re.search(r"^all_vars == <<(.*)>>$", text, re.MULTILINE)
        if every is not None:
            self.variables = re.findall(r"\w+", every[1])
            assert self.variables[: len(self.spec_variables)] == self.spec_variables
        name = "vars" if every is None else "all_vars"
        assert f"\nSpec == Init /\\ [][Next]_{name}\n" in text
        assert "\nFairSpec == Spec /\\ Fairness\n" in text
        assert "\\*   SPECIFICATION FairSpec\n" in text
        block = re.search(r"^Fairness ==\n((?:  .*\n)+)", text, re.MULTILINE)
        assert block is not None
        lines = [line for line in block[1].splitlines() if not line.startswith("  \\* ")]
        forms = [re.fullmatch(r"  /\\ (?:([WS])F_vars\((.*)\)|TRUE)", line) for line in lines]
        assert all(forms)
        self.promises = [
            ("strong" if f[1] == "S" else "weak", f[2].split(" \\/ ")) for f in forms if f and f[1]
        ]

    def formula(self, name: str) -> str:
        """Return the temporal formula with a name, which the configuration must list."""
        listed = re.search(r"^\\\*   PROPERTIES (.*)$", self.text, re.MULTILINE)
        assert listed is not None and name in listed[1].split()
        found = re.search(rf"^{name} ==\n  (.*)$", self.text, re.MULTILINE)
        assert found is not None
        return found[1]

    def changes(self, before: State, after: State) -> bool:
        """Return whether a step changes a variable of the spec."""
        number = len(self.spec_variables)
        return before[:number] != after[:number]

    def judged(self, kind: str, name: str) -> bool:
        """Return whether all runs of ``FairSpec`` satisfy the formula of a property."""
        formula = self.formula(f"{kind.replace('-', '_')}_{name}")
        form = re.fullmatch(FORMS[kind], formula)
        assert form is not None, formula
        states = list(self.explore())
        number = {state: k for k, state in enumerate(states)}
        starts = frozenset(number[state] for state in self.initial())
        conditions = {
            group: frozenset(k for state, k in number.items() if self.value(text, state))
            for group, text in form.groupdict().items()
        }
        machine = Machine(
            len(states),
            (
                ("none", self._steps(self.parts["Next"], number)),
                *((fair, self._steps(names, number, only_changes=True))
                  for fair, names in self.promises),
            ),
            conditions["first"],
            conditions.get("second", frozenset()),
            starts,
        )  # fmt: skip
        if kind != "until":
            return machine.holds(kind)
        fulfilled = replace(machine, first=machine.second, second=frozenset())
        wrong = conditions["waits"] - machine.first - machine.second
        return not wrong and fulfilled.holds("eventually")

    def _steps(
        self, names: Sequence[str], number: dict[State, int], *, only_changes: bool = False
    ) -> tuple[tuple[int, int], ...]:
        found = {}
        for name in names:
            for state in number:
                after = self.step(name, state)
                if after is not None and (self.changes(state, after) or not only_changes):
                    found[number[state], number[after]] = None
        return tuple(found)


def compare(seed: int, folder: Path) -> dict[str, bool]:
    """Export a random machine with each kind of property, and compare the verdicts."""
    return {kind: compare_one(seed, drawn(seed), kind, folder) for kind in KINDS}


def compare_one(seed: int, machine: Machine, kind: str, folder: Path) -> bool:
    """Export a machine with a property, and compare the verdict of the module's formula."""
    found = RunModule(tla(loaded(seed, machine, kind, folder))).judged(kind, "claimed")
    assert found == machine.holds(kind), (seed, kind, machine)
    return found


def test_random_machines(tmp_path: Path) -> None:
    """A formula or a promise of fairness that says something else than the spec."""
    found = [compare(seed, tmp_path) for seed in range(4000, 4030)]
    for kind in KINDS:
        assert {one[kind] for one in found} == {True, False}
    for one in islice(telling(0), 40):
        compare_one(*one, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(4100, 4600, 100))
def test_many_random_machines(begin: int, tmp_path: Path) -> None:
    """The same, on more machines."""
    for seed in range(begin, begin + 100):
        compare(seed, tmp_path)


def test_all_kinds_in_one_module(capsys: pytest.CaptureFixture[str]) -> None:
    """A property that is left out in silence, or checked without fairness."""
    assert run(counterpoint, ["export", REFERENCE, "--to", "tla"]) == 0
    text, said = capsys.readouterr()
    assert said == ""
    module = RunModule(text)
    assert module.promises == [("weak", [f"step_{k}_{name}"]) for k, name in
                               ((3, "take"), (4, "take"), (5, "leave"), (6, "leave"))]  # fmt: skip
    for kind, name in (("leads_to", "who_asks_is_served"), ("infinitely_often", "it_is_free"),
                       ("stays", "it_stays_free"), ("eventually", "it_is_taken"),
                       ("until", "free_until_wanted")):  # fmt: skip
        form = re.fullmatch(FORMS[kind.replace("_", "-")], module.formula(f"{kind}_{name}"))
        assert form is not None
    invariants = re.search(r"^\\\*   INVARIANTS (.*)$", text, re.MULTILINE)
    assert invariants is not None and invariants[1] == "TypeOK always_ranges"


def test_invariants_alone_need_no_fairness() -> None:
    """A module that asks for fairness although only states are checked."""
    model = Model(Lock(fairness="strong"), REFERENCE)
    text = tla(model, [model.property_named("ranges")])
    assert "Fair" not in text and "waits" not in text and "PROPERTIES" not in text
    strong = tla(model, [model.property_named("it-is-free")])
    assert "  /\\ SF_vars(step_3_take)\n" in strong and "waits" not in strong
    assert "\\*   INVARIANTS TypeOK\n" in strong
