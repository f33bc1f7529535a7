"""``counterpoint coverage`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.crawler.fetching.warc import Warc
from tests.crawler.fetching.test_warc import message

from .test_command_line import call

WEB = ("--profile", "broder-1999", "--pages", "600")
REPORT = ("--budget", "100", "--seeds", "2", "--repeats", "2", "--draws", "60", "--size", "30",
          "--processes", "1")  # fmt: skip


def test_addresses_are_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Addresses outside the blocks, or other addresses for the same seed."""
    blocks = tmp_path / "blocks.txt"
    blocks.write_text("2001:db8::/126\n192.0.2.0/30 # two\n", encoding="utf-8")
    wanted = ("coverage", "sample", "addresses", "--draw", "5", "--seed", "3")
    code, out, err = call(capsys, *wanted, "--blocks", str(blocks))
    assert (code, err) == (0, "")
    assert len(set(out.split())) == 5
    assert all(line.startswith(("192.0.2.", "2001:db8::")) for line in out.split())
    given = ("--block", "192.0.2.0/30", "--block", "2001:db8::/126")
    assert call(capsys, *wanted, *given) == (0, out, "")
    code, output, _ = call(capsys, *wanted, *given, "--format", "json")
    assert json.loads(output) == {"allocated": 8, "addresses": out.split()}


def test_a_sample_and_its_estimate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A sample that ``assess`` cannot read; estimates of another sample."""
    code, out, err = call(capsys, "coverage", "sample", "addresses", *WEB, "--draw", "100",
                          "--expand", "1")  # fmt: skip
    assert code == 0
    assert "100 of " in err and " serve, " in err
    (tmp_path / "a.txt").write_text(out, encoding="utf-8")
    code, ranked, err = call(capsys, "coverage", "sample", "breadth-first", *WEB, "--size", "50",
                             "--weights", "pagerank")  # fmt: skip
    assert code == 0 and err.startswith("50 pages, 50 requests")
    (tmp_path / "b.txt").write_text(ranked, encoding="utf-8")
    pages = [line.split("\t")[0] for line in ranked.splitlines()]
    (tmp_path / "crawl.txt").write_text("\n".join(pages[:10]), encoding="utf-8")
    files = ("--sample", str(tmp_path / "a.txt"), "--sample", str(tmp_path / "b.txt"), "--crawled",
             str(tmp_path / "crawl.txt"), "--reachable", "0.9", "--top", "0.1")  # fmt: skip
    code, out, err = call(capsys, "coverage", "estimate", *files)
    assert (code, err) == (0, "")
    assert "10 pages crawled; intervals of 95%; quantity times 0.9" in out
    assert "10 of 50 are covered" in out and "top    10%" in out and "chapman" in out
    code, out, err = call(capsys, "coverage", "estimate", *files, "--format", "json")
    report = json.loads(out)
    assert report["samples"][1]["shares"]["wilson"]["value"] == pytest.approx(0.18)
    assert set(report["samples"][1]["quality"]) == {"0.1", "1"}
    assert report["coverage_by_numbers"]["chapman"]["value"] > 0
    code, out, err = call(capsys, "coverage", "estimate", *files, "--growing")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{tmp_path / 'b.txt'}: does not contain {tmp_path / 'a.txt'}" in err
    with (tmp_path / "a.txt").open(encoding="utf-8") as first:
        (tmp_path / "b.txt").write_text(first.read() + "\n".join(pages), encoding="utf-8")
    code, out, err = call(capsys, "coverage", "estimate", *files, "--growing")
    assert code == 0 and "slope through the origin" in out
    twice = ("--sample", str(tmp_path / "a.txt")) * 2
    code, out, err = call(capsys, "coverage", "estimate", *twice, *files[4:6], "--growing")
    assert code == 0 and "intercept -" in out and "variance         - (" in out
    assert "nan" not in out


def test_whole_sites_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Missing addresses; fewer pages of whole sites than of their start pages."""
    wanted = ("coverage", "sample", "addresses", *WEB, "--draw", "100", "--format", "json")
    fronts, whole = (
        json.loads(call(capsys, *wanted, *more)[1]) for more in ((), ("--whole-sites",))
    )
    assert fronts["addresses"] == whole["addresses"]
    assert len(fronts["addresses"]) == 100
    sites = [one["page"] for one in fronts["addresses"] if one["answer"] == "site"]
    assert sites == [one["address"] for one in fronts["pages"]]
    assert {one["address"] for one in fronts["pages"]} < {one["address"] for one in whole["pages"]}
    assert whole["requests"] - 100 == len(whole["pages"]) - len(sites)


