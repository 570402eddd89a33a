"""Captures through plan, claim, judge and record: pins, reuse, checks, what is left out."""

import json
from decimal import Decimal
from typing import Any

import pytest

from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import CaseRefused
from rubrics_app.contracts import save_contract
from rubrics_app.models import CallTypePolicy, Revision
from tests.factories import make_capture, make_run, make_system_prompt
from tests.fixtures.answer_key import block, user_of
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import (
    Capture,
    Epoch,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    Verdict,
)
from verdicts_app.work.drain import drain_job
from verdicts_app.work.plan import JudgeRequest, price
from verdicts_app.work.progress import job_progress
from verdicts_app.work.recompute import Recomputed, recompute

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "required": ["subtasks"],
    "properties": {"subtasks": {"type": "array"}},
}


def contract(call_type: str = "planner", schema: Any = None, **fields: Any) -> Revision:
    document = ContractDocument(call_type=call_type, json_schema=schema or SCHEMA, **fields)
    revision = save_contract(document, user=None).revision
    assert revision is not None
    return revision


def decision(value: bool | None, quote: str | None = None) -> dict[str, Any]:
    return {"rationale": "As it was found.", "value": value, "worst_offender": quote}


def said(factual: Any = True, free: Any = True, **more: Any) -> dict[str, str]:
    reply = {
        "factually_grounded": decision(factual),
        "hallucination_free": decision(free),
        **{key: decision(value) for key, value in more.items()},
    }
    return {"text": json.dumps(reply)}


def judged(planned: Any) -> list[Verdict]:
    job = drain_job(planned.job.pk)
    assert job.state == JobState.DONE, job.state_detail
    return list(Verdict.objects.order_by("id").prefetch_related("checks"))


def checks(verdict: Verdict) -> dict[str, tuple[bool | None, str]]:
    return {check.key: (check.ok, check.decided_by) for check in verdict.checks.all()}


# --- judged -------------------------------------------------------------------------------------


