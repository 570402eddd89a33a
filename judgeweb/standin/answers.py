"""A reply that fits the request's schema, the same for the same prompt.

Source: ours. Marks lie between 4 and 9 around a level drawn per prompt, so that boards have
something to show; two findings of three are found; evidence is quoted from the judged text.
Every reasoning says that it is no judgement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from hashlib import blake2b
from random import Random
from typing import Any

from judgeweb.standin import claims

NOTICE = "stand-in, not a judgement"
ASSESSMENT = (
    f"This is a {NOTICE}: no model has read the response. The marks above are drawn from a hash "
    "of the prompt so that pages, charts and exports have something to show. Configure a real "
    "judge model to have the responses judged."
)
LOWEST, HIGHEST = 4, 9
FOUND_SHARE = 2 / 3
LONGEST_QUOTE = 120
# Characters of the judged text in which quotes are looked for.
LOOKED_AT = 20_000
# A schema that any object fits, for contracts to be drafted.
ANY_OBJECT = '{"type": "object", "additionalProperties": {}}'
EVIDENCE_NAMES = ("evidence", "quote", "quoted", "worst_offender")
SUMMARY_NAMES = ("assessment", "summary", "overall")
# The judged text as judgeweb's prompts delimit it; in any other prompt, all of it.
# A pair has two, and the reply's parts about them are named by their seats.
RESPONSE = re.compile(r"<<response(?:_([ab]))? (\w+)>>\n(.*?)\n<<end \w+ \2>>", re.DOTALL)
# A line that is worth quoting.
LINE = re.compile(r"^[^\S\n]*(\S[^\n]{14,}\S)[^\S\n]*$", re.MULTILINE)


class Fitting:
    """Values for one prompt. `user` is the text of the request's first user turn."""

    def __init__(self, user: str, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._random = Random(drawn_from(user))
        self._level = self._random.randint(LOWEST + 1, HIGHEST - 1)
        self._user = user
        self._seat = ""

    @cached_property
    def _judged(self) -> dict[str, str]:
        """The judged texts by seat; the only one of a solo prompt has none."""
        return {(match[1] or "").upper(): match[3] for match in RESPONSE.finditer(self._user)}

    def _lines(self) -> list[str]:
        judged = self._judged.get(self._seat)
        return quotable_lines(self._user if judged is None else judged)

    def verdict(self) -> Any:
        if claims.is_extraction(self._schema):
            return claims.extracted(self._lines() or [self._judged.get("", "").strip()], NOTICE)
        return self.value(self._schema, "")

    def value(self, schema: Mapping[str, Any], name: str) -> Any:
        if "$ref" in schema:
            key = schema["$ref"].rsplit("/", 1)[-1]
            return self.value(self._schema["$defs"][key], name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema["enum"])
        for union in ("anyOf", "allOf", "oneOf"):
            if union in schema:
                return self.value(schema[union][0], name)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = kind[0]
        return self._of_kind(kind, schema, name)

    def _of_kind(self, kind: str | None, schema: Mapping[str, Any], name: str) -> Any:
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return self._array(schema)
        if kind == "boolean":
            return self._random.random() < FOUND_SHARE
        if kind in ("integer", "number"):
            return self._mark()
        return self._text(name) if kind == "string" else None

    def _object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        parts = schema.get("properties", {}).items()
        value = {key: self._part(part, key) for key, part in parts}
        if claims.RULED in value:
            numbers = claims.numbers_by_seat(self._user).get(self._seat, [])
            claims.ruled(value, numbers, self._random, NOTICE)
        found = value.get("found", value.get("shown"))
        if found is False:
            value.update({key: "" for key in EVIDENCE_NAMES if isinstance(value.get(key), str)})
        return value

    def _part(self, schema: Mapping[str, Any], key: str) -> Any:
        """The value of a property. A contestant keeps its level in both orders, give or take."""
        if schema.get("type") != "object" or key not in self._judged:
            return self.value(schema, key)
        outer = (self._seat, self._level)
        self._seat = key
        self._level = Random(drawn_from(self._judged[key])).randint(LOWEST + 1, HIGHEST - 1)
        value = self.value(schema, key)
        self._seat, self._level = outer
        return value

    def _array(self, schema: Mapping[str, Any]) -> list[Any]:
        """One element per id where the elements have an enumerated `id`; else none to two."""
        items = schema.get("items") or {}
        if "$ref" in items:
            items = self._schema["$defs"][items["$ref"].rsplit("/", 1)[-1]]
        ids = items.get("properties", {}).get("id", {}).get("enum")
        if ids:
            return [{**self._object(items), "id": one} for one in ids]
        fewest = schema.get("minItems", 0)
        return [self.value(items, "") for _ in range(max(fewest, self._random.randint(0, 2)))]

    def _mark(self) -> int:
        return min(HIGHEST, max(LOWEST, self._level + self._random.randint(-1, 1)))

    def _choice(self, options: list[Any]) -> Any:
        marks = [o for o in options if isinstance(o, int) and not isinstance(o, bool)]
        if len(marks) == len(options):
            mark = self._mark()
            return mark if mark in marks else marks[len(marks) * 3 // 4]
        return self._random.choice(options)

    def _text(self, name: str) -> str:
        if name == "json_schema":
            return ANY_OBJECT
        if name in EVIDENCE_NAMES:
            lines = self._lines()
            return self._random.choice(lines)[:LONGEST_QUOTE] if lines else ""
        return ASSESSMENT if name in SUMMARY_NAMES else NOTICE


def drawn_from(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


@lru_cache(maxsize=8)
def quotable_lines(text: str) -> list[str]:
    return LINE.findall(text, 0, LOOKED_AT)


def schema_in(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The reply's schema: from output_config, from the one tool, or written in the system text
    after the last line that opens with a brace."""
    output_format = (body.get("output_config") or {}).get("format")
    if output_format:
        found: Mapping[str, Any] = output_format["schema"]
        return found
    if body.get("tools"):
        return body["tools"][0]["input_schema"]
    system = text_of(body.get("system"))
    at = system.rfind("\n{")
    if at < 0:
        return None
    try:
        written, _ = json.JSONDecoder().raw_decode(system, at + 1)
    except ValueError:
        return None
    return written if isinstance(written, dict) and "properties" in written else None


def text_of(content: Any) -> str:
    """The text of a content field: a string, or blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or () if isinstance(block, dict))