@pytest.mark.long
def test_a_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A report without figures, a page that is not written, a wrong command to repeat it."""
    page = tmp_path / "c.html"
    code, out, err = call(capsys, "coverage", "report", "breadth-first", *WEB, *REPORT, "--html",
                          str(page))  # fmt: skip
    assert code == 0
    assert max(len(line) for line in out.splitlines() if not line.startswith("To")) <= 80
    assert out.splitlines()[-1] == (
        "To reproduce: counterpoint coverage report breadth-first --profile broder-1999 "
        "--pages 600 --budget 100 --seeds 2 --repeats 2 --draws 60 --size 30"
    )
    assert str(page) in err and page.read_text(encoding="utf-8").count("<svg") == 5


def test_a_report_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A renamed key; figures that are no valid JSON."""
    code, out, err = call(capsys, "coverage", "report", "random", *WEB, *REPORT, "--format", "json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["policies"]["random"]["truth"]["quantity"] == pytest.approx([1 / 6, 1 / 6])
    assert {"bias", "variance", "rmse", "contains", "requests"} <= set(report["estimators"]["chao"])


def test_a_failing_policy_changes_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """A failing policy without an effect on the exit code."""
    fallen = "tests.studies.comparison.policies:Raises"
    code, out, err = call(capsys, "coverage", "report", fallen, *WEB, *REPORT)
    assert code == 1
    assert "No crawl was completed" in out and f"counterpoint: {fallen}: step 4" in err


@pytest.mark.long
def test_a_policy_that_takes_too_long_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """A slow policy that fell, or that has no effect on the exit code."""
    slow = "tests.studies.comparison.policies:Loops"
    arguments = ("coverage", "report", slow, *WEB, *REPORT, "--step-limit", "0.2")
    code, out, err = call(capsys, *arguments, "--format", "json")
    line = f"{slow}: step 6: took longer than 0.2 s of processor time"
    assert (code, err) == (3, f"counterpoint: unknown: {line}\n")
    assert (json.loads(out)["fell"], json.loads(out)["unknown"]) == ([], [line])


SAMPLE, REPORTED = ("sample", "addresses"), ("report", *WEB)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SAMPLE, "--draw", "3"), "give --block, --blocks or --profile"),
        ((*SAMPLE, "--draw", "3", "--block", "10.0.0.0/33"), "--block, line 1: '10.0.0.0/33'"),
        ((*SAMPLE, "--draw", "9", "--block", "10.0.0.0/29"), "9 distinct addresses of 8"),
        ((*SAMPLE, "--draw", "1", "--block", "10.0.0.0/8", "--block", "10.1.0.0/16"), "overlap"),
        ((*SAMPLE, "--draw", "1", "--blocks", "no/such/file"), "No such file"),
        ((*SAMPLE, "--draw", "1", "--expand", "1"), "need --profile"),
        ((*SAMPLE, "--draw", "1", *WEB, "--block", "10.0.0.0/8"), "with --profile"),
        ((*SAMPLE, "--draw", "1", *WEB, "--expand", "1", "--whole-sites"), "be combined"),
        ((*SAMPLE, "--draw", "99999", *WEB), "99,999 distinct addresses of"),
        (("sample", "breadth-first", "--size", "3"), "Missing option '--profile'"),
        (("sample", "breadth-first", "--size", "3", *WEB, "--start", "http://x.test/"), "no page"),
        (("estimate", "--sample", "none.txt", "--crawled", "none.txt"), "none.txt: No such file"),
        (("estimate", "--sample", "a", "--crawled", "b", "--reachable", "2"), "2 is not above 0"),
        (("estimate", "--sample", "a", "--crawled", "b", "--top", "0"), "0 is not above 0"),
        ((*REPORTED, "--draws", "99999"), "--draws 99999: a web of 600 pages has"),
        ((*REPORTED, "--draws", "60", "no-such-policy"), "there is no policy 'no-such-policy'"),
        (("report", "--profile", "no-such-profile"), "there is no profile 'no-such-profile'"),
        ((*REPORTED, "--html", "no/such/folder.html"), "there is no folder"),
        ((*REPORTED, "--repeats", "1"), "1 is not in the range"),
    ],
)
def test_errors(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, a message of several lines, another exit code than 2."""
    code, out, err = call(capsys, "coverage", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and err.startswith("counterpoint: ")
    assert message in err


def test_what_can_be_shown_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shares of other numbers than the printed ones; a store that claims to know resources."""
    warc = Warc(tmp_path / "warc", "counterpoint")
    for number, body in enumerate((b"<p>", b"<img src=/2>", b"<img src=/9>", b"")):
        warc.write(message(number, body, address=f"http://a.test/{number}"))
    warc.close()
    code, out, err = call(capsys, "coverage", "viewable", "--warc", str(tmp_path / "warc"))
    assert (code, err) == (0, "")
    assert "4 pages collected\n  2 can be shown again with all resources (50.00%)" in out
    assert "  3 with or without them (75.00%)\n  1 of 2 resources are there (50.00%)" in out
    assert "\n  resources          1  resources are missing" in out
    wanted = ("coverage", "viewable", "--format", "json")
    code, out, err = call(capsys, *wanted, "--warc", str(tmp_path / "warc"))
    assert json.loads(out) == {
        "pages": 4, "shown": 2, "alone": 3, "share": 0.5, "share_alone": 0.75,
        "upper_bound": False, "resources": {"needed": 2, "kept": 1},
        "reasons": {"empty": 1, "resources": 1}, "damages": [],
    }  # fmt: skip
    (path,) = (tmp_path / "warc").iterdir()
    path.write_bytes(path.read_bytes()[:-3])
    code, out, err = call(capsys, "coverage", "viewable", "--warc", str(tmp_path / "warc"))
    assert "\n\n1 damaged place; what is lost there is not counted\n" in out
    assert f"\n  {path.name}, byte " in out and out.endswith(": a record breaks off\n")
    code, out, err = call(capsys, *wanted, "--warc", str(tmp_path / "warc"))
    ((found),) = json.loads(out)["damages"]
    assert (found["file"], found["reason"]) == (str(path), "a record breaks off")
    assert found["byte"] > 0
    store = str(tmp_path / "a.db")
    assert call(capsys, "sites", "--db", store, "add", "http://a.test/")[0] == 0
    code, out, err = call(capsys, "coverage", "viewable", "--db", store)
    assert (code, err) == (0, "")
    assert out.startswith("0 pages collected\n  at most 0 can be shown again: a store keeps")
    code, out, err = call(capsys, *wanted, "--db", store)
    assert json.loads(out)["upper_bound"] and json.loads(out)["share"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give either --warc or --db"),
        (("--warc", "x", "--db", "y"), "give either --warc or --db"),
        (("--warc", "none"), "none: is no file and no folder"),
        (("--db", "none.db"), "none.db"),
    ],
)
def test_nothing_to_examine(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    """A traceback, or a share of nothing, where there is no archive and no store."""
    code, out, err = call(capsys, "coverage", "viewable", *options)
    assert (code, out) == (2, "")
    assert said in err
