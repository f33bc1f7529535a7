"""Stores results of a long run, one per line, so that an interrupted run can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from counterpoint import models, spec
from counterpoint.files.outputs import named
from counterpoint.models.importing.user_modules import source_files_of
from counterpoint.models.loading import find
from counterpoint.spec.notation import SpecError

KIND = "counterpoint readings"
"""The value of ``kind`` in every line."""


@dataclass(frozen=True)
class ModelOutcome:
    """The result for one model.

    Attributes
    ----------
    violated : mapping of str to int
        The criteria that are violated, each with the length of its shortest counterexample.
    states : int
        The number of states visited: all reachable ones, or fewer if all criteria are violated.
    unknown : str
        Why a criterion is undecided; empty if none is.
    judged : sequence of str
        The criteria that the model has.
    """

    violated: Mapping[str, int]
    states: int
    unknown: str = ""
    judged: Sequence[str] = ()


def source(reference: str) -> str:
    """Return the digest of all source code on which results depend.

    That is the code of Counterpoint's specs and engines, and of a user's spec with the modules that
    it imports.
    """
    files = [p for package in (spec, models) for p in _folder(package).rglob("*.py")]
    files += source_files_of(find(reference))
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _folder(package: Any) -> Path:
    return Path(package.__file__).parent


class Results:
    """Known results: the fingerprints of models, and the outcomes of fingerprints.

    Parameters
    ----------
    path : Path or None
        The file to read and append to; with None, nothing is stored.
    reference : str
        The spec. Results of other versions of its code are ignored.

    Raises
    ------
    SpecError
        If the file does not contain such results.
    """

    def __init__(self, path: Path | None, reference: str) -> None:
        self.reference, self.source = reference, source(reference)
        self.fingerprints: dict[str, str] = {}
        self.outcomes: dict[str, ModelOutcome] = {}
        self._path = path
        self._file: TextIO | None = None
        if path is not None and path.exists():
            self._read(path)

    def key(self, settings: Sequence[str], criteria: Sequence[str]) -> str:
        """Return the key under which a model's fingerprint is stored."""
        return json.dumps([self.reference, sorted(settings), list(criteria)])

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            raise SpecError(f"{path} is not a file of results") from None
        for place, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if entry["kind"] != KIND:
                    raise KeyError
                if entry["source"] == self.source:
                    self._take(entry)
            except (ValueError, KeyError, TypeError, RecursionError):
                if place < len(lines) or place == 1:  # only the last line can be cut short
                    raise SpecError(f"{path}:{place} is not a result; name another file") from None

    def _take(self, entry: dict[str, Any]) -> None:
        if "model" in entry:
            self.fingerprints[entry["model"]] = entry["fingerprint"]
        else:
            self.outcomes[entry["fingerprint"]] = ModelOutcome(**entry["outcome"])

    def add_fingerprint(self, key: str, fingerprint: str) -> None:
        """Store the fingerprint of a model."""
        self.fingerprints[key] = fingerprint
        self._write({"model": key, "fingerprint": fingerprint})

    def add_outcome(self, fingerprint: str, outcome: ModelOutcome) -> None:
        """Store an outcome; an undecided one is not written to the file."""
        self.outcomes[fingerprint] = outcome
        if not outcome.unknown:
            self._write({"fingerprint": fingerprint, "outcome": asdict(outcome)})

    def _write(self, entry: dict[str, Any]) -> None:
        if self._path is None:
            return
        if self._file is None:
            _drop_cut_line(self._path)
            self._file = self._path.open("a", encoding="utf-8")
        with named(self._path):
            self._file.write(json.dumps({"kind": KIND, "source": self.source, **entry}) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _drop_cut_line(path: Path) -> None:
    """Remove an incomplete last line, left by an interrupted run."""
    if not path.exists():
        return
    text = path.read_bytes()
    if not text.endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])
