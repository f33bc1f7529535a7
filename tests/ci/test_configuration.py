"""The configuration: where it is found, what is refused, and on which line."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.ci import configuration
from counterpoint.ci.configuration import ConfigurationError
from counterpoint.ci.configuration.lines import lines_of, nearest
from counterpoint.ci.configuration.schema import ENGINES as ENGINE_NAMES
from counterpoint.ci.configuration.schema import EXPLORERS as EXPLORER_NAMES
from counterpoint.ci.configuration.schema import REDUCTIONS as REDUCTION_NAMES
from counterpoint.models.checking.engines import ENGINES, check
from counterpoint.models.explore.exhaustive import EXPLORERS, REDUCTIONS
from counterpoint.models.limits import LONGEST, Limits
from counterpoint.models.loading import load

WRONG = """\
[gate]
buget = 120

[[check]]
spec = 3
states = "3"
expect = { safe = "violated after x" }
set = { n = [1] }

[[check]]
engines = ["exhaustive", "bunded"]

[[policies]]
web = "sample"
pages = 10
policies = []
band = { default = "2" }

[[chek]]
"""

MESSAGES = [
    "2: there is no key gate.buget; did you mean budget?",
    "5: check.spec should be a string or a list, not 3",
    '6: check.states should be an integer, not "3"',
    '7: check.expect should be "violated", "violated after 18" or "holds", not "violated after x"',
    "8: check.set should be a string or an integer, not [1]",
    "10: check.spec is missing",
    "11: check.engines should be 'exhaustive', 'bounded', 'induction', 'any-number' or "
    "'stateful', not \"bunded\"",
    "16: policies.policies should be a list with at least one entry, not []",
    '17: policies.band should be a share such as "2%", not "2"',
    "19: there is no key chek; did you mean check?",
]


def written(path: Path, text: str) -> Path:
    """Return a new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_error_has_its_line(tmp_path: Path) -> None:
    """An unknown key or a wrong type that is ignored, or whose line is not named."""
    path = written(tmp_path / "counterpoint.toml", WRONG)
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path)
    assert str(caught.value).splitlines() == [f"counterpoint.toml:{m}" for m in MESSAGES]


@pytest.mark.parametrize("value", ["inf", "nan", "1e18", "-1", "1" + "0" * 400])
@pytest.mark.parametrize(
    ("table", "key"),
    [("[gate]", "budget"), ("[gate]", "step-limit"), ("[[crawler]]", "timeout"),
     ("[[check]]", "least-budget")],
)  # fmt: skip
def test_a_time_that_no_timer_can_measure_is_refused(
    tmp_path: Path, table: str, key: str, value: str
) -> None:
    """An infinite budget that ends the gate with a traceback from a timer, after a long wait."""
    rest = {"[[crawler]]": 'name = "x"\ncommand = "x"\nweb = "sample"', "[[check]]": 'spec = "x"'}
    text = f"{table}\n{key} = {value}\n{rest.get(table, '')}\n"
    path = written(tmp_path / "counterpoint.toml", text)
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path)
    name = f"{table.strip('[]')}.{key}"
    assert str(caught.value).startswith(f"counterpoint.toml:2: {name} should be ")
    assert "\n" not in str(caught.value)


def test_the_longest_time_can_be_measured(tmp_path: Path) -> None:
    """A bound that is above what the timers of this system take."""
    text = f"[gate]\nbudget = {LONGEST}\n"
    budget = configuration.load(written(tmp_path / "counterpoint.toml", text)).document.gate.budget
    (verdict, *_) = check(load("tl2"), "exhaustive", Limits(budget))
    assert verdict.answer == "holds"


@pytest.mark.parametrize("key", ["report", "baselines"])
def test_no_file_can_have_the_name_of_a_folder(tmp_path: Path, key: str) -> None:
    """A traceback after all checks have run, or a wrong name that is accepted while unused."""
    text = f'[gate]\n{key} = "a\\u0000b"\n'
    path = written(tmp_path / "counterpoint.toml", text)
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path)
    assert str(caught.value) == (
        f"counterpoint.toml:2: gate.{key} should be a name without the character \\0, "
        'not "a\\u0000b"'
    )


def test_a_section_of_pyproject_has_the_same_lines(tmp_path: Path) -> None:
    """A line that is counted from the section, and not from the file."""
    text = '[project]\nname = "x"\n\n[tool.counterpoint.gate]\nbudget = "x"\n\n'
    path = written(tmp_path / "pyproject.toml", text + "[[tool.counterpoint.check]]\nspec = 1\n")
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path)
    assert str(caught.value).splitlines() == [
        'pyproject.toml:5: gate.budget should be a number, not "x"',
        "pyproject.toml:8: check.spec should be a string or a list, not 1",
    ]


def test_toml_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A traceback for a bracket that is not closed, or for a file in another encoding."""
    path = written(tmp_path / "counterpoint.toml", "[gate\n")
    with pytest.raises(ConfigurationError, match=r"counterpoint.toml: it is not TOML: .*line 1"):
        configuration.load(path)
    path.write_bytes(b'[gate]\nreport = "\xff"\n')
    with pytest.raises(ConfigurationError, match="it is not UTF-8"):
        configuration.load(path)
    with pytest.raises(ConfigurationError, match="No such file"):
        configuration.load(tmp_path / "other.toml")


@pytest.mark.parametrize("name", ["counterpoint.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = " + "[" * 20_000, "the TOML is nested too deeply"),
        ("x = " + "{ a = " * 5_000, "the TOML is nested too deeply"),
        ("x = " + "9" * 5_000, "a number has more than 4,300 digits$"),
        ("[" + "a." * 20_000 + "a]", "the TOML is nested too deeply"),
        ("x" + " . 'a'" * 20_000 + " = 1", "the TOML is nested too deeply"),
    ],
)
def test_toml_that_exhausts_its_reader_is_refused(
    name: str, text: str, message: str, tmp_path: Path
) -> None:
    """A traceback for nesting or a number that Python's reader of TOML does not refuse itself."""
    path = written(tmp_path / name, text)
    with pytest.raises(ConfigurationError, match=f"{name}: {message}"):
        configuration.load(path)
    configuration.find(tmp_path)


