"""JSON Schemas of contracts: which may be published, and their compiled form.

Drafts 4, 6, 7, 2019-09 and 2020-12 (the default). References stay inside the schema: nothing is
ever fetched. Patterns must do without look-around and back-references, so that matching is linear
in the text whoever wrote either. Formats are asserted in every draft, unknown ones ignored: an
author who writes one means it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.strict_json import parse
from judgeweb.judging.text import one_line, shown

LONGEST_SCHEMA = 500_000
MOST_REFERENCES = 1000  # chains of references to references multiply what has to be compiled
VALUE = "the value"
_DEFAULT_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS = (
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    _DEFAULT_DRAFT,
)
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")
# Keywords whose value is data, or a map of schemas by names that are no keywords.
_DATA = {"const", "default", "enum", "example", "examples", "required"}
_MAPS = {
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
}
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_IN_PLACE_SINGLE = ("if", "then", "else")
_IN_PLACE_MAPS = ("dependencies", "dependentSchemas")

Problem = tuple[str, str]
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class CompiledSchema:
    """A schema ready for many responses. `names` are the declared top-level fields, `patterns`
    accepts further ones; where `is_open`, every field is declared."""

    validator: jsonschema_rs.Validator
    names: frozenset[str]
    patterns: jsonschema_rs.Validator
    has_patterns: bool
    is_open: bool

    @property
    def declares_any(self) -> bool:
        return self.is_open or self.has_patterns or bool(self.names)

    def declares(self, field: str) -> bool:
        return self.is_open or field in self.names or self.patterns.is_valid(field)


def publishable_contract(contract: ContractDocument) -> ContractDocument:
    """The contract, if it may be published. Raise DocumentInvalid with every problem's place."""
    schema: dict[str, Any] = parse(contract.json_schema)
    if len(contract.json_schema) > LONGEST_SCHEMA:
        problems = [("json_schema", f"is longer than {LONGEST_SCHEMA} characters")]
    else:
        problems = [*_draft_problems(schema), *_surrogate_problems(schema)] or [
            *_meta_problems(schema),
            *_reference_problems(schema),
        ]
    if not problems:
        try:
            compiled(contract.json_schema)
        except DocumentInvalid as error:
            problems = error.problems
    if problems:
        raise DocumentInvalid(problems)
    return contract


@lru_cache(maxsize=256)
def compiled(json_schema: str) -> CompiledSchema:
    """The schema, ready for many responses. Raise DocumentInvalid where it cannot be compiled."""
    schema: dict[str, Any] = parse(json_schema)
    if problems := _surrogate_problems(schema):
        raise DocumentInvalid(problems)
    try:
        return _compiled(schema)
    except jsonschema_rs.ValidationError as error:
        raise DocumentInvalid([_problem(error)]) from error


def place_of(path: list[str | int]) -> str:
    """A path inside a schema, as other documents write theirs: dots between the steps."""
    return ".".join(map(str, path))


# --- may it be published ------------------------------------------------------------------------


def _draft_problems(schema: Schema) -> list[Problem]:
    draft = schema.get("$schema", _DEFAULT_DRAFT)
    if isinstance(draft, str) and draft.removesuffix("#") in _DRAFTS:
        return []
    return [
        ("json_schema.$schema", f"{shown(draft)} is no known draft; known are {', '.join(_DRAFTS)}")
    ]


