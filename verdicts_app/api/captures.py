"""Captured model calls, taken in off a stream of any length."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, UnreadablePostError
from ninja import Router, Schema

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.problems import Fault, Problem
from verdicts_app.api.bodies import MULTIPART, ends_by_itself, is_gzipped
from verdicts_app.api.schemas import PROBLEMS, ProblemOut
from verdicts_app.intake import captures
from verdicts_app.intake.captures import CallsReceipt, Interrupted

router = Router(tags=["runs"])

CHUNK = 256 * 1024
FAULTS_NAMED = 100
STREAM_BODY = {
    "required": True,
    "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
}


class LineRefusalOut(Schema):
    """`field` is empty where no one field is at fault."""

    line: int
    field: str
    reason: str


class CallsReceiptOut(Schema):
    """`lines` counts all but blank ones: accepted, duplicate and refused. `refused` lists the first
    thousand refusals of `refused_total`; `call_types` counts what was accepted."""

    run_id: str
    lines: int
    accepted: int
    duplicate: int
    refused_total: int
    refused: list[LineRefusalOut]
    call_types: dict[str, int]
    interrupted: str


@router.post(
    "/runs/{run_id}/calls",
    auth=Bearer("upload"),
    response={200: CallsReceiptOut, PROBLEMS: ProblemOut},
    operation_id="upload_calls",
    summary="Upload captured model calls",
    openapi_extra={"requestBody": STREAM_BODY},
)
def upload_calls(request: HttpRequest, run_id: str) -> CallsReceipt:
    """NDJSON of any length, plain or gzip, with or without Content-Length. It is stored in batches
    while it comes in; the answer is sent when all of it is stored. Bad lines are refused by number,
    the rest stands. Sending twice, or the rest of what broke off, changes nothing that is stored.
    Scope: upload."""
    if (request.content_type or "").lower() == MULTIPART:
        raise Problem(
            415,
            "Send the lines as the body itself, not as a form.",
            faults=[Fault("Content-Type", "application/x-ndjson", request.content_type)],
        )
    token = caller(request)
    receipt = captures.take_in(
        run_id=run_id,
        chunks=body_chunks(request),
        is_gzip=is_gzipped(request),
        user=token.user,
        actor=actor_of(token),
    )
    if problem := problem_of(receipt):
        raise problem
    return receipt


def problem_of(receipt: CallsReceipt) -> Problem | None:
    """What keeps a receipt from being a success; the receipt goes along."""
    faults = [
        Fault(f"line {refusal.line} {refusal.field}".rstrip(), refusal.reason)
        for refusal in receipt.refused[:FAULTS_NAMED]
    ]
    more: dict[str, Any] = {
        "receipt": CallsReceiptOut.from_orm(receipt).model_dump(exclude={"refused"})
    }
    if receipt.interrupted:
        return Problem(
            400,
            f"The upload broke off: {receipt.interrupted}. What the receipt counts is stored; "
            "send the whole again, nothing is stored twice.",
            kind="interrupted",
            faults=faults,
            more=more,
        )
    if not receipt.lines:
        return Problem(422, "The body holds no line: nothing was read.", kind="nothing-read")
    if not receipt.taken:
        detail = f"None of the {receipt.refused_total} lines could be taken."
        return Problem(422, detail, kind="nothing-taken", faults=faults, more=more)
    return None


def body_chunks(request: HttpRequest) -> Iterator[bytes]:
    """The body as it comes in, past the limit for whole bodies: nobody keeps it."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    read = request.META["wsgi.input"].read if ends_by_itself(request) else request.read
    taken = 0
    try:
        while chunk := read(CHUNK):
            taken += len(chunk)
            yield chunk
    except (OSError, UnreadablePostError) as error:
        raise Interrupted(f"the connection was lost after {taken} bytes") from error
    if announced.isdigit() and taken < int(announced):
        raise Interrupted(f"it ended after {taken} of {announced} bytes")
