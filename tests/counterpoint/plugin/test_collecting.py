"""What the plugin collects: specs of files, and the checks of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TEXT = (Path(__file__).parent / "buffer.py").read_text()
WRONG = """
    from counterpoint import Integer, Spec, action, invariant

    class Stairs(Spec):
        step = Integer(0, 3)

        @action
        def up(s):
            s.step = s.step + 1

        @invariant
        def low(s):
            '''Nobody is on top.'''
            return s.step < 3
"""
HASTY = "never-overfull is violated after 6 steps"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with a folder of specs."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CI", raising=False)
    (pytester.path / "specs").mkdir()
    (pytester.path / "specs" / "buffer_spec.py").write_text(TEXT)
    return pytester


def add(project: pytest.Pytester, **files: str) -> None:
    """Write files into the folder of specs."""
    project.makepyfile(**files)
    for name in files:
        (project.path / f"{name}.py").rename(project.path / "specs" / f"{name}.py")


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def test_each_property_of_a_spec_is_an_item(project: pytest.Pytester) -> None:
    """A property that is not checked, a node id that no one can type, a wrong line or command."""
    add(project, stairs_spec=WRONG)
    result = run(project, "specs", "-v")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines([
        "specs/buffer_spec.py::Buffer::never-overfull PASSED*",
        "specs/buffer_spec.py::Buffer::full PASSED*",
        "specs/buffer_spec.py::Buffer::ranges PASSED*",
        "specs/stairs_spec.py::Stairs::low FAILED*",
        "specs/stairs_spec.py::Stairs::ranges FAILED*",
        "low is violated after 3 steps", "stairs: exhaustive, 4 states", "3  up      step 2?3",
        "To reproduce: counterpoint check specs/stairs_spec.py:Stairs --property low",
        "*pytest specs/stairs_spec.py::Stairs::low",
        "ranges is violated after 4 steps",
    ])  # fmt: skip
    assert "Traceback" not in result.stdout.str()
    one = run(project, "specs/stairs_spec.py::Stairs::low", "--junitxml", "junit.xml",
              "-o", "junit_family=xunit1")  # fmt: skip
    one.assert_outcomes(failed=1)
    assert 'file="specs/stairs_spec.py" line="9"' in (project.path / "junit.xml").read_text()


@pytest.mark.slow
def test_the_properties_of_a_spec_share_one_run(project: pytest.Pytester) -> None:
    """A spec that is explored again for each of its properties, or while nothing of it is run.

    Where xdist spreads items, each worker explores a spec at most once, and the items of a spec
    are in one group, so that ``--dist loadgroup`` sends them to one worker.
    """
    project.makeconftest("""
        import pytest
        from counterpoint.pytest_plugin import checks

        made, runs = checks.run_job, []

        def run_job(job, until):
            runs.append(job.name)
            return made(job, until)

        checks.run_job = run_job

        def pytest_collection_finish(session):
            groups = {(item.parent.name, mark.args)
                      for item in session.items for mark in item.iter_markers("xdist_group")}
            assert len(groups) in (0, 2), groups

        def pytest_sessionfinish(session):
            with open("runs", "a") as file:
                file.writelines(f"{name}\\n" for name in runs)
    """)
    add(project, stairs_spec=WRONG)
    names = ("specs/buffer_spec.py:Buffer", "specs/stairs_spec.py:Stairs")
    expected = [f"{name} · exhaustive" for name in names]
    for arguments, workers in (((), 1), (("-n2", "--dist", "loadscope"), 1),
                               (("-n2", "--dist", "loadgroup"), 2)):  # fmt: skip
        run(project, "specs", *arguments).assert_outcomes(passed=3, failed=2)
        runs = (project.path / "runs").read_text().splitlines()
        (project.path / "runs").unlink()
        assert set(runs) == set(expected), arguments
        assert all(runs.count(name) <= workers for name in expected), arguments
    run(project, "specs", "-k", "nothing").assert_outcomes(deselected=5)
    assert (project.path / "runs").read_text() == ""


def test_files_of_others_are_left_alone(project: pytest.Pytester) -> None:
    """A file of that name that has nothing to do with us, and that breaks the run of tests."""
    add(project, models_spec="raise RuntimeError('theirs')",
        melody_spec="from counterpoint_of_melodies import Spec\nraise RuntimeError('theirs')",
        test_my_spec=WRONG + "\n    def test_of_theirs(): assert Stairs()",
        empty_spec="from counterpoint import Spec\nclass _Base(Spec): pass")  # fmt: skip
    result = run(project, "specs", "-v")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["specs/test_my_spec.py::test_of_theirs PASSED*"])
    for off in (("-o", "counterpoint_specs=false"), ("-p", "no:counterpoint")):
        run(project, "specs", *off).assert_outcomes(passed=1)


def test_a_spec_with_an_error_is_told_with_its_line(project: pytest.Pytester) -> None:
    """A file that cannot be imported and is left out; a stack of our own frames."""
    add(project, wrong_spec="from counterpoint import Spec\n\n1 / 0")
    result = run(project, "specs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*wrong_spec.py:3: ZeroDivisionError: division by zero"])
    assert "loading.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("ini", "outcome"), [("", "failed"), ("fail", "failed"), ("skip", "skipped")]
)
def test_what_is_unknown_fails_or_skips(project: pytest.Pytester, ini: str, outcome: str) -> None:
    """An undecided property that passes, or that is skipped without the wish."""
    project.makeini(f"""
        [pytest]
        counterpoint_unknown = {ini}
        counterpoint_time_limit = 0.000001
    """)
    result = run(project, "specs", "-rs")
    result.assert_outcomes(**{outcome: 3})
    text = result.stdout.str()
    assert "the budget was used up before the check began" in text or "time limit of" in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("counterpoint_unknown = no", "counterpoint_unknown: must be fail or skip"),
        ("counterpoint_time_limit = 0", "'0' is not a number of seconds"),
        ("counterpoint_gate = true", "there is no counterpoint.toml here or above"),
    ],
)
def test_wrong_options_are_refused(project: pytest.Pytester, line: str, message: str) -> None:
    """A misspelt option that is taken for the default."""
    project.makeini(f"[pytest]\n{line}")
    result = run(project, "specs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{message}*"])


TOML = """\
[gate]
budget = 30

