"""Requests to the API that are drawn from its own document, and from what is none of it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterpoint.studio.api.declared import ROOT, Endpoint, Parameter
from counterpoint.studio.api.routes import ENDPOINTS
from counterpoint.studio.api.shapes import plain, wrong

from .api_client import DOCUMENT, TOKEN, ApiClient, must_agree, use_api
from .drawing import TELLING
from .filled import fill

telling = st.sampled_from([text for text in TELLING if text.isprintable() or "\0" in text])
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | telling
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(telling, inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
TEXTS = st.sampled_from([
    "", "a", "museum", "http://a.test/", "http://b.test/x", "domain:a.test", "R3", "scent", "2000",
    "12h", "own", "safe", "counterpoint/1", "WzEwXQ", "WzEsIDFd", "1", "zin.test",
])  # fmt: skip


def of_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that a schema of a request allows."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of(*(_of_kind(kind, schema) for kind in kinds))


def _of_kind(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if kind == "object":
        needed = {name: of_schema(one) for name, one in schema["properties"].items()
                  if name in schema.get("required", ())}  # fmt: skip
        others = {name: of_schema(one) for name, one in schema["properties"].items()
                  if name not in needed}  # fmt: skip
        return st.fixed_dictionaries(needed, optional=others)
    if kind == "array":
        return st.lists(of_schema(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    if kind == "integer":
        low, high = schema.get("minimum", -3), schema.get("maximum", 2000)
        return st.integers(low, min(high, low + 8)) | st.integers(low, high)
    if kind == "string":
        return st.sampled_from(schema["enum"]) if "enum" in schema else TEXTS
    return {"boolean": st.booleans(), "null": st.none(),
            "number": st.floats(0, 10)}[kind]  # fmt: skip


@st.composite
def requests(draw: Any) -> tuple[Endpoint, str, Any]:
    """Draw a declaration, a path with a query, and a body; most fit the declaration."""
    one = draw(st.sampled_from(ENDPOINTS))
    path = one.path
    for part in one.parts:
        path = path.replace(f"{{{part.name}}}", str(draw(of_schema(part.schema))))
    chosen: list[Parameter] = draw(st.lists(st.sampled_from(one.query), max_size=3)
                                   if one.query else st.just([]))  # fmt: skip
    pairs = [(each.name, draw(telling if draw(st.integers(0, 4)) == 0 else of_schema(each.schema)))
             for each in chosen]  # fmt: skip
    query = "&".join(f"{name}={quote(str(value).encode('utf-8', 'surrogatepass'))}"
                     for name, value in pairs)  # fmt: skip
    odd = draw(st.integers(0, 4)) == 0
    body = draw(anything) if odd else None if one.body is None else draw(of_schema(one.body))
    return one, f"{path}{'?' if query else ''}{query}", body


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(requests(), min_size=20, max_size=20))
def test_answers_agree_with_the_document(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[Endpoint, str, Any]]
) -> None:
    """An error 500, an answer that the document does not describe, or one that is no JSON."""

    async def act(api: ApiClient) -> None:
        fill(api.studio.store, visited=60)
        for one, path, body in drawn:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            data = None
            if body is not None:
                data, headers["Content-Type"] = json.dumps(body), "application/json"
            answer = await api.studio.request(one.method, ROOT + path, headers=headers, data=data)
            value = json.loads(answer.text)
            assert answer.status != 500, (one.method, path, body)
            if answer.status == 400:  # infinity is none of JSON's numbers
                assert "Infinity" in (data or "") or "%00" in path
                continue
            must_agree(one.method, path.partition("?")[0], answer.status, value)

    use_api(tmp_path_factory.mktemp("api"), act)


@given(st.data())
def test_what_a_schema_allows_is_not_refused(data: st.DataObject) -> None:
    """A check of bodies that refuses what the document allows, or lets through something else."""
    from jsonschema import Draft202012Validator

    bodies = [one.body for one in ENDPOINTS if one.body is not None]
    schema = data.draw(st.sampled_from(bodies))
    assert wrong(data.draw(of_schema(schema)), schema) == {}
    other = data.draw(anything)
    refused = bool(wrong(other, schema))
    lone = "\\ud" in json.dumps(other).replace("\\\\", "")
    if not lone:
        assert refused == (not Draft202012Validator(schema).is_valid(other))


def test_the_document_is_json() -> None:
    """A value in the document that JSON cannot have."""
    assert json.loads(json.dumps(plain(DOCUMENT), allow_nan=False)) == DOCUMENT
