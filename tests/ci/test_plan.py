"""What a configuration asks for, and the part of it that a user names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.ci import configuration
from counterpoint.ci.configuration import ConfigurationError
from counterpoint.ci.outcome import Kind
from counterpoint.ci.plan import GatePlan, plan
from counterpoint.spec.notation import SpecError

TEXT = """\
[[check]]
spec = ["peterson", "philosophers"]

[[check]]
spec = "stairs.py"

[[mutants]]
spec = "r1"

[[policies]]
web = "sample"
pages = 10
web-pages = 1500
seeds = [4, 7]
policies = ["R1", "mine:Mine,depth=3"]
band = { external = "5%" }

[[policies]]
web = "webs/own.toml"
pages = 20
policies = ["R1"]

[[crawler]]
name = "wget"
command = "wget {start}"
web = "webs/own.toml"
seeds = 2
must = ["disallowed == 0"]
"""

POLICY = """\
class Mine:
    def __init__(self, setting, depth=1): self.why = ""
    def next(self): ...
    def observe(self, outcome): ...
"""

STAIRS = """\
from counterpoint import Integer, Spec, action, require

class Stairs(Spec):
    step = Integer(0, 3)

    @action
    def up(s):
        require(s.step < 3)
        s.step = s.step + 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a configuration."""
    (tmp_path / "webs").mkdir()
    (tmp_path / "webs" / "own.toml").write_text("pages = 900\n")
    (tmp_path / "mine.py").write_text(POLICY)
    (tmp_path / "stairs.py").write_text(STAIRS)
    return tmp_path


def planned(
    folder: Path, *names: str, only: Kind | None = None, text: str = TEXT, start: Path | None = None
) -> GatePlan:
    """Return the plan of a configuration."""
    path = folder / "counterpoint.toml"
    path.write_text(text, encoding="utf-8")
    found = configuration.load(path)
    with found.entered():
        return plan(found, names, only, start)


def named(found: GatePlan) -> list[str]:
    """Return the names of the chosen entries, without mutants."""
    return [one.name for one in found.entries if "/" not in one.name or ".toml" in one.name]


CHECKS = ["peterson · exhaustive", "philosophers · exhaustive", "stairs.py · exhaustive"]
POLICIES = ["R1 on sample", "mine:Mine,depth=3 on sample", "R1 on own"]


def test_the_whole(folder: Path) -> None:
    """A row that the gate leaves out."""
    found = planned(folder)
    assert named(found) == [*CHECKS, *POLICIES, "wget"]
    assert found.is_whole
    assert {job.reference.partition("/")[0] for job in found.jobs} == {
        "peterson", "philosophers", "stairs.py", "r1",
    }  # fmt: skip
    sample, own = found.cases
    assert (sample.web, sample.budget, sample.web_pages) == ("sample", 10, 1500)
    assert sample.policies == ("R1", "mine:Mine,depth=3")
    assert (tuple(sample.seeds), dict(sample.bands)) == (
        (4, 7),
        {"default": 0.02, "external": 0.05},
    )
    assert (own.web, own.web_pages, tuple(own.seeds)) == ("webs/own.toml", 900, (0, 1, 2))
    (wget,) = found.crawlers
    assert (wget.name, wget.seeds, wget.must) == ("wget", (0, 1), ("disallowed == 0",))
    assert str(found.place("policy", "R1 on own")) == "counterpoint.toml:18"


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["peterson"], CHECKS[:1]),
        (["p*"], CHECKS[:2]),
        (["stairs.py", "wget"], [CHECKS[2], "wget"]),
        (["R1"], [POLICIES[0], POLICIES[2]]),
        (["R1 on own"], [POLICIES[2]]),
        (["sample"], POLICIES[:2]),
        (["own"], [POLICIES[2]]),
        (["webs/own.toml"], [POLICIES[2], "wget"]),
        (["mine:Mine,depth=3"], [POLICIES[1]]),
    ],
)
def test_names_choose(folder: Path, names: list[str], chosen: list[str]) -> None:
    """A name that chooses more, or less, than it says."""
    found = planned(folder, *names)
    assert named(found) == chosen
    assert not found.is_whole
    assert {policy for case in found.cases for policy in case.policies} == {
        name.partition(" on ")[0] for name in chosen if " on " in name
    }
    assert len(found.all_cases) == 2


def test_a_spec_names_its_mutants(folder: Path) -> None:
    """A spec whose mutants cannot be asked for, because only theirs are in the configuration."""
    chosen = planned(folder, "r1").jobs
    assert chosen
    assert all(job.reference.startswith("r1/") for job in chosen)
    assert len(chosen) == len(planned(folder, "r1/*").jobs)


def test_tables_in_one_line_stay_apart(folder: Path) -> None:
    """Rows of one line taken for one row: a policy that crawls the web of another row."""
    row = '{{ web = "{}", pages = 10, policies = ["{}"] }}'
    text = f"policies = [{row.format('sample', 'R1')}, {row.format('webs/own.toml', 'R2')}]\n"
    found = planned(folder, text=text)
    assert named(found) == ["R1 on sample", "R2 on own"]
    assert [(one.web, one.policies) for one in found.cases] == [
        ("sample", ("R1",)),
        ("webs/own.toml", ("R2",)),
    ]


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["../stairs.py"], CHECKS[2:]),
        (["../webs/own.toml"], [POLICIES[2], "wget"]),
        (["../mine.py"], None),
        (["wget"], ["wget"]),
        (["own"], [POLICIES[2]]),
        (["stairs.py"], CHECKS[2:]),
    ],
)
def test_names_that_are_typed_in_a_folder_below(
    folder: Path, names: list[str], chosen: list[str] | None
) -> None:
    """A file that is not found with dots, or a crawler hidden by a folder of its name."""
    (folder / "below" / "wget").mkdir(parents=True)
    (folder / "below" / "own").write_text("")
    if chosen is None:
        with pytest.raises(SpecError, match=r"is named '\.\./mine\.py'"):
            planned(folder, *names, start=folder / "below")
    else:
        assert named(planned(folder, *names, start=folder / "below")) == chosen


def test_a_file_of_the_folder_is_meant_first(folder: Path) -> None:
    """A name typed below the configuration that stands for another file of the same name."""
    (folder / "below").mkdir()
    (folder / "below" / "stairs.py").write_text(STAIRS)
    text = TEXT + '[[check]]\nspec = "below/stairs.py"\n'
    found = planned(folder, "stairs.py", text=text, start=folder / "below")
    assert [one.name for one in found.entries] == ["below/stairs.py · exhaustive"]


@pytest.mark.parametrize(
    ("only", "chosen"), [("check", CHECKS), ("policy", POLICIES), ("crawler", ["wget"])]
)
def test_one_kind(folder: Path, only: Kind, chosen: list[str]) -> None:
    """Checks of specs that load what crawls, or a kind that is mixed with another."""
    found = planned(folder, only=only)
    assert named(found) == chosen
    assert not found.is_whole


@pytest.mark.parametrize(
    ("name", "hint"),
    [("petersen", "did you mean peterson?"), ("zzzzzzzz", "counterpoint gate --list names all")],
)
def test_a_name_that_chooses_nothing_is_refused(folder: Path, name: str, hint: str) -> None:
    """A gate that passes because a name is misspelled."""
    with pytest.raises(SpecError) as caught:
        planned(folder, "peterson", name)
    assert str(caught.value) == f"nothing in the configuration is named {name!r}; {hint}"


def _rows() -> Iterator[tuple[str, str]]:
    policies = '[[policies]]\nweb = "{}"\npages = 10\npolicies = ["{}"]\n'
    crawler = '[[crawler]]\nname = "x"\ncommand = "x {}"\nweb = "sample"\n'
    yield policies.format("smaple", "R1"), "1: there is no profile 'smaple'"
    yield policies.format("webs/none.toml", "R1"), "1: webs/none.toml: No such file"
    yield policies.format("sample", "R9"), "1: there is no policy 'R9'"
    yield policies.format("sample", "mine:Mine,deep=3"), "1: mine:Mine has no parameter 'deep'"
    yield policies.format("sample", 'R1", "R1'), "1: R1 on sample is in counterpoint.toml:1 already"
    band = 'band = {{ default = "1%", {} = "1%" }}\n'
    wrong = policies.format("sample", "R1") + band.format("extrenal")
    yield wrong, "5: there is no measure extrenal of policies; did you mean external?"
    wrong = policies.format("sample", "R1") + band.format("speed")
    yield wrong, "5: there is no measure speed of policies; there are default, points, external"
    yield crawler.format("{begin}"), "1: crawler 'x': "
    yield crawler.format("") * 2, "5: x is in counterpoint.toml:1 already"
    large = crawler.format("").replace('"x"', '"X"')
    yield crawler.format("") + large, "5: X is in counterpoint.toml:1 already"
    yield crawler.format("") + 'must = ["disalowed == 0"]\n', "did you mean disallowed"
    yield crawler.format("") + 'folder = "none"\n', "1: there is no folder none"
    yield crawler.format("") + 'env = { "A=B" = "x" }\n', "have a variable 'A=B' = 'x'"
    yield crawler.format("") + 'env = { "" = "x" }\n', "have a variable '' = 'x'"
    yield crawler.format("") + 'env = { A = "\\u0000" }\n', "have a variable 'A' = '\\x00'"
    yield crawler.format("\\u0000"), "1: crawler 'x': the command has the character"
    for name in ("-x", "..", ".x"):
        yield crawler.format("").replace('"x"', f'"{name}"'), "2: crawler.name should be letters"
    yield policies.format("sample", "R1") + 'band = { exernal = "5%" }\n', "did you mean external?"
    pages = "web-pages = 1000\nseeds = [3]\n"
    why = "sample has no web of 1,000 pages for seed 3, see web-pages: site 'iling': 431 external"
    yield policies.format("sample", "R1") + pages, f"1: {why}"
    yield crawler.format("") + pages, f"1: x: {why}"
    yield crawler.format("") + "web-pages = 1\n", "1: x: sample has no web of 1 pages for seed 0"
    for row, line in ((policies.format("sample", "R1"), 5), (crawler.format(""), 5)):
        yield (
            row + "seeds = [7, 8, 7]\n",
            f"{line}: {'policies' if 'pol' in row else 'crawler'}.seeds",
        )


@pytest.mark.parametrize(("text", "message"), list(_rows()))
def test_what_does_not_exist_is_refused(folder: Path, text: str, message: str) -> None:
    """A row that is found wrong after minutes, or never."""
    with pytest.raises(ConfigurationError) as caught:
        planned(folder, text=text)
    assert str(caught.value).startswith("counterpoint.toml:")
    assert message in str(caught.value)
