"""``counterpoint coverage estimate``: a crawl's coverage, estimated from samples of pages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.console import printing

if TYPE_CHECKING:  # scipy is loaded where something is computed
    from counterpoint.crawler.coverage.assessing import CoverageAssessment, SampleAssessment
    from counterpoint.crawler.coverage.shares import Estimate, OverSamples


def _share(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse shares that are not above 0 and at most 1; a callback for options.

    Raises
    ------
    BadParameter
        If a value is out of this range.
    """
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and not 0 < one <= 1:
            raise click.BadParameter(f"{one:g} is not above 0 and at most 1", ctx, param)
    return value


@click.command()
@click.option("--sample", "samples", type=click.Path(path_type=Path), multiple=True, required=True,
              metavar="FILE", help="Read a sample: one address per line; repeatable.")  # fmt: skip
@click.option("--crawled", "crawls", type=click.Path(path_type=Path), multiple=True, required=True,
              metavar="FILE",
              help="Read the crawled pages from a capture (.jsonl, .jsonl.gz) or a list of "
                   "addresses; repeatable.")  # fmt: skip
@click.option("--growing", is_flag=True,
              help="Each sample contains the previous one: fit lines instead of taking means.",
              )  # fmt: skip
@click.option("--reachable", type=float, callback=_share, metavar="SHARE",
              help="The share of the Web's pages that samples can reach at all; [COV] takes 0.9.",
              )  # fmt: skip
@click.option("--top", "thresholds", type=float, callback=_share, multiple=True, metavar="PART",
              default=(0.01, 0.02, 0.05, 0.1, 0.15, 0.3, 0.5), show_default=True,
              help="If pages have weights: count this part of them, the heaviest, as important; "
                   "repeatable.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True,
              help="Confidence level of the intervals.")  # fmt: skip
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

    Each line of a sample is the address of a page, or an address, a tab and a weight. Several
    samples count as independent: the command prints mean and variance of their shares, and the
    number of pages by capture-recapture. With --growing, each sample contains the previous one:
    the command fits lines through the samples, and compares the pages that each one adds.

    Exit code 0: the estimates were printed; 2: the command or a file is wrong.

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


def _interval(estimate: Estimate, factor: float = 100, unit: str = "%", digits: int = 2) -> str:
    """Return an estimate with its interval, as text.

    Parameters
    ----------
    estimate : Estimate
    factor : float
        The estimate is multiplied by it, such as 100 for per cent.
    unit : str
        Text after the value.
    digits : int
        Digits after the decimal point.
    """
    if not estimate.has_value:
        return "no estimate is possible"
    value = f"{factor * estimate.value:,.{digits}f}{unit}"
    if not estimate.bounded:
        return value
    low, high = f"{factor * estimate.low:,.{digits}f}", f"{factor * estimate.high:,.{digits}f}"
    return f"{value} ({low} to {high})"


def _lines(assessment: CoverageAssessment, confidence: float) -> list[str]:
    lines = [f"{assessment.crawled:,} pages crawled; intervals of {100 * confidence:g}%"]
    if assessment.reachable is not None:
        lines[0] += f"; quantity times {assessment.reachable:g}"
    for one in assessment.samples:
        lines += _sample_lines(one)
    if assessment.over is not None:
        lines += ["", "all samples together", *_over(assessment.over)]
    if assessment.steps is not None:
        lines += ["", "all samples together, each of which contains the previous one"]
        for name, line in assessment.lines.items():
            lines.append(f"  slope {name:19}{_interval(line.slope)}, intercept "
                         f"{_number_or_dash(line.intercept, '.2f')}")  # fmt: skip
        lines.append("  the slopes' intervals assume independent points, but these are not")
        lines += ["the pages that each sample adds", *_over(assessment.steps)]
    if assessment.numbers:
        lines += ["", "capture-recapture"]
    for name, number in assessment.numbers.items():
        lines.append(f"  {name:8} {_interval(number, 1, ' pages', 0)}")
        lines.append(f"  {'':8} covered {_interval(assessment.rivals[name])}")
    return lines


def _sample_lines(one: SampleAssessment) -> list[str]:
    lines = ["", f"{one.name}: {one.covered:,} of {one.size:,} are covered"]
    lines += [f"  {method:16} {_interval(found)}" for method, found in one.shares.items()]
    lines += [
        f"  top {100 * part:5.4g}%       {_interval(found)}" for part, found in one.quality.items()
    ]
    if one.knee is not None:
        lines.append(f"  the curve flattens at {100 * one.knee:.4g}%")
    return lines


def _over(samples: OverSamples) -> list[str]:
    return [
        f"  mean             {_interval(samples.mean)}",
        f"  variance         {_number_or_dash(samples.variance, '.6f')} "
        f"(divided by n: {_number_or_dash(samples.variance_of_all, '.6f')})",
        f"  pooled           {_number_or_dash(samples.pooled, '.2%')}",
        f"  homogeneity p    {_number_or_dash(samples.unlike, '.2g')} "
        "(if all pages are independent)",
    ]


def _number_or_dash(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def _json(assessment: CoverageAssessment) -> dict[str, Any]:
    return {
        "crawled": assessment.crawled,
        "reachable": assessment.reachable,
        "samples": [
            {
                "name": one.name,
                "size": one.size,
                "covered": one.covered,
                "shares": {name: _plain(found) for name, found in one.shares.items()},
                "quality": {f"{part:g}": _plain(found) for part, found in one.quality.items()},
                "knee": one.knee,
            }
            for one in assessment.samples
        ],
        "over_samples": _over_json(assessment.over),
        "lines": {
            name: {"slope": _plain(line.slope), "intercept": _number(line.intercept)}
            for name, line in assessment.lines.items()
        },
        "steps": _over_json(assessment.steps),
        "numbers": {name: _plain(found) for name, found in assessment.numbers.items()},
        "coverage_by_numbers": {name: _plain(found) for name, found in assessment.rivals.items()},
    }


def _over_json(samples: OverSamples | None) -> dict[str, Any] | None:
    if samples is None:
        return None
    return {
        "mean": _plain(samples.mean),
        "variance": _number(samples.variance),
        "variance_divided_by_n": _number(samples.variance_of_all),
        "pooled": _number(samples.pooled),
        "unlike": _number(samples.unlike),
    }


def _plain(estimate: Estimate) -> dict[str, float | None]:
    return {name: _number(value) for name, value in estimate._asdict().items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
