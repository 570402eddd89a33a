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


def lost_repeats(
    *, pairs: Collection[int] | None = None, chains: Collection[int] | None = None
) -> LostRepeats:
    """Of pairs or of relays, in one query."""
    wanted = {"pair__in": pairs} if pairs is not None else {"chain__in": chains or ()}
    subject = "pair_id" if pairs is not None else "chain_id"
    unjudged = Judgement.objects.filter(**wanted, state=JudgementState.UNJUDGED).order_by()
    numbers: dict[Key, set[int]] = defaultdict(set)
    for subject_id, epoch_id, repeat in unjudged.values_list(subject, "epoch_id", "repeat"):
        numbers[subject_id, epoch_id].add(repeat)
    return LostRepeats(numbers)
