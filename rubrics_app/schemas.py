"""What the API gives of rubrics and scenarios. Documents are the core's own: one validator."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from judgeweb.judging.documents import RubricDocument


class RevisionOut(Schema):
    """A published revision. `document` is what judging reads; lists leave it out."""

    key: str
    number: int
    name: str
    mode: str = ""
    category: str = ""
    sha256: str
    note: str
    published_at: datetime
    published_by: str | None
    document: dict[str, Any] | None = None


class RevisionPage(Schema):
    """`next` is the `after` of the following page, null on the last."""

    items: list[RevisionOut]
    next: str | None


class NoteOut(Schema):
    place: str
    line: int | None
    message: str


class ImportOut(Schema):
    """What became of an imported scenario. `revision` is null for a draft."""

    outcome: Literal["read", "warned"]
    scenario: str
    change: Literal["created", "changed", "unchanged"]
    revision: int | None
    gold_standard: str
    warnings: list[NoteOut]


class SavedOut(Schema):
    key: str
    change: Literal["created", "changed", "unchanged"]
    revision: int | None


class ContractsOut(Schema):
    """What became of imported contracts, each saved as a draft and published unless told
    otherwise."""

    outcome: Literal["read"]
    contracts: list[SavedOut]


class RubricIn(RubricDocument):
    """The document as `GET /rubrics/{key}` gives it, with its key beside. Weights in percent, or
    as shares that sum to 1. `bands` may be left out where the anchor set is published here."""

    key: str = Field(max_length=200)


class GoldIn(Schema):
    """An expert's answer to a scenario; `score` from 1 to 100, graded by a named person."""

    scenario: str
    response: str
    score: Decimal
    graded_by: str
    notes: str = ""
    show_score: bool = True
