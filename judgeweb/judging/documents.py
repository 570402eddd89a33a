"""The documents that judging reads: rubric, anchor set, scenario, gold standard, contract.

One validator for form, API, importer and stored revision alike. Documents are immutable;
`canonical_json` is the text that is stored and hashed.
"""

import hashlib
import json
import re
from decimal import Decimal
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.strict_json import NotJson, parse


class Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)


class Band(Document):
    """One band of a behavioural anchor: what a mark from `low` to `high` looks like."""

    low: int = Field(ge=1, le=10)
    high: int = Field(ge=1, le=10)
    text: str


class AnchorSetDocument(Document):
    name: str
    source: str = ""
    bands: tuple[Band, ...]


class MarkSpec(Document):
    """One 1-10 mark that the judge gives. `key` is its name in the reply."""

    key: str
    label: str
    criteria: str = ""


class Dimension(Document):
    """A weighted part of the total. Without `marks` it is computed (detection, execution).

    `weight` is a percentage; a rubric's weights sum to 100. `anchors` names the anchor set whose
    bands are embedded in `bands`.
    """

    key: str
    label: str
    weight: Decimal
    criteria: str = ""
    anchors: str = ""
    bands: tuple[Band, ...] = ()
    marks: tuple[MarkSpec, ...] = ()


class RubricDocument(Document):
    """`mode` is a key of the mode registry. `whole_numbers` forbids decimal marks."""

    name: str
    mode: str
    description: str = ""
    whole_numbers: bool = False
    dimensions: tuple[Dimension, ...]


class CodeFile(Document):
    role: Literal["code", "tests", "stub"] = "code"
    language: str = ""
    filename: str = ""
    content: str


class ChecklistItem(Document):
    """`category` is the severity (critical, high, medium, low) or any other list name.

    `details` holds what else the file says of the item (location, impact, ...), in file order.
    """

    id: str
    category: str
    description: str
    details: tuple[tuple[str, str], ...] = ()


class ScenarioDocument(Document):
    """A task. `challenge` is its prompt. Lists decide the mode: issues -> checklist,
    criteria -> behaviours, neither -> solo; `family` overrides and may name a mode of patches.
    `extras` keeps every other key of the file as canonical JSON text."""

    name: str
    title: str = ""
    category: str = ""
    difficulty: str = ""
    version: str = ""
    family: str = ""
    challenge: str
    context: str = ""
    files: tuple[CodeFile, ...] = ()
    baseline_issues: tuple[ChecklistItem, ...] = ()
    baseline_criteria: tuple[ChecklistItem, ...] = ()
    bonus_issues: tuple[ChecklistItem, ...] = ()
    bonus_criteria: tuple[ChecklistItem, ...] = ()
    extras: str = ""


# "AI", "auto-graded", "claude_4", but neither "Aino" nor "Claudette".
_NO_PERSON = re.compile(r"(?<![^\W\d_])(ai|auto|claude|agent)(?![^\W\d_])", re.IGNORECASE)


class GoldDocument(Document):
    """An expert's answer and score. `show_score` False keeps the number out of prompts."""

    scenario: str
    response: str
    score: Decimal = Field(ge=1, le=100)
    graded_by: str
    notes: str = ""
    show_score: bool = True

    @field_validator("graded_by")
    @classmethod
    def _is_a_person(cls, name: str) -> str:
        if not name.strip():
            raise PydanticCustomError("no_person", "must name the person who graded")
        if found := _NO_PERSON.search(name):
            raise PydanticCustomError(
                "no_person", "must name a person; '{word}' is none", {"word": found[0]}
            )
        return name


_SHA256 = re.compile(r"[0-9a-f]{64}")


class ContractDocument(Document):
    """What `schema_ok` means for the responses of a call type.

    `json_schema` is the text of a JSON Schema (an object is taken too), kept in its author's key
    order. `system_prompt_sha256` limits the contract to one system prompt; empty: to none.
    `strict`: top-level fields that the schema does not declare fail. Whether the schema is one is
    said by `contracts.publishable_contract`.
    """

    call_type: str
    system_prompt_sha256: str = ""
    json_schema: str
    strict: bool = True
    source: str = ""
    notes: str = ""

    @field_validator("call_type")
    @classmethod
    def _is_named(cls, call_type: str) -> str:
        if not call_type.strip():
            raise PydanticCustomError("no_call_type", "must name a call type")
        return call_type

    @field_validator("system_prompt_sha256")
    @classmethod
    def _is_a_hash(cls, value: str) -> str:
        if value and not _SHA256.fullmatch(value):
            raise PydanticCustomError("no_hash", "must be 64 hex digits in lower case, or empty")
        return value

    @field_validator("json_schema", mode="before")
    @classmethod
    def _is_an_object(cls, value: Any) -> str:
        try:
            schema = parse(value if isinstance(value, str) else json.dumps(value))
        except (NotJson, TypeError, ValueError, RecursionError) as error:
            raise PydanticCustomError(
                "no_json", "is not JSON: {why}", {"why": str(error)}
            ) from error
        if not isinstance(schema, dict):
            raise PydanticCustomError("no_object", "must be a JSON object")
        return json.dumps(schema, ensure_ascii=True, separators=(",", ":"))


D = TypeVar("D", bound=Document)


def canonical_json(document: Document) -> str:
    """The one text of a document: sorted keys, ASCII, no spaces. Equal documents, equal text."""
    return json.dumps(
        document.model_dump(mode="json"), sort_keys=True, ensure_ascii=True, separators=(",", ":")
    )


def digest(text: str) -> str:
    """SHA-256 of a canonical text, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def load_document(kind: type[D], value: Any) -> D:
    """Validate `value` (a mapping or JSON text). Raise DocumentInvalid with every problem named."""
    try:
        if isinstance(value, str):
            return kind.model_validate_json(value)
        return kind.model_validate(value)
    except ValidationError as error:
        problems, values = [], {}
        for fault in error.errors():
            place = ".".join(map(str, fault["loc"])) or "document"
            problems.append((place, fault["msg"]))
            if fault["type"] != "missing":
                values[place] = fault["input"]
        raise DocumentInvalid(problems, values) from error
