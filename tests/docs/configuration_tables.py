"""The tables of the reference of the configuration, made from its schema.

    python -m tests.docs.configuration_tables

writes them into the page anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from counterpoint.ci.configuration import json_schema

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"
MARK = "<!-- The tables below are made from the schema. -->\n"

HEADINGS = {
    "GateTable": "[gate]",
    "CheckTable": "[[check]]",
    "MutantsTable": "[[mutants]]",
    "ScenarioTable": "[[scenario]]",
    "JobsTable": "[[jobs]]",
    "PoliciesTable": "[[policies]]",
    "CrawlerTable": "[[crawler]]",
    "PytestTable": "[pytest]",
}

TYPES = {"string": "string", "integer": "integer", "number": "number", "object": "table"}


def tables() -> str:
    """Return a section for each table of the configuration."""
    made = json_schema()["$defs"]
    assert set(made) == set(HEADINGS)
    return "\n".join(_section(heading, made[name]) for name, heading in HEADINGS.items())


def _section(heading: str, table: dict[str, Any]) -> str:
    about = " ".join(table["description"].partition("\n\n")[0].split())
    lines = ["", f"## `{heading}`", "", about, ""]
    lines += ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, value in table["properties"].items():
        usual = "needed" if key in table.get("required", ()) else _default(value)
        lines.append(f"| `{key}` | {_kind(value)} | {usual} | {value['description']} |")
    return "\n".join(lines)


def _default(value: dict[str, Any]) -> str:
    usual = value.get("default")
    return "" if usual in (None, "", [], {}, 0) else f"`{json.dumps(usual)}`"


def _kind(value: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    if "anyOf" in value:
        return " or ".join(_kind(one) for one in value["anyOf"] if one.get("type") != "null")
    if "enum" in value or "const" in value:
        names = value.get("enum") or [value["const"]]
        return " or ".join(f'`"{name}"`' for name in names)
    if value["type"] == "array":
        many = _kind(value["items"])
        return f"list of {many}s" if many in TYPES.values() else f"list of {many}"
    most = f", at most {value['maximum']:,}" if "maximum" in value else ""
    return 'share, as `"2%"`' if "%" in value.get("pattern", "") else TYPES[value["type"]] + most


def main() -> None:
    """Write the page."""
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(head + MARK + tables() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
