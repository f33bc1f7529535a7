"""The harness that runs the documents: each page here passes, or fails for the given reason."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .blocks import PageError, read_page
from .matching import matches
from .running import PageFailure, run_page


def run(text: str, folder: Path) -> None:
    """Run a page that needs no database."""
    run_page("page.md", read_page(text), folder, database=lambda: pytest.fail("no database"))


RIGHT = '''\
<!-- needs: -->

```toml title="web.toml"
pages = 1
```

1. In a list:

    ```python title="double.py"
    """Doubles."""
    def double(x):
        return 2 * x
    ```

```python
from double import double
assert double(2) == 4
```

```python title="double.py"
def double(x):
    return 3 * x
```

```python
>>> from double import double
>>> double(2)
6
```

```console
$ cat web.toml
pages = 1
$ export ONE=1
$ echo "$ONE and" \\
  two   # a comment
1 and two
$ python -m http.server 8123 --bind 127.0.0.1 &
$ python -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8123/').status)"
200
```

<!-- exit: 0 2 -->
```console
$ counterpoint list
...
$ counterpoint check nothing
...
```
'''


def test_a_page_that_is_right(tmp_path: Path) -> None:
    """A convention that does not work, or a change of this process that stays after the page."""
    before = Path.cwd(), dict(os.environ), list(sys.path)
    run(RIGHT, tmp_path)
    assert before == (Path.cwd(), dict(os.environ), list(sys.path))
    assert "double" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```console\n$ echo a\nb\n```\n", "page.md:2: another output"),
        ("\n```console\n$ echo a\n$ false\n```\n", "page.md:4: exit code 1 instead of 0"),
        ("<!-- exit: 1 -->\n```console\n$ true\n```\n", "page.md:3: exit code 0 instead of 1"),
        ("```console\n$ counterpoint chekc\n```\n", "page.md:2: exit code 2 instead of 0"),
        ("```python\na = 1\nassert a == 2\n```\n", "page.md:3: AssertionError"),
        ("```python\n>>> 1 + 1\n3\n```\n", "page.md:1: "),
        ("```json\n{\n```\n", "page.md:1: no json"),
        ("```sh\nls\n```\n", "page.md:1: the tests cannot run the language 'sh'"),
        ("```console\n$ false 8123 &\n```\n", "page.md:2: the server does not listen"),
        ("```console\n$ false &\n$ wait\n```\n", "page.md:3: background command 1 ended with 1"),
    ],
)
def test_a_page_that_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    """A wrong page that passes, or a message that does not say where it is wrong."""
    with pytest.raises(PageFailure) as failure:
        run(text, tmp_path)
    assert str(failure.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\n    $ echo a\n", "line 3: an indented code block"),
        ("```console\n$ echo a\n", "line 1: the fence is not closed"),
        ("```console\necho a\n```\n", "line 1: a console block must begin with"),
        ("<!-- exti: 1 -->\n```console\n$ false\n```\n", "line 2: unknown mark"),
        ("<!-- exit: 1 -->\ntext\n", "line 2: the mark before it belongs to no block"),
        ("<!-- exit: 1 0 -->\n```console\n$ true\n```\n", "line 2: 2 exit codes, 1 commands"),
    ],
)
def test_a_page_that_cannot_be_read(text: str, message: str, tmp_path: Path) -> None:
    """A block that is silently not run."""
    with pytest.raises(PageError) as error:
        run(text, tmp_path)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a b\n", False),
        ("a\nb", "a\nbc\n", False),
        ("a  1", "a 1\n", False),
        ("...\nb", "a\nb\n", True),
        ("...\nb", "b\n", True),
        ("...\nb", "ab\n", False),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nb\nc\n", False),
        ("a\n...", "a\nb\n", True),
        ("in 0.2 s, all", "in 17.25 s,\n  all\n", True),
        ("in 0.2 s, all", "in 17.25 s, some\n", False),
        ("in 2 states", "in 3 states\n", False),
        ("1 passed in 0.02s", "1 passed in 1.30s\n", True),
    ],
)
def test_expected_output(expected: str, actual: str, same: bool) -> None:
    """An output that matches although it differs from the expected one."""
    assert matches(expected, actual) is same
