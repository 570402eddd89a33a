"""What the job's page shows, from its rows."""

from decimal import Decimal
from typing import Any

import pytest

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Job
from verdicts_app.work.claim import claim_items
from verdicts_app.work.drain import drain_job
from verdicts_app.work.progress import job_progress

pytestmark = pytest.mark.django_db


def test_counts_money_reasons_and_personas(
    judge_at_standin: StandInControl,
    answers: Answers,
    plan: Plan,
    django_assert_num_queries: Any,
) -> None:
    answers(3, persona="lighthouse:dev")
    answers(1, persona="lighthouse:reviewer")
    judge_at_standin.replies({"content": [], "stop_reason": "refusal"})
    planned = plan(probe=True, budget_usd=Decimal(2))
    job = drain_job(planned.job.pk)

    with django_assert_num_queries(5):
        progress = job_progress(job)

    # The probe took the scripted reply; it is a request of the job like any other.
    assert (progress.total, progress.judged, progress.unjudged) == (4, 4, 0)
    assert progress.requests == 5
    assert progress.spent_nano_usd == job.committed_nano_usd > 0
    assert progress.on_the_way_nano_usd == 0
    assert (progress.percent, progress.is_over, progress.eta_s) == (100.0, True, None)
    assert progress.rate == 4
    assert [(one.spec, one.judged, one.total) for one in progress.personas] == [
        ("lighthouse:dev", 3, 3),
        ("lighthouse:reviewer", 1, 1),
    ]
    assert progress.events[0].text == "Done"


def test_reasons_are_counted_most_frequent_first(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3)
    refusal = {"content": [], "stop_reason": "refusal"}
    judge_at_standin.replies(refusal, refusal)
    judge_at_standin.faults({"status": 413, "message": "too large"})

    progress = job_progress(drain_job(plan().job.pk))

    assert progress.reasons == (("refused", 2), ("too_large", 1))
    assert (progress.judged, progress.unjudged) == (0, 3)


def test_a_job_under_way(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    answers(5)
    planned = plan()
    claim_items(job_id=planned.job.pk, limit=2)

    progress = job_progress(Job.objects.get())

    assert (progress.waiting, progress.in_hand, progress.finished) == (3, 2, 0)
    assert (progress.percent, progress.rate, progress.eta_s) == (0.0, 0, None)
    assert progress.budget_nano_usd == 50 * 10**9


def test_an_unknown_price_is_counted_not_invented(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)

    progress = job_progress(drain_job(plan(model="claude-fable-5-2").job.pk))

    assert (progress.judged, progress.unpriced, progress.spent_nano_usd) == (2, 2, 0)
