"""Files of baselines: what is in them, what is refused, and which of them nobody uses."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import pytest

from counterpoint.ci import configuration, converting
from counterpoint.ci.baseline_files.naming import file_name
from counterpoint.ci.outcome import Place, exit_code
from counterpoint.ci.plan import Entry, GatePlan, plan
from counterpoint.ci.regression import baseline, judging, rerun
from counterpoint.ci.regression.baseline import Baseline
from counterpoint.ci.regression.cases import RegressionCase
from counterpoint.ci.regression.layout import text_of
from counterpoint.ci.run import Settings, prune
from counterpoint.crawler.errors import CrawlError
from counterpoint.crawler.policy.protocol import Scope
from counterpoint.crawler.schedulers.catalogue import POLICIES
from counterpoint.crawler.worlds.crawl import digest_of

CASE = RegressionCase("living", 40, 30, ("scent", "uniform"), (4, 5))
ORDER = [3, 1, 29, *range(30)]


def made(policy: str = "scent", web: str = "living", **other: object) -> Baseline:
    """Return a baseline."""
    digest = digest_of(np.array(ORDER))
    values: dict[str, object] = {
        "counterpoint": "0.1", "measures_digest": "m", "web_digests": ["a", "b"], "seeds": [4, 5],
        "steps": [1, 2], "values": {"age": [1.0, 2.0]}, "curves": {"age": [1.5, 2.5]},
        "sites": [1.0], "why": ["spent", "spent"], "digests": [digest, "d"], "order": ORDER,
    }  # fmt: skip
    return Baseline(policy, web, 40, 30, **{**values, **other})  # type: ignore[arg-type]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a baseline of `scent`."""
    baseline.save(tmp_path, made())
    return tmp_path


def test_what_is_written_is_read(place: Path) -> None:
    """A part of a baseline that is lost, or an order that is not exact."""
    found = baseline.load(place, "living", "scent")
    assert found == made() and found is not None
    assert found.counterpoint == "0.1"
    assert found.visits.tolist() == ORDER
    assert [path.name for path in place.rglob("*") if path.is_file()] == ["scent.json"]


def test_the_text_is_sorted_and_has_short_lines(place: Path) -> None:
    """A file whose changes cannot be reviewed."""
    whole = made(
        order=list(range(900)), sites=[float(k) for k in range(100)],
        curves={"q": [0.123456789] * 50, "age": [0.1] * 50},
    )  # fmt: skip
    text = text_of({"schema": 2, **asdict(whole)})
    assert max(map(len, text.splitlines())) <= 120
    assert json.loads(text) == {"schema": 2, **asdict(whole)}
    keys = re.findall(r'^ "(\w+)"', text, re.MULTILINE)
    assert keys == sorted(keys) and len(keys) == len(fields(whole)) + 1


def test_a_changed_visit_changes_a_line_or_two() -> None:
    """A diff of the whole order, because a visit was added at its beginning."""
    order = np.random.default_rng(3).permutation(2000).tolist()
    before = set(text_of({"order": order}).splitlines())
    for other in ([*order[:50], 5000, *order[50:]], order[:50] + order[51:],
                  [*order[:50], order[51], order[50], *order[52:]]):  # fmt: skip
        now = set(text_of({"order": other}).splitlines())
        assert 1 <= len(now - before) <= 6


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("breadth-first", "breadth-first"),
        ("tfidf+hits", "tfidf+hits"),
        ("mine.policy:Greedy,depth=3", "mine.policy-Greedy-depth-3-"),
        ("R1", "R1-"),
        ("con", "con-"),
        ("../../etc/x", "etc-x-"),
        ("x" * 300, "x" * 60 + "-"),
        ("a/b", "a-b-"),
        ("a.", "a-"),
    ],
)
def test_names_of_files_are_readable_and_valid(name: str, file: str) -> None:
    """A file outside of the folder, or one that some system cannot have."""
    found = file_name(name)
    assert found.startswith(file) and len(found) == len(file) + 6 * file.endswith("-")
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", found)


