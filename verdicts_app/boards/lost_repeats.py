"""Repeats that are unjudged: they count beside the valid ones, in no mean."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from verdicts_app.models import Judgement, JudgementState

Key = tuple[int, int]
"""The id of the subject, and that of the epoch."""


@dataclass(frozen=True)
class LostRepeats:
    """The numbers of the repeats that were given up, whether or not they were judged later."""

    numbers: dict[Key, set[int]]

    def beside(self, key: Key, valid: Iterable[int]) -> int:
        """How many are not among the valid ones."""
        return len(self.numbers.get(key, set()) - set(valid))


def lost_repeats(**subjects: Collection[int]) -> LostRepeats:
    """Of the subjects of one kind by their ids, in one query: `lost_repeats(pair=[7, 9])`."""
    [(kind, ids)] = subjects.items()
    unjudged = Judgement.objects.filter(**{f"{kind}__in": ids}, state=JudgementState.UNJUDGED)
    numbers: dict[Key, set[int]] = defaultdict(set)
    rows = unjudged.order_by().values_list(f"{kind}_id", "epoch_id", "repeat")
    for subject_id, epoch_id, repeat in rows:
        numbers[subject_id, epoch_id].add(repeat)
    return LostRepeats(numbers)
