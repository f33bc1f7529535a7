"""Errors that a lack of memory led to: each ends a command with one line and code 3."""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from selectolax.lexbor import SelectolaxError

from counterpoint import memory
from counterpoint.console import run
from counterpoint.crawler.errors import CrawlError
from counterpoint.graph.errors import GraphError
from counterpoint.models.checking.pool import sendable
from counterpoint.sim_web.errors import WebError
from counterpoint.spec.notation import SpecError

from .fault_webs import served, starts, web

SEED = 7
LINE = "counterpoint: unknown: no memory is left\n"
POLICY = """
from pathlib import Path

from counterpoint.crawler.policy.protocol import Request


class Hungry:
    def __init__(self, setting):
        self.waiting, self.asked = list(setting.starts), 0

    def next(self):
        self.asked += 1
        if self.asked == 3 and not Path("enough").exists():
            raise MemoryError
        return Request(self.waiting.pop()) if self.waiting else None

    def observe(self, outcome):
        pass
"""
SPEC = """
from counterpoint import Integer, Spec, action, invariant


class {name}(Spec):
    number = Integer(0, 3)

    @action
    def add(self):
        if {when}:
            raise MemoryError
        self.number = (self.number + 1) % 4

    @invariant
    def is_small(self):
        return self.number < 4
"""


def said(place: str = "") -> str:
    """Return the line that a command prints."""
    return LINE if not place else f"{LINE[:-1]}: {place}\n"


def counterpoint(arguments: str, folder: Path) -> tuple[int, str, str]:
    """Run ``counterpoint``; return its code and what it prints."""
    done = subprocess.run([sys.executable, "-m", "counterpoint", *arguments.split()], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "error", [click.UsageError, click.ClickException, CrawlError, GraphError, SpecError, WebError,
              RuntimeError],
)  # fmt: skip
def test_an_error_that_memory_led_to(
    error: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the user's file that was none; or none of it where memory did not lead to it."""

    @click.command()
    @click.option("--wrong", is_flag=True)
    def fail(wrong: bool) -> None:
        try:
            raise MemoryError
        except MemoryError as lack:
            if wrong:
                raise click.UsageError("too many") from None
            raise error("the policy cannot be made") from lack

    assert run(fail, []) == 3
    ours = error in (CrawlError, GraphError, SpecError, WebError)
    assert capsys.readouterr().err == said("the policy cannot be made" if ours else "")
    assert run(fail, ["--wrong"]) == 2


def test_error_of_a_library_that_got_no_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A traceback because z3 could not be loaded; or a bug that is reported as a lack of memory."""

    @click.command()
    def fail() -> None:
        raise LookupError("libz3.so not found")

    with pytest.raises(LookupError):
        run(fail, [])
    assert not memory.is_exhausted(SystemError("error return without exception set"))
    monkeypatch.setattr(memory, "LARGE", sys.maxsize // 2)
    assert run(fail, []) == 3
    assert capsys.readouterr().err == LINE
    assert memory.is_exhausted(SystemError("error return without exception set"))
    assert memory.is_exhausted(SelectolaxError("Can't parse HTML."))
    assert not memory.is_exhausted(SelectolaxError("Can't parse CSS selector."))
    for kind in (ImportError, OSError):
        assert memory.is_exhausted(kind("x.so: failed to map segment from shared object"))


def test_ignored_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines about finalizers that got no memory, or none about another error."""

    class Ignored(NamedTuple):
        exc_type: type[BaseException]
        exc_value: BaseException | None
        exc_traceback: None = None
        err_msg: str | None = None
        object: None = None

    seen: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "__unraisablehook__", seen.append)
        memory.report_ignored(Ignored(MemoryError, MemoryError()))
        assert not seen
        memory.report_ignored(Ignored(KeyError, KeyError()))
        memory.report_ignored(Ignored(KeyError, None))
    assert len(seen) == 2


