"""The software transactional memory of GHC."""

from __future__ import annotations

import shutil
from pathlib import Path

from counterpoint.histories.recording.programs import (
    SOURCES,
    Program,
    compiled,
    first_line,
    installed,
)


class GhcStm(Program):
    """``Control.Concurrent.STM``, compiled by ghc with the threaded runtime."""

    about = "the software transactional memory of Haskell's GHC"
    promises = ("strict-serializability",)

    def missing(self) -> str:
        """Return whether ghc or its package is missing."""
        if found := installed("ghc", "ghc"):
            return found
        known = first_line("ghc-pkg", "--simple-output", "list", "stm")
        return "" if known.startswith("stm") else "needs the Debian package libghc-stm-dev"

    def version(self) -> str:
        """Return the version of ghc."""
        return f"ghc {first_line('ghc', '--numeric-version')}"

    def build(self, folder: Path) -> tuple[str, ...]:
        """Compile the program."""
        for name in ("Stm.hs", "recorder.c", "recorder.h"):
            shutil.copy(SOURCES / name, folder)
        compiled("ghc", ["ghc", "-v0", "-O1", "-threaded", "Stm.hs", "recorder.c", "-o", "record"],
                 folder)  # fmt: skip
        return (str(folder / "record"),)
