"""Where a finding is shown: paths from the top of the repository, as CI systems want them."""

from __future__ import annotations

import os
from pathlib import Path

from ..outcome import Finding, Outcome, Place

_TOPS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE")
"""Variables of GitHub, GitLab and Jenkins that name the top of the checked-out repository."""


def place_of(finding: Finding, outcome: Outcome, folder: Path) -> Place | None:
    """Return where a finding is mended: its own place, or the row of the configuration.

    Parameters
    ----------
    finding : Finding
    outcome : Outcome
        The outcome that has the finding.
    folder : Path
        The folder to which places are relative: that of the configuration.
    """
    place = finding.place or outcome.place
    return None if place is None else from_top(place, folder)


def from_top(place: Place, folder: Path) -> Place:
    """Return a place with its path from the top of the repository, where CI names that.

    Elsewhere, and for a file outside of the repository, the place stays as it is.
    """
    path = (folder / place.path).resolve()
    for name in _TOPS:
        if given := os.environ.get(name):
            top = Path(given).resolve()
            if path.is_relative_to(top):
                return Place(path.relative_to(top).as_posix(), place.line)
    return place
