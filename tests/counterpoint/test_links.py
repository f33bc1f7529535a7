"""``counterpoint links`` and ``counterpoint sites`` as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from counterpoint.crawler.store.opening import open_store
from counterpoint.crawler.store.views import Kind
from tests.crawler.store.filled import Held, fill

from .test_command_line import call


def test_a_special_file_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe or /dev/null that is replaced by a regular file."""
    store, pipe = str(tmp_path / "a.db"), tmp_path / "pipe"
    open_store(store, create=True).close()
    os.mkfifo(pipe)
    code, out, err = call(capsys, "links", "--db", store, "--format", "csv", "--out", str(pipe))
    assert (code, out) == (2, "") and "is no file that can be replaced" in err
    assert pipe.is_fifo()


@pytest.fixture
def stored(place: str) -> Held:
    """Fill a store at random and return its content."""
    with open_store(place, create=True) as store:
        return fill(store, Random(7), size=20, links=9)


def test_links_are_listed(place: str, stored: Held, capsys: pytest.CaptureFixture[str]) -> None:
    """A filter or an order that differs from the option."""
    code, out, err = call(capsys, "links", "--db", place, "--limit", "2")
    first, second, *_ = stored[Kind.EXTERNAL]
    assert (code, err) == (0, "")
    assert out == "".join(
        f"{link.address}\n    on {link.found_on} (level {link.level}): {link.anchor}"
        .removesuffix(": ") + "\n" for link in (first, second)
    ) + f"2 of {len(stored[Kind.EXTERNAL])} external links\n"  # fmt: skip
    arguments = ("--internal", "--filter", "site=2", "--filter", "state=queued", "--sort", "target",
                 "--descending", "--format", "jsonl")  # fmt: skip
    code, out, err = call(capsys, "links", "--db", place, *arguments)
    rows = [json.loads(line) for line in out.splitlines()]
    right = [link for link in stored[Kind.INTERNAL] if (link.seed, link.state) == (2, 0)]
    assert len(rows) == len(right) == 3
    assert {(row["page"], row["position"]) for row in rows} == {link[:2] for link in right}
    assert {row["state"] for row in rows} == {"queued"}
    by_number = [one.replace("queued", "0") for one in arguments]
    assert call(capsys, "links", "--db", place, *by_number) == (code, out, err)
    code, out, err = call(capsys, "links", "--db", place, "--bad", "--filter", "contains=home")
    assert out.endswith(f" of {sum('home' in link.text.lower() for link in stored[Kind.BAD])} "
                        "bad links\n")  # fmt: skip


def test_a_file_is_written_wholly_or_not_at_all(
    place: str, stored: Held, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that a wrong command deletes or truncates."""
    out = tmp_path / "links.csv"
    arguments = ("links", "--db", place, "--format", "csv", "--out", str(out))
    assert call(capsys, *arguments) == (0, "", "")
    written = out.read_bytes()
    assert len(written.splitlines()) == 1 + len(stored[Kind.EXTERNAL])
    assert call(capsys, *arguments, "--sort", "reason")[0] == 2
    assert out.read_bytes() == written
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--filter", "x=1"), "--filter: 'x=1' is no NAME=VALUE; names are site, page, level"),
        (("--filter", "site"), "--filter: 'site' is no NAME=VALUE"),
        (("--filter", "site=a"), "--filter: site: 'a' is no number"),
        (("--filter", "state=x"), "--filter: state: x is none of queued, issued, done"),
        (("--filter", "site=1", "--filter", "site=2"), "--filter: site is given twice"),
        (("--filter", "status=200"), "status: external links have none"),
        (("--sort", "reason"), "reason: external links are sorted by found, address, host"),
        (("--format", "parquet"), "--format parquet: needs --out FILE"),
        (("--out", "x.txt"), "--out: a file is of --format csv"),
        (("--out", "/nowhere/x", "--format", "csv"), "--out: there is no folder /nowhere"),
        (("--bad", "--format", "graphml"), "graphml: bad links lead nowhere"),
    ],
)
def test_wrong_commands(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback, or another exit code than 2."""
    path = str(tmp_path / "a.db")
    open_store(path, create=True).close()
    code, out, err = call(capsys, "links", "--db", path, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"counterpoint: {message}") and err.count("\n") == 1


def test_a_missing_store_is_not_created(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A store that is created by a command that only reads."""
    for command in (("links", "--db", str(tmp_path / "a.db")),
                    ("sites", "--db", str(tmp_path / "a.db"), "list")):  # fmt: skip
        code, _, err = call(capsys, *command)
        assert (code, err) == (2, f"counterpoint: {tmp_path / 'a.db'}: there is no such file\n")
    assert list(tmp_path.iterdir()) == []


def test_names_do_not_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names from a foreign list that contain control characters of a terminal."""
    start = ("sites", "--db", str(tmp_path / "a.db"))
    assert call(capsys, *start, "add", "http://a.test/", "--name", "A\x1b[2J")[0] == 0
    code, out, _ = call(capsys, *start, "list")
    assert code == 0 and out.splitlines()[0].endswith("http://a.test/  A\ufffd[2J")


def test_sites(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A site that differs from the typed one; a store that is created for an invalid list."""
    (tmp_path / "bad.txt").write_text("http://a.test/\nfoo bar\n")
    (tmp_path / "good.txt").write_text("http://b.test/\nhttp://c.test/\n")

    def sites(*arguments: str) -> tuple[int, str, str]:
        return call(capsys, "sites", "--db", place, *arguments)

    code, _, err = sites("import", str(tmp_path / "bad.txt"))
    assert code == 2
    assert err == (f"counterpoint: {tmp_path / 'bad.txt'}: line 2: 'foo bar' is no address such as "
                   "http://example.org/\n")  # fmt: skip
    assert not (tmp_path / "store.db").exists()
    assert sites("add", "http://A.test", "--name", "The A", "--level", "2") == (0, "site 1\n", "")
    assert sites("import", str(tmp_path / "good.txt")) == (0, "2 sites added\n", "")
    assert sites("import", str(tmp_path / "good.txt")) == (0, "0 sites added\n", "")
    assert sites("remove", "2") == (0, "site 2 was removed\n", "")
    assert sites("retry", "3")[0] == sites("remove", "2")[0] == sites("add", "x")[0] == 2
    listed = json.loads(sites("list", "--format", "json")[1])
    assert [(site["number"], site["start"], site["level"]) for site in listed] == [
        (1, "http://a.test/", 2), (3, "http://c.test/", None)
    ]  # fmt: skip
    assert sites("list")[1].startswith("    1  http://a.test/  The A\n       waiting; 0 of 0 pages")


def test_help_does_not_load_the_database() -> None:
    """A help text that loads the database library, which takes a second."""
    script = (
        "import sys; from counterpoint.main import counterpoint; "
        "counterpoint.main(['--help'], standalone_mode=False); "
        "print([name for name in sys.modules if name in ('sqlalchemy', 'alembic')])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