def _surrogate_problems(schema: Schema) -> list[Problem]:
    """The validator takes no lone surrogates, and none is left in a response that it is given."""
    try:
        json.dumps(schema, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        return [("json_schema", f"holds half a character, {half}, which fits no response")]
    return []


def _meta_problems(schema: Schema) -> list[Problem]:
    """What the draft's own schema says of this one, place by place."""
    draft = str(schema.get("$schema", _DEFAULT_DRAFT)).removesuffix("#")
    return [_problem(error) for error in _meta_validator(draft).iter_errors(dict(schema))]


@lru_cache(maxsize=len(_DRAFTS))
def _meta_validator(draft: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        {"$schema": draft, "allOf": [{"$ref": draft}]},
        validate_formats=True,
        offline=True,
        mask=VALUE,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _problem(error: jsonschema_rs.ValidationError) -> Problem:
    return place_of(["json_schema", *error.instance_path]), _message(error)


def _message(error: jsonschema_rs.ValidationError) -> str:
    if error.kind.name == "format" and error.kind.as_dict().get("format") == "regex":
        return (
            f"{shown(error.instance)} is no regular expression that is matched in linear time "
            "(look-around and back-references are not)"
        )
    return f"{shown(error.instance)}: {one_line(error.message[:300])}"


def _reference_problems(schema: Schema) -> Iterator[Problem]:
    references = 0
    for path, part in _parts(schema, ["json_schema"]):
        if len(path) > 1 and isinstance(part.get("$id"), str):
            yield place_of([*path, "$id"]), "only the whole schema may have an $id"
        for keyword in _REFERENCES:
            reference = part.get(keyword)
            if not isinstance(reference, str):
                continue
            references += 1
            if not reference.startswith("#"):
                problem = "points outside the schema; nothing is fetched"
            elif referenced(schema, reference) is None:
                problem = "points at nothing in the schema"
            else:
                continue
            yield place_of([*path, keyword]), f"{shown(reference)} {problem}"
    if references > MOST_REFERENCES:
        yield "json_schema", f"has {references} references, more than {MOST_REFERENCES}"


def _parts(schema: Any, path: list[str | int]) -> Iterator[tuple[list[str | int], Schema]]:
    """Every subschema with its path, the schema itself first."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword, value in schema.items():
        if keyword in _DATA:
            continue
        if isinstance(value, list) or (keyword in _MAPS and isinstance(value, dict)):
            for name, part in value.items() if isinstance(value, dict) else enumerate(value):
                yield from _parts(part, [*path, keyword, name])
        else:
            yield from _parts(value, [*path, keyword])


def referenced(schema: Schema, reference: str) -> Any:
    """What a reference inside the schema points at; None for nothing."""
    fragment = unquote(reference.removeprefix("#"))
    if fragment and not fragment.startswith("/"):
        anchored = (
            part
            for _, part in _parts(schema, [])
            if fragment in (part.get(anchor) for anchor in _ANCHORS)
        )
        return next(anchored, None)
    found: Any = schema
    for step in fragment.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found


# --- compiled -----------------------------------------------------------------------------------


def _validator(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema,
        validate_formats=True,
        offline=True,
        mask=VALUE,
        pattern_options=jsonschema_rs.RegexOptions(),
    )


def _compiled(schema: dict[str, Any]) -> CompiledSchema:
    names, patterns, is_open = set[str](), set[str](), False
    for part in _in_place(schema):
        names |= part.get("properties", {}).keys()
        patterns |= part.get("patternProperties", {}).keys()
        # A schema says what all other fields hold, as for a map; `true` says no more than nothing.
        is_open = is_open or any(
            isinstance(part.get(keyword), dict)
            for keyword in ("additionalProperties", "unevaluatedProperties")
        )
    return CompiledSchema(
        _validator(schema),
        frozenset(names),
        _validator({"anyOf": [{"pattern": one} for one in sorted(patterns)] or [False]}),
        bool(patterns),
        is_open,
    )


def _in_place(schema: Schema) -> Iterator[Schema]:
    """The schema and those inside it that speak of the same value, each once."""
    waiting: list[Any] = [schema]
    seen = set[int]()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        for keyword in _IN_PLACE:
            waiting += part.get(keyword, [])
        waiting += [part.get(keyword) for keyword in _IN_PLACE_SINGLE]
        for keyword in _IN_PLACE_MAPS:
            waiting += part.get(keyword, {}).values()
        waiting += [referenced(schema, part[keyword]) for keyword in _REFERENCES if keyword in part]
