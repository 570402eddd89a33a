"""Verdicts of a run: the file of seed B, byte for byte as the command writes it; and verdicts made
elsewhere, imported."""

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Router

from judgeweb.access.bearer import Bearer
from judgeweb.problems import Problem
from verdicts_app.api.runs import UPLOAD_BODY, take_upload
from verdicts_app.api.schemas import PROBLEMS, WITHOUT_NUL, Dialect, ProblemOut, ReceiptOut
from verdicts_app.exports.calls import Export, NoCaptures, NoVerdicts, Wanted, export
from verdicts_app.exports.dialects import call_document
from verdicts_app.exports.seed import file_text
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload

router = Router(tags=["runs"])

FILE = {
    "responses": {
        200: {
            "description": "The verdict file",
            "content": {"application/json": {"schema": {}}},
        }
    }
}


@router.get(
    "/runs/{run_id}/verdicts",
    auth=Bearer("read"),
    response={PROBLEMS: ProblemOut},
    operation_id="get_call_verdicts",
    summary="Verdicts on captured calls",
    openapi_extra=FILE,
)
def get_call_verdicts(
    request: HttpRequest,
    run_id: str,
    call_type: str = Query(..., min_length=1, max_length=200, pattern=WITHOUT_NUL),
    dialect: Dialect = "seed",
    model: str = Query("", max_length=200, pattern=WITHOUT_NUL),
    rubric: str = Query("", max_length=220, pattern=WITHOUT_NUL, description="key or key@revision"),
    call_id: str = Query("", max_length=200, pattern=WITHOUT_NUL),
) -> HttpResponse:
    """One call type, one verdict a capture, in upload order, all of one epoch: that of the latest
    verdict unless `model` or `rubric` is named. Unjudged and undecidable captures are left out.
    `call_id` gives the file of one capture in the dialect `index`. Scope: read."""
    try:
        exported = export(Wanted(run_id, call_type, model=model, rubric=rubric))
    except NoCaptures as nothing:
        raise Http404(f"{nothing}.") from nothing
    except NoVerdicts as nothing:
        raise Problem(404, f"{nothing}.", kind="no-verdicts") from nothing
    text = of_capture(exported, call_id) if call_id else exported.text(dialect)
    return HttpResponse(text, content_type="application/json")


def of_capture(exported: Export, call_id: str) -> str:
    for verdict in exported.calls.verdicts:
        if verdict.call_id == call_id:
            return file_text(call_document(verdict))
    raise Http404(f"There is no verdict on call {call_id!r}.")


@router.post(
    "/runs/{run_id}/verdicts",
    auth=Bearer("upload"),
    response={200: ReceiptOut, PROBLEMS: ProblemOut},
    operation_id="import_verdicts",
    summary="Import verdicts made elsewhere",
    openapi_extra={"requestBody": UPLOAD_BODY},
)
def import_verdicts(
    request: HttpRequest,
    run_id: str,
    spec: str = "",
    scenario: str = "",
    judge: str = Query("", max_length=200, pattern=WITHOUT_NUL),
    opponent: str = Query("", max_length=200, pattern=WITHOUT_NUL),
    dry_run: bool = False,
) -> Receipt:
    """As `/responses`, but envelopes and plain texts are a judge's words, too; there they are
    answers, in which no verdict is ever looked for. `judge` is for documents and rows that name no
    judge, `opponent` for preferences that name one candidate alone. Scope: upload."""
    how = Upload(spec=spec, scenario=scenario, judge=judge, opponent=opponent, is_verdict=True)
    return take_upload(request, run_id, how, dry_run=dry_run)
