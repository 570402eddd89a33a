"""What a judgement had already cost when its worker was lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import F, Q

from verdicts_app.models import LedgerEntry, LedgerState

JUDGE_FAULTS = (401, 402, 403, 404)
"""Requests that failed so say nothing of the item: they use up no attempt of it."""


def requests_spent(judgement_ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
    """The requests of earlier claims by judgement and prompt, since each was planned (a person who
    has the unjudged tried again grants new ones)."""
    if not judgement_ids:
        return {}
    earlier = LedgerEntry.objects.filter(
        judgement__in=judgement_ids,
        attempt__gt=0,
        attempt__lt=F("judgement__attempt"),
        opened_at__gte=F("judgement__planned_at"),
    ).exclude(Q(state=LedgerState.FAILED) & Q(status__in=JUDGE_FAULTS))
    spent: dict[int, Counter[str]] = defaultdict(Counter)
    for judgement_id, prompt in earlier.values_list("judgement_id", "prompt"):
        spent[judgement_id][prompt] += 1
    return spent
