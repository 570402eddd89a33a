"""Recomputing lists differences and changes nothing."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from tests.factories import make_capture, make_verdict
from tests.fixtures.database import without_triggers
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from tests.verdicts_app.work.test_work_on_calls import contract
from verdicts_app.models import Verdict, VerdictCheck
from verdicts_app.work import sums
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


def test_verdicts_on_captured_calls_are_decided_again(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    """One by its contract, one without a response, one of another call type by the judge alone."""
    contract()
    kept = make_capture()
    make_capture(response_content=None, parsed_ok=False)
    make_capture("reconciler")
    drain_job(plan(mode="calls").job.pk)
    out = StringIO()
    call_command("recompute", stdout=out)
    assert out.getvalue() == "3 verdicts recomputed, 0 differences\n"
    with without_triggers(connection):
        VerdictCheck.objects.filter(verdict__capture=kept, key="schema_ok").update(ok=False)
        Verdict.objects.filter(capture__call_type="reconciler").update(passed=None)
    sums.rebuild()  # else the sums differ as well
    out = StringIO()

    with pytest.raises(SystemExit):
        call_command("recompute", stdout=out)

    said_of = out.getvalue()
    assert "check schema_ok: stored False, computed True" in said_of
    assert "passed: stored undefined, computed" in said_of
    assert "2 differences" in said_of
