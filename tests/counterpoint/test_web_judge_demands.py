"""``counterpoint web judge`` with conditions and a baseline, as a user types it."""

from __future__ import annotations

import json
import shlex
import xml.etree.ElementTree as tree
from pathlib import Path

import pytest

from counterpoint.sim_web import profile as profiles
from counterpoint.sim_web.generator import Web
from counterpoint.sim_web.record import Header
from counterpoint.studies.subjects import MEASURES
from tests.sim_web.small_web import request_of

from .test_command_line import call

PROFILE = profiles.load("broder-1999")


def log_of(path: Path, pages: int, real_time: bool = False, seed: int = 7) -> Path:
    """Write the log of a crawler that fetched the first pages of a small web."""
    web = Web(PROFILE, 400, seed)
    header = Header(profiles.to_mapping(PROFILE), 400, seed, {}, real_time).line()
    requests = [request_of(web, page, started=page / 10, ended=page / 10 + 0.05)
                for page in range(pages)]  # fmt: skip
    path.write_text(header + "".join(
        json.dumps({n: getattr(one, n) for n in one.__slots__}) + "\n" for one in requests
    ))  # fmt: skip
    return path


@pytest.fixture(autouse=True)
def not_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as at a desk: in a run of CI, --accept is refused."""
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return the log of a crawl of 60 pages."""
    return log_of(tmp_path / "access.jsonl", 60)


