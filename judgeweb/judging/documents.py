"""The documents that judging reads: rubric, anchor set, scenario, gold standard.

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
    criteria -> behaviours, neither -> solo; `family` overrides. `extras` keeps every other
    key of the file as canonical JSON text."""

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
