"""Answers that stand word for word in another run: copied, cached, or uploaded under two names."""

from collections.abc import Iterable

from django.db.models import Case, F, Value, When
from django.db.models.functions import Concat

from verdicts_app.models import Response, ResponseFlag

MARKED_PER_TEXT = 100


def flag(response_ids: Iterable[int]) -> None:
    """Mark these answers and those of other runs with the same text.

    Row by row and after the commit: of two uploads at once the later one sees both, and neither
    waits for the other."""
    for response in Response.objects.filter(pk__in=list(response_ids)).exclude(text=""):
        others = Response.objects.filter(content_sha256=response.content_sha256)
        alike = others.exclude(run_id=response.run_id).values_list("pk", flat=True)
        found = list(alike[:MARKED_PER_TEXT])
        for pk in [response.pk, *found] if found else []:
            _mark(pk)


def _mark(pk: int) -> None:
    flag = ResponseFlag.SAME_TEXT.value
    Response.objects.filter(pk=pk).exclude(flags__contains=flag).update(
        flags=Case(When(flags="", then=Value(flag)), default=Concat(F("flags"), Value(f",{flag}")))
    )
