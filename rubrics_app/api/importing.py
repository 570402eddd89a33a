"""Importing rubrics, scenarios, gold standards and contracts."""

from typing import Any

from django.http import HttpRequest
from ninja import Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.judging.documents import GoldDocument, RubricDocument, load_document
from judgeweb.problem_schema import PROBLEMS, ProblemOut
from judgeweb.problems import Fault, Problem
from rubrics_app.api.routes import router
from rubrics_app.contracts import import_contracts
from rubrics_app.importing import FileReport, Importer
from rubrics_app.models import Draft, Revision
from rubrics_app.rubrics import save_rubric
from rubrics_app.scenarios import Change, save_gold
from rubrics_app.schemas import (
    ContractsOut,
    GoldIn,
    ImportOut,
    RubricIn,
    SavedOut,
)

AUTHOR = Bearer("author")
SCENARIO_BODY = {
    "required": True,
    "content": {
        "application/yaml": {"schema": {"type": "string"}},
        "application/json": {"schema": {"type": "object"}},
    },
}
CONTRACTS_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object"}},
        "application/yaml": {"schema": {"type": "string"}},
    },
}


@router.post(
    "/scenarios",
    auth=AUTHOR,
    response={200: ImportOut, 201: ImportOut, PROBLEMS: ProblemOut},
    operation_id="import_scenario",
    summary="Import a scenario",
    openapi_extra={"requestBody": SCENARIO_BODY},
)
def import_scenario(request: HttpRequest, publish: bool = True, dry_run: bool = False) -> Any:
    """One scenario file, YAML or JSON, as `manage.py import_scenarios` takes it. Sending it again
    changes nothing. Scope: author."""
    token = caller(request)
    if not request.body:
        raise Problem(422, "The body is empty: nothing was read.", kind="nothing-read")
    importer = Importer(token.user, actor_of(token), publish=publish, dry_run=dry_run)
    report = importer.take(request.body, source="body")
    if report.refusal:
        raise refused(report)
    is_new = report.change == Change.CREATED and not dry_run
    return Status(201 if is_new else 200, report.as_dict())


def refused(report: FileReport) -> Problem:
    assert report.refusal
    at = f"line {report.refusal.line}" if report.refusal.line else ""
    place = ", ".join(filter(None, (report.refusal.place, at))) or "body"
    return Problem(
        422,
        "The scenario was refused, and nothing of it was stored.",
        kind="scenario-refused",
        faults=[Fault(place, report.refusal.message)],
    )


@router.post(
    "/rubrics",
    auth=AUTHOR,
    response={200: SavedOut, 201: SavedOut, PROBLEMS: ProblemOut},
    operation_id="import_rubric",
    summary="Import a rubric",
)
def import_rubric(request: HttpRequest, rubric: RubricIn, publish: bool = True) -> Any:
    """Saved as a draft and published unless told otherwise. Sending it again changes nothing; an
    anchor set that is not known here is made from its bands. Scope: author."""
    token = caller(request)
    saved = save_rubric(
        load_document(RubricDocument, rubric.model_dump(exclude={"key"})),
        key=rubric.key,
        user=token.user,
        actor=actor_of(token),
        publish=publish,
    )
    return saved_out(saved.rubric, saved.revision, saved.change)


@router.post(
    "/gold-standards",
    auth=AUTHOR,
    response={200: SavedOut, 201: SavedOut, PROBLEMS: ProblemOut},
    operation_id="save_gold_standard",
    summary="Save the gold standard of a scenario",
)
def save_gold_standard(request: HttpRequest, gold: GoldIn, publish: bool = True) -> Any:
    """Saved as a draft and published unless told otherwise. Scope: author."""
    token = caller(request)
    saved = save_gold(
        load_document(GoldDocument, gold.dict()),
        user=token.user,
        actor=actor_of(token),
        publish=publish,
    )
    return saved_out(saved.gold, saved.revision, saved.change)


def saved_out(draft: Draft, revision: Revision | None, change: Change) -> Status[Any]:
    answer = {
        "key": draft.key,
        "change": change.value,
        "revision": revision.number if revision else None,
    }
    return Status(201 if change is Change.CREATED else 200, answer)


@router.post(
    "/contracts",
    auth=AUTHOR,
    response={200: ContractsOut, 201: ContractsOut, PROBLEMS: ProblemOut},
    operation_id="import_contracts",
    summary="Import contracts of captured calls",
    openapi_extra={"requestBody": CONTRACTS_BODY},
)
def take_contracts(request: HttpRequest, publish: bool = True, dry_run: bool = False) -> Any:
    """A contracts file as `manage.py import_contracts` takes it: JSON Schemas by call type, or a
    list of contract documents. Wholly or not at all; sending it again changes nothing. Scope:
    author."""
    token = caller(request)
    if not request.body:
        raise Problem(422, "The body is empty: nothing was read.", kind="nothing-read")
    report = import_contracts(
        request.body,
        source="body",
        user=token.user,
        actor=actor_of(token),
        publish=publish,
        dry_run=dry_run,
    )
    if report.refusals:
        raise Problem(
            422,
            "The contracts were refused, and none of them was stored.",
            kind="contracts-refused",
            faults=[Fault(note.place or "body", note.message) for note in report.refusals],
        )
    is_new = any(change == Change.CREATED for _, change, _ in report.saved) and not dry_run
    return Status(201 if is_new else 200, report.as_dict())
