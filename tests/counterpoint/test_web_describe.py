"""``counterpoint web describe`` and ``web profiles``, as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterpoint.console import run
from counterpoint.main import counterpoint
from counterpoint.sim_web import profile
from counterpoint.sim_web.describe import description, memory
from counterpoint.sim_web.generator import Explicit, Web
from counterpoint.sim_web.measure import NAMES

BRODER = ("web", "describe", "--profile", "broder-1999")


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; return its exit code and its output."""
    code = run(counterpoint, list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a width of 80 columns for every test."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    """Return the JSON description of a web of 20,000 pages, from another process."""
    found = subprocess.run(
        [sys.executable, "-m", "counterpoint", *BRODER, "--pages", "20000", "--seed", "7",
         "--format", "json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stderr) == (0, "")
    return json.loads(found.stdout)  # type: ignore[no-any-return]


@pytest.mark.long
def test_json_has_stable_keys(described: dict[str, Any]) -> None:
    """A renamed key; a share in percent; a figure that is a string."""
    assert (described["pages"], described["seed"], described["profile"]) == (
        20_000,
        7,
        "broder-1999",
    )
    assert described["misplaced"] == 0
    assert described["mean_degree"] == pytest.approx(described["links"] / 20_000)
    for kind in ("planted", "measured"):
        assert list(described["shares"][kind]) == list(NAMES)
        assert sum(described["shares"][kind].values()) == pytest.approx(1)
    assert described["shares"]["measured"]["scc"] == pytest.approx(0.2774, abs=0.005)
    assert 1.5 < described["in_degree_exponent"] < 4
    assert 1.5 < described["out_degree_exponent"] < 4
    assert (
        2
        < described["average_distance"]["undirected"]
        < described["average_distance"]["directed"]
        < 20
    )


def test_figures_are_those_of_the_links(described: dict[str, Any]) -> None:
    """A figure that differs from a plain computation on the links of the web."""
    web = Web(profile.load("broder-1999"), 20_000, 7)
    links = [web.out_links(page).tolist() for page in range(web.pages)]
    assert described["links"] == sum(map(len, links))
    assert described["hosts"] == web.hosts
    linked = np.zeros(web.pages, int)
    for targets in links:
        linked[targets] += 1
    assert described["in_degree"]["greatest"] == linked.max()
    assert described["without_in_links"] == pytest.approx((linked == 0).mean())
    host = np.repeat(np.arange(web.hosts), [len(web.pages_of(h)) for h in range(web.hosts)])
    within = sum(int((host[targets] == host[page]).sum()) for page, targets in enumerate(links))
    assert described["internal_links"] == pytest.approx(within / described["links"])
    assert described["largest_host"] == np.bincount(host).max()
    level = np.array([web.level(page) for page in range(web.pages)])
    assert described["levels"]["not_reached"] == (level < 0).sum()
    assert described["levels"]["pages"] == np.bincount(level[level >= 0]).tolist()


def test_the_text_says_the_same_in_80_columns(
    described: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that is too long for a terminal; a table that differs from the JSON."""
    code, out, err = call(capsys, *BRODER, "--pages", "20000", "--seed", "7")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    rows = {line[2:24].strip(): line[24:].split() for line in out.splitlines()}
    shares = described["shares"]
    for name in NAMES:
        assert rows[name.upper()][:3] == [
            f"{shares[kind][name]:.2%}" for kind in ("profile", "planted", "measured")
        ]
    assert rows["directed"][:3] == [
        "16.0", f"{16 * np.log(20_000) / np.log(203_549_046):.1f}",
        f"{described['average_distance']['directed']:.2f}",
    ]  # fmt: skip
    assert rows["in-degree exponent"][1] == f"{described['in_degree_exponent']:.2f}"
    assert "No page is misplaced" in out


def test_requested_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture of another web; saved links that differ from those of the web."""
    picture, saved = tmp_path / "bowtie.svg", tmp_path / "web.npz"
    code, out, err = call(
        capsys, *BRODER, "--pages", "3000", "--seed", "1", "--format", "json",
        "--picture", str(picture), "--save", str(saved),
    )  # fmt: skip
    assert code == 0
    assert err.splitlines() == [f"{picture} shows the bow-tie", f"{saved} contains the links"]
    shares = json.loads(out)["shares"]["measured"]
    everything = " ".join(" ".join(e.itertext()) for e in ET.parse(picture).getroot().iter())
    for share in shares.values():
        assert f"{share:.1%}" in everything
    web = Web(profile.load("broder-1999"), 3000, 1)
    links = Explicit.load(saved)
    assert all(links.out_links(p).tolist() == web.out_links(p).tolist() for p in range(web.pages))


def test_misplaced_pages_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0 for a web that differs from the planted structure."""
    truth = Web.components

    def wrong(self: Web) -> Any:
        found = truth(self)
        found[[5, 700]] = (found[[5, 700]] + 1) % 6
        return found

    monkeypatch.setattr(Web, "components", wrong)
    code, out, _ = call(capsys, *BRODER, "--pages", "1000", "--seed", "3")
    assert code == 1
    assert "2 pages are misplaced" in out
    assert "counterpoint web describe --profile broder-1999 --pages 1000 --seed 3" in out


@pytest.mark.long
@pytest.mark.parametrize("name", profile.names())
def test_every_profile_is_as_planted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A profile that cannot be described, or whose pages are in other components than planted."""
    pages = ["--pages", "4000"] if not profile.load(name).sites else []
    code, out, err = call(capsys, "web", "describe", "--profile", name, *pages, "--sources", "20",
                          "--format", "json")  # fmt: skip
    assert (code, err) == (0, "")
    assert json.loads(out)["misplaced"] == 0


def test_a_small_web_has_no_tail(capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback where no law can be fitted; an exponent of a few pages."""
    code, out, _ = call(capsys, *BRODER, "--pages", "40", "--format", "json")
    report = json.loads(out)
    assert code == 0
    assert report["distance"]["directed"]["sources"] == 40
    code, out, _ = call(capsys, *BRODER, "--pages", "20")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--profile", "broder"), "there is no profile 'broder'"),
        (("--profile", "no/such.toml"), "no/such.toml: No such file"),
        (("--profile", "broder-1999", "--pages", "3"), "pages"),
        (("--profile", "broder-1999", "--pages", "-5"), "pages"),
        (("--profile", "broder-1999", "--pages", "1000000000"), "too many to be measured"),
        (("--profile", "broder-1999", "--pages", "9" * 30), "pages"),
        (("--profile", "broder-1999", "--pages", "many"), "not a valid integer"),
        (("--profile", "broder-1999", "--seed", "-1"), "--seed"),
        (("--profile", "broder-1999", "--sources", "0"), "--sources"),
        (("--profile", "broder-1999", "--picture", "no/such/bowtie.svg"), "there is no folder"),
        (("--profile", "broder-1999", "--picture", "bowtie.gif"), "neither in .png nor in .svg"),
        (("--profile", "broder-1999", "--picture", "bowtie"), "neither in .png nor in .svg"),
        (("--profile", "broder-1999", "--save", "no/such/web.npz"), "there is no folder"),
        (("--profile", "broder-1999", "--save", "."), "is a directory"),
        ((), "Missing option '--profile'"),
    ],
)
def test_a_wrong_command_gets_one_line(
    arguments: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A traceback, a leftover file, or long work before the error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "available", lambda: 8e9)
    code, out, err = call(capsys, "web", "describe", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_pages_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A web that is started without enough memory, or refused although the memory suffices."""
    web_profile = profile.load("broder-1999")
    need = memory.needed(web_profile, 1_000_000)
    monkeypatch.setattr(memory, "available", lambda: need * 1.01)
    memory.must_fit(web_profile, 1_000_000)
    with pytest.raises(ValueError, match=r"1,020,000 pages are too many .* GB are needed"):
        memory.must_fit(web_profile, 1_020_000)


def test_memory_is_measured() -> None:
    """A system whose memory is unknown."""
    assert 1e6 < memory.available() < 1e15


def test_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A missing profile, or JSON that differs from the file of the profile."""
    code, out, _ = call(capsys, "web", "profiles", "--format", "json")
    found = {one["name"]: one for one in json.loads(out)}
    assert code == 0
    assert list(found) == profile.names()
    for name, one in found.items():
        assert profile.from_mapping(one, "here", "") == profile.load(name)
        assert one["about"] and one["source"]
    code, out, _ = call(capsys, "web", "profiles")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert [line for line in out.splitlines() if line in found] == list(found)
    assert "scc 27.74%" in out
    assert "203,549,046" in out


def test_degrees_that_have_no_effect_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Degrees of a profile beside measured ones that its articles decide."""
    code, out, _ = call(capsys, "web", "describe", "--profile", "editions", "--pages", "1000")
    assert code == 0 and "38.50" not in out and "2.72" not in out
    (row,) = [line.split() for line in out.splitlines() if "of a page" in line]
    assert len(row) == 5


def test_help_loads_no_compiler() -> None:
    """Seconds until the help of any command appears."""
    asked = "import sys; from counterpoint.main import counterpoint; "
    asked += "counterpoint.main(['--help'], standalone_mode=False); "
    asked += "print([m for m in ('numba', 'scipy', 'matplotlib') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert found.stdout.strip().endswith("\n[]"), found.stderr


def test_progress_is_printed() -> None:
    """Long work without progress; a result that changes when progress is printed."""
    web = Web(profile.load("broder-1999"), 500, 0)
    lines: list[str] = []
    links = web.explicit()
    found = description.describe(web, links, 10, lines.append)
    assert len(lines) >= 4
    assert found.to_json() == description.describe(web, links, 10).to_json()
