"""The persona marks that a patch verdict takes over: no patch shows a character, so that a model's
verdict on the same response is linked. The seed gives persona 10 of 100 points of swebench."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.arithmetic import PERSONA
from judgeweb.judging.modes import SOLO_MODES
from verdicts_app.models import Origin, Verdict, VerdictMark
from verdicts_app.work.request import chunks

LINKING = "swebench"
"""The mode that has a persona part."""


@dataclass(frozen=True)
class Linked:
    """`mark` is the mean of the persona marks, 1-10."""

    verdict_id: int
    identity: str
    mark: Fraction


def linked_to(response_ids: Iterable[int]) -> dict[int, Linked]:
    """By response, the newest verdict on a board with persona marks, whatever the judge."""
    found: dict[int, Linked] = {}
    for ids in chunks(response_ids):
        verdicts = Verdict.objects.filter(
            response__in=ids, on_board=True, mode__in=SOLO_MODES, origin=Origin.JUDGED
        )
        newest = dict(verdicts.order_by("id").values_list("response_id", "pk"))
        marks = persona_marks(set(newest.values()))
        identities = dict(verdicts.filter(pk__in=marks).values_list("pk", "identity"))
        for response_id, pk in newest.items():
            if response_id is not None and pk in marks:
                found[response_id] = Linked(pk, identities[pk], marks[pk])
    return found


def persona_marks(verdict_ids: set[int]) -> Mapping[int, Fraction]:
    """The mean persona mark by verdict; those without one are left out."""
    if not verdict_ids:
        return {}
    values: dict[int, list[Fraction]] = defaultdict(list)
    marks = VerdictMark.objects.filter(verdict__in=verdict_ids, dimension=PERSONA)
    for verdict_id, value in marks.values_list("verdict_id", "value_exact"):
        values[verdict_id].append(Fraction(value))
    return {pk: sum(given, Fraction(0)) / len(given) for pk, given in values.items()}
