"""What the seed's verdict file has no keys for: cost, what is left out and why, the epoch."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from verdicts_app.exports.calls import Export
from verdicts_app.exports.numbers import dollars
from verdicts_app.models import Epoch, LedgerEntry, Verdict
from verdicts_app.work.request import chunks


def sidecar_path(out: Path) -> Path:
    return out.with_name(f"{out.name.removesuffix('.json')}.sidecar.json")


def sidecar(export: Export) -> dict[str, Any]:
    return {
        "call_type": export.calls.call_type,
        "run_id": export.calls.run_id,
        "epoch": epoch_out(export.epoch),
        "cost_usd": dollars(_cost_of_verdicts(export.verdict_ids)),
        "unjudged_cost_usd": dollars(
            _cost_of_judgements(left.judgement for left in export.unjudged)
        ),
        "unjudged": [left._asdict() for left in export.unjudged],
        "undecidable": list(export.undecided),
        "judged_in_another_epoch": export.elsewhere,
    }


def epoch_out(epoch: Epoch) -> dict[str, Any]:
    rubric = epoch.rubric_revision
    return {
        "digest": epoch.digest,
        "origin": epoch.origin,
        "rubric": f"{rubric.key}@{rubric.number}" if rubric else None,
        "prompt_version": epoch.prompt_version,
        "requested_model": epoch.requested_model,
        "returned_model": epoch.returned_model,
        "parameters": json.loads(epoch.parameters),
    }


def _cost_of_verdicts(ids: Iterable[int]) -> int | None:
    """Nano-USD; None where one price is not known."""
    costs = [
        cost
        for chunk in chunks(ids)
        for cost in Verdict.objects.filter(pk__in=chunk).values_list("cost_nano_usd", flat=True)
    ]
    return _sum(costs)


def _cost_of_judgements(ids: Iterable[int]) -> int | None:
    costs = [
        cost
        for chunk in chunks(ids)
        for cost in LedgerEntry.objects.filter(judgement_id__in=chunk).values_list(
            "cost_nano_usd", flat=True
        )
    ]
    return _sum(costs)


def _sum(costs: list[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
