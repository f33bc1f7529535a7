"""Runs the blocks of a page in order, in a folder of its own, as a reader would.

A command that is `counterpoint` alone runs in this process, which saves its start; all others run
in bash, and those that end with ``&`` in the background until the page is done. Afterwards the
working folder, the environment, ``sys.path`` and ``sys.modules`` are restored.
"""

from __future__ import annotations

import doctest
import importlib
import json
import linecache
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import yaml

from counterpoint import waiting
from counterpoint.console import run
from counterpoint.main import counterpoint

from .blocks import Block, Command, Page
from .matching import matches

ROOT = Path(__file__).resolve().parents[2]

PICTURES = ("mermaid", "text", "")
"""Languages of blocks without a title that are only for the reader."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_OF_THE_SHELL = re.compile(r"[|&;<>$`*?~{}()\"']|^\w+=")
_DATABASE = re.compile(r"postgresql://[\w.@:-]*/\w+")


class PageFailure(Exception):
    """A block that does not do what its page says; the message is for the page's author."""


def run_page(name: str, page: Page, folder: Path, database: Callable[[], str]) -> None:
    """Run all blocks of a page.

    Parameters
    ----------
    name : str
        The page's path, for messages.
    page : Page
        Its blocks.
    folder : Path
        An empty folder, in which they run.
    database : callable
        Makes an empty PostgreSQL database and returns its URL.

    Raises
    ------
    PageFailure
        At the first block that fails.
    """
    for file in page.files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / file).is_dir() else shutil.copy
        copy(ROOT / file, folder / file)
    with ExitStack() as stack:
        stack.enter_context(_restored(folder))
        reader = Reader(name, folder, _substitutes(page, database))
        stack.callback(reader.end)
        for block in page.blocks:
            if block.not_run is None:
                reader.run(block)


