"""Reads and writes files of TREC: runs (ranked answers of a system) and qrels (judgments)."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

from counterpoint.crawler.errors import CrawlError
from counterpoint.files.inputs import TooLargeError, lines_of
from counterpoint.files.outputs import named

_Value = TypeVar("_Value", int, float)
_WHOLE = re.compile("[-+]?[0-9]{1,9}")
_SIGNS = re.compile("[-+.0-9eE]+")
"""The characters of a score; Python also accepts underscores and digits of other scripts."""

Run: TypeAlias = dict[str, dict[str, float]]
"""Scores by topic and document; a document with a larger score is ranked higher."""
Qrels: TypeAlias = dict[str, dict[str, int]]
"""Judgments by topic and document; a larger one is more relevant, 0 and less is irrelevant."""


def read_run(path: Path) -> Run:
    """Return the run in a file.

    Parameters
    ----------
    path : Path
        The file has a line ``TOPIC Q0 DOCUMENT RANK SCORE TAG`` for each returned document, with
        fields separated by white space of ASCII. As in trec_eval the rank is ignored, since the
        score decides, and a line that begins with ``#`` is a comment.

    Raises
    ------
    CrawlError
        If the file cannot be read or is malformed; the message names the line.
    """
    run: Run = {}
    for number, fields in _lines(path, "TOPIC Q0 DOCUMENT RANK SCORE TAG"):
        topic, _, document, _, score, _ = fields
        _put(run, topic, document, _score(path, number, score), path, number)
    if not run:
        raise CrawlError(f"{path}: no document was returned")
    return run


def read_qrels(path: Path) -> Qrels:
    """Return the judgments in a file.

    Parameters
    ----------
    path : Path
        The file has a line ``TOPIC ITERATION DOCUMENT RELEVANCE`` for each judged document, with
        fields separated by white space of ASCII. A line that begins with ``#`` is a comment.

    Raises
    ------
    CrawlError
        If the file cannot be read or is malformed; the message names the line.
    """
    qrels: Qrels = {}
    for number, fields in _lines(path, "TOPIC ITERATION DOCUMENT RELEVANCE"):
        topic, _, document, relevance = fields
        _put(qrels, topic, document, _relevance(path, number, relevance), path, number)
    if not qrels:
        raise CrawlError(f"{path}: no document was judged")
    return qrels


def write_run(path: Path, run: Run, tag: str) -> None:
    """Write a run to a file, with the documents of each topic ranked by score.

    Parameters
    ----------
    path : Path
    run : Run
    tag : str
        The name of the system.
    """
    with named(path), open(path, "w", encoding="utf-8") as file:
        for topic, scores in run.items():
            for rank, document in enumerate(ranked(scores), 1):
                file.write(f"{topic} Q0 {document} {rank} {scores[document]!r} {tag}\n")


def ranked(scores: dict[str, float]) -> list[str]:
    """Return documents in the order of trec_eval: by score, then by name, both descending.

    Scores are compared in single precision, and names byte by byte, as trec_eval 9 does.
    """
    return sorted(scores, key=lambda one: (_single(scores[one]), one.encode()), reverse=True)


def _single(score: float) -> float:
    import numpy as np

    with np.errstate(over="ignore"):
        return float(np.float32(score))


def _lines(path: Path, form: str) -> Iterator[tuple[int, list[str]]]:
    wanted = len(form.split())
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(lines_of(file), 1):
                divided = _fields(number, line)
                if not divided or divided[0].startswith(b"#"):
                    continue
                fields = [_text(path, number, field) for field in divided]
                if len(fields) != wanted:
                    raise CrawlError(
                        f"{path}: line {number}: {len(fields)} fields, not {wanted}: {form}"
                    )
                yield number, fields
    except TooLargeError as error:
        raise CrawlError(f"{path}: {error}") from None
    except OSError as error:
        raise CrawlError(f"{path}: {error.strerror or error}") from error


def _fields(number: int, line: bytes) -> list[bytes]:
    """Return the fields of a line; as in trec_eval, only white space of ASCII separates them."""
    return (line.removeprefix(BOM_UTF8) if number == 1 else line).split()


def _text(path: Path, number: int, field: bytes) -> str:
    try:
        return field.decode()
    except UnicodeDecodeError:
        raise CrawlError(f"{path}: line {number}: is no text in UTF-8") from None


def _score(path: Path, number: int, text: str) -> float:
    try:
        score = float(text) if _SIGNS.fullmatch(text) else math.nan
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise CrawlError(f"{path}: line {number}: {text!r:.40} is no score")
    return score


def _relevance(path: Path, number: int, text: str) -> int:
    if not _WHOLE.fullmatch(text):  # gains of more digits need not have a sum
        raise CrawlError(f"{path}: line {number}: {text!r:.40} is no relevance, a whole number of "
                         "9 digits at most")  # fmt: skip
    return int(text)


def _put(table: dict[str, dict[str, _Value]], topic: str, document: str, value: _Value,
         path: Path, number: int) -> None:  # fmt: skip
    of_topic = table.setdefault(topic, {})
    if document in of_topic:
        raise CrawlError(f"{path}: line {number}: {document!r:.60} stands twice for topic {topic}")
    of_topic[document] = value
