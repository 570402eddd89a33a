"""Gold standards and calibrations for tests. `make_calibration((80, 75), gold=gold)` is a job with
one verdict a total."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from rubrics_app.models import Revision, RevisionKind, Scenario
from rubrics_app.scenarios import save_gold, save_scenario
from rubrics_app.selectors import newest_revision
from tests.factories import NANO, NOON, digest, make_epoch, nano
from verdicts_app.models import Epoch, Job, Judgement, JudgementState, Verdict

GOLD_TEXT = "The lock is never released."


def make_gold(scenario: str = "refunds", score: float = 82, **change: Any) -> Revision:
    """The newest revision, published by R. Ode; its scenario is made where it is new."""
    if not Scenario.objects.filter(key=scenario).exists():
        save_scenario(ScenarioDocument(name=scenario, challenge=f"Review {scenario}."), user=None)
    made = {"scenario": scenario, "response": GOLD_TEXT, "score": score, "graded_by": "R. Ode"}
    save_gold(GoldDocument(**{**made, **change}), user=None)
    revision = newest_revision(RevisionKind.GOLD, scenario)
    assert revision is not None
    return revision


def make_calibration(
    totals: Sequence[float],
    *,
    gold: Revision,
    epoch: Epoch | str = "first",
    at: datetime = NOON,
    asked: int | None = None,
) -> list[Verdict]:
    """Supersedes earlier verdicts of the same repeats. `asked` without a verdict are unjudged."""
    row = make_epoch(epoch) if isinstance(epoch, str) else epoch
    job = Job.objects.create(budget_nano_usd=NANO, state="done", finished_at=at)
    made = []
    for repeat in range(1, (asked or len(totals)) + 1):
        total = totals[repeat - 1] if repeat <= len(totals) else None
        judgement = _judgement(job, gold, row, repeat, is_judged=total is not None)
        if total is not None:
            made.append(_verdict(judgement, total, at))
    return made


def _judgement(
    job: Job, gold: Revision, epoch: Epoch, repeat: int, *, is_judged: bool
) -> Judgement:
    return Judgement.objects.create(
        job=job,
        mode=epoch.mode,
        gold_answer=gold,
        scenario=Scenario.objects.get(key=gold.key),
        identity=digest("gold", gold.pk, epoch.base_digest, repeat),
        epoch=epoch,
        repeat=repeat,
        state=JudgementState.JUDGED if is_judged else JudgementState.UNJUDGED,
        unjudged_reason="" if is_judged else "truncated",
        finished_at=job.finished_at,
    )


def _verdict(judgement: Judgement, total: float, at: datetime) -> Verdict:
    live = Verdict.objects.filter(identity=judgement.identity, superseded_at=None)
    live.update(superseded_at=at)
    return Verdict.objects.create(
        judgement=judgement,
        identity=judgement.identity,
        board_key=digest("board", judgement.pk),
        mode=judgement.mode,
        epoch=judgement.epoch,
        origin=judgement.epoch.origin,
        gold_answer=judgement.gold_answer,
        scenario=judgement.scenario,
        repeat=judgement.repeat,
        answered_at=at,
        total_nano=nano(total),
        total_exact=str(total),
        detail="{}",
        response_characters=len(GOLD_TEXT),
        judged_at=at,
        on_board=False,
    )


def days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)
