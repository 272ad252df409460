"""The JSON schema of `gatilho.toml`, made from the checks that read it, so that an editor knows what is valid."""

from typing import Any

from gatilho import configfile
from gatilho.config import Config
from gatilho.model import Value


def schema() -> dict[str, Any]:
    """Return the schema of the file; it fits the table `[tool.gatilho]`, too."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gatilho.toml",
        **_table(configfile.FORMS, Config()),
    }


def _table(forms: dict[str, Any], defaults: Any) -> dict[str, Any]:
    """Return the schema of a table: its keys and no other. defaults: a record with the values in force without it."""
    properties = {key: _value(form, getattr(defaults, key, None)) for key, form in forms.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value(form: Any, default: Any) -> dict[str, Any]:
    if not isinstance(form, dict):
        shown = list(default) if isinstance(default, tuple) else default
        return {**form.schema, **({} if default is None else {"default": shown})}
    if "*" in form:
        required = {"required": list(form["*"].required)} if form["*"].required else {}
        known = _table({key: one for key, one in form.items() if key != "*"}, None)
        return {**known, "additionalProperties": {**_table(form["*"].keys, None), **required}}
    return _table(form, default if isinstance(default, Value) else None)
