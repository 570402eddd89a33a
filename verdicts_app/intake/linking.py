"""Answers whose scenario was not known at their upload find it here, once it is imported."""

from django.db.models import OuterRef, Subquery

from rubrics_app.models import Scenario
from verdicts_app.models import Response


def link_unlinked() -> int:
    """Link every answer whose scenario is known by now; return how many were."""
    waiting = Response.objects.filter(
        scenario=None, scenario_key__in=Scenario.objects.filter(is_inline=False).values("key")
    )
    if not waiting.exists():
        return 0
    known = Scenario.objects.filter(key=OuterRef("scenario_key"), is_inline=False)
    return waiting.update(scenario=Subquery(known.values("pk")[:1]))
