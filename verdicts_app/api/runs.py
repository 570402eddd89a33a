"""Runs: answers in, judging asked for."""

from django.http import HttpRequest
from ninja import Router

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.problems import Fault, Problem
from verdicts_app.api.bodies import read_upload
from verdicts_app.api.schemas import PROBLEMS, ProblemOut, ReceiptOut
from verdicts_app.intake import responses
from verdicts_app.intake.receipts import Receipt

router = Router(tags=["runs"])

UPLOAD_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {}},
        "application/x-ndjson": {"schema": {"type": "string"}},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {
                    "files": {"type": "array", "items": {"type": "string", "format": "binary"}}
                },
            }
        },
    },
}


@router.post(
    "/runs/{run_id}/responses",
    auth=Bearer("upload"),
    response={200: ReceiptOut, PROBLEMS: ProblemOut},
    operation_id="upload_responses",
    summary="Upload answers",
    openapi_extra={"requestBody": UPLOAD_BODY},
)
def upload_responses(
    request: HttpRequest, run_id: str, spec: str = "", scenario: str = ""
) -> Receipt:
    """Run results: one JSON document, an array of them, NDJSON, or several files of a form; plain
    or gzip, with or without Content-Length. Sending twice changes nothing.

    `spec` and `scenario` are for documents that name none. Scope: upload."""
    upload = read_upload(request)
    token = caller(request)
    receipt = responses.take_in(
        run_id=run_id,
        files=upload.files,
        spec=spec or upload.form.get("spec", ""),
        scenario=scenario or upload.form.get("scenario", ""),
        user=token.user,
        actor=actor_of(token),
    )
    if not receipt.taken:
        raise nothing_taken(receipt)
    return receipt


def nothing_taken(receipt: Receipt) -> Problem:
    return Problem(
        422,
        f"None of the {len(receipt.refused)} documents could be taken.",
        kind="nothing-taken",
        faults=[
            Fault(" ".join(filter(None, (r.file, r.place, r.field))), r.reason)
            for r in receipt.refused
        ],
    )
