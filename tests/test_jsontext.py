"""Splices into JSON text: what goes in, what goes out, and all that stays as it was written."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatilho.errors import DocumentError
from gatilho.setup import jsontext

TWO = '{\n  "a": [1,   2],\n  "b": {"x": null}\n}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("{}", '{ \n  "k": [\n    1\n  ]\n}', id="an empty object is opened, and marked as such"),
        pytest.param("{\n}\n", '{ \n\n  "k": [\n    1\n  ]\n}\n', id="an empty object on two lines"),
        pytest.param(
            '{\n  "a": 1 // why\n  // end\n}', '{\n  "a": 1, // why\n  "k": [\n    1\n  ]\n  // end\n}', id="comments"
        ),
        pytest.param('{"a": 1}', '{"a": 1, "k": [1]}', id="one line stays one line"),
        pytest.param('{"a": [2,],}', '{"a": [2,], "k": [1],}', id="one line with commas after last entries"),
        pytest.param(
            '{\n  "a": ",}" /* , */ , // why\n}\n',
            '{\n  "a": ",}" /* , */ , // why\n  "k": [\n    1\n  ],\n}\n',
            id="a comma after the last entry, between comments",
        ),
        pytest.param('{\n    "a": 1\n}', '{\n    "a": 1,\n    "k": [\n        1\n    ]\n}', id="four blanks"),
        pytest.param('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}', id="tabs"),
        pytest.param(
            '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "k": [\r\n    1\r\n  ]\r\n}\r\n', id="carriage returns"
        ),
        pytest.param(
            '{\n  "a": "ção 🙂"\n}', '{\n  "a": "ção 🙂",\n  "k": [\n    1\n  ]\n}', id="letters beyond ASCII"
        ),
        pytest.param('{ "a"\n: 1 }', '{ "a"\n: 1,\n  "k": [\n    1\n  ] }', id="an odd layout is still JSON"),
    ],
)
def test_a_value_is_put_in(text: str, expected: str) -> None:
    result = jsontext.insert(text, jsontext.parse_json(text, "f"), "k", [1])
    assert result == expected
    assert jsontext.data_of(result) == {**jsontext.data_of(text), "k": [1]}
    top = jsontext.parse_json(result, "f")
    assert jsontext.remove(result, top, top.children[-1][2]) == text


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        pytest.param(TWO, "a", '{\n  "b": {"x": null}\n}\n', id="the first"),
        pytest.param(TWO, "b", '{\n  "a": [1,   2]\n}\n', id="the last"),
        pytest.param('{\n "a": 1 }', "a", "{}", id="the only one"),
        pytest.param('{"a":1,"b":2,"c":3}', "b", '{"a":1,"c":3}', id="one in the middle"),
        pytest.param(
            '{\n  "a": 1, // of a\n  // of b\n  "b": 2, // of b\n  // of c\n  "c": "//"\n}',
            "b",
            '{\n  "a": 1, // of a\n  // of b // of b\n  // of c\n  "c": "//"\n}',
            id="comments of others stay",
        ),
        pytest.param(
            '{\n  "a": 1, // of a\n  // of b\n  "b": 2\n}', "a", '{\n  // of b\n  "b": 2\n}', id="of the next"
        ),
    ],
)
def test_a_value_is_taken_out(text: str, key: str, expected: str) -> None:
    top = jsontext.parse_json(text, "f")
    child = top.get(key)
    assert child is not None
    assert jsontext.remove(text, top, child) == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param('{\n  "a": 1,,\n}', "settings.json:2:10", id="two commas"),
        pytest.param("{\n  // why\n  ,\n}", "settings.json:3:3", id="a comma after no entry"),
        pytest.param('{\n  "a": 1 /* why\n}', "settings.json:2:10", id="a comment without an end"),
        pytest.param("{", "settings.json:1:2", id="the end is missing"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(DocumentError, match="this is not JSON") as caught:
        jsontext.parse_json(text, "settings.json")
    assert str(caught.value).startswith(place)


def test_of_two_equal_keys_the_last_counts() -> None:
    text = '{"a": 1, "a": 2}'
    found = jsontext.parse_json(text, "f").get("a")
    assert found is not None
    assert text[found.start : found.end] == "2"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",)), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('abçk"\\{[,', max_size=3), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@settings(max_examples=150)
@given(
    st.dictionaries(st.text('abç"\\{[:', max_size=3), VALUES, max_size=4),
    LAYOUTS,
    VALUES,
    st.sampled_from(["\n", "\r\n"]),
)
def test_putting_in_and_taking_out_restores_every_byte(
    document: dict[str, Any], layout: "int | str | None", value: Any, newline: str
) -> None:
    text = json.dumps(document, indent=layout, ensure_ascii=False).replace("\n", newline)
    more = jsontext.insert(text, jsontext.parse_json(text, "f"), "new key", value)
    assert json.loads(more) == {**document, "new key": value}
    top = jsontext.parse_json(more, "f")
    child = top.get("new key")
    assert child is not None
    assert jsontext.remove(more, top, child) == text
