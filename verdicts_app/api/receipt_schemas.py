"""What the API says of an upload."""

from typing import Literal

from ninja import Schema


class RefusalOut(Schema):
    file: str
    place: str
    field: str
    reason: str


class RemarkOut(Schema):
    file: str
    place: str
    text: str


class FileOut(Schema):
    """What came of one file. `outcome`: read, warned (taken, with something to know) or refused."""

    file: str
    outcome: Literal["read", "warned", "refused"]
    accepted: int
    duplicate: int
    summaries: int
    verdicts: int
    rows: int
    personas: int
    refused: int


class ReceiptOut(Schema):
    """`accepted` counts new answers, `failed` those of them that are failed runs, `duplicate` what
    was stored before, `summaries` documents kept with an answer, `verdicts` new ones made
    elsewhere, `personas` agents of themes. Answers to `unlinked` scenarios are stored and wait for
    their scenario. Of a `dry_run` nothing is stored."""

    run_id: str
    accepted: int
    failed: int
    duplicate: int
    summaries: int
    verdicts: int
    personas: int
    dry_run: bool
    files: list[FileOut]
    refused: list[RefusalOut]
    warnings: list[RemarkOut]
    unlinked: list[str]
