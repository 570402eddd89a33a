"""Routes of what is judged against: read revisions, import rubrics, scenarios, gold standards."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Status

from judgeweb.access.bearer import Bearer, caller
from judgeweb.access.tokens import actor_of
from judgeweb.judging.documents import GoldDocument, RubricDocument, load_document
from judgeweb.problem_schema import PROBLEMS, ProblemOut
from judgeweb.problems import Fault, Problem
from rubrics_app.contracts import import_contracts
from rubrics_app.exporting import contracts_in_force_yaml
from rubrics_app.importing import FileReport, Importer
from rubrics_app.models import Draft, Revision, RevisionKind, Scenario
from rubrics_app.rubrics import save_rubric
from rubrics_app.scenarios import Change, save_gold
from rubrics_app.schemas import (
    ContractsOut,
    GoldIn,
    ImportOut,
    RevisionOut,
    RevisionPage,
    RubricIn,
    SavedOut,
)
from rubrics_app.selectors import Listing, listed, revision_of

router = Router(tags=["rubrics and scenarios"])
READ = Bearer("read")
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
CONTRACTS_FILE = {
    "responses": {
        200: {
            "description": "The contracts file",
            "content": {
                "application/yaml": {
                    "schema": {
                        "type": "object",
                        "properties": {"contracts": {"type": "array", "items": {}}},
                        "required": ["contracts"],
                    }
                }
            },
        }
    }
}
WITHOUT_NUL = r"^[^\x00]*$"
Limit = Query(50, ge=1, le=200)


# --- reading ----------------------------------------------------------------------------------


@router.get(
    "/rubrics",
    auth=READ,
    response={200: RevisionPage, PROBLEMS: ProblemOut},
    operation_id="list_rubrics",
    summary="Newest revisions of the rubrics",
)
def list_rubrics(request: HttpRequest, after: str = "", limit: int = Limit) -> Any:
    """By key. Scope: read."""
    return page(listed(RevisionKind.RUBRIC, after=after, limit=limit))


@router.get(
    "/rubrics/{key}",
    auth=READ,
    response={200: RevisionOut, PROBLEMS: ProblemOut},
    operation_id="get_rubric",
    summary="A rubric",
)
def get_rubric(request: HttpRequest, key: str, revision: int | None = None) -> Any:
    """The newest revision, or the one asked for, with its document. Scope: read."""
    return whole(RevisionKind.RUBRIC, key, revision)


@router.get(
    "/scenarios",
    auth=READ,
    response={200: RevisionPage, PROBLEMS: ProblemOut},
    operation_id="list_scenarios",
    summary="Newest revisions of the scenarios",
)
def list_scenarios(
    request: HttpRequest,
    after: str = "",
    limit: int = Limit,
    category: str = "",
    inline: bool = False,
) -> Any:
    """By key, without the archived. `inline` adds the tasks that came with a judgement request.
    Scope: read."""
    drafts = Scenario.objects.filter(is_archived=False)
    if category:
        drafts = drafts.filter(category=category)
    if not inline:
        drafts = drafts.filter(is_inline=False)
    return page(listed(RevisionKind.SCENARIO, drafts, after=after, limit=limit))


@router.get(
    "/scenarios/{key}",
    auth=READ,
    response={200: RevisionOut, PROBLEMS: ProblemOut},
    operation_id="get_scenario",
    summary="A scenario",
)
def get_scenario(request: HttpRequest, key: str, revision: int | None = None) -> Any:
    """The newest revision, or the one asked for, with its document. Scope: read."""
    return whole(RevisionKind.SCENARIO, key, revision)


@router.get(
    "/gold-standards",
    auth=READ,
    response={200: RevisionPage, PROBLEMS: ProblemOut},
    operation_id="list_gold_standards",
    summary="Newest revisions of the gold standards",
)
def list_gold_standards(request: HttpRequest, after: str = "", limit: int = Limit) -> Any:
    """By scenario. Scope: read."""
    return page(listed(RevisionKind.GOLD, after=after, limit=limit))


@router.get(
    "/gold-standards/{scenario}",
    auth=READ,
    response={200: RevisionOut, PROBLEMS: ProblemOut},
    operation_id="get_gold_standard",
    summary="The gold standard of a scenario",
)
def get_gold_standard(request: HttpRequest, scenario: str, revision: int | None = None) -> Any:
    """The newest revision, or the one asked for, with its document. Scope: read."""
    return whole(RevisionKind.GOLD, scenario, revision)


@router.get(
    "/contracts",
    auth=READ,
    response={200: RevisionPage, PROBLEMS: ProblemOut},
    operation_id="list_contracts",
    summary="Newest revisions of the contracts of captured calls",
)
def list_contracts(request: HttpRequest, after: str = "", limit: int = Limit) -> Any:
    """By key: the call type, with `@` and digits of its hash where the contract is for one system
    prompt. Scope: read."""
    return page(listed(RevisionKind.CONTRACT, after=after, limit=limit))


@router.get(
    "/contracts.yaml",
    auth=READ,
    response={PROBLEMS: ProblemOut},
    operation_id="export_contracts",
    summary="The contracts in force as one YAML file",
    openapi_extra=CONTRACTS_FILE,
)
def export_contracts(
    request: HttpRequest, call_type: str = Query("", max_length=200, pattern=WITHOUT_NUL)
) -> HttpResponse:
    """What judging reads, of all call types or of one; archived contracts are left out. Importing
    the file elsewhere gives the same contracts. Scope: read."""
    return HttpResponse(contracts_in_force_yaml(call_type), content_type="application/yaml")


@router.get(
    "/contracts/{path:key}",
    auth=READ,
    response={200: RevisionOut, PROBLEMS: ProblemOut},
    operation_id="get_contract",
    summary="A contract",
)
def get_contract(request: HttpRequest, key: str, revision: int | None = None) -> Any:
    """The newest revision, or the one asked for, with its document. Scope: read."""
    return whole(RevisionKind.CONTRACT, key, revision)


def page(listing: Listing) -> dict[str, Any]:
    return {"items": [outline(revision) for revision in listing.items], "next": listing.next}


def outline(revision: Revision) -> dict[str, Any]:
    document = json.loads(revision.document)
    return {
        "key": revision.key,
        "number": revision.number,
        "name": document.get("title") or document.get("name") or revision.key,
        "mode": document.get("mode", ""),
        "category": document.get("category", ""),
        "sha256": revision.sha256,
        "note": revision.note,
        "published_at": revision.published_at,
        "published_by": revision.published_by.get_username() if revision.published_by else None,
    }


def whole(kind: RevisionKind, key: str, number: int | None) -> dict[str, Any]:
    revision = revision_of(kind, key, number)
    if revision is None:
        wanted = key if number is None else f"{key}, revision {number}"
        raise Problem(404, f"There is no {kind.label.lower()} {wanted}.")
    return {**outline(revision), "document": json.loads(revision.document)}


# --- importing --------------------------------------------------------------------------------


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
