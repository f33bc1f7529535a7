"""Tests that need documentation run where it is, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import documentation
from tests.documentation import DOCUMENTATION, site_of


@pytest.fixture
def without_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folders of all packages, and no page in them, as other packages do."""
    monkeypatch.setattr(documentation, "TOP", tmp_path)
    for page in DOCUMENTATION.values():
        (tmp_path / page).parent.mkdir(parents=True)


@pytest.mark.parametrize("package", DOCUMENTATION)
def test_a_folder_without_pages_is_not_the_package(
    package: str, without_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's sqlite3 taken for sqlite3-doc: tests that find 0 pages on a machine like any."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=f"package {package}: there is no "):
        site_of(package)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=package):
        site_of(package)


def test_ci_installs_each_package_by_the_page_that_tests_look_for() -> None:
    """CI that takes a folder for the package as well, and so never installs it."""
    script = Path(".ci/run").read_text()
    for package, page in DOCUMENTATION.items():
        assert f"page_of {package} {page}\n" in script
