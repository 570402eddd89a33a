"""Recomputing lists differences and changes nothing."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import make_verdict
from tests.fixtures.database import without_triggers
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Verdict
from verdicts_app.work.drain import drain_job

pytestmark = pytest.mark.django_db


def test_untouched_verdicts_give_their_totals_again(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2)
    answers(1, text="")
    drain_job(plan().job.pk)
    make_verdict()
    out = StringIO()

    call_command("recompute", stdout=out)

    assert out.getvalue() == "3 verdicts recomputed, 0 differences, 1 of other tools left out\n"


def test_a_changed_total_is_named_and_left_as_it_is(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    drain_job(plan().job.pk)
    with without_triggers(connection):
        Verdict.objects.update(total_nano=5)
    out = StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("recompute", stdout=out)

    assert end.value.code == 1
    assert "total in 1e-9 points: stored 5, computed" in out.getvalue()
    assert Verdict.objects.get().total_nano == 5