def test_names_of_files_differ() -> None:
    """Two policies with one file, perhaps only where large and small letters are the same."""
    names = ["r1", "a:b", "a,b", "a=b", "a-b", "ä", "ö", "", "a.b", "A.b", *POLICIES]
    assert len({file_name(name).lower() for name in names}) == len(names)


ANEW = r"; remove it, then counterpoint gate --accept 'scent on living' writes a new one"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("[]", ""),
        ("{}", "its schema is None, and this version of Counterpoint has 2"),
        ('{"version": 1}', "its schema is 1, and this version of Counterpoint has 2"),
        ('{"schema": 3}', "its schema is 3, and this version of Counterpoint has 2"),
        ('{"schema": 2, "x": 0}', "unexpected keyword"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(place: Path, text: str, why: str) -> None:
    """A traceback, or an old file that is read as if it were new."""
    path = baseline.path_of(place, "living", "scent")
    path.write_text(text)
    with pytest.raises(CrawlError, match=rf"scent\.json is no baseline of .*{why}.*{ANEW}$"):
        rerun.run([CASE], place)


@pytest.mark.parametrize(
    ("part", "bad", "message"),
    [
        ("why", ["x"], "a reason and digests for each seed"),
        ("web_digests", [], "a reason and digests for each seed"),
        ("seeds", [], "a reason and digests for each seed"),
        ("values", {"age": [1.0]}, "age does not have a number for each seed"),
        ("curves", {"age": [1.0]}, "age does not have a number for each step"),
        ("sites", [float("nan")], "a share of the visits"),
        ("points", [0.5], "does not have 11 points"),
        ("order", [3, 1], "does not match its first digest"),
        ("order", ["x"], "invalid literal"),
        ("order", [2**80], ""),
        ("web_pages", 5, "pages that are not in its web"),
        ("policy", "R7", "it is that of R7 on living"),
        ("web", "topical", "it is that of scent on topical"),
    ],
)
def test_a_baseline_with_inconsistent_parts_is_refused(
    place: Path, part: str, bad: object, message: str
) -> None:
    """A traceback, or a policy that fails because its baseline was merged or copied wrongly."""
    path = baseline.path_of(place, "living", "scent")
    path.write_text(json.dumps({**json.loads(path.read_text()), part: bad}))
    with pytest.raises(CrawlError, match=rf"scent\.json is no baseline of .*{message}.*{ANEW}$"):
        baseline.load(place, "living", "scent")


def compared(now: Baseline, before: Baseline | None) -> list[str]:
    """Return how a run differs from a baseline."""
    return list(judging._changes(CASE, CASE.plan(), Scope.KNOWN, now, before))


MAKES = "counterpoint gate --accept 'scent on living' makes a new one"


def test_another_web_is_told_from_another_policy() -> None:
    """A policy that is blamed because an upgrade, or the user, changed the synthetic web."""
    before = made()
    now = made(counterpoint="0.2", web_digests=["a", "x"], digests=["other", "d"])
    assert compared(now, before) == [
        "1 of 2 webs are not those of the baseline, so the policy cannot be compared: Counterpoint "
        f"0.2 generates another web than 0.1, or the profile living was edited; {MAKES}"
    ]
    assert compared(replace(now, counterpoint="0.1"), before) == [
        "1 of 2 webs are not those of the baseline, so the policy cannot be compared: the profile "
        f"living or the code of the synthetic web was edited; {MAKES}"
    ]


def test_other_measures_are_told_from_another_policy() -> None:
    """A policy that is blamed because an upgrade computes measures differently."""
    before = made()
    now = made(counterpoint="0.2", measures_digest="n", values={"age": [9.0, 9.0]})
    assert compared(now, before) == [
        "Counterpoint 0.2 computes the measures differently than 0.1, which wrote the baseline, so "
        f"they cannot be compared; the order of visits is the same; {MAKES}"
    ]
    changed = replace(now, counterpoint="0.1", digests=[before.digests[0], "other"])
    assert compared(changed, before) == [
        "the order of visits changed on 1 of 2 webs, not on the first",
        "the measures are computed differently than for the baseline, so they cannot be compared; "
        f"{MAKES}",
    ]


def test_another_version_alone_is_no_change() -> None:
    """A gate that falls, or rewrites each file, with each new version."""
    assert compared(made(counterpoint="0.2"), made()) == []
    assert made(counterpoint="0.2") == made()


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"seeds": [0, 1]}, "its baseline has other seeds"),
        ({"budget": 1000}, "its baseline has a budget of 1,000 pages, and this run 40"),
        ({"web_pages": 2000}, "its baseline has webs of 2,000 pages, and this run 30"),
    ],
)
def test_another_case_is_named(other: dict[str, object], text: str) -> None:
    """A difference of the configuration that is blamed on the policy."""
    assert compared(made(), replace(made(), **other)) == [f"{text}; {MAKES}"]  # type: ignore[arg-type]


