"""What the API takes and gives. The wire format is a promise; the tables are not."""

from typing import Any

from ninja import Schema


class FaultOut(Schema):
    field: str
    value: Any = None
    expected: str


class ProblemOut(Schema):
    """An RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FaultOut]


PROBLEMS = frozenset({400, 401, 403, 404, 413, 422, 429, 500})


class RefusalOut(Schema):
    file: str
    place: str
    field: str
    reason: str


class RemarkOut(Schema):
    file: str
    place: str
    text: str


class ReceiptOut(Schema):
    """`accepted` counts new answers, `failed` those of them that are failed runs, `duplicate` what
    was stored before, `summaries` documents kept with an answer. Answers to `unlinked` scenarios
    are stored and wait for their scenario."""

    run_id: str
    accepted: int
    failed: int
    duplicate: int
    summaries: int
    refused: list[RefusalOut]
    warnings: list[RemarkOut]
    unlinked: list[str]
