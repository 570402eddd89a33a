"""Judging again: at most one live verdict per identity, one per place on a board (case 116)."""

import json
from typing import Any

import pytest

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.scenarios import save_scenario
from tests.fixtures.standin import StandInControl
from tests.judging.world import solo_reply
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Judgement, Verdict
from verdicts_app.work.drain import drain_job

pytestmark = pytest.mark.django_db


def reply(*marks: int) -> dict[str, str]:
    return {"text": json.dumps(solo_reply(*marks))}


def totals(**filters: Any) -> list[str]:
    return list(
        Verdict.objects.filter(**filters).order_by("id").values_list("total_exact", flat=True)
    )


def test_case_116_the_latest_counts_and_history_shows_both(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.replies(reply(10, 10, 10, 10), reply(2, 2, 2, 2))
    drain_job(plan().job.pk)
    assert plan().planned == 0

    again = plan(rejudge=True)
    drain_job(again.job.pk)

    assert totals() == ["100", "20"]
    assert totals(superseded_at=None) == totals(on_board=True) == ["20"]


def test_case_116_judged_again_without_a_result_leaves_the_old_one_in_force(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.replies(reply(10, 10, 10, 10), {"text": "Well."}, {"text": "Good."})
    drain_job(plan().job.pk)

    drain_job(plan(rejudge=True).job.pk)

    assert totals() == totals(on_board=True) == ["100"]
    assert Judgement.objects.filter(state="unjudged").count() == 1


def test_a_corrected_scenario_takes_the_place_on_the_board(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.replies(reply(10, 10, 10, 10), reply(4, 4, 4, 4))
    drain_job(plan().job.pk)
    save_scenario(ScenarioDocument(name="refunds", challenge="Review the refunds!"), user=None)

    corrected = plan()
    drain_job(corrected.job.pk)

    # Two identities, both live; one place on the board.
    assert totals(superseded_at=None) == ["100", "40"]
    assert totals(on_board=True) == ["40"]


def test_another_epoch_has_its_own_place(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    judge_at_standin.replies(reply(10, 10, 10, 10), reply(4, 4, 4, 4))
    drain_job(plan().job.pk)
    drain_job(plan(effort="high").job.pk)

    assert totals(on_board=True) == ["100", "40"]
    assert Verdict.objects.values("epoch").distinct().count() == 2


def test_repeats_have_their_own_places(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)

    drain_job(plan(repeats=3).job.pk)

    assert sorted(Verdict.objects.filter(on_board=True).values_list("repeat", flat=True)) == [
        1,
        2,
        3,
    ]
