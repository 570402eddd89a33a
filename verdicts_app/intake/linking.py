"""Answers whose scenario was not known at their upload find it here, once it is imported; so do
the imported verdicts on them."""

from django.db import transaction
from django.db.models import OuterRef, Subquery

from rubrics_app.models import Scenario
from verdicts_app.models import Origin, Pair, Response, Verdict
from verdicts_app.work import board_sums

CHUNK = 500


def link_unlinked() -> int:
    """Link every answer whose scenario is known by now; return how many were."""
    waiting = Response.objects.filter(
        scenario=None, scenario_key__in=Scenario.objects.filter(is_inline=False).values("key")
    )
    if not waiting.exists():
        return 0
    known = Scenario.objects.filter(key=OuterRef("scenario_key"), is_inline=False)
    ids = list(waiting.values_list("pk", flat=True))
    linked = waiting.update(scenario=Subquery(known.values("pk")[:1]))
    _link_verdicts(ids)
    return linked


def _link_verdicts(response_ids: list[int]) -> None:
    answer = Response.objects.filter(pk=OuterRef("response_id")).values("scenario_id")
    of_pair = Pair.objects.filter(pk=OuterRef("pair_id")).values("first__scenario_id")
    for start in range(0, len(response_ids), CHUNK):
        ids = response_ids[start : start + CHUNK]
        imported = Verdict.objects.filter(origin=Origin.IMPORTED, scenario=None)
        with transaction.atomic(), board_sums.kept_in_step(ids):
            imported.filter(response__in=ids).update(scenario=Subquery(answer[:1]))
        pairs = Pair.objects.filter(first__in=ids).values("pk")
        imported.filter(pair__in=pairs).update(scenario=Subquery(of_pair[:1]))
