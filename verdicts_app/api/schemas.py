"""What the API takes and gives. The wire format is a promise; the tables are not."""

from ninja import Schema

from judgeweb.problem_schema import PROBLEMS as PROBLEMS
from judgeweb.problem_schema import ProblemOut as ProblemOut


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
