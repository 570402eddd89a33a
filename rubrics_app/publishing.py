"""From draft to immutable revision: the only way, for people, importers and commands alike."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Literal, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.documents import (
    AnchorSetDocument,
    Band,
    ChecklistItem,
    CodeFile,
    ContractDocument,
    Dimension,
    Document,
    GoldDocument,
    MarkSpec,
    RubricDocument,
    ScenarioDocument,
    canonical_json,
    digest,
    load_document,
)
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.rubric_rules import with_percent_weights
from rubrics_app.lint import errors_of, lint
from rubrics_app.models import (
    AnchorSet,
    Contract,
    Draft,
    GoldStandard,
    Revision,
    RevisionKind,
    Rubric,
    Scenario,
)
from rubrics_app.models.details import details_of
from rubrics_app.selectors import (
    DraftState,
    anchor_set_document,
    document_in,
    newest_revision,
    newest_revisions,
    rubric_document,
    rubrics_using,
)

AnyDraft = TypeVar("AnyDraft", bound=Draft)


# --- the document of a draft ------------------------------------------------------------------


def plain(number: Decimal) -> Decimal:
    """The number without the zeros that its column adds: equal drafts give equal texts."""
    return Decimal(f"{number.normalize():f}")


def _anchor_set(draft: AnchorSet) -> dict[str, Any]:
    return {
        "name": draft.key,
        "source": draft.source,
        "bands": tuple(Band(low=b.low, high=b.high, text=b.text) for b in draft.bands.all()),
    }


def published_bands(anchor_set: AnchorSet | None) -> tuple[Band, ...]:
    """A rubric embeds what was published: unfinished edits of an anchor set stay with it."""
    if anchor_set is None:
        return ()
    revision = newest_revision(RevisionKind.ANCHOR_SET, anchor_set.key)
    return anchor_set_document(revision).bands if revision else ()


def _rubric(draft: Rubric) -> dict[str, Any]:
    dimensions = draft.dimensions.select_related("anchor_set").prefetch_related("marks")
    return {
        "name": draft.name,
        "mode": draft.mode,
        "description": draft.description,
        "whole_numbers": draft.whole_numbers,
        "dimensions": tuple(
            Dimension(
                key=d.key,
                label=d.label,
                weight=d.weight,
                criteria=d.criteria,
                anchors=d.anchor_set.key if d.anchor_set else "",
                bands=published_bands(d.anchor_set),
                marks=tuple(
                    MarkSpec(key=m.key, label=m.label, criteria=m.criteria) for m in d.marks.all()
                ),
            )
            for d in dimensions
        ),
    }


_ROLES: dict[str, Literal["code", "tests", "stub"]] = {
    "code": "code",
    "tests": "tests",
    "stub": "stub",
}


def _scenario(draft: Scenario) -> dict[str, Any]:
    lists: dict[str, list[ChecklistItem]] = {}
    for item in draft.items.all():
        lists.setdefault(item.list_name, []).append(
            ChecklistItem(
                id=item.item_id,
                category=item.category,
                description=item.description,
                details=details_of(item.details),
            )
        )
    return {
        "name": draft.key,
        "title": draft.title,
        "category": draft.category,
        "difficulty": draft.difficulty,
        "version": draft.version_label,
        "family": draft.family,
        "challenge": draft.challenge,
        "context": draft.context,
        "files": tuple(
            CodeFile(
                role=_ROLES[f.role],
                language=f.language,
                filename=f.filename,
                content=f.content,
            )
            for f in draft.files.all()
        ),
        "extras": draft.extras,
        **lists,
    }


def _gold(draft: GoldStandard) -> dict[str, Any]:
    return {
        "scenario": draft.scenario.key,
        "response": draft.response,
        "score": plain(draft.score),
        "graded_by": draft.graded_by,
        "notes": draft.notes,
        "show_score": draft.show_score,
    }


def _contract(draft: Contract) -> dict[str, Any]:
    return {
        "call_type": draft.call_type,
        "system_prompt_sha256": draft.system_prompt_sha256,
        "json_schema": draft.json_schema,
        "strict": draft.strict,
        "source": draft.source,
        "notes": draft.notes,
    }


_SNAPSHOTS: dict[type[Draft], tuple[type[Document], Callable[[Any], dict[str, Any]]]] = {
    AnchorSet: (AnchorSetDocument, _anchor_set),
    Rubric: (RubricDocument, _rubric),
    Scenario: (ScenarioDocument, _scenario),
    GoldStandard: (GoldDocument, _gold),
    Contract: (ContractDocument, _contract),
}


def document_of(draft: Draft) -> Document:
    """The document that publishing would freeze. Raise DocumentInvalid where there is none."""
    kind, values_of = _SNAPSHOTS[type(draft)]
    document = load_document(kind, values_of(draft))
    return _in_percent(document) if isinstance(document, RubricDocument) else document


def _in_percent(rubric: RubricDocument) -> RubricDocument:
    percent = with_percent_weights(rubric)
    dimensions = tuple(d.model_copy(update={"weight": plain(d.weight)}) for d in percent.dimensions)
    return percent.model_copy(update={"dimensions": dimensions})


def states_of(drafts: Iterable[AnyDraft]) -> dict[AnyDraft, DraftState]:
    """The states of drafts of one kind."""
    drafts = list(drafts)
    if not drafts:
        return {}
    keys = [draft.key for draft in drafts]
    newest = {r.key: r for r in newest_revisions(drafts[0].kind).filter(key__in=keys)}
    return {draft: _state(draft, newest.get(draft.key)) for draft in drafts}


def state_of(draft: Draft) -> DraftState:
    """Whether the draft is published as it stands."""
    return _state(draft, newest_revision(draft.kind, draft.key))


def _state(draft: Draft, newest: Revision | None) -> DraftState:
    if newest is None:
        return DraftState(newest=None, differs=True)
    try:
        return DraftState(newest=newest, differs=document_of(draft) != document_in(newest))
    except DocumentInvalid:
        return DraftState(newest=newest, differs=True)


# --- writing ----------------------------------------------------------------------------------


def locked(draft: AnyDraft) -> AnyDraft:
    """The draft as stored now, held until the transaction ends."""
    return type(draft)._default_manager.select_for_update().get(pk=draft.pk)


def raise_version(draft: Draft, *, user: User | None) -> None:
    """Say that some part of the draft was saved, so that a form opened before conflicts."""
    type(draft)._default_manager.filter(pk=draft.pk).update(
        version=F("version") + 1, updated_at=timezone.now(), updated_by=user
    )
    draft.refresh_from_db(fields=["version", "updated_at", "updated_by"])


@transaction.atomic
def publish(draft: Draft, *, user: User | None, note: str = "", actor: str) -> Revision:
    """Freeze the stored draft. An unchanged one gives its newest revision and no new number.

    Raise DocumentInvalid with every error that the linter finds. Publishing an anchor set gives
    every rubric that embeds it a new revision with the new bands, and nothing else of its draft.
    """
    draft = locked(draft)
    document = document_of(draft)
    if errors := errors_of(lint(document)):
        raise DocumentInvalid([(problem.place, problem.message) for problem in errors])
    newest = newest_revision(draft.kind, draft.key)
    if newest is not None and document_in(newest) == document:
        return newest
    revision = _append(draft.kind, draft.key, document, user=user, note=note, actor=actor)
    if isinstance(document, AnchorSetDocument):
        for rubric in rubrics_using(draft.key):
            _append(
                RevisionKind.RUBRIC,
                rubric.key,
                _with_bands(rubric_document(rubric), draft.key, document.bands),
                user=user,
                note=note or f"with {draft.key}, revision {revision.number}",
                actor=actor,
            )
    return revision


def _with_bands(rubric: RubricDocument, anchor_set: str, bands: tuple[Band, ...]) -> RubricDocument:
    return rubric.model_copy(
        update={
            "dimensions": tuple(
                d.model_copy(update={"bands": bands}) if d.anchors == anchor_set else d
                for d in rubric.dimensions
            )
        }
    )


def _append(
    kind: RevisionKind,
    key: str,
    document: Document,
    *,
    user: User | None,
    note: str,
    actor: str,
) -> Revision:
    newest = newest_revision(kind, key)
    text = canonical_json(document)
    revision = Revision.objects.create(
        kind=kind,
        key=key,
        number=newest.number + 1 if newest else 1,
        document=text,
        sha256=digest(text),
        note=note[:300],
        published_by=user,
    )
    audit.record(
        actor=actor,
        action=f"publish {RevisionKind(kind).label.lower()}",
        target=str(revision),
        detail=note,
    )
    return revision
