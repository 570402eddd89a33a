"""The claim step against the stand-in: extracted once, shared, paid once, and never in the way."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.types import FindingKind
from tests.fixtures.standin import StandInControl
from tests.judging.test_claims import FOUND, reply
from tests.judging.world import checklist, items
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import (
    Epoch,
    Extraction,
    ExtractionState,
    Job,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    Response,
    Verdict,
)
from verdicts_app.work.claim import claim_items
from verdicts_app.work.control import change_budget, retry_unjudged
from verdicts_app.work.drain import drain, drain_job
from verdicts_app.work.identity import hash_of
from verdicts_app.work.instrument import extractor_of
from verdicts_app.work.price import price
from verdicts_app.work.recompute import Recomputed, recompute
from verdicts_app.work.request import JudgeRequest
from verdicts_app.work.sweep import sweep

pytestmark = pytest.mark.django_db

SHORT = ScenarioDocument(
    name="refunds",
    challenge="Review the refunds.",
    baseline_issues=items(critical=2, low=1),
    bonus_issues=items(bonus=1),
)
TEXT = "The lock is never released by anybody.\nA refund of minus ten charges the guest."
TWO_MODELS = ["claude-sonnet-5-5", "claude-opus-5-5"]


def said(payload: Any) -> dict[str, str]:
    return {"text": json.dumps(payload)}


def extracted(number: int) -> dict[str, str]:
    claims = [
        {"quote": f"fault {n};", "claim": f"Fault {n} is there."} for n in range(1, number + 1)
    ]
    return said({"claims": claims})


def text_with(number: int) -> str:
    return " ".join(f"fault {n};" for n in range(1, number + 1))


def done(planned: Any) -> Job:
    job = drain_job(planned.job.pk)
    assert job.state == JobState.DONE, job.state_detail
    return job


def asked(prompt: str) -> int:
    return LedgerEntry.objects.filter(prompt=prompt).count()


# --- extracted once -----------------------------------------------------------------------------


def test_the_golden_case(judge_at_standin: StandInControl, answers: Answers, plan: Plan) -> None:
    about = checklist()
    answers(1, about=about.scenario, text=text_with(17))
    matches = {item: [number] for number, item in enumerate(FOUND, 1)}
    rulings = dict.fromkeys(range(1, 14), "listed")
    rulings |= {14: "valid", 15: "valid", 16: "invalid", 17: "no_finding"}
    judge_at_standin.replies(extracted(17), said(reply(about, rulings, matches)))

    done(plan(claims=True))

    # 3.1: 30 x 132/194 + 10 x 13/14 + 2 x 3 + 18.75 + 21.25 = 75.698085
    verdict = Verdict.objects.get()
    assert verdict.total_exact == "51399/679"
    assert list(recompute(Recomputed())) == []
    first = verdict.findings.get(item_id="C1")
    assert (first.evidence, first.evidence_start, first.evidence_end) == ("fault 1;", 0, 8)
    assert verdict.findings.get(kind=FindingKind.FALSE_POSITIVE).evidence == "fault 16;"
    # Both requests are the judgement's, their costs and tokens the verdict's.
    requests = LedgerEntry.objects.order_by("id")
    assert [(one.prompt, one.ordinal) for one in requests] == [("claims", 1), ("first", 2)]
    assert verdict.cost_nano_usd == sum(one.cost_nano_usd or 0 for one in requests)
    assert verdict.output_tokens == sum(one.output_tokens for one in requests)


def test_judges_and_repeats_share_one_extraction(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2, about=SHORT)

    done(plan(claims=True, models=TWO_MODELS, repeats=3))

    # Two answers, each extracted once; two models match each three times.
    assert judge_at_standin.stats()["requests"] == 2 + 2 * 2 * 3
    assert (asked("claims"), asked("first")) == (2, 12)
    assert Extraction.objects.filter(state=ExtractionState.EXTRACTED).count() == 2
    keys = {
        one["key"]
        for verdict in Verdict.objects.all()
        for one in json.loads(verdict.detail)["extra"]["claims"]
    }
    assert keys == set(Extraction.objects.values_list("key", flat=True))
    # The first model asked for extracts for both, and both epochs say so.
    extractors = {extractor_of(epoch) for epoch in Epoch.objects.all()}
    assert {one.model for one in extractors if one} == {TWO_MODELS[0]}
    assert Epoch.objects.count() == 2
    assert not Extraction.objects.exclude(model=TWO_MODELS[0]).exists()


def test_equal_texts_and_later_jobs_share_it_too(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2, about=SHORT, text=TEXT)
    done(plan(claims=True))
    assert asked("claims") == 1

    done(plan(claims=True, model=TWO_MODELS[1], claims_model=TWO_MODELS[0]))
    done(plan(claims=True, rejudge=True))
    assert asked("claims") == 1

    # Another extracting model is another instrument.
    done(plan(claims=True, claims_model=TWO_MODELS[1]))
    assert asked("claims") == 2


def test_an_answer_that_claims_nothing_is_judged(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    about = checklist(critical=1)
    answers(1, about=about.scenario, text="I have nothing to say about that.")
    judge_at_standin.replies(extracted(0), said(reply(about, {}, {})))

    done(plan(claims=True))

    # Nothing found and nothing false: 18.75 + 21.25.
    assert Verdict.objects.get().total_exact == "40"


def test_an_empty_answer_asks_nobody(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT, text=" ")

    done(plan(claims=True))

    assert judge_at_standin.stats()["requests"] == 0
    assert Verdict.objects.get().total_exact == "0"


def test_a_pair_has_both_lists_extracted_once_for_both_orders(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    answers(1, about=SHORT, persona="control:reviewer")

    done(plan(claims=True, mode="compare", repeats=2))

    assert [asked(prompt) for prompt in ("claims", "claims_2", "first", "second")] == [1, 1, 2, 2]
    # Judged alone, the answers have been extracted before.
    done(plan(claims=True))
    assert (asked("claims"), asked("claims_2")) == (1, 1)
    assert list(recompute(Recomputed())) == []


# --- off ----------------------------------------------------------------------------------------


def test_off_leaves_no_trace(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan, settings: Any
) -> None:
    [response] = answers(1, about=SHORT)
    done(plan())

    epoch, judgement = Epoch.objects.get(), Judgement.objects.get()
    rubric, scenario = epoch.rubric_revision, judgement.scenario_revision
    assert rubric is not None
    assert scenario is not None
    pins = [["rubric", rubric.key, rubric.number, rubric.sha256]]
    parameters = {"orders": 1, "output_mode": "format", "effort": settings.JUDGE_EFFORT}
    # As the rules of identity say, without a word of claims or of an order.
    base = hash_of(["judged", "checklist", *pins, "checklist 1", settings.JUDGE_MODEL, parameters])
    assert epoch.base_digest == base
    subject = ["response", "run-1", "lighthouse:reviewer", "refunds", response.identity]
    scenario_pin = ["scenario", scenario.key, scenario.number, scenario.sha256]
    assert judgement.identity == hash_of([subject, 1, base, scenario_pin, None])
    assert judgement.seed == ""
    assert not Extraction.objects.exists()
    assert "extra" not in json.loads(Verdict.objects.get().detail)


def test_where_no_checklist_is_matched_it_changes_nothing(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1)
    done(plan())

    planned = plan(claims=True)

    # The same identity: nothing is left to judge.
    assert (planned.planned, planned.already_judged) == (0, 1)


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("claims", {"claims": True, "mode": "solo"}),
        ("claims", {"claims": True, "mode": "behaviours"}),
        ("claims", {"claims": True, "mode": "phase-dev"}),
        ("claims", {"claims": True, "call_type": "tag"}),
        ("claims_model", {"claims_model": "claude-opus-5-5"}),
        ("claims_model", {"claims": True, "claims_model": " "}),
        ("shuffle", {"shuffle": True, "mode": "coherence"}),
        ("shuffle", {"shuffle": True, "mode": "swebench"}),
    ],
)
def test_what_has_no_claims_or_no_order_is_refused(
    answers: Answers, field: str, request_: dict[str, Any]
) -> None:
    answers(1, about=SHORT)

    with pytest.raises(CaseRefused) as refused:
        price(request=JudgeRequest(run_id="run-1", **request_))

    assert refused.value.field == field


# --- failures -----------------------------------------------------------------------------------


def test_unreadable_claims_leave_all_that_share_them_unjudged_and_a_retry_works(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    judge_at_standin.replies({"text": "Well."}, {"text": "Well, well."})
    planned = plan(claims=True, repeats=3)

    done(planned)

    # One request and one re-ask, for all three.
    assert judge_at_standin.stats()["requests"] == 2
    unjudged = Judgement.objects.filter(state=JudgementState.UNJUDGED)
    assert set(unjudged.values_list("unjudged_reason", flat=True)) == {"unreadable"}
    words = "the claims of the response could not be read: no JSON object"
    assert all(words in one.unjudged_detail for one in unjudged)
    assert unjudged.count() == 3

    assert retry_unjudged(job_id=planned.job.pk, actor="tester") == 3
    done(planned)

    # A probe, one extraction and three matches more.
    assert judge_at_standin.stats()["requests"] == 2 + 1 + 1 + 3
    assert Verdict.objects.count() == 3
    assert Extraction.objects.get().state == ExtractionState.EXTRACTED


def test_a_refused_extraction_is_its_own_judgements_fault(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT, text="[[standin:status=400]] " + TEXT)
    answers(1, about=SHORT)

    done(plan(claims=True, repeats=2))

    refused = Judgement.objects.filter(state=JudgementState.UNJUDGED)
    assert [one.unjudged_reason for one in refused] == ["bad_request", "bad_request"]
    assert Verdict.objects.count() == 2


def test_three_refused_extractions_and_no_success_are_the_judges_fault(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(4, about=SHORT)
    judge_at_standin.faults({"status": 400, "message": "no such effort"}, times=4)

    job = drain_job(plan(claims=True).job.pk)

    assert job.state == JobState.WAITING
    assert "all refused" in job.state_detail
    assert Judgement.objects.filter(state=JudgementState.PLANNED).count() == 4


def test_an_extracting_judge_that_cannot_be_used_is_waited_for(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2, about=SHORT)
    planned = plan(claims=True, claims_model="claude-unknown")

    job = drain_job(planned.job.pk)

    assert job.state == JobState.WAITING
    assert "claude-unknown" in job.state_detail
    assert Judgement.objects.filter(state=JudgementState.PLANNED).count() == 2


def test_both_judges_are_probed(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)

    done(plan(probe=True, claims=True, claims_model=TWO_MODELS[1]))

    models = [one["body"]["model"] for one in judge_at_standin.log()]
    assert sorted(models[:2]) == sorted(TWO_MODELS)
    assert models[2:] == [TWO_MODELS[1], TWO_MODELS[0]]
    assert asked("probe") == 2


def test_the_budget_holds_and_a_parked_job_keeps_no_extraction_from_others(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    poor = plan(claims=True, budget_usd=Decimal("0.0001"))
    assert drain_job(poor.job.pk).state == JobState.PARKED
    assert judge_at_standin.stats()["requests"] == 0

    rich = plan(claims=True, model=TWO_MODELS[1], claims_model=TWO_MODELS[0])
    done(rich)
    assert Extraction.objects.get().judgement.job_id == rich.job.pk
    assert not LedgerEntry.objects.filter(judgement__job=poor.job.pk).exists()

    change_budget(job_id=poor.job.pk, budget_usd=Decimal(1), actor="tester")
    done(poor)
    # It pays for its match alone.
    of_poor = LedgerEntry.objects.filter(judgement__job=poor.job.pk)
    assert [one.prompt for one in of_poor] == ["probe", "first"]


# --- several workers ----------------------------------------------------------------------------


def held_elsewhere(plan: Plan) -> Judgement:
    """Another worker has claimed the first repeat and is extracting the claims."""
    plan(claims=True, repeats=2)
    [item] = claim_items(job_id=Job.objects.get().pk, limit=1)
    from verdicts_app.work.extractions import Holder, Wanted, look_up

    extractor = extractor_of(item.epoch)
    assert extractor is not None
    wanted = Wanted(item.id, item.attempt, item.text, extractor, "claims")
    assert look_up([wanted]) == [Holder.OURS]
    return Judgement.objects.get(pk=item.id)


def test_what_another_worker_extracts_is_waited_for_and_no_drain_hangs(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    holder = held_elsewhere(plan)

    assert drain(until_s=1)

    # Time was up: the other repeat was given back, nothing was asked.
    assert judge_at_standin.stats()["requests"] == 0
    states = Judgement.objects.order_by("id").values_list("state", flat=True)
    assert list(states) == [JudgementState.CLAIMED, JudgementState.PLANNED]
    assert Extraction.objects.get().judgement == holder


def test_a_killed_workers_extraction_is_taken_over(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    holder = held_elsewhere(plan)
    Judgement.objects.filter(pk=holder.pk).update(
        claimed_until=timezone.now() - timedelta(seconds=1)
    )

    assert sweep().given_back == 1
    done_job = drain_job(holder.job_id)

    assert done_job.state == JobState.DONE
    assert judge_at_standin.stats()["requests"] == 1 + 2
    assert Extraction.objects.get().state == ExtractionState.EXTRACTED
    assert Verdict.objects.count() == 2


def test_who_lost_its_lease_stores_nothing(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    from judgeweb.judging.conversation import Answered
    from judgeweb.judging.providers.scripted import scripted_reply
    from verdicts_app.work.extractions import Finished, Wanted, finish

    [response] = answers(1, about=SHORT)
    holder = held_elsewhere(plan)
    extractor = extractor_of(holder.epoch)
    assert extractor is not None
    late = Wanted(holder.pk, holder.attempt, response.text, extractor, "claims")
    Judgement.objects.filter(pk=holder.pk).update(
        claimed_until=timezone.now() - timedelta(seconds=1)
    )
    sweep()
    drain_job(holder.job_id)
    before = Extraction.objects.get().claims

    assert finish([Finished(late, Answered((), (scripted_reply("{}"),), ()))]) == [False]

    assert Extraction.objects.get().claims == before


# --- kept ---------------------------------------------------------------------------------------


def test_extracted_claims_never_change(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    done(plan(claims=True))
    row = Extraction.objects.get()

    sentence = "claims that were extracted never change"
    with pytest.raises(IntegrityError, match=sentence), transaction.atomic():
        Extraction.objects.update(claims="{}")
    with pytest.raises(IntegrityError, match="an extraction never goes"), transaction.atomic():
        row.delete()
    row.pk, row._state.adding = None, True
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


# --- price --------------------------------------------------------------------------------------


def test_the_price_counts_an_extraction_once_per_response(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(3, about=SHORT)
    wanted = JudgeRequest(run_id="run-1", claims=True, repeats=2)
    one = price(request=JudgeRequest(run_id="run-1", claims=True))
    two = price(request=wanted)
    without = price(request=JudgeRequest(run_id="run-1"))

    assert (two.extractions, two.extractors) == (3, TWO_MODELS[0])
    assert (without.extractions, without.extractors) == (0, "")
    estimates = [one.estimate_nano_usd, two.estimate_nano_usd, without.estimate_nano_usd]
    assert all(estimate is not None for estimate in estimates)
    assert estimates[2] < estimates[0] < estimates[1] < 2 * estimates[0]  # type: ignore[operator]

    done(plan(claims=True))
    again = price(request=JudgeRequest(run_id="run-1", claims=True, rejudge=True))
    assert again.extractions == 0


def test_a_pair_counts_two_and_a_gold_standard_one(
    judge_at_standin: StandInControl, answers: Answers
) -> None:
    answers(1, about=SHORT)
    answers(1, about=SHORT, persona="control:reviewer")

    of_pair = price(request=JudgeRequest(run_id="run-1", mode="compare", claims=True))

    assert (of_pair.judgements, of_pair.extractions) == (1, 2)


# --- shuffled -----------------------------------------------------------------------------------


def test_repeats_have_an_order_of_their_own_that_all_answers_and_judges_share(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(2, about=SHORT)
    done(plan(shuffle=True, repeats=3, models=TWO_MODELS))

    seeds = Judgement.objects.values_list("repeat", "seed").distinct().order_by("repeat")
    assert [repeat for repeat, _ in seeds] == [1, 2, 3]
    assert len({seed for _, seed in seeds}) == 3
    assert all(len(seed) == 16 for _, seed in seeds)
    # The prefix of a repeat is one text for both answers: the provider's cache holds it.
    systems = set(LedgerEntry.objects.values_list("judgement__repeat", "system"))
    assert len(systems) == 3
    assert Verdict.objects.count() == 12
    assert all(json.loads(epoch.parameters)["shuffle"] is True for epoch in Epoch.objects.all())
    assert list(recompute(Recomputed())) == []


def test_planned_again_a_repeat_has_the_same_order(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)
    done(plan(shuffle=True))
    done(plan(shuffle=True, rejudge=True))

    assert Judgement.objects.values("seed", "identity").distinct().count() == 1
    assert plan().planned == 1  # unshuffled it is another instrument


def test_claims_and_order_go_together(
    judge_at_standin: StandInControl, answers: Answers, plan: Plan
) -> None:
    answers(1, about=SHORT)

    done(plan(shuffle=True, claims=True, repeats=2))

    assert asked("claims") == 1
    parameters = json.loads(Epoch.objects.get().parameters)
    assert parameters["claim_step"] == {"model": TWO_MODELS[0], "prompt": "claims 1"}
    assert parameters["shuffle"] is True
    assert Response.objects.count() == 1
