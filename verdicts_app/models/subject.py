"""What a judgement is about: exactly one of five kinds of row."""

from django.db.models import Q

SUBJECTS = ("response", "capture", "pair", "chain", "gold_answer")
"""`gold_answer` is a revision of a gold standard: its answer is judged to calibrate a judge."""


def exactly_one_subject() -> Q:
    """Condition of a constraint on rows that have a column for each kind."""
    condition = Q()
    for subject in SUBJECTS:
        condition |= Q(**{f"{kind}__isnull": kind != subject for kind in SUBJECTS})
    return condition