def test_conditions_decide(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An exit code that does not follow from the conditions; unknown that passes."""
    judge = ("web", "judge", str(log))
    code, out, err = call(capsys, *judge, "--must", "pages == 60", "--must", "coverage >= 15%")
    assert (code, err) == (0, "")
    assert out.endswith(f"\nas expected: {log}\n")
    code, out, _ = call(capsys, *judge, "--must", "pages == 60", "--must", "pages < 60")
    assert code == 1
    assert "fell: " in out and "pages < 60 does not hold: it is 60 (seed 7)" in out
    assert "pages == 60" not in out
    code, out, _ = call(capsys, *judge, "--must", "crawl-delay-broken == 0")
    assert code == 3
    assert "unknown: " in out and "the time of this web is virtual" in " ".join(out.split())
    both = ("--must", "crawl-delay-broken == 0", "--must", "pages < 60")
    assert call(capsys, *judge, *both)[0] == 1
    code, out, _ = call(capsys, *judge, "--until", "2", "--must", "starving-sites == 0")
    assert code == 3
    assert "only a part of the log is judged" in " ".join(out.split())


def test_waits_in_real_time(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Waits that are judged in virtual time, or not judged in real time."""
    real = log_of(tmp_path / "real.jsonl", 60, real_time=True)
    code, out, _ = call(capsys, "web", "judge", str(real), "--must", "crawl-delay-broken >= 0")
    assert code == 0
    assert "Crawl-delay, kept" in out and "waits are not judged" not in out
    code, out, _ = call(capsys, "web", "judge", str(log))
    assert "Crawl-delay" not in out and "waits are not judged" in out
    documents = [json.loads(call(capsys, "web", "judge", str(one), "--format", "json")[1])
                 for one in (real, log)]  # fmt: skip
    assert "waits" in documents[0]["crawl_delay"]
    assert documents[1]["crawl_delay"] == documents[1]["retry_after"] == {"unknown": "virtual time"}


def test_a_baseline(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing baseline that passes, a change that passes, or one that is no change."""
    file = tmp_path / "base.json"
    judge = ("web", "judge", "--baseline", str(file))
    code, out, _ = call(capsys, *judge, str(log))
    assert code == 1
    assert "it has no baseline; counterpoint web judge" in " ".join(out.split())
    assert f"--baseline {file} --accept writes one" in " ".join(out.split())
    assert not file.exists()
    code, _, err = call(capsys, *judge, str(log), "--accept")
    assert (code, err) == (0, f"{file} is the baseline now\n")
    assert call(capsys, *judge, str(log))[0] == 0
    fewer = log_of(tmp_path / "fewer.jsonl", 40)
    code, out, _ = call(capsys, *judge, str(fewer))
    assert code == 1
    assert "pages: 40, before 60 (-33.3%), worse; band 2%" in out
    assert "it stops early: after 40 pages" in out
    assert call(capsys, *judge, str(fewer), "--band", "90%")[0] == 0
    assert call(capsys, *judge, str(fewer), "--band", "90%", "--band", "pages=19")[0] == 1
    assert call(capsys, *judge, str(fewer), "--accept")[0] == 0
    assert call(capsys, *judge, str(fewer))[0] == 0
    other = log_of(tmp_path / "other.jsonl", 60, seed=8)
    code, out, _ = call(capsys, *judge, str(other))
    assert (code, "its baseline has the seeds 7" in out) == (1, True)


def test_what_is_saved_only_by_force(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that accepts a change, and a baseline of a crawler that breaks a condition."""
    file = tmp_path / "base.json"
    judge = ("web", "judge", str(log), "--baseline", str(file), "--accept")
    code, _, err = call(capsys, *judge, "--must", "pages < 60")
    assert (code, file.exists()) == (1, False)
    assert f"{file}: not written, because a condition does not hold; --force writes it" in err
    assert call(capsys, *judge, "--must", "pages < 60", "--force")[0] == 1
    assert file.exists()
    file.unlink()
    monkeypatch.setenv("CI", "true")
    code, out, err = call(capsys, *judge)
    assert (code, out, file.exists()) == (2, "", False)
    assert "CI is set: a machine should not accept a change; --force allows it" in err
    assert call(capsys, *judge, "--force")[0] == 0
    assert file.exists()


def test_the_command_judges_the_same_again(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that judges other requests, and so ends in another way."""
    options = ["--must", "pages > 60", "--must", "pages < 40", "--agent", "tester", "--until",
               "2.25", "--client", "127.0.0.1", "--profile", "broder-1999", "--pages", "400",
               "--seed", "7"]  # fmt: skip
    _, out, _ = call(capsys, "web", "judge", str(log), *options, "--format", "json")
    (outcome,) = json.loads(out)["outcomes"]
    words = shlex.split(outcome["again"])
    assert words[:4] == ["counterpoint", "web", "judge", str(log)]
    pairs = [words[at : at + 2] for at in range(4, len(words), 2)]
    assert sorted(pairs) == sorted([options[at : at + 2] for at in range(0, len(options), 2)])


def test_formats_for_ci(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A format that is not one document, or that hides what fell."""
    judge = ("web", "judge", str(log), "--must", "pages < 60", "--must", "disallowed == 0")
    code, out, _ = call(capsys, *judge, "--format", "junit")
    assert (code, tree.fromstring(out).get("failures")) == (1, "1")
    code, out, _ = call(capsys, *judge, "--format", "github")
    assert (code, out.count("::error")) == (1, 1)
    assert "pages < 60 does not hold" in out
    code, out, _ = call(capsys, *judge, "--format", "json")
    (outcome,) = json.loads(out)["outcomes"]
    assert (code, outcome["answer"]) == (1, "fell")
    assert outcome["findings"][0] == {
        "level": "fell", "text": "pages < 60 does not hold: it is 60 (seed 7)",
    }  # fmt: skip


def test_the_list_of_measures(capsys: pytest.CaptureFixture[str]) -> None:
    """A measure that users cannot learn of, or a list that needs a log."""
    code, out, err = call(capsys, "web", "judge", "--measures")
    assert (code, err) == (0, "")
    listed = [line.split()[0] for line in out.splitlines() if line[2] != " "]
    assert listed == list(MEASURES)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--must", "page == 0"], "no measure 'page' (did you mean pages"),
        (["--must", "pages"], "not of the form"),
        (["--band", "1%"], "--band: only with --baseline"),
        (["--accept"], "--accept: only with --baseline"),
        (["--baseline", "b.json", "--band", "one"], "the band of default is a number from 0 on"),
        (["--baseline", "no/b.json", "--accept"], "--baseline: there is no folder"),
        (["--baseline", __file__], "is no baseline of crawlers"),
        (["--baseline", __file__, "--accept"], "is no baseline of crawlers"),
    ],
)
def test_what_is_refused(
    arguments: list[str], message: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong option that is ignored, or found out after the log was judged."""
    code, out, err = call(capsys, "web", "judge", str(log), *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_standard_input_has_no_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is read twice from standard input."""
    code, _, err = call(capsys, "web", "judge", "-", "--must", "pages > 0")
    assert (code, "--must and --baseline need a log in a file" in err) == (2, True)
