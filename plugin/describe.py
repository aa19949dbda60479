"""Writes what follows from the components: the package's schema, the tables of docs/settings.md, and `Pulumi.yaml`.

All are made from the schema that the plugin itself serves and from the table of settings; tests compare them.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from components.arguments import settings_of
from components.settings import COMPONENTS, config_key
from components.validation import Row
from plugin.provider import OutboxProvider

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "plugin" / "schema.json"
DOCUMENT = ROOT / "docs" / "settings.md"
PROJECT = ROOT / "Pulumi.yaml"
BEGIN, END = "<!-- tables: written by `make schema` -->", "<!-- end of the tables -->"
CONFIG = "# The settings, written by `make schema`. "
TYPES = {bool: "boolean", int: "integer", str: "string"}

Schema = Mapping[str, Any]


def package_schema() -> Schema:
    """The package's schema, as the plugin serves it to the engine and to `pulumi package add`."""
    schema: Schema = json.loads(OutboxProvider().schema or "")
    return schema


def schema_text(schema: Schema) -> str:
    """The stored form: sorted, so that a change shows where it was made."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def with_tables(document: str, schema: Schema) -> str:
    """The document with the tables between its marks made anew."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{_tables(schema)}\n{END}{after}"


def with_config(project: str, schema: Schema) -> str:
    """The project file with the keys of the configuration made anew; groups of one component need no declaration."""
    config: dict[str, object] = {}
    for args_type, _ in COMPONENTS.values():
        described = schema["resources"][f"outbox:index:{args_type.__name__.removesuffix('Args')}"][
            "inputProperties"
        ]
        for name, row in settings_of(args_type).items():
            config.setdefault(config_key(name), _declared(row, described[config_key(name)]))
    head = project.partition(CONFIG)[0]
    notes = (
        f"{CONFIG}A key sets the argument of every component that takes it; a group sets\n"
        "# those of one component alone, such as `consumer: {queueBatchSize: 99}`.\n"
        f"# Groups: {', '.join(COMPONENTS)}.\n"
    )
    return f"{head}{notes}{yaml.safe_dump({'config': config}, sort_keys=False, width=110)}"


def _declared(row: Row, found: Schema) -> dict[str, object]:
    if isinstance(row.default, tuple):
        kind: dict[str, object] = {"type": "array", "items": {"type": "string"}, "default": []}
    else:
        kind = {"type": TYPES[type(row.default)], "default": row.default}
    return {**kind, "description": _cell(found)}


def _tables(schema: Schema) -> str:
    components = [
        _component(token.rpartition(":")[2], resource)
        for token, resource in sorted(schema["resources"].items())
    ]
    types = [
        _nested(token.rpartition(":")[2], described)
        for token, described in sorted(schema.get("types", {}).items())
    ]
    return "\n".join([*components, *types])


def _nested(name: str, described: Schema) -> str:
    """The fields of a type that arguments are made of."""
    fields = [
        f"| `{field}` | {_type(found)} | {_cell(found)} |" for field, found in described["properties"].items()
    ]
    return "\n".join(
        [f"## {name}\n\n{_paragraphs(described)}\n", "| field | type | meaning |\n|---|---|---|", *fields, ""]
    )


def _component(name: str, resource: Schema) -> str:
    required = resource.get("requiredInputs", [])
    arguments = [
        f"| `{argument}` | {_type(found)} | {_cell(found)}{' Required.' if argument in required else ''} |"
        for argument, found in sorted(
            resource["inputProperties"].items(), key=lambda each: (each[0] not in required, each[0])
        )
    ]
    outputs = [f"| `{output}` | {_cell(found)} |" for output, found in sorted(resource["properties"].items())]
    return "\n".join(
        [
            f"## {name}\n\n{_paragraphs(resource)}\n",
            "| argument | type | meaning |\n|---|---|---|",
            *arguments,
            "\n| output | meaning |\n|---|---|",
            *outputs,
            "",
        ]
    )


def _type(found: Schema) -> str:
    if named := found.get("$ref"):
        return f"`{named.rpartition(':')[2]}`"
    if found["type"] == "array":
        return f"list of {_type(found['items'])}"
    values = found.get("additionalProperties")
    return f"map of {_type(values)}" if values else str(found["type"])


def _cell(found: Schema) -> str:
    return " ".join(found["description"].split())


def _paragraphs(found: Schema) -> str:
    paragraphs = found["description"].split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def main() -> None:
    """Writes all of them anew."""
    schema = package_schema()
    SCHEMA.write_text(schema_text(schema), encoding="utf-8")
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text("utf-8"), schema), encoding="utf-8")
    PROJECT.write_text(with_config(PROJECT.read_text("utf-8"), schema), encoding="utf-8")


if __name__ == "__main__":
    main()
