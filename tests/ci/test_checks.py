"""The jobs that the tables of a configuration stand for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.ci import Job, checks, configuration, registered
from counterpoint.ci.configuration import ConfigurationError
from counterpoint.ci.gate import run_job
from counterpoint.models.checking.engines import Options

STEPS = """\
from counterpoint import Integer, Spec, action, invariant, mutant, require
from shared import TOP


class {name}(Spec):
    step = Integer(0, 3)

    @action
    def up(s):
        require(s.step < TOP)
        s.step = s.step + 1

    @invariant
    def not_too_high(s):
        return s.step <= TOP


@mutant(killed={{"not-too-high": 3}})
class Blind{name}({name}):
    '''It does not look.'''

    @action
    def up(s):
        require(s.step < 3)
        s.step = s.step + 1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository with two files of specs, one of which defines two, and what they share."""
    specs = tmp_path / "specs"
    (specs / "deep").mkdir(parents=True)
    (specs / "shared.py").write_text("TOP = 2\n")
    (specs / "stairs_spec.py").write_text(STEPS.format(name="Stairs"))
    two = STEPS.format(name="One") + STEPS.format(name="Two")
    (specs / "two_spec.py").write_text(two)
    (specs / "deep" / "bad_spec.py").write_text("from counterpoint import Spec\n1 / 0\n")
    yield tmp_path


def made(folder: Path, text: str) -> list[Job]:
    """Return the jobs of a configuration."""
    path = folder / "counterpoint.toml"
    path.write_text(text, encoding="utf-8")
    found = configuration.load(path)
    with found.entered():
        return checks.jobs(found)


def test_a_table_becomes_a_job_for_each_spec_and_engine(folder: Path) -> None:
    """A key of the table that has no effect on the job."""
    text = """
        [[check]]
        spec = ["specs/stairs_spec.py:Stairs", "peterson"]
        set = { first = "turn" }
        engines = ["exhaustive", "bounded", "stateful"]
        why = "It is wrong."
        states = 12
        only = ["a", "b", "c"]
        show = ["a"]
        steps = 4
        runs = 5
        seed = 6
        explorer = "python"
        reduce = ["symmetry"]
        compared = 7
        second-solver = "cvc5"
        least-budget = 8
        expect = { a = "violated after 3 steps", b = "violated", c = "holds" }
        """
    found = made(folder, text)
    options = Options(4, 5, 6, "python", ("symmetry",), 7, second_solver="cvc5")
    names = ["specs/stairs_spec.py:Stairs", "peterson"]
    assert [(j.reference, j.engine) for j in found] == [
        (name, engine) for name in names for engine in ("exhaustive", "bounded", "stateful")
    ]
    for job in found:
        steps = None if job.engine == "stateful" else 3  # random runs need not be the shortest
        expected = Job(
            job.reference, {"first": "turn"}, job.engine, "It is wrong.", {"a": steps, "b": None},
            12, ("a", "b", "c"), options, ("a",), 8.0, job.place, ("c",),
            job.engine == "exhaustive",
        )  # fmt: skip
        assert job == expected
        assert str(job.place) == "counterpoint.toml:2"


def test_an_engine_alone_is_asked_about_whole_runs(folder: Path) -> None:
    """Temporal properties that no job of a table judges, or another engine beside the right one."""
    for engines, asked in (
        ('["exhaustive"]', [True]),
        ('["bounded", "exhaustive"]', [False, True]),
        ('["bounded", "stateful"]', [True, True]),
    ):
        found = made(folder, f'[[check]]\nspec = "peterson"\nengines = {engines}')
        assert [job.temporal for job in found] == asked


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        (
            'engines = ["bounded"]\nstates = 3',
            "states is for the engine exhaustive, and engines has bounded",
        ),
        (
            'engines = ["bounded"]\nreduce = ["symmetry"]',
            "reduce is for the engine exhaustive, and engines has bounded",
        ),
        ("steps = 0", "steps is for the engine bounded or induction, and engines has exhaustive"),
        ("seed = 0", "seed is for the engine stateful, and engines has exhaustive"),
        (
            'second-solver = "cvc5"',
            "second-solver is for the engine bounded or induction or any-number, and engines has "
            "exhaustive",
        ),
        (
            'only = ["a"]\nexpect = { a = "violated", b = "holds" }',
            "expect names b, which only leaves out",
        ),
        ('show = ["a"]', "show names a, which expect does not say is violated"),
        (
            'expect = { a = "holds" }\nshow = ["a"]',
            "show names a, which expect does not say is violated",
        ),
    ],
)
def test_a_key_that_no_check_looks_at_is_refused(folder: Path, keys: str, error: str) -> None:
    """A number of states, an option or a property that seems to be checked, and is not."""
    with pytest.raises(ConfigurationError) as found:
        made(folder, f"[[check]]\nspec = 'peterson'\n{keys}\n")
    last = 2 + len(keys.splitlines())
    assert str(found.value) == f"counterpoint.toml:{last}: {error}"


@pytest.mark.parametrize(
    ("spec", "references"),
    [
        ("specs/stairs_spec.py", ["specs/stairs_spec.py"]),
        ("specs/two_spec.py", ["specs/two_spec.py:One", "specs/two_spec.py:Two"]),
        ("specs/two_spec.py:Two", ["specs/two_spec.py:Two"]),
        ("specs/s*.py", ["specs/shared.py", "specs/stairs_spec.py"]),
        ("specs/deep", ["specs/deep/bad_spec.py"]),
        (
            "specs/*_spec.py",
            ["specs/stairs_spec.py", "specs/two_spec.py:One", "specs/two_spec.py:Two"],
        ),
        ("specs.stairs_spec:Stairs", ["specs.stairs_spec:Stairs"]),
        ("./specs/stairs_spec.py", ["specs/stairs_spec.py"]),
        ("specs/stairs_spec.py/blind-stairs", ["specs/stairs_spec.py/blind-stairs"]),
    ],
)
def test_references(folder: Path, spec: str, references: list[str]) -> None:
    """A file, folder or pattern that stands for other specs than those in it."""
    found = made(folder, f'[[check]]\nspec = "{spec}"\n')
    assert [job.reference for job in found] == references


def test_a_folder_is_the_same_for_the_gate_and_for_check(folder: Path) -> None:
    """The specs of an environment or a hidden folder, which the gate checks and check does not."""
    for hidden in (".hidden", "venv"):
        (folder / "specs" / hidden).mkdir()
        (folder / "specs" / hidden / "no_spec.py").write_text("1 / 0\n")
    (folder / "specs" / "venv" / "pyvenv.cfg").write_text("")
    found = made(folder, '[[check]]\nspec = "specs"\n')
    assert [job.reference for job in found] == [
        "specs/deep/bad_spec.py", "specs/stairs_spec.py", "specs/two_spec.py:One",
        "specs/two_spec.py:Two",
    ]  # fmt: skip


def test_a_spec_that_cannot_be_imported_falls(folder: Path) -> None:
    """An error in one spec that ends the whole gate, or a spec that is left out."""
    jobs = made(folder, '[[check]]\nspec = "specs/deep"\n[[mutants]]\nspec = "specs/deep"\n')
    assert len(jobs) == 2
    for job in jobs:
        with configuration.load(folder / "counterpoint.toml").entered():
            outcome = run_job(job, time.monotonic() + 60)
        assert outcome.answer == "fell"
        assert "specs/deep/bad_spec.py:2: ZeroDivisionError" in outcome.surprises[0][1]


def test_mutants_become_the_jobs_that_they_declare(folder: Path) -> None:
    """A mutant that the gate does not run, or does not expect to be killed."""
    jobs = made(folder, '[[mutants]]\nspec = "specs/two_spec.py"\ncompared = 9\n')
    assert [(j.reference, j.violated, j.options.compared) for j in jobs] == [
        ("specs/two_spec.py:One/blind-one", {"not-too-high": 3}, 9),
        ("specs/two_spec.py:Two/blind-two", {"not-too-high": 3}, 9),
    ]
    with configuration.load(folder / "counterpoint.toml").entered():
        outcome = run_job(jobs[0], time.monotonic() + 60)
    assert outcome.answer == "as expected"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[check]]\nspec = "specs/none.py"', "1: there is no file specs/none.py"),
        ('[[check]]\nspec = "specs/none.py:X"', "1: there is no file specs/none.py"),
        ('\n[[check]]\nspec = "specs/x*.py"', "2: no file matches specs/x*.py"),
        ('[[check]]\nspec = "specs/t*.py:One"', "1: there is no file specs/t*.py"),
        ('[[check]]\nspec = "empty"', "1: empty has no file *_spec.py"),
        ('[[check]]\nspec = "petersen"', "did you mean peterson?"),
        ('[[mutants]]\nspec = "peterson"', "1: peterson has no mutants"),
        ('[[jobs]]\nfunction = "none:made"', "1: none:made: ModuleNotFoundError"),
        ('[[jobs]]\nfunction = "mine:wrong"', "mine:wrong returns 7, which is not a"),
        ('[[jobs]]\nfunction = "mine:raises"', "1: mine:raises: KeyError: 'x'"),
    ],
)
def test_what_does_not_exist_is_refused(folder: Path, text: str, message: str) -> None:
    """A table that stands for nothing, so that the gate passes without it."""
    (folder / "mine.py").write_text("wrong = lambda: [7]\ndef raises(): raise KeyError('x')\n")
    (folder / "empty").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        made(folder, text)
    assert str(caught.value).startswith("counterpoint.toml:")
    assert message in str(caught.value)


def test_a_function_makes_jobs(folder: Path) -> None:
    """A job of a function that the gate leaves out, or that has no place."""
    (folder / "own.py").write_text(
        "from counterpoint.ci import Job\n"
        "def sizes():\n"
        "    for n in (2, 3):\n"
        "        yield Job('philosophers', {'philosophers': n}, 'exhaustive', 'They starve.')\n"
    )
    jobs = made(folder, '[[jobs]]\nfunction = "own:sizes"\n[[check]]\nspec = "peterson"\n')
    assert [(j.reference, str(j.place)) for j in jobs] == [
        ("philosophers", "counterpoint.toml:1"), ("philosophers", "counterpoint.toml:1"),
        ("peterson", "counterpoint.toml:3"),
    ]  # fmt: skip


def test_the_catalogue_has_381_checks_in_the_default_budget() -> None:
    """A check of the catalogue that was lost from the configuration."""
    jobs = registered.jobs()
    budget = configuration.load(
        Path(__file__).parents[2] / "counterpoint.toml"
    ).document.gate.budget
    assert len([j for j in jobs if j.least_budget <= budget]) == 381
    assert len(jobs) == 384
