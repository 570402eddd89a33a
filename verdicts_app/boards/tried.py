"""What judges came to on one subject in one mode and rubric revision, repeat by repeat."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verdicts_app.models import OPEN_STATES, Epoch, Judgement, JudgementState, Verdict

SUBJECTS = ("response_id", "capture_id", "pair_id", "chain_id", "gold_answer_id")


@dataclass
class Tried:
    """One epoch on the subject: the newest live verdict of each repeat, and the last judgement of
    each repeat that has none, unjudged or still open."""

    epoch: Epoch
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    judgements: dict[int, Judgement] = field(default_factory=dict)

    @property
    def valid(self) -> tuple[Verdict, ...]:
        return tuple(self.verdicts[number] for number in sorted(self.verdicts))

    @property
    def unjudged(self) -> tuple[Judgement, ...]:
        return tuple(
            one
            for number, one in sorted(self.judgements.items())
            if one.state == JudgementState.UNJUDGED
        )

    @property
    def repeats(self) -> tuple[int, ...]:
        return tuple(sorted({*self.verdicts, *self.judgements}))

    @property
    def asked(self) -> int:
        """Without those that are still open: boards wait for nobody."""
        return len(self.verdicts) + len(self.unjudged)

    @property
    def newest(self) -> int:
        """The last judgement, by which epochs of one judge are ordered."""
        made = (verdict.judgement_id or 0 for verdict in self.verdicts.values())
        return max((*made, *(one.pk for one in self.judgements.values())), default=0)

    def is_in(self, job_id: Any) -> bool:
        """Whether one of its repeats was asked for in this job."""
        made = (verdict.judgement for verdict in self.verdicts.values())
        return job_id is not None and any(
            one is not None and one.job_id == job_id for one in (*made, *self.judgements.values())
        )


def subject_of(row: Verdict | Judgement) -> Mapping[str, int]:
    """The condition under which another row is about the same thing."""
    return {name: pk for name in SUBJECTS if (pk := getattr(row, name)) is not None}


def tried_on(row: Verdict | Judgement) -> list[Tried]:
    """Two queries."""
    epoch = row.epoch
    same = {
        **subject_of(row),
        "epoch__mode": epoch.mode,
        "epoch__origin": epoch.origin,
        "epoch__rubric_revision": epoch.rubric_revision_id,
    }
    verdicts = Verdict.objects.filter(**same, superseded_at=None).select_related(
        "epoch", "judgement", "persona"
    )
    waiting = Judgement.objects.filter(**same, state__in=[*OPEN_STATES, JudgementState.UNJUDGED])
    return _by_epoch(
        verdicts.defer("detail").order_by("pk"),
        waiting.select_related("epoch").order_by("pk"),
    )


def _by_epoch(verdicts: Iterable[Verdict], judgements: Iterable[Judgement]) -> list[Tried]:
    found: dict[int, Tried] = {}
    for verdict in verdicts:
        tried = found.setdefault(verdict.epoch_id, Tried(verdict.epoch))
        tried.verdicts[verdict.repeat] = verdict
    for judgement in judgements:
        tried = found.setdefault(judgement.epoch_id, Tried(judgement.epoch))
        if judgement.repeat not in tried.verdicts:
            tried.judgements[judgement.repeat] = judgement
    return list(found.values())
