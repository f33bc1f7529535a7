"""Results of a long run, a line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from counterpoint import models, spec
from counterpoint.models.loading import find
from counterpoint.models.texts import files_behind
from counterpoint.spec.notation import SpecError

KIND = "counterpoint readings"
"""What the first entry of every line says."""


@dataclass(frozen=True)
class Outcome:
    """What one model gives.

    Attributes
    ----------
    violated : mapping of str to int
        The criteria that are violated, each with the length of its shortest counterexample.
    states : int
        Reachable states; as many as it took, where all criteria are violated.
    unknown : str
        Why something is undecided; empty if nothing is.
    """

    violated: Mapping[str, int]
    states: int
    unknown: str = ""


def source(reference: str) -> str:
    """Return the digest of the program text that results depend on.

    It is that of our specs and engines, of the module in which a user's spec stands, and of the
    modules that it imports.
    """
    files = [p for package in (spec, models) for p in _folder(package).rglob("*.py")]
    files += files_behind(find(reference))
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _folder(package: Any) -> Path:
    return Path(package.__file__).parent


class Results:
    """What is known already: of models their fingerprint, of fingerprints their outcome.

    Parameters
    ----------
    path : Path or None
        A file of lines; None keeps nothing.
    reference : str
        The spec. What was found with other program text is passed over.

    Raises
    ------
    SpecError
        If the file is something else.
    """

    def __init__(self, path: Path | None, reference: str) -> None:
        self.reference, self.source = reference, source(reference)
        self.fingerprints: dict[str, str] = {}
        self.outcomes: dict[str, Outcome] = {}
        self._path = path
        self._file: TextIO | None = None
        if path is not None and path.exists():
            self._read(path)

    def key(self, settings: Sequence[str], criteria: Sequence[str]) -> str:
        """Return the text under which a model's fingerprint is kept."""
        return json.dumps([self.reference, sorted(settings), list(criteria)])

    def _read(self, path: Path) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            raise SpecError(f"{path} holds something else than results") from None
        for place, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if entry["kind"] != KIND:
                    raise KeyError
                if entry["source"] == self.source:
                    self._take(entry)
            except (json.JSONDecodeError, KeyError, TypeError):
                if place < len(lines) or place == 1:  # only the last line can be cut short
                    raise SpecError(f"{path}:{place} is no result; name another file") from None

    def _take(self, entry: dict[str, Any]) -> None:
        if "model" in entry:
            self.fingerprints[entry["model"]] = entry["fingerprint"]
        else:
            self.outcomes[entry["fingerprint"]] = Outcome(**entry["outcome"])

    def add_fingerprint(self, key: str, fingerprint: str) -> None:
        """Note the fingerprint of a model."""
        self.fingerprints[key] = fingerprint
        self._write({"model": key, "fingerprint": fingerprint})

    def add_outcome(self, fingerprint: str, outcome: Outcome) -> None:
        """Note an outcome; one that is undecided is not kept in the file."""
        self.outcomes[fingerprint] = outcome
        if not outcome.unknown:
            self._write({"fingerprint": fingerprint, "outcome": asdict(outcome)})

    def _write(self, entry: dict[str, Any]) -> None:
        if self._path is None:
            return
        if self._file is None:
            _drop_cut_line(self._path)
            self._file = self._path.open("a", encoding="utf-8")
        self._file.write(json.dumps({"kind": KIND, "source": self.source, **entry}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _drop_cut_line(path: Path) -> None:
    """Take away a last line that has no end: its writer was stopped within it."""
    if not path.exists():
        return
    text = path.read_bytes()
    if not text.endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])
