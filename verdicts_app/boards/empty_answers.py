"""How many of the answers that a job judged are empty: in the mean with 0, and nobody was asked."""

from django.db.models import Count

from judgeweb.judging.types import Flag
from verdicts_app.models import Job, Verdict

LOOKED_AT_MOST = 20_000
"""Verdicts: no index knows their flags, and a page waits for them."""


def empty_answers_of(job: Job, *, judged: int) -> int:
    """Answers, pairs and captured calls, each once however often it was judged. `judged` is how
    many of the job's judgements have a verdict. 0 as well while it is open, and where it is too
    large to look at. One query."""
    if job.finished_at is None or not 0 < judged <= LOOKED_AT_MOST:
        return 0
    flagged = Verdict.objects.filter(
        judgement__job=job, superseded_at=None, flags__contains=Flag.EMPTY_ANSWER
    )
    counts = flagged.aggregate(
        answers=Count("response", distinct=True),
        pairs=Count("pair", distinct=True),
        calls=Count("capture", distinct=True),
    )
    return sum(counts.values())
