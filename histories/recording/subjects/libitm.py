"""gcc's transactional memory: ``gcc -fgnu-tm`` and libitm, by each of its methods."""

from __future__ import annotations

from pathlib import Path

from counterpoint.histories.recording.programs import (
    SOURCES,
    Program,
    compiled,
    first_line,
    installed,
)

METHODS = {
    "ml_wt": "many locks, write-through",
    "gl_wt": "one global lock, write-through",
    "serial": "one transaction at a time",
}


class Libitm(Program):
    """libitm with one of its methods.

    Parameters
    ----------
    method : str
        A key of `METHODS`.
    """

    promises = ("opacity",)

    def __init__(self, method: str) -> None:
        super().__init__()
        self.about = f"gcc's transactional memory: {METHODS[method]}"
        self.environment = {"ITM_DEFAULT_METHOD": method}

    def missing(self) -> str:
        """Return whether gcc or its library is missing."""
        if found := installed("gcc", "gcc"):
            return found
        library = first_line("gcc", "-print-file-name=libitm.so")
        return "" if Path(library).is_absolute() else "needs gcc with libitm"

    def version(self) -> str:
        """Return the version of gcc, which is that of libitm."""
        return f"gcc {first_line('gcc', '-dumpfullversion')}"

    def build(self, folder: Path) -> tuple[str, ...]:
        """Compile the program."""
        sources = [str(SOURCES / "libitm.c"), str(SOURCES / "recorder.c")]
        compiled("gcc", ["gcc", "-std=gnu11", "-O2", "-fgnu-tm", "-pthread", *sources,
                         "-o", "record"], folder)  # fmt: skip
        return (str(folder / "record"),)
