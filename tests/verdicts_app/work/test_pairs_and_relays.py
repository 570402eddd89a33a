"""A run's answers judged together: who is paired with whom, several judges, lost workers."""

from typing import Any

import pytest
from django.utils import timezone

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from tests.factories import make_capture, make_persona, make_response
from tests.fixtures.standin import StandInControl
from tests.judging.world import solo_reply
from tests.verdicts_app.mode_data import PATCH, make_instance
from tests.verdicts_app.seed_data import said
from tests.verdicts_app.work.conftest import Plan, published
from verdicts_app.models import (
    PHASES,
    Chain,
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Pair,
    PromptText,
    Verdict,
)
from verdicts_app.work.claim import claim_items
from verdicts_app.work.drain import drain, drain_job
from verdicts_app.work.identity import response_subject
from verdicts_app.work.items import loaded
from verdicts_app.work.plan import JudgeRequest, price
from verdicts_app.work.recompute import Recomputed, recompute
from verdicts_app.work.sweep import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture
def refunds() -> Any:
    return published(ScenarioDocument(name="refunds", challenge="Review the refunds."))


def specs() -> list[tuple[str, str]]:
    pairs = Pair.objects.order_by("id").select_related("first__persona", "second__persona")
    return [(pair.first.persona.spec, pair.second.persona.spec) for pair in pairs]


# --- who is compared with whom ------------------------------------------------------------------


def test_each_is_compared_with_the_control_the_kth_with_the_kth(refunds: Any, plan: Plan) -> None:
    for spec in ("lighthouse:dev", "harbour:dev", "control:dev", "lighthouse:dev", "control:dev"):
        make_response(spec, refunds)

    planned = plan(mode="compare")

    assert planned.planned == 3
    assert specs() == [
        ("harbour:dev", "control:dev"),
        ("lighthouse:dev", "control:dev"),
        ("lighthouse:dev", "control:dev"),
    ]
    assert Pair.objects.values("first", "second").distinct().count() == 3


def test_of_several_controls_the_one_of_the_same_role_is_the_opponent(
    refunds: Any, plan: Plan
) -> None:
    for spec in ("lighthouse:dev", "lighthouse:sm", "control:dev", "control:sm"):
        make_response(spec, refunds)

    plan(mode="compare")

    assert specs() == [("lighthouse:dev", "control:dev"), ("lighthouse:sm", "control:sm")]


def test_without_a_control_two_are_compared_with_one_another(refunds: Any, plan: Plan) -> None:
    make_response("lighthouse:dev", refunds)
    make_response("harbour:dev", refunds)

    plan(mode="compare")

    assert specs() == [("harbour:dev", "lighthouse:dev")]


def test_without_a_control_three_need_an_opponent(refunds: Any, plan: Plan) -> None:
    for spec in ("lighthouse:dev", "harbour:dev", "quarry:dev"):
        make_response(spec, refunds)

    refused = plan(mode="compare")
    planned = plan(mode="compare", opponent="quarry:dev")

    assert refused.planned == 0
    assert [(one.field, one.responses) for one in refused.refused] == [("opponent", 3)]
    assert planned.planned == 2
    assert specs() == [("harbour:dev", "quarry:dev"), ("lighthouse:dev", "quarry:dev")]


def test_a_pair_that_is_stored_the_other_way_round_is_the_same_in_two_orders(
    refunds: Any, plan: Plan
) -> None:
    own, control = make_response("lighthouse:dev", refunds), make_response("control:dev", refunds)
    Pair.objects.create(first=control, second=own)

    plan(mode="compare")
    assert specs() == [("control:dev", "lighthouse:dev")]
    plan(mode="compare", orders=1)
    assert specs() == [("control:dev", "lighthouse:dev"), ("lighthouse:dev", "control:dev")]


def test_a_phase_pairs_teams_of_its_role_alone(refunds: Any, plan: Plan) -> None:
    for spec in ("lighthouse:sm", "lighthouse:dev", "control:sm", "harbour:sm"):
        make_response(spec, refunds)

    planned = plan(mode="phase-sm")

    assert planned.planned == 2
    assert specs() == [("harbour:sm", "control:sm"), ("lighthouse:sm", "control:sm")]
    with pytest.raises(CaseRefused, match="no answers of the role 'reviewer'"):
        plan(mode="phase-reviewer")


def test_who_answered_alone_is_refused_and_failed_runs_are_left_out(
    refunds: Any, plan: Plan
) -> None:
    make_response("lighthouse:dev", refunds)
    make_response("control:dev", refunds, outcome="failed")

    planned = plan(mode="compare")

    assert (planned.planned, planned.failed_runs) == (0, 1)
    assert [one.field for one in planned.refused] == ["contestants"]


def relay_of(theme: str, scenario: Any) -> None:
    for phase in PHASES:
        make_response(f"{theme}:{phase}", scenario)


