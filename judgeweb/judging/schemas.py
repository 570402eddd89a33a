"""The reply schemas that judges are held to, and their picture in the prompt.

Provider dialect: additionalProperties false everywhere, no ranges (they are not enforced; R4
checks them), reasoning before value, since properties are written in schema order.
"""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
QUOTE: Schema = {
    "anyOf": [{"type": "string"}, {"type": "null"}],
    "description": '"words copied from the response" or null',
}
LONGEST_ENUM = 100  # ids beyond this would make the grammar of the reply too large


def record(**properties: Schema) -> Schema:
    """An object with exactly these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def rows_of(row: Schema) -> Schema:
    return {"type": "array", "items": row}


def mark_schema(*, whole_numbers: bool) -> Schema:
    """One 1-10 mark with its reason."""
    if whole_numbers:
        value: Schema = {"type": "integer", "enum": list(range(1, 11))}
    else:
        value = {"type": "number"}
    return record(reasoning=TEXT, value={**value, "description": "number from 1 to 10"})


def id_schema(ids: tuple[str, ...]) -> Schema:
    """One of the ids of a list; any text where the list is too long for a grammar."""
    return {**TEXT, "enum": list(ids)} if 0 < len(ids) <= LONGEST_ENUM else TEXT


def picture(schema: Mapping[str, Any], indent: str = "") -> str:
    """The shape of a reply as the prompt shows it: JSON with <placeholders> for values."""
    deeper = indent + "  "
    if schema.get("type") == "object":
        parts = [
            f'{deeper}"{key}": {picture(part, deeper)}'
            for key, part in schema["properties"].items()
        ]
        return "{\n" + ",\n".join(parts) + "\n" + indent + "}"
    if schema.get("type") == "array":
        return f"[\n{deeper}{picture(schema['items'], deeper)}\n{indent}]"
    return f"<{_placeholder(schema)}>"


def _placeholder(schema: Mapping[str, Any]) -> str:
    if "description" in schema:
        return str(schema["description"])
    if "enum" in schema:
        return "one of the ids"
    return "true or false" if schema.get("type") == "boolean" else "text"
