"""Commands of crawlers: how they are split, filled and refused."""

from __future__ import annotations

import pytest

from counterpoint.crawler.errors import CrawlError
from counterpoint.studies.subjects import PLACEHOLDERS, command_of

VALUES = {name: f"<{name} 1>" for name in PLACEHOLDERS}


def test_a_value_with_a_space_stays_one_argument() -> None:
    """Filling before splitting, which would make two arguments of a path with a space."""
    found = command_of("spider -a start={start} '{seeds_file} x'").filled(VALUES)
    assert found == ["spider", "-a", "start=<start 1>", "<seeds_file 1> x"]


def test_doubled_braces_are_braces() -> None:
    """A script for a shell that cannot be written, or a value that is filled twice."""
    command = command_of("sh -c 'f() {{ echo ${{1}}; }}; f {pages}'")
    assert command.filled(VALUES)[2] == "f() { echo ${1}; }; f <pages 1>"
    assert command_of("x {{start}}").filled(VALUES) == ["x", "{start}"]
    values = VALUES | {"start": "{seed}"}
    assert command_of("x {start}").filled(values) == ["x", "{seed}"]


def test_which_placeholders_a_command_uses() -> None:
    """A doubled brace taken for a placeholder: the crawler would be expected to count pages."""
    assert command_of("x -n{pages}").uses("pages")
    assert not command_of("x {{pages}} {seed}").uses("pages")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x {satrt}", "unknown placeholder {satrt} (did you mean {start}?); there are {proxy}"),
        ("x {}", "unknown placeholder {};"),
        ("sh -c 'echo ${x}'", "is written twice: {{ or }}"),
        ("x {start", "a single '{'"),
        ("x start}", "a single '}'"),
        ("x 'y", "cannot be split: No closing quotation"),
        ("  ", "is empty"),
        ("'' x", "is empty"),
        ("x \0", "has the character \\0"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    """A wrong command that is found out only after a web was generated, or never."""
    with pytest.raises(CrawlError) as error:
        command_of(text)
    assert message in str(error.value)