def test_the_four_answers_of_a_theme_are_a_relay_and_a_gap_is_named(
    refunds: Any, plan: Plan
) -> None:
    relay_of("lighthouse", refunds)
    make_response("harbour:sm", refunds)

    first, again = plan(mode="coherence"), plan(mode="coherence")

    assert (first.planned, again.planned, again.already_planned) == (1, 0, 1)
    assert [one.field for one in first.refused] == ["tea_response"]
    chain = Chain.objects.get()
    assert (chain.theme, chain.scenario) == ("lighthouse", refunds)
    assert [one.persona.role for one in chain.responses] == list(PHASES)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"run_id": "run-1", "mode": "solo", "opponent": "control:dev"}, "opponent"),
        ({"run_id": "run-1", "mode": "compare", "orders": 3}, "orders"),
        ({"response_ids": [1], "mode": "compare"}, "mode"),
        ({"pairs": [(1, 2)], "mode": "solo"}, "mode"),
        ({"relays": [], "mode": "phase-sm"}, "mode"),
        ({"run_id": "run-1", "model": "a", "models": ["b"]}, "models"),
        ({"run_id": "run-1", "models": ["b", "b"]}, "models"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_its_field(
    request_: dict[str, Any], field: str
) -> None:
    with pytest.raises(CaseRefused) as refused:
        JudgeRequest(**request_).check()
    assert refused.value.field == field


# --- price --------------------------------------------------------------------------------------


def test_both_orders_cost_twice_the_output(refunds: Any) -> None:
    make_response("lighthouse:dev", refunds)
    make_response("control:dev", refunds)

    one, two = (
        price(request=JudgeRequest(run_id="run-1", mode="compare", orders=orders))
        for orders in (1, 2)
    )

    assert one.estimate_nano_usd is not None
    assert two.estimate_nano_usd is not None
    # The second order reads the instructions from the cache.
    assert 1.5 * one.estimate_nano_usd < two.estimate_nano_usd < 2 * one.estimate_nano_usd


def test_a_patch_costs_nothing_and_several_judges_cost_their_sum(
    refunds: Any, settings: Any
) -> None:
    make_response("lighthouse:dev", refunds)
    models = ["claude-opus-5-5", "claude-haiku-5-5"]
    make_instance("refunds")

    singly = [price(request=JudgeRequest(run_id="run-1", model=model)) for model in models]
    together = price(request=JudgeRequest(run_id="run-1", models=models))
    patch = price(request=JudgeRequest(run_id="run-1", mode="swebench", models=models))

    assert together.judgements == 2
    assert together.estimate_nano_usd == sum(one.estimate_nano_usd or 0 for one in singly) > 0
    assert together.model == "claude-opus-5-5, claude-haiku-5-5"
    assert (patch.judgements, patch.estimate_nano_usd, patch.model) == (1, 0, "no model")


# --- judging ------------------------------------------------------------------------------------


def test_pairs_relays_answers_and_patches_are_judged_and_recompute(
    judge_at_standin: StandInControl, refunds: Any, plan: Plan
) -> None:
    relay_of("lighthouse", refunds)
    relay_of("control", refunds)
    make_instance("refunds")
    make_response("lighthouse:dev", refunds, text=PATCH)
    make_response("lighthouse:dev", refunds, text="")

    for mode in ("compare", "phase-tea", "coherence", "ground-truth", None):
        assert drain_job(plan(mode=mode).job.pk).state == JobState.DONE

    assert not Judgement.objects.exclude(state=JudgementState.JUDGED).exists()
    counts = Recomputed()
    assert list(recompute(counts)) == []
    assert (counts.verdicts, counts.left_out) == (Verdict.objects.count(), 0)
    assert Verdict.objects.filter(pair__isnull=False, decision="").count() == 0
    assert Verdict.objects.filter(chain__isnull=False).count() == 2


def test_patches_are_judged_while_the_rest_waits_for_a_judge(
    no_judge: None, refunds: Any, plan: Plan
) -> None:
    make_instance("refunds")
    make_response("lighthouse:dev", refunds, text=PATCH)
    patches, answers = plan(mode="swebench").job, plan(mode="solo").job
    assert (patches.state, patches.budget_nano_usd) == (JobState.RUNNING, None)
    assert answers.state == JobState.WAITING

    drain()

    assert Job.objects.get(pk=patches.pk).state == JobState.DONE
    verdict = Verdict.objects.get()
    assert (verdict.total_exact, verdict.origin, verdict.cost_nano_usd) == ("100", "judged", 0)
    assert not LedgerEntry.objects.exists()


def test_a_patch_takes_its_persona_from_a_verdict_on_the_same_answer(
    judge_at_standin: StandInControl, refunds: Any, plan: Plan
) -> None:
    make_instance("refunds")
    make_response("lighthouse:dev", refunds, text=PATCH)
    drain_job(plan(mode="swebench").job.pk)
    assert Verdict.objects.get().total_exact == "100"
    judge_at_standin.replies(said(solo_reply(8, 7, 9, 6)))
    drain_job(plan(mode="solo").job.pk)

    planned = plan(mode="swebench")
    drain_job(planned.job.pk)

    assert (planned.planned, plan(mode="swebench").already_judged) == (1, 1)
    board = Verdict.objects.get(mode="swebench", on_board=True)
    # 30 + 40 + 20 for the gold patch itself, and 10 x 6 / 10 for persona.
    assert (board.total_exact, board.judgement.linked.mode) == ("96", "solo")
    assert list(recompute(Recomputed())) == []


def test_every_judge_of_a_job_is_probed_and_judges_in_its_own_epoch(
    judge_at_standin: StandInControl, refunds: Any, plan: Plan
) -> None:
    make_response("lighthouse:dev", refunds)
    models = ["claude-opus-5-5", "claude-haiku-5-5"]

    job = drain_job(plan(probe=True, models=models).job.pk)

    assert job.state == JobState.DONE
    verdicts = Verdict.objects.select_related("epoch")
    assert sorted(one.epoch.requested_model for one in verdicts) == sorted(models)
    asked = [entry["body"]["model"] for entry in judge_at_standin.log()]
    assert sorted(asked) == sorted(2 * models)
    assert LedgerEntry.objects.filter(prompt="probe").count() == 2


def test_one_judge_that_cannot_be_used_makes_the_job_wait(
    judge_at_standin: StandInControl, refunds: Any, plan: Plan
) -> None:
    make_response("lighthouse:dev", refunds)

    job = drain_job(plan(probe=True, models=["claude-opus-5-5", "no-such-judge"]).job.pk)

    assert job.state == JobState.WAITING
    assert "no-such-judge" in job.state_detail
    assert not Verdict.objects.exists()


# --- lost workers -------------------------------------------------------------------------------


def lose(job: Job, requests: int, *, status: int | None = None) -> None:
    """Claimed by a worker that makes requests in the first order and dies."""
    [item] = claim_items(job_id=job.pk, limit=1)
    prefix = PromptText.objects.create(sha256="0" * 64, text="prefix")
    for ordinal in range(1, requests + 1):
        LedgerEntry.objects.create(
            judgement_id=item.id,
            attempt=item.attempt,
            prompt="first",
            ordinal=ordinal,
            state=LedgerState.FAILED,
            system=prefix,
            messages=b"",
            max_tokens=10,
            opened_at=timezone.now(),
            closed_at=timezone.now(),
            status=status,
        )
    Judgement.objects.filter(pk=item.id).update(claimed_until=timezone.now() - LONG_AGO)
    sweep()


LONG_AGO = timezone.timedelta(hours=1)


@pytest.fixture
def lost_pair(judge_at_standin: StandInControl, refunds: Any, plan: Plan) -> Job:
    make_response("lighthouse:dev", refunds)
    make_response("control:dev", refunds)
    return plan(mode="compare").job


def test_a_lost_judgement_gets_no_fresh_requests(
    judge_at_standin: StandInControl, lost_pair: Job
) -> None:
    lose(lost_pair, 4, status=529)
    judge_at_standin.faults({"status": 529})

    drain_job(lost_pair.pk)

    # The fifth and last request of the first order came to nothing; the second was never asked.
    assert Judgement.objects.get().unjudged_reason == "provider_unavailable"
    assert judge_at_standin.stats()["requests"] == 1


def test_the_other_order_and_faults_of_the_judge_do_not_count(
    judge_at_standin: StandInControl, lost_pair: Job
) -> None:
    lose(lost_pair, 5, status=401)

    drain_job(lost_pair.pk)

    assert Judgement.objects.get().state == JudgementState.JUDGED
    assert judge_at_standin.stats()["requests"] == 2


def test_tried_again_by_a_person_it_gets_new_ones(
    judge_at_standin: StandInControl, lost_pair: Job
) -> None:
    lose(lost_pair, 5)
    Judgement.objects.update(planned_at=timezone.now())

    drain_job(lost_pair.pk)

    assert Judgement.objects.get().state == JudgementState.JUDGED


# --- what is read for judging -------------------------------------------------------------------


def test_items_of_every_kind_are_read_in_a_few_queries(
    refunds: Any, plan: Plan, django_assert_num_queries: Any
) -> None:
    relay_of("lighthouse", refunds)
    relay_of("control", refunds)
    make_capture()
    for mode in ("compare", "coherence", None):
        plan(mode=mode)
    ids = list(Judgement.objects.values_list("pk", flat=True))

    # Rows, epochs, revisions, captures and their prompts, pairs, relays.
    with django_assert_num_queries(7):
        items = loaded(ids)

    kinds = {item.subject[0] for item in items}
    assert kinds == {"response", "capture", "pair", "chain"}


def test_the_natural_key_of_a_pair_is_made_of_its_answers(refunds: Any, plan: Plan) -> None:
    make_persona("lighthouse:dev")
    own, other = make_response("lighthouse:dev", refunds), make_response("control:dev", refunds)
    plan(mode="compare")

    [item] = loaded(list(Judgement.objects.values_list("pk", flat=True)))

    parts = [
        response_subject(
            run_id="run-1",
            spec=response.persona.spec,
            scenario_key="refunds",
            identity=response.identity,
        )[1:]
        for response in (own, other)
    ]
    assert item.subject == ("pair", *parts[0], *parts[1])