def test_each_measure_has_its_band() -> None:
    """A band of another measure, or of none."""
    case = replace(CASE, bands={"default": 0.5, "age": 0.1})
    before = made(values={"age": [1.0, 1.0], "q": [1.0, 1.0]})
    for name, value, falls in (("age", 1.09, 0), ("age", 1.11, 1), ("q", 1.4, 0), ("q", 1.6, 1)):
        now = replace(before, values={**before.values, name: [value, value]})
        found = list(judging._of_measures(case, now, before))
        assert len(found) == falls, (name, value)
    assert "the band is 50%" in found[0]
    assert CASE.band("q") == 0.02


@pytest.mark.parametrize(
    ("case", "command"),
    [
        (CASE, "counterpoint compare scent --web living --pages 40 --web-pages 30 --seeds 2 "
               "--first-seed 4 --step-limit 5"),
        (replace(CASE, seeds=(1, 7)), "counterpoint gate 'scent on living'"),
    ],
)  # fmt: skip
def test_the_command_that_runs_a_policy_again(case: RegressionCase, command: str) -> None:
    """A command with other seeds, or without the limit that was exceeded."""
    assert case.again("scent", case.plan(5.0)) == command


def test_unused_baselines_are_named_and_removed(place: Path) -> None:
    """A baseline that remains after its policy was removed, or a used one that is removed."""
    baseline.save(place, made("uniform"))
    baseline.save(place, made("gone:Policy", "elsewhere"))
    broken = baseline.path_of(place, "living", "broken")
    broken.write_text("{}")
    (broken.parent / "notes.txt").write_text("mine")
    few = [replace(CASE, policies=("scent",))]
    gone = baseline.path_of(place, "elsewhere", "gone:Policy")
    living = place / "policies" / "living"
    assert rerun.unused(few, place) == [
        (gone, "gone:Policy on elsewhere"), (living / "uniform.json", "uniform on living"),
    ]  # fmt: skip
    shown = converting.of_unused(*rerun.unused(few, place)[1])
    assert (shown.kind, shown.answer, shown.again) == (
        "baseline",
        "fell",
        "counterpoint gate --prune",
    )
    assert "the baseline of uniform on living is not used" in shown.findings[0].text
    row = Place("counterpoint.toml", 1)
    whole = GatePlan((), (Entry("policy", "scent on living", (), row, few[0]),))
    settings = Settings(1.0, 1.0, place / "report", place, 1)
    removed = f"{living / 'uniform.json'}: removed, the baseline of uniform on living"
    assert prune(whole, settings)[1] == removed
    assert sorted(path.name for path in place.rglob("*") if path.is_file()) == [
        "broken.json", "notes.txt", "scent.json"
    ]  # fmt: skip
    assert not (place / "policies" / "elsewhere").exists()
    assert rerun.unused(few, place) == prune(whole, settings) == []


def test_two_cases_with_one_baseline_are_refused(tmp_path: Path) -> None:
    """Two webs of one name whose baselines overwrite each other."""
    other = tmp_path / "living.toml"
    other.write_text("pages = 50\n")
    with pytest.raises(CrawlError, match="scent on living is named twice"):
        rerun.run([CASE, replace(CASE, web=str(other))], tmp_path)
    with pytest.raises(CrawlError, match="uniform on living is named twice"):
        rerun.unused([CASE, replace(CASE, policies=("uniform",))], tmp_path)


