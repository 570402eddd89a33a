"""Verdicts and the ledger are protected by the database itself."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, IntegrityError, models, transaction
from django.utils import timezone

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import LedgerEntry, Verdict, VerdictFinding, VerdictMark
from verdicts_app.work.drain import drain_job

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def judged(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    answers(1)
    drain_job(plan().job.pk)
    VerdictFinding.objects.create(
        verdict=Verdict.objects.get(),
        position=0,
        kind="novel",
        found=True,
        evidence_state="none",
    )


def refused(act: Callable[[], object], sentence: str) -> None:
    with pytest.raises(IntegrityError, match=sentence), transaction.atomic():
        act()


@pytest.mark.parametrize(
    ("model", "change", "sentence"),
    [
        (Verdict, {"total_nano": 1}, "a verdict never changes but for leaving the boards"),
        (Verdict, {"latency_ms": None}, "a verdict never changes but for leaving the boards"),
        (Verdict, {"judgement": None}, "a verdict never changes but for leaving the boards"),
        (VerdictMark, {"reasoning": "x"}, "a mark never changes"),
        (VerdictFinding, {"found": False}, "a finding never changes"),
        (LedgerEntry, {"output_tokens": 1}, "a request that was answered or failed never changes"),
    ],
)
def test_rows_never_change(
    model: type[models.Model], change: dict[str, object], sentence: str
) -> None:
    refused(lambda: model.objects.update(**change), sentence)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("verdict", "a verdict never goes"),
        ("verdictmark", "a mark never goes"),
        ("verdictfinding", "a finding never goes"),
        ("ledgerentry", "a request never goes"),
    ],
)
def test_rows_never_go(table: str, sentence: str) -> None:
    from django.db import connection

    def delete() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM verdicts_app_{table}")

    with pytest.raises(DatabaseError, match=sentence), transaction.atomic():
        delete()


def test_a_verdict_may_leave_the_boards_and_never_come_back() -> None:
    verdicts = Verdict.objects.all()
    verdicts.update(superseded_at=timezone.now(), on_board=False)

    refused(lambda: verdicts.update(superseded_at=None), "a superseded verdict never comes back")
