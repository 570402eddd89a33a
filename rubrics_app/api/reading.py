"""Reading what is published, revision by revision."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query

from judgeweb.access.bearer import Bearer
from judgeweb.problem_schema import PROBLEMS, ProblemOut
from judgeweb.problems import Problem
from rubrics_app.api.routes import router
from rubrics_app.exporting import contracts_in_force_yaml
from rubrics_app.models import Revision, RevisionKind, Scenario
from rubrics_app.schemas import (
    RevisionOut,
    RevisionPage,
)
from rubrics_app.selectors import Listing, listed, revision_of

READ = Bearer("read")
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
