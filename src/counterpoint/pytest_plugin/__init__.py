"""The plugin of pytest: options, and hooks that import what they need when it is needed.

Where Counterpoint is installed, every run of pytest loads this module. So it imports nothing
of Counterpoint but what every import of a package imports, and does nothing for files that are not
specs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from counterpoint.pytest_plugin.crawls import PolicyCrawl
    from counterpoint.sim_web import RunningWeb

_IMPORTS = re.compile(r"^[ \t]*(from[ \t]+counterpoint[ \t]+import|import[ \t]+counterpoint)\b",
                      re.MULTILINE)  # fmt: skip
_GATE = pytest.StashKey[Path]()
"""The configuration whose checks are collected."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the command line and of the ini file."""
    group = parser.getgroup("counterpoint", "specs, policies and synthetic webs")
    group.addoption("--counterpoint", action="store_true", default=False,
                    help="also run the checks and scenarios of counterpoint.toml")  # fmt: skip
    group.addoption("--counterpoint-accept", action="store_true", default=False,
                    help="policy_crawl: write new baselines; refused where CI is set")  # fmt: skip
    group.addoption("--counterpoint-force", action="store_true", default=False,
                    help="write baselines even where CI is set")  # fmt: skip
    parser.addini("counterpoint_specs", type="bool", default=True,
                  help="collect the specs in files *_spec.py, and files *.scenario")  # fmt: skip
    parser.addini("counterpoint_gate", type="bool", default=False,
                  help="always run the checks of counterpoint.toml")  # fmt: skip
    parser.addini("counterpoint_unknown", default="",
                  help="what an undecided property does: fail (default) or skip")  # fmt: skip
    parser.addini("counterpoint_time_limit", default="60",
                  help="seconds for each spec of a file *_spec.py")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and find the configuration if its checks are wanted."""
    if config.getini("counterpoint_unknown") not in ("", "fail", "skip"):
        raise pytest.UsageError("counterpoint_unknown: must be fail or skip")
    limit = config.getini("counterpoint_time_limit")
    if not re.fullmatch(r"\d+(\.\d+)?", limit) or not float(limit):
        raise pytest.UsageError(f"counterpoint_time_limit: {limit!r} is not a number of seconds")
    if config.getoption("counterpoint_accept") and _is_ci() and not _forced(config):
        raise pytest.UsageError("--counterpoint-accept: CI is set, and a baseline that CI writes "
                                "is not reviewed; --counterpoint-force writes it")  # fmt: skip
    if config.getoption("counterpoint") or config.getini("counterpoint_gate"):
        _add_gate(config)


def _is_ci() -> bool:
    from counterpoint.ci.baseline_files.accepting import is_ci

    return is_ci()


def _forced(config: pytest.Config) -> bool:
    return bool(config.getoption("counterpoint_force"))


def _add_gate(config: pytest.Config) -> None:
    """Collect the configuration's checks, too, unless the command line names some of them."""
    from counterpoint.ci.configuration import NONE_FOUND, find

    found = find(config.invocation_params.dir) or find(config.rootpath)
    if found is None:
        raise pytest.UsageError(f"--counterpoint: {NONE_FOUND}")
    config.stash[_GATE] = found
    named = (config.invocation_params.dir / arg.partition("::")[0] for arg in config.args)
    if found not in {path.absolute() for path in named}:
        config.args.append(str(found))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the specs or scenarios of a file, or the checks of the configuration."""
    if file_path == parent.config.stash.get(_GATE, None):
        from counterpoint.pytest_plugin.gate import ConfigurationFile

        return ConfigurationFile.from_parent(parent, path=file_path)
    if not parent.config.getini("counterpoint_specs"):
        return None
    if file_path.suffix == ".scenario" and _begins_as_scenario(file_path):
        from counterpoint.pytest_plugin.scenarios import ScenarioFile

        return ScenarioFile.from_parent(parent, path=file_path)
    if not file_path.name.endswith("_spec.py"):
        return None
    if _is_test(file_path, parent.config) or not _has_specs(file_path):
        return None
    from counterpoint.pytest_plugin.specs import SpecFile

    return SpecFile.from_parent(parent, path=file_path)


def _is_test(path: Path, config: pytest.Config) -> bool:
    """Return whether pytest collects a file as a module of tests."""
    patterns = config.getini("python_files")
    return any(fnmatch(str(path) if "/" in one else path.name, one) for one in patterns)


def _begins_as_scenario(path: Path) -> bool:
    """Return whether a file is one of ours; other projects have files of that name, too."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return False
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return re.match(r"(scenario|spec)\s*:", first) is not None


def _has_specs(path: Path) -> bool:
    """Return whether a file imports the notation; other projects have files of that name, too."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return bool(_IMPORTS.search(text)) and "Spec" in text


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which baselines were written."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    called = [report for report in reports if getattr(report, "when", "") == "call"]
    noted = [pair for report in called for pair in report.user_properties]
    for name, *lines in noted:
        if name == "counterpoint baseline":
            terminalreporter.write_line(f"counterpoint: wrote {lines[0]}")


@pytest.fixture
def synthetic_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RunningWeb]]:
    """Serve synthetic webs: ``synthetic_web("sample", pages=2000, seed=7)`` starts a server.

    It returns a `RunningWeb`: ``proxy`` is the address for http_proxy, ``start`` a page to start
    from, ``web`` and ``truth`` say what is true, ``requests()`` what was asked for, and
    ``judgment()`` how good the crawl was. The servers end with the test.
    """
    from contextlib import ExitStack

    from counterpoint.pytest_plugin.crawls import running_web

    with ExitStack() as servers:

        def serve(*web: Any, **options: Any) -> RunningWeb:
            log = tmp_path_factory.mktemp("synthetic_web") / "access.jsonl"
            served: RunningWeb = running_web(*web, log=log, **options)
            return servers.enter_context(served)

        yield serve


@pytest.fixture
def policy_crawl(request: pytest.FixtureRequest) -> PolicyCrawl:
    """Crawl with a policy, and compare its visits and measures with a baseline.

    ``policy_crawl("mine.policy:Greedy", web="universities", pages=300)`` fails if the order of the
    visits is another one than that of the baseline, or a measure moved. ``pytest
    --counterpoint-accept`` writes the baseline.
    """
    from counterpoint.pytest_plugin.crawls import PolicyCrawl

    return PolicyCrawl(request.node, bool(request.config.getoption("counterpoint_accept")))
