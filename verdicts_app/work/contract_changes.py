"""What a contract would change: stored captures checked against it, at no cost and writing nothing.

`schema_ok` before is what the contract says that judging reads now; where none fits, what the
newest verdict says. The other two dimensions are those of the newest verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from judgeweb.judging.contracts import SchemaCheck, check_response
from judgeweb.judging.documents import ContractDocument
from rubrics_app import selectors
from rubrics_app.models import Revision
from verdicts_app.models import Capture, VerdictCheck

BATCH = 500
SCHEMA = "schema_ok"


class Change(NamedTuple):
    """A capture whose `schema_ok` is another under the contract; None: the judge decides or has
    not decided. `passed_*` are None where it was not judged or a dimension is undecidable."""

    run_id: str
    call_id: str
    capture_id: int
    before: bool | None
    after: bool | None
    reason: str
    passed_before: bool | None
    passed_after: bool | None

    @property
    def changes_the_verdict(self) -> bool:
        return self.passed_before is not self.passed_after


@dataclass
class Checked:
    """Of `captures` looked at, `keep` the contract; `changed` in schema_ok, `verdicts` in what
    passes."""

    captures: int = 0
    keep: int = 0
    changed: int = 0
    verdicts: int = 0

    @property
    def fail(self) -> int:
        return self.captures - self.keep


@dataclass(frozen=True)
class ContractReport:
    """`of` captures are concerned; the newest of them were looked at. `changes` are the first."""

    counts: Checked
    of: int
    changes: tuple[Change, ...]


def contract_report(contract: ContractDocument, *, most: int, shown: int) -> ContractReport:
    """What a page has time for: the newest `most` captures, the first `shown` changes. Raise
    DocumentInvalid for a contract that could not be published."""
    counts = Checked()
    changes = list[Change]()
    for change in contract_changes(contract, counts, most=most):
        if len(changes) < shown:
            changes.append(change)
    concerned = _concerned(contract, selectors.contracts_of(contract.call_type))
    return ContractReport(counts, concerned.count(), tuple(changes))


def contract_changes(
    contract: ContractDocument, counts: Checked, *, most: int | None = None
) -> Iterator[Change]:
    """In upload order, of the newest `most` captures or of all. Raise DocumentInvalid for a
    contract that could not be published."""
    published = selectors.contracts_of(contract.call_type)
    concerned = _concerned(contract, published)
    for captures in _batches(concerned, after=_before_the_newest(concerned, most)):
        decided = _decided([capture.pk for capture in captures])
        for capture in captures:
            checked = check_response(
                contract, capture.original("response_content"), capture.parsed_ok
            )
            counts.captures += 1
            counts.keep += checked.ok is True
            change = _change(checked, published, capture, decided.get(capture.pk, {}))
            if change is not None:
                counts.changed += 1
                counts.verdicts += change.changes_the_verdict
                yield change


def _concerned(contract: ContractDocument, published: Mapping[str, Revision]) -> QuerySet[Capture]:
    """A contract for any system prompt leaves alone what has one of its own."""
    captures = Capture.objects.filter(call_type=contract.call_type)
    if contract.system_prompt_sha256:
        return captures.filter(system_prompt__sha256=contract.system_prompt_sha256)
    own = [sha256 for sha256 in published if sha256]
    return captures.exclude(system_prompt__sha256__in=own) if own else captures


def _before_the_newest(captures: QuerySet[Capture], most: int | None) -> int:
    if most is None:
        return 0
    older = captures.order_by("-pk").values_list("pk", flat=True)[most : most + 1]
    return older.first() or 0


def _batches(captures: QuerySet[Capture], *, after: int) -> Iterator[list[Capture]]:
    """In keyset order, so that memory stays flat over any number."""
    needed = captures.select_related("run", "system_prompt").defer(
        "user_content", "extras", "system_prompt__text", "system_prompt__text_json"
    )
    while batch := list(needed.filter(pk__gt=after).order_by("pk")[:BATCH]):
        yield batch
        after = batch[-1].pk


def _decided(capture_ids: Sequence[int]) -> dict[int, dict[str, bool | None]]:
    """The dimensions of the newest verdict that counts, by capture."""
    rows = VerdictCheck.objects.filter(
        verdict__capture__in=capture_ids, verdict__on_board=True, verdict__repeat=1
    ).order_by("verdict_id")
    newest: dict[int, tuple[int, dict[str, bool | None]]] = {}
    fields = ("verdict__capture", "verdict_id", "key", "ok")
    for capture_id, verdict_id, key, ok in rows.values_list(*fields):
        known = newest.get(capture_id)
        if known is None or known[0] != verdict_id:
            known = newest[capture_id] = (verdict_id, {})
        known[1][key] = ok
    return {capture_id: checks for capture_id, (_, checks) in newest.items()}


def _change(
    after: SchemaCheck,
    published: Mapping[str, Revision],
    capture: Capture,
    decided: Mapping[str, bool | None],
) -> Change | None:
    response = capture.original("response_content")
    sha256 = capture.system_prompt.sha256 if capture.system_prompt else ""
    revision = published.get(sha256) or published.get("")
    now = selectors.contract_document(revision) if revision else None
    was = check_response(now, response, capture.parsed_ok)
    before = decided.get(SCHEMA) if was.ok is None else was.ok
    if before is after.ok:
        return None
    return Change(
        run_id=capture.run.run_id,
        call_id=capture.call_id,
        capture_id=capture.pk,
        before=before,
        after=after.ok,
        reason=after.rationale,
        passed_before=_passed(decided, decided.get(SCHEMA)),
        passed_after=_passed(decided, after.ok),
    )


def _passed(decided: Mapping[str, bool | None], schema_ok: bool | None) -> bool | None:
    if not decided:
        return None
    decisions = [{**decided, SCHEMA: schema_ok}[key] for key in decided]
    if False in decisions:
        return False
    return None if None in decisions else True