def test_record_of_a_library(capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback that SQLAlchemy logs without memory; or a warning of it that nobody sees."""

    def record(error: Exception | None) -> logging.LogRecord:
        shown = None if error is None else (type(error), error, None)
        return logging.LogRecord("sqlalchemy.pool", logging.ERROR, "", 0, "", (), shown)

    assert not memory.is_worth_logging(record(MemoryError()))
    assert memory.is_worth_logging(record(KeyError()))
    assert memory.is_worth_logging(record(None))


def test_equal_errors_are_not_the_same() -> None:
    """A lack of memory that is hidden by an error which equals the one that it led to."""

    @dataclass(eq=True)
    class EqualError(Exception):
        number: int

    first, then = EqualError(1), EqualError(1)
    first.__cause__, then.__cause__ = MemoryError(), first
    assert memory.is_exhausted(then)


def test_interruption_is_no_lack_of_memory() -> None:
    """A command that is interrupted while it reports that there is no memory."""

    @click.command()
    def fail() -> None:
        try:
            raise MemoryError
        except MemoryError:
            raise KeyboardInterrupt from None

    assert run(fail, []) == 130


def test_interruption_that_a_library_replaces(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C while SQLAlchemy tests a connection: psycopg then has an error of its own."""

    @click.command()
    def fail() -> None:
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt:
                raise LookupError("connection in transaction status ACTIVE")  # noqa: B904
        except LookupError as error:
            raise RuntimeError("the connection cannot be used") from error

    assert run(fail, []) == 130
    assert capsys.readouterr().err == "counterpoint: interrupted\n"


def test_error_of_another_process() -> None:
    """An error that loses its cause on the way from another process, and so its meaning."""
    wrapped = SpecError("the spec cannot be loaded")
    wrapped.__cause__ = MemoryError()
    assert isinstance(sendable(wrapped), MemoryError)
    assert isinstance(sendable(SpecError("it has no property")), SpecError)
    assert isinstance(sendable(memory.TooLittleMemoryError("no")), memory.TooLittleMemoryError)
    interrupted = KeyboardInterrupt()
    interrupted.__context__ = MemoryError()
    assert isinstance(sendable(interrupted), RuntimeError)


def test_policy_without_memory(tmp_path: Path) -> None:
    """A crawl that counts as ended by its policy, and cannot be resumed."""
    of = web(SEED)
    (tmp_path / "own.py").write_text(POLICY)
    (tmp_path / "sites").write_text("".join(f"{start}\n" for start in starts(of)[:5]))
    with served(of, tmp_path / "access") as proxy:
        shared = f"own:Hungry --proxy {proxy} --delay 0"
        crawl = f"crawl {shared} --db crawl.db --seeds sites"
        attempt = f"try {shared} --start {starts(of)[0]} --start {starts(of)[1]}"
        code, output, errors = counterpoint(crawl, tmp_path)
        place = said("own:Hungry: step 3: MemoryError (own.py:14)")
        assert (code, errors) == (3, place), output
        assert counterpoint(attempt, tmp_path)[::2] == (3, place)
        (tmp_path / "enough").touch()
        code, _, errors = counterpoint(crawl, tmp_path)
        assert code == 0, errors


@pytest.mark.parametrize("engine", ["exhaustive", "bounded", "induction", "stateful", "all"])
@pytest.mark.parametrize("several", ["", "right.py"])
def test_spec_without_memory(engine: str, several: str, tmp_path: Path) -> None:
    """A violation, or an error of the spec, where its own code gets no memory; others left out."""
    (tmp_path / "hungry.py").write_text(SPEC.format(name="Hungry", when="True"))
    (tmp_path / "right.py").write_text(SPEC.format(name="Right", when="False"))
    code, output, errors = counterpoint(f"check hungry.py {several} --engine {engine}", tmp_path)
    line = next(at for at, text in enumerate(SPEC.splitlines(), 1) if "raise" in text)
    first, *others = errors.splitlines(keepends=True)
    assert (code, first) == (3, said(f"hungry.py:{line}: in add: MemoryError")), output
    assert ("holds" in output) == bool(several)
    assert not others or engine == "all"


def test_spec_that_cannot_be_imported_without_memory(tmp_path: Path) -> None:
    """A file whose import gets no memory, and that is reported as wrong."""
    (tmp_path / "hungry.py").write_text("raise MemoryError\n")
    place = said("hungry.py:1: MemoryError")
    assert counterpoint("check hungry.py", tmp_path)[::2] == (3, place)
    assert counterpoint("check hungry:Spec", tmp_path)[::2] == (3, said("hungry:Spec: MemoryError"))


def test_file_that_is_nested_too_deeply(tmp_path: Path) -> None:
    """Python's parser, whose error looks like a lack of memory."""
    (tmp_path / "deep.py").write_text(f"x = {'-' * 20_000}1\n")
    code, _, errors = counterpoint("check deep.py", tmp_path)
    assert (code, errors) == (
        2, "counterpoint: deep.py: is nested too deeply for Python's parser\n"
    )  # fmt: skip


def test_gate_of_a_spec_without_memory(tmp_path: Path) -> None:
    """A gate that waits for ever, or does not check the others."""
    (tmp_path / "hungry.py").write_text(SPEC.format(name="Hungry", when="True"))
    (tmp_path / "right.py").write_text(SPEC.format(name="Right", when="False"))
    (tmp_path / "counterpoint.toml").write_text(
        '[[check]]\nspec = "hungry.py"\n\n[[check]]\nspec = "right.py"\n'
    )
    code, output, _ = counterpoint("gate", tmp_path)
    assert code == 3, output
    assert "no memory is left: hungry.py:11: in add: MemoryError" in " ".join(output.split())
    assert "1 of 2 checks as expected" in output


def test_policy_that_is_stopped_after_a_lack_of_memory(tmp_path: Path) -> None:
    """An end of a policy that counts as a lack of memory, and lets the crawl begin again."""
    text = POLICY.replace(
        "            raise MemoryError\n",
        "            try:\n                raise MemoryError\n"
        "            except MemoryError:\n                raise GeneratorExit\n",
    )
    (tmp_path / "own.py").write_text(text)
    of = web(SEED)
    with served(of, tmp_path / "access") as proxy:
        given = " ".join(f"--start {start}" for start in starts(of)[:5])
        code, output, errors = counterpoint(f"try own:Hungry --proxy {proxy} {given}", tmp_path)
    assert code == 1 and "GeneratorExit" in output, (code, output, errors)


@pytest.mark.parametrize(
    ("words", "number", "wanted"),
    [("counterpoint cr", 1, "crawl"), ("counterpoint crawl --se", 2, "")],
)
def test_completion_in_a_shell_with_little_memory(words: str, number: int, wanted: str) -> None:
    """A message of too little memory on the line that a user types, or no names of commands."""
    limit = 1 << 29
    done = subprocess.run(
        [sys.executable, "-m", "counterpoint"], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), timeout=60,
        env={**os.environ, "COMP_WORDS": words, "COMP_CWORD": str(number),
             "_COUNTERPOINT_COMPLETE": "bash_complete"},
    )  # fmt: skip
    assert done.stderr == "" and wanted in done.stdout, done
