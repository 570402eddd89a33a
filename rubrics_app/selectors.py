"""Reading what is judged against: newest revisions and their documents."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from django.db.models import OuterRef, QuerySet, Subquery

from judgeweb.judging.documents import (
    AnchorSetDocument,
    ContractDocument,
    Document,
    GoldDocument,
    RubricDocument,
    ScenarioDocument,
    load_document,
)
from rubrics_app.models import (
    AnchorSet,
    CallTypePolicy,
    Contract,
    Draft,
    GoldStandard,
    Revision,
    RevisionKind,
    Rubric,
    Scenario,
)

D = TypeVar("D", bound=Document)

DOCUMENTS: dict[str, type[Document]] = {
    RevisionKind.ANCHOR_SET: AnchorSetDocument,
    RevisionKind.RUBRIC: RubricDocument,
    RevisionKind.SCENARIO: ScenarioDocument,
    RevisionKind.GOLD: GoldDocument,
    RevisionKind.CONTRACT: ContractDocument,
    RevisionKind.TRIAL: RubricDocument,
}
DRAFTS: dict[str, type[Draft]] = {
    RevisionKind.ANCHOR_SET: AnchorSet,
    RevisionKind.RUBRIC: Rubric,
    RevisionKind.SCENARIO: Scenario,
    RevisionKind.GOLD: GoldStandard,
    RevisionKind.CONTRACT: Contract,
}


def newest_revision(kind: RevisionKind, key: str) -> Revision | None:
    """The revision that new judgements read; None where nothing was published under the key."""
    return Revision.objects.filter(kind=kind, key=key).order_by("-number").first()


def newest_revisions(kind: RevisionKind) -> QuerySet[Revision]:
    """The newest revision of every key of the kind, by key."""
    newest = Revision.objects.filter(kind=kind, key=OuterRef("key")).order_by("-number")
    return Revision.objects.filter(kind=kind, pk=Subquery(newest.values("pk")[:1])).order_by("key")


def published_keys(kind: RevisionKind) -> list[str]:
    """Every key of the kind under which something was published."""
    keys = Revision.objects.filter(kind=kind, number=1).order_by("key")
    return list(keys.values_list("key", flat=True))


def scenarios_with_gold() -> list[str]:
    """The keys of all scenarios in use that have a published gold standard. Those that came inside
    a request are left out."""
    published = published_keys(RevisionKind.GOLD)
    used = Scenario.objects.filter(key__in=published, is_archived=False, is_inline=False)
    return list(used.order_by("key").values_list("key", flat=True))


def revision_of(kind: RevisionKind, key: str, number: int | None = None) -> Revision | None:
    """The numbered revision, the newest without a number; None where there is none."""
    found = Revision.objects.filter(kind=kind, key=key).select_related("published_by")
    if number is not None:
        found = found.filter(number=number)
    return found.order_by("-number").first()


@dataclass(frozen=True)
class Listing:
    """A page of newest revisions. `next` is the key to go on after, None on the last page."""

    items: list[Revision]
    next: str | None


def listed(
    kind: RevisionKind, drafts: QuerySet[Scenario] | None = None, *, after: str, limit: int
) -> Listing:
    """A keyset page by key, of `drafts` only where they are given."""
    found = newest_revisions(kind).select_related("published_by").filter(key__gt=after)
    if drafts is not None:
        found = found.filter(key__in=drafts.values("key"))
    items = list(found[: limit + 1])
    return Listing(items[:limit], items[limit - 1].key if len(items) > limit else None)


def default_rubric(mode: str) -> Revision:
    """The newest revision of the mode's default rubric. Raise Revision.DoesNotExist without one."""
    revision = newest_revision(RevisionKind.RUBRIC, mode)
    if revision is None:
        raise Revision.DoesNotExist(f"no rubric {mode!r} is published")
    return revision


# A revision never changes, so its text may serve as the key for as long as the process lives.
@lru_cache(maxsize=256)
def _loaded(kind: type[D], text: str) -> D:
    return load_document(kind, text)


def rubric_document(revision: Revision) -> RubricDocument:
    return _loaded(RubricDocument, revision.document)


def scenario_document(revision: Revision) -> ScenarioDocument:
    return _loaded(ScenarioDocument, revision.document)


def gold_document(revision: Revision) -> GoldDocument:
    return _loaded(GoldDocument, revision.document)


def contract_document(revision: Revision) -> ContractDocument:
    return _loaded(ContractDocument, revision.document)


def contracts_of(call_type: str) -> dict[str, Revision]:
    """The newest contract revisions of a call type by hash of the system prompt, "" for any.
    Archived contracts are left out."""
    drafts = Contract.objects.filter(call_type=call_type, is_archived=False)
    keys = dict(drafts.values_list("key", "system_prompt_sha256"))
    revisions = newest_revisions(RevisionKind.CONTRACT).filter(key__in=keys)
    return {keys[revision.key]: revision for revision in revisions}


def contracts_in_force() -> dict[tuple[str, str], Revision]:
    """The newest contract revisions of all call types, by call type and hash of the system
    prompt, "" for any. Archived contracts are left out."""
    drafts = Contract.objects.filter(is_archived=False)
    of = {
        key: (call_type, sha256)
        for key, call_type, sha256 in drafts.values_list("key", "call_type", "system_prompt_sha256")
    }
    revisions = newest_revisions(RevisionKind.CONTRACT).defer("document")
    return {of[revision.key]: revision for revision in revisions if revision.key in of}


def contract_for(call_type: str, system_prompt_sha256: str) -> Revision | None:
    """The contract of this very system prompt, else the one for any; None where none fits."""
    contracts = contracts_of(call_type)
    return contracts.get(system_prompt_sha256) or contracts.get("")


def is_undecidable_allowed(call_type: str) -> bool:
    return CallTypePolicy.objects.filter(call_type=call_type, undecidable_allowed=True).exists()


def anchor_set_document(revision: Revision) -> AnchorSetDocument:
    return _loaded(AnchorSetDocument, revision.document)


def document_in(revision: Revision) -> Document:
    """The document of a revision of any kind."""
    return _loaded(DOCUMENTS[revision.kind], revision.document)


def rubrics_using(anchor_set: str) -> list[Revision]:
    """The newest revisions of all rubrics in use that embed bands of the anchor set."""
    archived = Rubric.objects.filter(is_archived=True).values("key")
    return [
        revision
        for revision in newest_revisions(RevisionKind.RUBRIC).exclude(key__in=archived)
        if any(d.anchors == anchor_set for d in rubric_document(revision).dimensions)
    ]


@dataclass(frozen=True)
class DraftState:
    """How a draft stands to what was published from it."""

    newest: Revision | None
    differs: bool

    @property
    def label(self) -> str:
        if self.newest is None:
            return "draft, never published"
        if self.differs:
            return f"draft differs from revision {self.newest.number}"
        return f"published as revision {self.newest.number}"