@pytest.mark.long
def test_a_policy_that_takes_too_long_is_unknown(tmp_path: Path) -> None:
    """A slow machine that makes the gate fall, or whose result becomes a baseline."""
    slow = "tests.studies.comparison.policies:Loops"
    case = RegressionCase("broder-1999", 30, 300, (slow, "breadth-first"), (0, 1))
    found = rerun.run([case], tmp_path, 1, step_limit=0.3)
    assert [one.answer for one in found] == ["unknown", "fell"]
    text = f"{slow}: step 6: took longer than 0.3 s of processor time"
    assert (found[0].unknown, found[0].changes) == (text, ())
    assert found[0].again.endswith("--seeds 2 --step-limit 0.3")
    assert rerun.accept(found, tmp_path) == [
        f"{slow} on broder-1999: unknown, so that no baseline was written: {text}",
        "policies/broder-1999/breadth-first.json: new",
    ]
    again = rerun.run([case], tmp_path, 1, step_limit=0.3)
    assert [one.answer for one in again] == ["unknown", "as expected"]
    outcomes = [converting.of_policy(one) for one in again]
    assert outcomes[0].again == f"counterpoint gate '{again[0].name}' --step-limit 0.3"
    assert [one.answer for one in outcomes] == ["unknown", "as expected"]
    assert [(one.level, one.text) for one in outcomes[0].findings] == [("unknown", text)]
    assert exit_code(outcomes) == 3


def test_a_policy_that_fails_is_no_baseline(tmp_path: Path) -> None:
    """A first baseline that says that the policy fails, so that the gate is green for ever."""
    raising = "tests.studies.comparison.policies:Raises"
    case = RegressionCase("broder-1999", 30, 300, (raising,), (0,))
    (found,) = rerun.run([case], tmp_path, 1)
    assert found.now is not None
    assert rerun.accept([found], tmp_path) == [
        f"{raising} on broder-1999: not written, because the policy fails: {found.now.fell}; with "
        "--force the gate expects this failure"
    ]
    assert not list(tmp_path.rglob("*.json"))
    (line,) = rerun.accept([found], tmp_path, failures=True)
    assert line.endswith(": new")
    (again,) = rerun.run([case], tmp_path, 1)
    assert (again.answer, rerun.accept([again], tmp_path)) == ("as expected", [])
    other = replace(again, before=replace(found.now, fell="ValueError: another failure"))
    assert "not written" in rerun.accept([other], tmp_path)[0]


@pytest.mark.long
def test_an_edited_profile_is_named(tmp_path: Path) -> None:
    """A policy that is blamed for a web that the user has edited."""
    file = tmp_path / "mine.toml"
    file.write_text("pages = 300\n")
    case = RegressionCase(str(file), 30, None, ("breadth-first",), (0,))
    place = tmp_path / "baselines"
    assert rerun.accept(rerun.run([case], place, 1), place) == [
        "policies/mine/breadth-first.json: new"
    ]
    file.write_text("pages = 300\n[degrees]\nmean = 4.0\n")
    (one,) = rerun.run([case], place, 1)
    assert len(one.changes) == 1
    assert "1 of 1 webs are not those of the baseline" in one.changes[0]
    assert "the profile mine or the code" in one.changes[0]


def test_every_policy_has_a_baseline() -> None:
    """A policy that no case of the gate runs, or a baseline that no case reads."""
    root = Path(__file__).parents[3]
    found = configuration.load(root / "counterpoint.toml")
    with found.entered():
        cases = plan(found, only="policy").cases
    folder = root / found.document.gate.baselines
    named = {(case.web, policy) for case in cases for policy in case.policies}
    assert len(named) == 69
    assert {policy for _, policy in named} == set(POLICIES)
    assert rerun.unused(cases, folder) == []
    for web, policy in named:
        assert baseline.load(folder, web, policy) is not None
