"""What the judge decided before on the very same prompt, under another contract.

Under any contract the judge is asked for the same two dimensions, and the prompt does not say
what the contract is: with equal capture and epoch it is the same to the byte. Without a contract
the judge is asked for three, which is another prompt. See docs/adr/0017.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from judgeweb.judging.modes.calls import FACTUAL, HALLUCINATION
from judgeweb.judging.types import Check, DecidedBy, EvidenceState, Reading
from verdicts_app.models import Epoch, Verdict, VerdictCheck
from verdicts_app.work.request import chunks

if TYPE_CHECKING:
    from verdicts_app.work.selection import Selection, Unit

ASKED = (FACTUAL, HALLUCINATION)


class _Live(NamedTuple):
    """A live verdict on a capture under a contract; `source` is the one whose judge was asked."""

    identity: str
    epoch_id: int
    source: int


def take_from_earlier(selection: Selection) -> None:
    """Say of each unit from which verdict it is taken, if from any. What has a live verdict of
    its own is judged again because somebody wants to ask again."""
    epochs: dict[str, int | None] = {}
    units: list[Unit] = []
    for part in chunks(selection.units):
        live = _live([unit for unit in part if _can_be_taken(unit)])
        for unit in part:
            source = _source(unit, live.get((unit.capture_id, unit.repeat), ()), epochs)
            units.append(replace(unit, taken_from=source, characters=0) if source else unit)
    selection.units = units


def _can_be_taken(unit: Unit) -> bool:
    return unit.capture_id is not None and unit.characters > 0 and unit.has_contract


def _live(units: Sequence[Unit]) -> Mapping[tuple[int | None, int], list[_Live]]:
    """Newest first."""
    verdicts = Verdict.objects.filter(
        capture__in={unit.capture_id for unit in units},
        superseded_at=None,
        judgement__contract_revision__isnull=False,
    ).order_by("-pk")
    fields = ("capture_id", "repeat", "identity", "epoch_id", "pk", "judgement__taken_from")
    found: dict[tuple[int | None, int], list[_Live]] = {}
    for capture_id, repeat, identity, epoch_id, pk, taken_from in verdicts.values_list(*fields):
        one = _Live(identity, epoch_id, taken_from or pk)
        found.setdefault((capture_id, repeat), []).append(one)
    return found


def _source(unit: Unit, live: Iterable[_Live], epochs: dict[str, int | None]) -> int | None:
    """Only of the epoch that the unit is planned in: another name of the judge is another one."""
    base_digest = unit.cell.base_digest
    if not live or any(one.identity == unit.identity for one in live):
        return None
    if base_digest not in epochs:
        newest = Epoch.objects.filter(base_digest=base_digest).order_by("-pk")
        epochs[base_digest] = newest.values_list("pk", flat=True).first()
    planned = epochs[base_digest]
    return next((one.source for one in live if one.epoch_id == planned), None)


def readings(verdict_ids: Iterable[int]) -> dict[int, Reading]:
    """What the judge decided in these verdicts."""
    wanted = set(verdict_ids)
    if not wanted:
        return {}
    rows = VerdictCheck.objects.filter(
        verdict__in=wanted, key__in=ASKED, decided_by=DecidedBy.JUDGE.value
    ).order_by("verdict_id", "position")
    found: dict[int, list[Check]] = {}
    for row in rows:
        found.setdefault(row.verdict_id, []).append(check_of(row))
    return {pk: Reading(marks=(), checks=tuple(checks)) for pk, checks in found.items()}


def check_of(row: VerdictCheck) -> Check:
    quoted = row.evidence_start is not None and row.evidence_end is not None
    return Check(
        key=row.key,
        ok=row.ok,
        rationale=row.rationale,
        worst_offender=row.worst_offender,
        decided_by=DecidedBy(row.decided_by),
        evidence_state=EvidenceState(row.evidence_state),
        evidence_at=(row.evidence_start, row.evidence_end) if quoted else None,  # type: ignore[arg-type]
    )
