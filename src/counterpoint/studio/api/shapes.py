"""JSON Schema of Python types, JSON of their values, and checks of JSON that a client sends.

The types are named tuples, data classes, enumerations of strings, and the types that JSON has. Both
the answers and the OpenAPI document are made of the same types, so they cannot disagree.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

Schema: TypeAlias = dict[str, Any]

_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"},
    bool: {"type": "boolean"}, type(None): {"type": "null"}, Any: {},
}  # fmt: skip
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "null": (type(None),), "array": (list,), "object": (dict,),
}  # fmt: skip


def schema_of(shape: Any, components: dict[str, Schema]) -> Schema:
    """Return the schema of a type; classes with fields become components, by their names.

    Parameters
    ----------
    shape : type
    components : dict
        Gets the schemas of the classes that the type needs.
    """
    if shape in _PLAIN:
        return dict(_PLAIN[shape])
    origin = get_origin(shape)
    if origin is not None:
        return _of_generic(origin, get_args(shape), components)
    if issubclass(shape, StrEnum):
        return {"type": "string", "enum": [str(one) for one in shape]}
    if shape.__name__ not in components:
        components[shape.__name__] = {}  # so that it may refer to itself
        components[shape.__name__] = _of_class(shape, components)
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def _of_generic(origin: Any, parts: tuple[Any, ...], components: dict[str, Schema]) -> Schema:
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin in (Union, types.UnionType):
        return _of_union([schema_of(part, components) for part in parts])
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(parts[1], components)}
    return {"type": "array", "items": schema_of(parts[0], components)}


def _of_union(schemas: list[Schema]) -> Schema:
    if all(set(one) == {"type"} for one in schemas):
        return {"type": [one["type"] for one in schemas]}
    return {"anyOf": schemas}


def _of_class(shape: Any, components: dict[str, Schema]) -> Schema:
    about = " ".join((shape.__doc__ or "").split("\n\n", maxsplit=1)[0].split())
    fields = {name: schema_of(hint, components) for name, hint in fields_of(shape).items()}
    return {"type": "object", "description": about, "properties": fields,
            "required": list(fields), "additionalProperties": False}  # fmt: skip


def fields_of(shape: Any) -> dict[str, Any]:
    """Return the types of the fields of a named tuple or a data class, by name."""
    hints = get_type_hints(shape)
    if dataclasses.is_dataclass(shape):
        return {field.name: hints[field.name] for field in dataclasses.fields(shape)}
    return {name: hints[name] for name in shape._fields}


def plain(value: Any) -> Any:
    """Return a value as lists, dictionaries, texts and numbers, ready for JSON."""
    if isinstance(value, str):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in fields_of(type(value))}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def wrong(value: Any, schema: Schema, name: str = "") -> dict[str, str]:
    """Return what a value of JSON has against a schema: messages by the names of fields.

    Parameters
    ----------
    value : Any
    schema : dict
        With the keys ``type``, ``properties``, ``required``, ``additionalProperties`` (False),
        ``items``, ``enum``, ``minItems`` and ``maxItems`` alone, and with ``minimum`` and
        ``maximum``, of which there are both or none.
    name : str
        The name of the value; "": the whole.
    """
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is_a(value, kind) for kind in kinds):
        return {name: f"It must be {' or '.join(kinds)}."}
    if isinstance(value, str):
        return _wrong_text(value, schema, name)
    if isinstance(value, dict):
        return _wrong_fields(value, schema, name)
    if isinstance(value, list):
        return _wrong_items(value, schema, name)
    low, high = schema.get("minimum"), schema.get("maximum", 0)
    if value is None or low is None or low <= value <= high:
        return {}
    return {name: f"It must be from {low:,} to {high:,}."}


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind])


def _wrong_text(value: str, schema: Schema, name: str) -> dict[str, str]:
    if "enum" in schema and value not in schema["enum"]:
        return {name: f"It must be one of {', '.join(schema['enum'])}."}
    if any("\ud800" <= sign <= "\udfff" for sign in value):
        return {name: "It has half of a character."}
    return {}


def _wrong_fields(value: dict[str, Any], schema: Schema, name: str) -> dict[str, str]:
    known = schema["properties"]
    found = {key: "It is needed." for key in schema.get("required", ()) if key not in value}
    for key, part in value.items():
        if key in known:
            found |= wrong(part, known[key], f"{name}.{key}" if name else key)
        else:
            shown = key[:80].encode("ascii", "replace").decode()
            found[shown] = f"There is none; there are {', '.join(known)}."
    return found


def _wrong_items(value: list[Any], schema: Schema, name: str) -> dict[str, str]:
    low, high = schema.get("minItems", 0), schema.get("maxItems", 2**31)
    if not low <= len(value) <= high:
        return {name: f"It must have {low:,} to {high:,} entries."}
    found: dict[str, str] = {}
    for number, part in enumerate(value):
        found |= wrong(part, schema["items"], f"{name}[{number}]")
    return found