class Reader:
    """A reader that runs the blocks of a page one by one.

    Parameters
    ----------
    name : str
        The page's path.
    folder : Path
        Where files are written and commands start.
    substitutes : dict
        The texts of the page that are replaced (a port, the URL of a database), and their values.
    """

    def __init__(self, name: str, folder: Path, substitutes: dict[str, str]) -> None:
        self._name = name
        self._folder = folder
        self._substitutes = substitutes
        self._names: dict[str, Any] = {"__name__": "page"}
        self._background: list[subprocess.Popen[bytes]] = []
        self._logs = tempfile.TemporaryDirectory()

    def run(self, block: Block) -> None:
        """Run a block, or write it where it has a title."""
        if block.title:
            path = self._folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._used(block.text))
        elif block.language == "console":
            for command in block.commands():
                self._command(command)
        elif block.language == "python":
            self._python(block)
        elif block.language in ("json", "toml", "yaml"):
            parse = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}
            try:
                parse[block.language](block.text)
            except ValueError as error:
                self._fail(block.line, f"no {block.language}: {error}")
        elif block.language not in PICTURES:
            self._fail(block.line, f"the tests cannot run the language {block.language!r}")

    def end(self) -> None:
        """End the programs in the background."""
        for process in self._background:
            _end(process, signal.SIGKILL)
        self._logs.cleanup()

    def _command(self, command: Command) -> None:
        words = command.text.split()
        if words[0] == "cd":
            os.chdir(Path(words[1]).expanduser())
        elif words[0] == "export":
            variable, _, value = shlex.split(command.text)[1].partition("=")
            os.environ[variable] = self._used(value)
        elif words[0] == "wait":
            one = int(words[1].lstrip("%")) - 1 if len(words) > 1 else None
            for number, process in enumerate(self._background):
                if one in (None, number) and (code := process.wait(300)):
                    log = (Path(self._logs.name) / str(number)).read_text()
                    self._differs(
                        command, f"background command {number + 1} ended with {code}", log
                    )
        elif words[0] == "kill" and words[-1].startswith("%"):
            number = 15 if len(words) == 2 else signal.Signals[f"SIG{words[1].lstrip('-')}"]
            _end(self._background[int(words[-1][1:]) - 1], signal.Signals(number))
        elif words[-1] == "&":
            self._start(command)
        else:
            self._finish(command)

    def _finish(self, command: Command) -> None:
        """Run a command to its end and compare exit code and output."""
        text = _QUOTED.sub("", command.text.partition(" #")[0])
        if text.startswith("counterpoint ") and not _OF_THE_SHELL.search(text):
            code, output = self._in_process(shlex.split(self._used(command.text), comments=True))
        else:
            done = subprocess.run(
                ["bash", "-c", self._used(command.text)], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )  # fmt: skip
            code, output = done.returncode, done.stdout.decode()
        output = output.replace(f"{waiting.LINE}\n", "")  # on a new machine, at any command
        for here, used in self._substitutes.items():
            output = output.replace(used, here)
        if code != command.exit_code:
            self._differs(command, f"exit code {code} instead of {command.exit_code}", output)
        if command.expected and not matches(command.expected, output):
            self._differs(command, "another output", output)

    def _in_process(self, words: list[str]) -> tuple[int, str]:
        with tempfile.TemporaryFile() as file, _printed_to(file.fileno()):
            try:
                code = run(counterpoint, words[1:])
            finally:
                self._forget()
            sys.stdout.flush()
            file.seek(0)
            return code, file.read().decode()

    def _start(self, command: Command) -> None:
        """Start a command in the background; wait until it listens, if it names a port."""
        used = self._used(command.text).removesuffix("&")
        path = Path(self._logs.name) / str(len(self._background))
        with path.open("wb") as log:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {used}"], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self._background.append(process)
        end = time.monotonic() + 60
        port = port_of(used)
        while port is not None and not _listens(port):
            if process.poll() is not None or time.monotonic() > end:
                self._differs(command, "the server does not listen", path.read_text())
            time.sleep(0.02)

    def _python(self, block: Block) -> None:
        source = self._used(block.text)
        if ">>> " in source:
            self._doctest(block.line, source)
            return
        # Tracebacks show the line numbers of the page.
        code = compile("\n" * block.line + source, self._name, "exec")
        try:
            exec(code, self._names)
        except Exception as error:
            steps = traceback.extract_tb(error.__traceback__)
            line = next((s.lineno for s in reversed(steps) if s.filename == self._name), 0)
            raise PageFailure(f"{self._name}:{line}: {type(error).__name__}: {error}") from error
        finally:
            self._forget()

    def _doctest(self, line: int, source: str) -> None:
        examples = doctest.DocTestParser().get_doctest(source, {}, self._name, self._name, line)
        examples.globs = self._names
        output: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        if runner.run(examples, out=output.append, clear_globs=False).failed:
            self._fail(line, "".join(output))

    def _forget(self) -> None:
        """Forget the modules of the page's folder, because its files may be written again."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file and Path(file).resolve().is_relative_to(self._folder.resolve()):
                del sys.modules[name]
        importlib.invalidate_caches()
        linecache.checkcache()

    def _used(self, text: str) -> str:
        for here, used in self._substitutes.items():
            text = re.sub(rf"(?<!\w){re.escape(here)}(?!\w)", lambda _, by=used: by, text)
        return text

    def _differs(self, command: Command, problem: str, output: str) -> None:
        expected = f"expected:\n{command.expected}\n\n" if command.expected else ""
        self._fail(command.line, f"{problem}\n$ {command.text}\n\n{expected}actual:\n{output}")

    def _fail(self, line: int, text: str) -> None:
        raise PageFailure(f"{self._name}:{line}: {text}")


def port_of(command: str) -> int | None:
    """Return the port that a command in the background listens at; None if it names none."""
    after = re.search(r"--port[ =](\d+)", command) or re.search(r"\s(\d{4,5})(?=\s|$)", command)
    return int(after[1]) if after else None


def _substitutes(page: Page, database: Callable[[], str]) -> dict[str, str]:
    """Return a free port for each port of the page, and a new database for each database."""
    run = [block for block in page.blocks if block.not_run is None]
    commands = [c.text for b in run if b.language == "console" for c in b.commands()]
    ports = {port_of(c.removesuffix("&")) for c in commands if c.endswith("&")} - {None}
    found = {str(port): str(_free_port()) for port in ports}
    if "postgresql" in page.needs:
        urls = {url for block in run for url in _DATABASE.findall(block.text)}
        found |= {url: database() for url in sorted(urls)}
    return found


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def _end(process: subprocess.Popen[bytes], by: signal.Signals) -> None:
    """Send a signal to a process and its child processes, and wait until it has ended."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, by)
    process.wait(60)


@contextmanager
def _printed_to(file: int) -> Iterator[None]:
    """Let this process and its child processes print to a file, as to a pipe."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    os.dup2(file, 1)
    os.dup2(file, 2)
    try:
        with (
            open(os.dup(file), "w", encoding="utf-8", buffering=1) as text,
            redirect_stdout(text),
            redirect_stderr(text),
        ):
            yield
    finally:
        for number, old in enumerate(kept, 1):
            os.dup2(old, number)
            os.close(old)


@contextmanager
def _restored(folder: Path) -> Iterator[None]:
    """Work in a folder with a reader's environment; afterwards restore all changes."""
    before = Path.cwd(), dict(os.environ), list(sys.path), sys.dont_write_bytecode
    os.chdir(folder)
    for name in list(os.environ):
        if name == "CI" or name.startswith(("GITHUB_", "PYTEST_")):  # a reader works by hand
            del os.environ[name]
    os.environ |= {
        "COLUMNS": "80",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",  # a file that is written twice within a second
    }
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])
        sys.path[:] = before[2]
        sys.dont_write_bytecode = before[3]
