"""What the files of all baselines have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from counterpoint.ci.baseline_files import files
from counterpoint.ci.baseline_files.accepting import accepting, is_ci
from counterpoint.ci.crawlers.baseline import packed, unpacked
from counterpoint.crawler.errors import CrawlError


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, False), ("", False), ("0", False), ("false", False), ("False ", False),
     ("true", True), ("1", True), ("woodpecker", True)],
)  # fmt: skip
def test_what_is_a_run_of_ci(
    value: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI=false that refuses --accept at a desk, or a machine of CI that may accept."""
    if value is None:
        monkeypatch.delenv("CI", raising=False)
    else:
        monkeypatch.setenv("CI", value)
    assert is_ci() is expected


def test_the_command_that_accepts_can_be_pasted() -> None:
    """A name with a space or a bracket that a shell takes apart."""
    assert accepting("R3 on broder-1999") == "counterpoint gate --accept 'R3 on broder-1999'"
    assert accepting("spider") == "counterpoint gate --accept spider"


def _made(content: dict[str, Any]) -> str:
    return str(content["name"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "it has another content"),
        ("7", "it has another content"),
        ("<<<<<<<", "Expecting value"),
        ('{"schema": 2}', "its schema is 2, and this version of Counterpoint has 1"),
        ('{"schema": 1}', "'name'"),
        ('{"schema": ' + "9" * 5000 + "}", ": a number has more than 4,300 digits; build another"),
        (b"\xff", "cannot be read"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    """A file after a bad merge that ends in a traceback, or is taken for a missing one."""
    path = tmp_path / "a.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CrawlError, match=message) as caught:
        files.load(path, 1, _made, "ships", "build another")
    assert str(caught.value).startswith(str(path))


def test_a_file_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    """A baseline of which half is written, or a temporary file that stays."""
    path = tmp_path / "deep" / "a.json"
    assert files.load(path, 1, _made, "ships", "") is None
    files.save(path, '{"schema": 1, "name": "x"}')
    assert files.load(path, 1, _made, "ships", "") == "x"
    with pytest.raises(UnicodeEncodeError):
        files.save(path, "\ud800")
    assert files.load(path, 1, _made, "ships", "") == "x"
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]


def test_an_order_of_requests_that_was_cut_is_no_baseline() -> None:
    """A packed order that was edited, and ends the gate with a traceback of zlib."""
    whole = packed(["http://a.test/", "http://b.test/"])
    assert unpacked(whole) == ["http://a.test/", "http://b.test/"]
    for wrong in (whole[:-8], whole[8:], "no base64", "aaaa"):
        with pytest.raises(ValueError):
            unpacked(wrong)