def test_contract_decides_the_schema_and_the_judge_the_rest(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    pinned = contract()
    capture = make_capture()
    judge_at_standin.replies(said(factual=False))

    [verdict] = judged(plan(call_type="planner"))

    assert (verdict.capture, verdict.response, verdict.run) == (capture, None, capture.run)
    assert (verdict.mode, verdict.passed, verdict.total_nano) == ("calls", False, None)
    assert verdict.answered_at == capture.at
    assert checks(verdict) == {
        "schema_ok": (True, "contract"),
        "factually_grounded": (False, "judge"),
        "hallucination_free": (True, "judge"),
    }
    judgement = Judgement.objects.get()
    assert judgement.contract_revision == pinned
    assert json.loads(verdict.epoch.parameters)["undecidable_allowed"] is False
    assert list(recompute(Recomputed())) == []


def test_without_a_contract_the_judge_decides_all_three(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    make_capture()
    judge_at_standin.replies(said(schema_ok=False))

    [verdict] = judged(plan(call_type="planner"))

    assert checks(verdict)["schema_ok"] == (False, "judge")
    assert Judgement.objects.get().contract_revision is None


def test_contract_of_the_very_system_prompt_goes_before_the_one_for_any(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    special = make_system_prompt("Say which files.")
    for_any = contract()
    for_this = contract(system_prompt_sha256=special.sha256)
    make_capture(system_prompt=special)
    make_capture()
    judge_at_standin.replies(said(), said())

    judged(plan(call_type="planner"))

    pinned = dict(
        Judgement.objects.values_list("capture__system_prompt__text", "contract_revision")
    )
    assert pinned["Say which files."] == for_this.pk
    assert pinned["You plan. Answer in JSON."] == for_any.pk


@pytest.mark.parametrize("response", [None, "", " \n\u200b"])
def test_no_response_fails_its_schema_without_a_request(
    judge_at_standin: StandInControl, plan: Plan, response: str | None
) -> None:
    make_capture(response_content=response, parsed_ok=False)

    [verdict] = judged(plan(call_type="planner", probe=True))

    assert checks(verdict) == {
        "schema_ok": (False, "rule"),
        "factually_grounded": (True, "rule"),
        "hallucination_free": (True, "rule"),
    }
    assert (verdict.passed, verdict.flags, verdict.cost_nano_usd) == (False, "empty_answer", 0)
    assert judge_at_standin.stats()["requests"] == 0
    assert LedgerEntry.objects.count() == 0


def test_undecidable_only_where_the_call_type_allows_it(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    CallTypePolicy.objects.create(call_type="implementer", undecidable_allowed=True)
    for call_type in ("implementer", "planner"):
        contract(call_type)
        make_capture(call_type)
        judge_at_standin.replies(said(free=None), said(free=None))
        plan_of_it = plan(call_type=call_type)
        drain_job(plan_of_it.job.pk)
        judge_at_standin.reset()

    verdict = Verdict.objects.get()
    assert verdict.capture is not None
    assert (verdict.capture.call_type, verdict.passed) == ("implementer", None)
    assert checks(verdict)["hallucination_free"] == (None, "judge")
    assert json.loads(verdict.epoch.parameters)["undecidable_allowed"] is True
    unjudged = Judgement.objects.get(state=JudgementState.UNJUDGED)
    assert (unjudged.capture.call_type, unjudged.unjudged_reason) == ("planner", "invalid")  # type: ignore[union-attr]


def test_captured_system_prompt_is_cached_and_shared(
    judge_at_standin: StandInControl, plan: Plan, settings: Any
) -> None:
    """Interleaved as uploaded, asked by system prompt; the material comes after the prefix."""
    settings.JUDGE_IN_FLIGHT = 1
    for number in range(6):
        make_capture(system_prompt=f"Prompt {number % 2}. " + "Long rules. " * 500)

    judged(plan(call_type="planner"))

    bodies = [entry["body"] for entry in judge_at_standin.log()]
    prefixes = [json.dumps(body["system"]) for body in bodies]
    assert prefixes == sorted(prefixes, key=prefixes.index)
    assert len(set(prefixes)) == 2
    assert all("cache_control" in prefix for prefix in prefixes)
    usage = list(LedgerEntry.objects.order_by("id").values_list("cache_read_tokens", flat=True))
    assert [tokens > 0 for tokens in usage] == [False, True, True, False, True, True]


def test_nul_and_lone_surrogates_are_judged_as_they_came(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    """A raw NUL is no JSON, its escape is; neither breaks the request or the database."""
    contract()
    raw = {"response_content": '{"subtasks": ["\x00"]}'}
    escaped = {"response_content": '{"subtasks": ["\\u0000 \\ud83d"]}'}
    lone = {"user_content": "half \ud83d of it \x00"}
    for texts in (raw, escaped, lone):
        make_capture(**visible_columns(texts), originals=json.dumps(texts))

    first, second, third = judged(plan(call_type="planner"))

    assert checks(first)["schema_ok"] == (False, "rule")
    assert checks(second)["schema_ok"] == (True, "contract")
    assert checks(third)["schema_ok"] == (True, "contract")
    sent = [block("user_content", user_of(entry["body"])) for entry in judge_at_standin.log()]
    assert "half \\ud83d of it \\u0000" in sent
    assert list(recompute(Recomputed())) == []


def visible_columns(texts: dict[str, str]) -> dict[str, str]:
    from judgeweb.judging.text import visible

    return {name: visible(text)[0] for name, text in texts.items()}


def test_hints_go_along(judge_at_standin: StandInControl, plan: Plan) -> None:
    make_capture(response_content='{"subtasks": ["see src/ghost/relay.py"]}')

    judged(plan(call_type="planner"))

    [entry] = judge_at_standin.log()
    assert "src/ghost/relay.py" in (block("hints", user_of(entry["body"])) or "")


# --- what is planned ----------------------------------------------------------------------------


def test_types_that_judge_others_are_left_out_unless_named(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    for call_type in ("planner", "judge", "patch_generator", "fit_judge"):
        make_capture(call_type)

    def planned_types(planned: Any) -> list[str]:
        found = planned.job.judgements.values_list("capture__call_type", flat=True)
        return sorted(found)

    assert planned_types(plan(mode="calls")) == ["fit_judge", "planner"]
    assert planned_types(plan(call_type="judge")) == ["judge"]


def test_a_run_without_mode_is_judged_whole(
    judge_at_standin: StandInControl, plan: Plan, answers: Answers
) -> None:
    answers(2)
    make_capture()
    assert plan().planned == 3
    assert plan(mode="solo").planned == 0


def test_judging_again_reuses_what_is_judged(judge_at_standin: StandInControl, plan: Plan) -> None:
    contract()
    make_capture()
    make_capture(response_content=None, parsed_ok=False)
    assert len(judged(plan(call_type="planner"))) == 2
    sent = judge_at_standin.stats()["requests"]

    again = plan(call_type="planner")

    assert (again.planned, again.already_judged) == (0, 2)
    assert judge_at_standin.stats()["requests"] == sent
    assert plan(call_type="planner", model="claude-haiku-5-5").planned == 2


def test_another_contract_is_other_work_in_the_same_epoch(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    contract()
    make_capture()
    judge_at_standin.replies(said(), said())
    [before] = judged(plan(call_type="planner"))
    contract(schema={**SCHEMA, "required": ["subtasks", "domain"]})

    after = judged(plan(call_type="planner"))[-1]

    assert (before.passed, after.passed) == (True, False)
    assert (before.epoch, before.board_key) == (after.epoch, after.board_key)
    assert before.identity != after.identity
    before.refresh_from_db()
    assert (before.on_board, after.on_board) == (False, True)
    assert before.is_live
    assert Epoch.objects.count() == 1


def test_same_call_in_two_runs_is_two_subjects(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    make_capture(call_id="one", run="a")
    make_capture(call_id="one", run="b")
    assert plan(run_id="a", call_type="planner").planned == 1
    assert plan(run_id="b", call_type="planner").planned == 1


def test_captures_are_named_one_by_one(judge_at_standin: StandInControl, plan: Plan) -> None:
    first, _ = make_capture(), make_capture()
    assert plan(capture_ids=[first.pk]).planned == 1


def test_nothing_to_judge_by_is_refused_naming_the_field(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    make_capture(system_prompt=None, user_content="")
    make_capture(system_prompt=None, user_content="", response_content=None, parsed_ok=False)

    planned = plan(call_type="planner")

    [refused] = planned.refused
    assert (refused.scenario, refused.field, refused.responses) == ("planner", "user_content", 1)
    [verdict] = judged(planned)
    assert checks(verdict)["schema_ok"] == (False, "rule")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"call_type": "nobody"}, "call_type"),
        ({"call_type": "planner", "mode": "solo"}, "call_type"),
        ({"call_type": "planner", "run_id": None, "response_ids": [1]}, "call_type"),
        ({"run_id": None, "response_ids": [1], "mode": "calls"}, "mode"),
        ({"run_id": None, "capture_ids": [1], "mode": "solo"}, "mode"),
        ({"capture_ids": [1]}, "run_id"),
        ({"mode": "sorcery"}, "mode"),
    ],
)
def test_requests_that_cannot_be_used_name_their_field(
    request_: dict[str, Any], field: str
) -> None:
    make_run("run-1")
    with pytest.raises(CaseRefused) as refused:
        price(request=JudgeRequest(**{"run_id": "run-1", **request_}))
    assert refused.value.field == field


def test_rubric_of_another_mode_is_refused(plan: Plan) -> None:
    make_capture()
    planned = plan(call_type="planner", rubric_key="solo")
    [refused] = planned.refused
    assert (planned.planned, refused.field) == (0, "rubric")


# --- price and progress -------------------------------------------------------------------------


def test_price_counts_the_cached_prompt_once(settings: Any) -> None:
    settings.JUDGE_MODEL = "claude-sonnet-5-5"
    prompt = "Rules. " * 5000
    for _ in range(10):
        make_capture(system_prompt=prompt)
    make_capture(response_content=None, parsed_ok=False, system_prompt=prompt)
    shared = price(request=JudgeRequest(run_id="run-1", call_type="planner"))
    for number in range(10):
        make_capture("reconciler", system_prompt=f"{number} {prompt}")
    apart = price(request=JudgeRequest(run_id="run-1", call_type="reconciler"))

    assert (shared.judgements, apart.judgements) == (11, 10)
    assert shared.estimate_nano_usd
    assert apart.estimate_nano_usd
    assert apart.estimate_nano_usd > 2 * shared.estimate_nano_usd
    assert shared.first_request_nano_usd


def test_budget_parks_the_job(judge_at_standin: StandInControl, plan: Plan) -> None:
    make_capture()
    planned = plan(call_type="planner", budget_usd=Decimal("0.000001"))
    assert drain_job(planned.job.pk).state == JobState.PARKED
    assert judge_at_standin.stats()["requests"] == 0


def test_progress_goes_by_call_type(judge_at_standin: StandInControl, plan: Plan) -> None:
    make_capture("planner")
    make_capture("reconciler")
    progress = job_progress(plan(mode="calls").job)
    assert [(row.spec, row.waiting) for row in progress.personas] == [
        ("planner", 1), ("reconciler", 1),
    ]  # fmt: skip


def test_unjudged_is_no_verdict_and_is_tried_again(
    judge_at_standin: StandInControl, plan: Plan
) -> None:
    make_capture()
    judge_at_standin.replies({"text": "true, true!"}, {"text": "true, true!"})
    drain_job(plan(call_type="planner").job.pk)
    assert Verdict.objects.count() == 0
    assert Judgement.objects.get().unjudged_reason == "unreadable"
    assert len(judged(plan(call_type="planner"))) == 1


def test_system_prompts_are_read_once_a_claim(
    judge_at_standin: StandInControl, plan: Plan, django_assert_max_num_queries: Any
) -> None:
    from verdicts_app.work.claim import claim_items

    for _ in range(20):
        make_capture()
    planned = plan(call_type="planner")
    with django_assert_max_num_queries(7):
        items = claim_items(job_id=planned.job.pk, limit=20)
    assert len({id(item.capture.system_prompt) for item in items if item.capture}) == 1
    assert {item.capture.pk for item in items if item.capture} == set(
        Capture.objects.values_list("pk", flat=True)
    )


def test_without_a_judge_silent_captures_are_judged_and_the_others_wait(
    no_judge: None, plan: Plan
) -> None:
    silent = make_capture(response_content=None, parsed_ok=False)
    make_capture()
    planned = plan(call_type="planner")
    assert drain_job(planned.job.pk).state == JobState.WAITING
    assert Verdict.objects.get().capture == silent
    assert Judgement.objects.get(state=JudgementState.PLANNED).capture != silent
