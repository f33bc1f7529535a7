"""What the fixtures of the plugin give to tests: synthetic webs, and crawls of policies."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.extras import command_to_install
from counterpoint.sim_web.errors import WebError
from counterpoint.spec.notation import SpecError

if TYPE_CHECKING:  # NumPy and Numba are loaded where a policy crawls
    from counterpoint.ci.regression.judging import PolicyResult

WRITTEN = "counterpoint baseline"
"""The name under which a report says which baseline was written."""


def running_web(*web: Any, **options: Any) -> Any:
    """Return a web that is not served yet; see `counterpoint.sim_web.RunningWeb`."""
    missing = ""
    try:
        from counterpoint.sim_web import RunningWeb
    except ModuleNotFoundError as error:
        missing = error.name or ""
    if missing:
        pytest.fail(f"synthetic_web needs {missing}: {command_to_install('web')}", pytrace=False)
    return RunningWeb(*web, **options)


class PolicyCrawl:
    """Crawls with policies on synthetic webs, in process, and compares them with baselines.

    Parameters
    ----------
    item : pytest.Item
        The test.
    accept : bool
        Whether results that differ become the baselines.
    """

    def __init__(self, item: pytest.Item, accept: bool) -> None:
        self._item, self._accept = item, accept

    def __call__(
        self,
        policy: str,
        web: str = "universities",
        *,
        pages: int = 300,
        web_pages: int | None = None,
        seeds: int | Sequence[int] = 3,
        band: Mapping[str, float] | None = None,
        baselines: Path | str | None = None,
    ) -> PolicyResult:
        """Crawl with a policy; fail if it visits other pages than its baseline says.

        Parameters
        ----------
        policy : str
            ``R2``, or ``mine.policy:Greedy,depth=3``.
        web : str
            The name of a profile, or the path of a TOML file.
        pages : int
            Pages that each run may fetch.
        web_pages : int, optional
            Pages of each web; those of the profile by default.
        seeds : int or sequence of int
            The number of webs, or their seeds.
        band : mapping of str to float, optional
            By measure, the share of its baseline by which its mean may move; ``default`` is for all
            others.
        baselines : Path or str, optional
            The folder of the baselines; by default that of the configuration, or ``baselines`` in
            the top folder of the tests.

        Returns
        -------
        PolicyResult
            The comparison; ``now.values`` has each measure by seed.
        """
        __tracebackhide__ = True
        failure = ""
        try:
            result = self._run(policy, web, pages, web_pages, seeds, band, self._folder(baselines))
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _NEEDED:
                raise
            failure = f"policy_crawl needs {error.name}: {command_to_install('crawl,web')}"
        except (CrawlError, WebError, SpecError) as error:
            failure = str(error)
        if failure:
            pytest.fail(failure, pytrace=False)
        if result.unknown and not result.changes:
            self._unknown(f"{result.name} is unknown: {result.unknown}")
        elif result.changes and not self._accept:
            pytest.fail(self._message(result), pytrace=False)
        return result

    def _run(
        self,
        policy: str,
        web: str,
        pages: int,
        web_pages: int | None,
        seeds: int | Sequence[int],
        band: Mapping[str, float] | None,
        folder: Path,
    ) -> PolicyResult:
        """Crawl, and write the baseline if it is accepted; the arguments are as above."""
        from counterpoint.ci.regression import rerun
        from counterpoint.ci.regression.cases import RegressionCase

        numbers = tuple(range(seeds)) if isinstance(seeds, int) else tuple(sorted(seeds))
        case = RegressionCase(web, pages, web_pages, (policy,), numbers, dict(band or {}))
        found = rerun.run([case], folder, processes=1)
        if self._accept:
            for line in rerun.accept(found, folder):
                self._item.user_properties.append((WRITTEN, f"{folder.name}/{line}"))
        return found[0]

    def _folder(self, given: Path | str | None) -> Path:
        if given is not None:
            return Path(given)
        from counterpoint.ci.configuration import find, load

        path = find(self._item.config.rootpath)
        if path is None:
            return self._item.config.rootpath / "baselines"
        return path.parent / load(path).document.gate.baselines

    def _unknown(self, text: str) -> None:
        __tracebackhide__ = True
        if self._item.config.getini("counterpoint_unknown") == "skip":
            pytest.skip(text)
        pytest.fail(text, pytrace=False)

    def _message(self, result: PolicyResult) -> str:
        """Return what changed, and the commands that repeat it and that accept it."""
        from counterpoint.ci.baseline_files.accepting import accepting

        name = shlex.quote(self._item.nodeid)
        accept = f"pytest --counterpoint-accept {name}"
        lines = [line.replace(accepting(result.name), accept) for line in result.changes]
        lines = [result.name, *(f"  {line}" for line in lines), ""]
        lines += [f"To reproduce: {result.again}", f"              pytest {name}"]
        if not any(accept in line for line in lines):
            lines.append(f"To accept:    {accept}")
        return "\n".join(lines)


_NEEDED = frozenset({"numba", "numpy", "scipy", "aiohttp", "selectolax", "brotli", "zstandard"})
"""Packages of the extras."""
