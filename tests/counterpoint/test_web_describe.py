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
    """Run a command line here; return its exit code and what it printed."""
    code = run(counterpoint, list(arguments))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print for 80 columns, whatever the terminal has in which the tests run."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """Return what is said of a web of 20,000 pages, from a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "counterpoint", *BRODER, "--pages", "20000", "--seed", "7",
         "--format", "json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stderr) == (0, "")
    return json.loads(found.stdout)  # type: ignore[no-any-return]


def test_the_keys_that_others_read(told: dict[str, Any]) -> None:
    """A key that was renamed; a share in percent; a figure that is text."""
    assert (told["pages"], told["seed"], told["profile"]) == (20_000, 7, "broder-1999")
    assert told["misplaced"] == 0
    assert told["mean_degree"] == pytest.approx(told["links"] / 20_000)
    for kind in ("planted", "measured"):
        assert list(told["shares"][kind]) == list(NAMES)
        assert sum(told["shares"][kind].values()) == pytest.approx(1)
    assert told["shares"]["measured"]["scc"] == pytest.approx(0.2774, abs=0.005)
    assert 1.5 < told["in_degree_exponent"] < 4
    assert 1.5 < told["out_degree_exponent"] < 4
    assert 2 < told["average_distance"]["undirected"] < told["average_distance"]["directed"] < 20


def test_figures_are_those_of_the_links(told: dict[str, Any]) -> None:
    """A figure of another web, or one that was not measured: all are computed again, plainly."""
    web = Web(profile.load("broder-1999"), 20_000, 7)
    links = [web.out_links(page).tolist() for page in range(web.pages)]
    assert told["links"] == sum(map(len, links))
    assert told["hosts"] == web.hosts
    linked = np.zeros(web.pages, int)
    for targets in links:
        linked[targets] += 1
    assert told["in_degree"]["greatest"] == linked.max()
    assert told["without_in_links"] == pytest.approx((linked == 0).mean())
    host = np.repeat(np.arange(web.hosts), [len(web.pages_of(h)) for h in range(web.hosts)])
    within = sum(int((host[targets] == host[page]).sum()) for page, targets in enumerate(links))
    assert told["internal_links"] == pytest.approx(within / told["links"])
    assert told["largest_host"] == np.bincount(host).max()
    level = np.array([web.level(page) for page in range(web.pages)])
    assert told["levels"]["not_reached"] == (level < 0).sum()
    assert told["levels"]["pages"] == np.bincount(level[level >= 0]).tolist()


def test_the_text_says_the_same_in_80_columns(
    told: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that a terminal breaks; a table that says something else than the JSON."""
    code, out, err = call(capsys, *BRODER, "--pages", "20000", "--seed", "7")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    rows = {line[2:24].strip(): line[24:].split() for line in out.splitlines()}
    shares = told["shares"]
    for name in NAMES:
        assert rows[name.upper()][:3] == [
            f"{shares[kind][name]:.2%}" for kind in ("profile", "planted", "measured")
        ]
    assert rows["directed"][:3] == [
        "16.0", f"{16 * np.log(20_000) / np.log(203_549_046):.1f}",
        f"{told['average_distance']['directed']:.2f}",
    ]  # fmt: skip
    assert rows["in-degree exponent"][1] == f"{told['in_degree_exponent']:.2f}"
    assert "No page is misplaced" in out


def test_files_that_were_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A picture of another web; saved links that are not the web's."""
    picture, saved = tmp_path / "bowtie.svg", tmp_path / "web.npz"
    code, out, err = call(
        capsys, *BRODER, "--pages", "3000", "--seed", "1", "--format", "json",
        "--picture", str(picture), "--save", str(saved),
    )  # fmt: skip
    assert code == 0
    assert err.splitlines() == [f"{picture} shows the bow-tie", f"{saved} holds the links"]
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
    """A web that is not as planted, and exit code 0."""
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


@pytest.mark.parametrize("name", profile.names())
def test_every_profile_is_as_planted(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A profile that cannot be described, or whose pages are elsewhere than planted."""
    pages = ["--pages", "4000"] if not profile.load(name).sites else []
    code, out, err = call(capsys, "web", "describe", "--profile", name, *pages, "--sources", "20",
                          "--format", "json")  # fmt: skip
    assert (code, err) == (0, "")
    assert json.loads(out)["misplaced"] == 0


def test_a_small_web_has_no_tail(capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback where nothing can be fitted; an exponent of a few pages."""
    code, out, _ = call(capsys, *BRODER, "--pages", "40", "--format", "json")
    told = json.loads(out)
    assert code == 0
    assert told["distance"]["directed"]["sources"] == 40
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
def test_what_is_wrong_is_one_line(
    arguments: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A traceback, a file left behind, or long work before the error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "available", lambda: 8e9)
    code, out, err = call(capsys, "web", "describe", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_pages_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A web that is begun although the memory cannot hold it, or is refused although it can."""
    told = profile.load("broder-1999")
    need = memory.needed(told, 1_000_000)
    monkeypatch.setattr(memory, "available", lambda: need * 1.01)
    memory.must_fit(told, 1_000_000)
    with pytest.raises(ValueError, match=r"1,020,000 pages are too many .* GB are needed"):
        memory.must_fit(told, 1_020_000)


def test_memory_is_measured() -> None:
    """A system of which nothing is known."""
    assert 1e6 < memory.available() < 1e15


def test_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A profile that is missing, or that the JSON does not hold as the file has it."""
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


def test_help_loads_no_compiler() -> None:
    """Seconds until the help of any command appears."""
    asked = "import sys; from counterpoint.main import counterpoint; "
    asked += "counterpoint.main(['--help'], standalone_mode=False); "
    asked += "print([m for m in ('numba', 'scipy', 'matplotlib') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert found.stdout.strip().endswith("\n[]"), found.stderr


def test_progress_is_told() -> None:
    """Long work without a sign of life; a sum that differs when it is told."""
    web = Web(profile.load("broder-1999"), 500, 0)
    lines: list[str] = []
    links = web.explicit()
    found = description.describe(web, links, 10, lines.append)
    assert len(lines) >= 4
    assert found.to_json() == description.describe(web, links, 10).to_json()
