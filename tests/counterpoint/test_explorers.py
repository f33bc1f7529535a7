"""The options of the exhaustive engine: explorers and reductions."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from counterpoint.ci.registered import jobs
from counterpoint.models.present.formats import command_line
from tests.counterpoint.starting import cpu_seconds, start, wait_until
from tests.counterpoint.test_command_line import call
from tests.needs import need


def test_both_explorers_print_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """A count, a trace or a note that depends on the explorer."""
    need("gcc")
    command = ("check", "window-stm", "--set", "fetch-and-increment=old", "--format", "json")
    found = []
    for explorer in ("python", "compiled"):
        code, out, err = call(capsys, *command, "--explorer", explorer)
        assert (code, err) == (1, "")
        found.append([{**v, "seconds": 0} for v in json.loads(out)])
    assert found[0] == found[1]


def test_a_reduction_is_named_in_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    """A smaller state count that looks like the count of a smaller spec."""
    need("gcc")
    command = ("check", "window-stm", "--set", "fetch-and-increment=old", "--reduce", "symmetry")
    code, out, _ = call(capsys, *command)
    assert code == 1
    assert "2,418 states" in out
    assert "symmetry of transactions: they stand for 4,821 states" in " ".join(out.split())
    assert "opacity                    after 13 steps" in out
    code, out, _ = call(capsys, "check", "philosophers", "--reduce", "partial-order",
                        "--property", "no-deadlock")  # fmt: skip
    assert code == 1
    assert "partial order: steps may have waited" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explorer", "rust"], "'rust' is not one of 'auto', 'python', 'compiled'"),
        (["--reduce", "luck"], "'luck' is not one of 'symmetry', 'partial-order'"),
        (
            ["--reduce", "symmetry", "--explorer", "python"],
            "only the compiled explorer has reductions",
        ),
    ],
)
def test_a_wrong_command_gets_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exit code without a message, or a traceback."""
    code, out, err = call(capsys, "check", "peterson", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_without_a_compiler(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing compiler that causes a traceback, or that is not mentioned."""
    monkeypatch.setenv("CC", "no-such-compiler")
    code, out, err = call(capsys, "check", "peterson", "--explorer", "compiled")
    assert (code, out) == (2, "")
    assert "compiled explorer cannot run: there is no C compiler no-such-compiler" in err
    code, out, _ = call(capsys, "check", "philosophers", "--set", "philosophers=7")
    assert code == 1
    assert "explored in Python: there is no C compiler" in " ".join(out.split())
    code, out, _ = call(capsys, "check", "window-stm", "--reduce", "symmetry")
    assert code == 0
    assert "4,611 states" in out
    assert "explored in Python and not reduced: there is no C" in " ".join(out.split())


@pytest.mark.long
def test_interrupted_in_c(tmp_path: Path) -> None:
    """Ctrl-C without an effect until the last state, or leftover files of the compiler."""
    need("gcc")
    command = ("check", "window-stm", "--set", "transactions=4", "--explorer", "compiled")
    process = start(*command, cwd=tmp_path)
    wait_until(lambda: cpu_seconds(process.pid) > 2.5, process)  # all states would take a minute
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (out, err.strip()) == ("", "counterpoint: interrupted; nothing was written")


def test_the_command_that_reproduces_a_reduced_job() -> None:
    """A printed command that does not reproduce the job."""
    (job,) = (j for j in jobs() if j.options.reduce)
    command = command_line(job.reference, job.parameters, job.engine, job.only, job.options)
    assert command == "counterpoint check window-stm --set transactions=4 --reduce symmetry"
