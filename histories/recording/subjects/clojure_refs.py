"""Clojure's refs."""

from __future__ import annotations

from pathlib import Path

from counterpoint.histories.recording.programs import SOURCES, Program, installed

FOLDER = Path("/usr/share/java")
"""Where Debian has the archives."""

ARCHIVES = ("clojure", "spec.alpha", "core.specs.alpha")


class ClojureRefs(Program):
    """``ref-set`` and ``alter`` in ``dosync``, without ``ensure``."""

    about = "Clojure's refs, without ensure"
    promises = ("snapshot-isolation",)

    def missing(self) -> str:
        """Return whether Java or Clojure is missing."""
        if found := installed("java", "default-jre-headless"):
            return found
        there = all((FOLDER / f"{name}.jar").is_file() for name in ARCHIVES)
        return "" if there else "needs the Debian package clojure"

    def version(self) -> str:
        """Return the version of Clojure."""
        # Debian's file is a link to one whose name contains the version.
        return (FOLDER / "clojure.jar").resolve().stem

    def build(self, folder: Path) -> tuple[str, ...]:
        """Return how the program is started; Java compiles it then."""
        return (*_java(), str(SOURCES / "refs.clj"))


def _java() -> tuple[str, ...]:
    archives = ":".join(str(FOLDER / f"{name}.jar") for name in ARCHIVES)
    return "java", "-cp", archives, "clojure.main"
