"""``counterpoint coverage estimate``: what samples say of a crawl."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import printing

if TYPE_CHECKING:  # scipy is loaded where something is computed
    from counterpoint.crawler.coverage.assessing import Assessed, OfSample
    from counterpoint.crawler.coverage.shares import Estimate, OverSamples


def _share(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse what is no share above 0, at most 1; a callback of an option."""
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and not 0 < one <= 1:
            raise click.BadParameter(f"{one:g} is not above 0 and at most 1", ctx, param)
    return value


@click.command()
@click.option("--sample", "samples", type=click.Path(path_type=Path), multiple=True, required=True,
              metavar="FILE", help="A sample, an address a line; repeatable.")  # fmt: skip
@click.option("--crawled", "crawls", type=click.Path(path_type=Path), multiple=True, required=True,
              metavar="FILE", help="A capture (.jsonl, .jsonl.gz) or addresses.")  # fmt: skip
@click.option("--growing", is_flag=True,
              help="Each sample contains the one before: slopes instead of means.")  # fmt: skip
@click.option("--reachable", type=float, callback=_share, metavar="SHARE",
              help="Of the Web's pages, what samples could reach; [COV]: 0.9.")  # fmt: skip
@click.option("--top", "thresholds", type=float, callback=_share, multiple=True, metavar="PART",
              default=(0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.5), show_default=True,
              help="Where pages have weights: how many are important; repeatable.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text",
              show_default=True)  # fmt: skip
def estimate(
    samples: tuple[Path, ...],
    crawls: tuple[Path, ...],
    growing: bool,
    reachable: float | None,
    thresholds: tuple[float, ...],
    confidence: float,
    form: str,
) -> None:
    r"""Estimate how much of the Web a crawl covers, from random samples of pages.

    A line of a sample is a page's address, or address, tab and weight. Several samples are taken
    as drawn apart: mean and variance of their shares, and how many pages there are by
    capture-recapture. With --growing each contains the one before: lines through them, and steps.

    \b
    counterpoint coverage estimate --sample seen.txt --crawled crawl.jsonl.gz
    counterpoint coverage estimate --sample a.txt --sample b.txt --crawled crawl.txt --reachable 0.9
    """
    from counterpoint.crawler.coverage.assessing import assess
    from counterpoint.crawler.coverage.lists import crawled, sampled

    held = [sampled(path) for path in samples]
    crawl = frozenset().union(*(crawled(path) for path in crawls))
    found = assess(held, crawl, thresholds, growing, reachable, confidence)
    with printing():
        if form == "json":
            click.echo(json.dumps(_json(found), indent=2, ensure_ascii=False, allow_nan=False))
        else:
            click.echo("\n".join(_lines(found, confidence)))


def _told(of: Estimate, factor: float = 100, unit: str = "%", digits: int = 2) -> str:
    if not of.told:
        return "nothing can be told"
    value = f"{factor * of.value:,.{digits}f}{unit}"
    if not of.bounded:
        return value
    low, high = f"{factor * of.low:,.{digits}f}", f"{factor * of.high:,.{digits}f}"
    return f"{value} ({low} to {high})"


def _lines(of: Assessed, confidence: float) -> list[str]:
    lines = [f"{of.crawled:,} pages crawled; intervals of {100 * confidence:g}%"]
    if of.reachable is not None:
        lines[0] += f"; quantity times {of.reachable:g}"
    for one in of.samples:
        lines += _of_sample(one)
    if of.over is not None:
        lines += ["", "over the samples", *_over(of.over)]
    if of.steps is not None:
        lines += ["", "over the samples, each of which contains the one before"]
        for name, line in of.lines.items():
            lines.append(f"  slope {name:19}{_told(line.slope)}, intercept "
                         f"{_shown(line.intercept, '.2f')}")  # fmt: skip
        lines.append("  the slopes' intervals take points as independent, which these are not")
        lines += ["what each adds", *_over(of.steps)]
    if of.numbers:
        lines += ["", "capture-recapture"]
    for name, number in of.numbers.items():
        lines.append(f"  {name:8} {_told(number, 1, ' pages', 0)}")
        lines.append(f"  {'':8} covered {_told(of.rivals[name])}")
    return lines


def _of_sample(one: OfSample) -> list[str]:
    lines = ["", f"{one.name}: {one.covered:,} of {one.size:,} are covered"]
    lines += [f"  {method:16} {_told(found)}" for method, found in one.shares.items()]
    lines += [
        f"  top {100 * part:5.4g}%       {_told(found)}" for part, found in one.quality.items()
    ]
    if one.knee is not None:
        lines.append(f"  it flattens at {100 * one.knee:.4g}%")
    return lines


def _over(of: OverSamples) -> list[str]:
    return [
        f"  mean             {_told(of.mean)}",
        f"  variance         {_shown(of.variance, '.6f')} "
        f"(divided by n: {_shown(of.variance_of_all, '.6f')})",
        f"  pooled           {_shown(of.pooled, '.2%')}",
        f"  as unlike        {_shown(of.unlike, '.2g')} (chance, were all pages independent)",
    ]


def _shown(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _json(of: Assessed) -> dict[str, Any]:
    return {
        "crawled": of.crawled,
        "reachable": of.reachable,
        "samples": [
            {
                "name": one.name,
                "size": one.size,
                "covered": one.covered,
                "shares": {name: _plain(found) for name, found in one.shares.items()},
                "quality": {f"{part:g}": _plain(found) for part, found in one.quality.items()},
                "knee": one.knee,
            }
            for one in of.samples
        ],
        "over_samples": _over_json(of.over),
        "lines": {
            name: {"slope": _plain(line.slope), "intercept": _number(line.intercept)}
            for name, line in of.lines.items()
        },
        "steps": _over_json(of.steps),
        "numbers": {name: _plain(found) for name, found in of.numbers.items()},
        "coverage_by_numbers": {name: _plain(found) for name, found in of.rivals.items()},
    }


def _over_json(of: OverSamples | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "mean": _plain(of.mean),
        "variance": _number(of.variance),
        "variance_divided_by_n": _number(of.variance_of_all),
        "pooled": _number(of.pooled),
        "unlike": _number(of.unlike),
    }


def _plain(of: Estimate) -> dict[str, float | None]:
    return {name: _number(value) for name, value in of._asdict().items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