def test_a_configuration_with_a_thousand_errors_is_refused_in_few_lines(tmp_path: Path) -> None:
    """A message that fills the terminal, where the first errors are lost."""
    path = written(tmp_path / "counterpoint.toml", "[[check]]\n" * 1000)
    with pytest.raises(ConfigurationError) as caught:
        configuration.load(path)
    first, *_, last = lines = str(caught.value).splitlines()
    assert (len(lines), last) == (21, "and 980 more")
    assert first == "counterpoint.toml:1: check.spec is missing"


def test_many_dots_in_a_string_are_no_deep_key(tmp_path: Path) -> None:
    """A configuration that is refused for its texts."""
    dots = f"{'wait ... ' * 200}{'.' * 500}"
    text = f'# {"1. " * 500}\n[[check]]\nspec = "window-stm"\nwhy = "{dots}{"ab." * 500}"\n'
    configuration.load(written(tmp_path / "counterpoint.toml", text))


@pytest.mark.parametrize("part", ["a", "'.'", '"."', r'"\""', r'"a\\"', "1-_ "])
@pytest.mark.parametrize("place", ["{} = 1", "[{}]", "[[ {}]]", "  {} = 1", "a = {{b = 1, {} = 1}}",
                                   "a = {{{} = 1}}", "a = 1\r\n{} = 1"])  # fmt: skip
def test_deep_keys_are_refused_wherever_they_stand(part: str, place: str, tmp_path: Path) -> None:
    """A key of 20,000 parts, on which Python's parser spends more than 40 seconds."""
    text = place.format(".".join([part] * 20_000))
    with pytest.raises(ConfigurationError, match="deep"):
        configuration.load(written(tmp_path / "counterpoint.toml", text))


def test_the_nearest_one_above_is_found(tmp_path: Path) -> None:
    """A gate that runs only at the top, or that takes a pyproject.toml of another tool."""
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert configuration.find(deep) is None
    section = written(tmp_path / "pyproject.toml", "[tool.counterpoint]\n")
    written(tmp_path / "a" / "pyproject.toml", "[tool.ruff]\n")
    written(deep / "pyproject.toml", "[tool\n")
    assert configuration.find(deep) == section
    own = written(tmp_path / "counterpoint.toml", "")
    assert configuration.find(deep) == own
    assert configuration.find(tmp_path / "a") == own


def test_the_folder_is_entered_and_left(tmp_path: Path) -> None:
    """A module of the repository that cannot be imported, or a path that stays after the gate."""
    found = configuration.load(written(tmp_path / "counterpoint.toml", ""))
    before = (Path.cwd(), list(sys.path))
    with found.entered():
        assert Path.cwd() == tmp_path
        assert sys.path[0] == str(tmp_path)
    assert (Path.cwd(), sys.path) == before


def test_the_schema_has_the_names_of_the_engines() -> None:
    """An engine, an explorer or a reduction that the configuration does not know."""
    assert list(get_args(ENGINE_NAMES)) == list(ENGINES)
    assert get_args(EXPLORER_NAMES) == EXPLORERS
    assert get_args(REDUCTION_NAMES) == REDUCTIONS


def test_every_key_of_the_schema_is_described() -> None:
    """A key that an editor shows without a word."""
    schema = configuration.json_schema()
    json.dumps(schema)
    for name, table in schema["$defs"].items():
        assert table["additionalProperties"] is False, name
        for key, value in table["properties"].items():
            assert "description" in value, (name, key)


KEYS = st.sampled_from(["a", "b", "c-d", '"e.f"', '"#"', "'[g]'"])
VALUES = st.sampled_from(
    ["1", '"x"', '"""\n[a]\nb = 1\n"""', "'''\n# '' x'''", "[\n  1, # ]\n  2,\n]", "{ z = 1 }",
     '"a = [ #"', "[[1], [\n2]]"]
)  # fmt: skip


@given(st.data())
def test_lines_are_those_of_the_keys(data: Any) -> None:
    """A bracket in a string or a comment that moves all later lines."""
    text, expected = "", {}
    for key in data.draw(st.lists(KEYS, unique=True)):
        expected[key.strip("\"'"),] = text.count("\n") + 1
        text += f"{key} = {data.draw(VALUES)} # [comment\n"
    for counts, keys in enumerate(data.draw(st.lists(st.lists(KEYS, unique=True), max_size=3))):
        expected["t", counts] = text.count("\n") + 1
        text += "[[t]]\n"
        for key in keys:
            text += data.draw(st.sampled_from(["", "\n", "# x = [\n"]))
            expected["t", counts, key.strip("\"'")] = text.count("\n") + 1
            text += f"  {key} = {data.draw(VALUES)}\n"
    tomllib.loads(text)
    found = lines_of(text)
    assert {way: found[way] for way in expected} == expected
    assert nearest(found, ("t", 0, "none")) == found.get(("t", 0), 1)