[[check]]
spec = "specs/buffer_spec.py:Buffer"
set = { producers = 3 }
engines = ["exhaustive", "bounded"]
states = %s

[[check]]
spec = "specs/buffer_spec.py:Hasty"
expect = { never-overfull = "violated after %s" }

[[check]]
spec = "specs/buffer_spec.py"
least-budget = 31
"""


@pytest.mark.slow
def test_the_checks_of_the_configuration_are_items(project: pytest.Pytester) -> None:
    """A check that is left out, one that falls and passes, or checks that nobody asked for."""
    configuration = project.path / "counterpoint.toml"
    configuration.write_text(TOML % (12, 6))
    (project.path / "tests").mkdir()
    project.makepyfile(test_theirs="def test_theirs(): pass")
    run(project, "test_theirs.py").assert_outcomes(passed=1)
    run(project, "test_theirs.py", "--counterpoint").assert_outcomes(passed=13)
    configuration.write_text(TOML % (13, 7))
    project.makeini("[pytest]\ncounterpoint_gate = true")
    result = run(project, "test_theirs.py", "-rf")
    result.assert_outcomes(passed=11, failed=2)
    result.stdout.fnmatch_lines([
        "12 reachable states; there should be 13",
        f"{HASTY}; it should be after 7",
        "To reproduce: counterpoint check specs/buffer_spec.py:Hasty --property never-overfull",
        "FAILED counterpoint.toml::specs/buffer_spec.py:Buffer producers=3 · exhaustive::(check)*",
        "FAILED counterpoint.toml::specs/buffer_spec.py:Hasty · exhaustive::never-overfull*",
    ])  # fmt: skip
    name = "counterpoint.toml::specs/buffer_spec.py:Hasty · exhaustive::never-overfull"
    run(project, name).assert_outcomes(failed=1)
    parallel = run(project, "test_theirs.py", "-n2", "--dist", "loadgroup")
    parallel.assert_outcomes(passed=11, failed=2)


def test_a_check_that_cannot_be_loaded_fails_alone(project: pytest.Pytester) -> None:
    """A parameter of one row that is misspelled, after which no test of the project is run."""
    (project.path / "counterpoint.toml").write_text(
        '[[check]]\nspec = "specs/buffer_spec.py:Buffer"\nset = { capacty = 2 }\n'
    )
    project.makepyfile(test_theirs="def test_theirs(): pass")
    result = run(project, "--counterpoint", "test_theirs.py", "counterpoint.toml")
    result.assert_outcomes(passed=1, failed=1)
    assert "capacty" in result.stdout.str()


def test_a_wrong_configuration_is_told_with_its_line(project: pytest.Pytester) -> None:
    """A check that is silently left out because its row is wrong."""
    configuration = project.path / "counterpoint.toml"
    configuration.write_text("[[check]]\nspec = 'specs/none.py'\n")
    result = run(project, "specs", "--counterpoint")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["counterpoint.toml:1: there is no file specs/none.py"])
    configuration.write_text("[[check]]\nspek = 'specs/none.py'\n")
    result = run(project, "specs", "--counterpoint")
    result.stdout.fnmatch_lines(["counterpoint.toml:2: there is no key *did you mean spec?"])


def test_commands_are_those_of_the_present_folder(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that works in the top folder only, though pytest was started below."""
    add(project, stairs_spec=WRONG)
    configuration = project.path / "counterpoint.toml"
    configuration.write_text("[[check]]\nspec = 'specs/stairs_spec.py'\n")
    project.makeini("[pytest]")
    monkeypatch.chdir(project.path / "specs")
    result = project.runpytest_subprocess("--counterpoint", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines([
        "To reproduce: counterpoint check stairs_spec.py:Stairs --property low",
        "* pytest --counterpoint stairs_spec.py::Stairs::low",
        "To reproduce: cd .. && counterpoint check specs/stairs_spec.py --property low",
        "* pytest --counterpoint '../counterpoint.toml::specs/stairs_spec.py * exhaustive::low'",
    ])  # fmt: skip
