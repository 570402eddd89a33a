"""Verdicts and the ledger are protected by the database itself."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, IntegrityError, models, transaction
from django.utils import timezone

from tests.factories import make_chain, make_coherence, make_comparison, make_pair, make_response
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import (
    Chain,
    LedgerEntry,
    Pair,
    Verdict,
    VerdictContestant,
    VerdictFinding,
    VerdictMark,
)
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
    ("model", "change", "sentence"),
    [
        (Verdict, {"decision": "tie"}, "a verdict never changes but for leaving the boards"),
        (VerdictContestant, {"total_nano": 1}, "a contestant never changes"),
        (Pair, {"first": None}, "a pair never changes"),
    ],
)
def test_a_comparison_never_changes(
    model: type[models.Model], change: dict[str, object], sentence: str
) -> None:
    verdict = make_comparison()

    rows = model.objects  # type: ignore[attr-defined]
    of_verdict = rows.filter(pk=verdict.pk) if model is Verdict else rows.all()
    refused(lambda: of_verdict.update(**change), sentence)


def test_a_relay_never_changes() -> None:
    make_coherence()

    refused(lambda: Chain.objects.update(theme="harbour"), "a relay never changes")


def test_a_pair_answers_one_scenario() -> None:
    first, second = make_response(scenario="kiosk"), make_response(scenario="ferry")

    refused(lambda: Pair.objects.create(first=first, second=second), "a pair answers one scenario")


def test_a_verdict_is_decided_or_rated_where_its_subject_calls_for_it_and_nowhere_else() -> None:
    refused(
        lambda: make_comparison(decision="", chain=None),
        "a comparison is decided and no other verdict is|CHECK constraint failed",
    )
    refused(
        lambda: make_coherence(rating="splendid"),
        "a relay is rated and no other verdict is|CHECK constraint failed",
    )
    refused(
        lambda: make_comparison(make_pair(), chain=make_chain(), rating="good"),
        "a verdict has exactly one subject|CHECK constraint failed",
    )


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("verdictcontestant", "a contestant never goes"),
        ("verdict", "a verdict never goes"),
        ("verdictmark", "a mark never goes"),
        ("verdictfinding", "a finding never goes"),
        ("ledgerentry", "a request never goes"),
    ],
)
def test_rows_never_go(table: str, sentence: str) -> None:
    from django.db import connection

    make_comparison()

    def delete() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM verdicts_app_{table}")

    with pytest.raises(DatabaseError, match=sentence), transaction.atomic():
        delete()


def test_a_verdict_may_leave_the_boards_and_never_come_back() -> None:
    verdicts = Verdict.objects.all()
    verdicts.update(superseded_at=timezone.now(), on_board=False)

    refused(lambda: verdicts.update(superseded_at=None), "a superseded verdict never comes back")
