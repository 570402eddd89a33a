"""The claim step under several worker processes, one of them killed in the middle."""

import pytest

from judgeweb.judging.documents import ScenarioDocument
from tests.fixtures.standin import StandInControl
from tests.judging.world import items
from tests.verdicts_app.work.conftest import Answers, Plan
from tests.worker.conftest import Start, kill, wait_until
from verdicts_app.models import (
    Extraction,
    ExtractionState,
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Verdict,
)

pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]

ANSWERS, REPEATS = 6, 5
MODELS = ["claude-sonnet-5-5", "claude-opus-5-5"]
MATCHES = ANSWERS * REPEATS * len(MODELS)
LISTED = ScenarioDocument(
    name="refunds",
    challenge="Review the refunds.",
    baseline_issues=items(critical=2, low=1),
)


def extracted() -> int:
    return Extraction.objects.filter(state=ExtractionState.EXTRACTED).count()


def requests(prompt: str) -> int:
    return LedgerEntry.objects.filter(prompt=prompt).count()


def test_two_workers_extract_each_response_once(
    start_worker: Start, standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    standin.settings(latency_ms=400)
    answers(ANSWERS, about=LISTED)
    planned = plan(claims=True, repeats=REPEATS, models=MODELS)
    start_worker(JUDGE_IN_FLIGHT="8")
    start_worker(JUDGE_IN_FLIGHT="8")

    wait_until(lambda: Job.objects.get(pk=planned.job.pk).state == JobState.DONE, 120, "the job")

    assert Verdict.objects.count() == MATCHES
    assert extracted() == requests("claims") == ANSWERS
    assert requests("first") == MATCHES
    assert standin.stats()["requests"] == ANSWERS + MATCHES


def test_killed_while_it_extracts_a_worker_leaves_one_row_a_response(
    start_worker: Start, standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    standin.settings(latency_ms=1500)
    answers(ANSWERS, about=LISTED)
    planned = plan(claims=True, repeats=REPEATS, models=MODELS)
    worker = start_worker()
    wait_until(lambda: requests("claims") == ANSWERS, 60, "the extractions")

    kill(worker)

    assert extracted() == 0, "it was too late to kill it"
    assert Extraction.objects.count() == ANSWERS
    standin.settings(latency_ms=50)
    start_worker()
    start_worker()
    wait_until(lambda: Job.objects.get(pk=planned.job.pk).state == JobState.DONE, 120, "the job")

    assert Extraction.objects.count() == extracted() == ANSWERS
    assert Verdict.objects.filter(superseded_at=None).count() == MATCHES
    assert not Judgement.objects.exclude(state=JudgementState.JUDGED).exists()
    # Those that were on their way are lost and asked for once more; nothing else is.
    lost = LedgerEntry.objects.filter(state=LedgerState.LOST, prompt="claims").count()
    assert lost == ANSWERS
    assert requests("claims") == 2 * ANSWERS
    assert requests("first") == MATCHES
