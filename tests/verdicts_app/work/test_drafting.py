"""A contract drafted by the judge: paid once, written down, and ended as a value."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from judgeweb.access.models import AuditEntry
from judgeweb.judging.errors import CaseRefused
from tests.factories import make_capture, make_system_prompt
from tests.fixtures.database import without_triggers
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import judge_at_standin, no_judge
from verdicts_app import tasks
from verdicts_app.boards.run_calls import run_calls
from verdicts_app.boards.runs_page import runs_page
from verdicts_app.models import Drafting, DraftingRequest, DraftingState, LedgerState, Run
from verdicts_app.work import drafting as service
from verdicts_app.work.drafting import ask_for_draft, cost_of_drafting, price_of_drafting
from verdicts_app.work.drafting_loop import work_off_draftings

__all__ = ["judge_at_standin", "no_judge"]

pytestmark = pytest.mark.django_db

SYSTEM = "Return {subtasks}: a list. \x00 \ud83d"
SCHEMA = {"type": "object", "required": ["subtasks"], "properties": {"subtasks": {}}}
# Of claude-sonnet-5-5: 2 USD for a million tokens in, 10 out.
USAGE = {"input_tokens": 1000, "output_tokens": 200}


def reply(schema: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    text = schema if isinstance(schema, str) else json.dumps(schema)
    return {"text": json.dumps({"notes": "Open ends.", "json_schema": text}), **more}


@pytest.fixture
def prompt() -> Any:
    found = make_system_prompt(SYSTEM, text_json=json.dumps(SYSTEM))
    make_capture(system_prompt=found)
    return found


def asked(prompt: Any, **fields: Any) -> Drafting:
    run = Run.objects.get()
    values = {"call_type": "planner", "prompt": prompt, "run": run, "user": None, "actor": "ada"}
    return ask_for_draft(**{**values, **fields})


def ended(prompt: Any, **fields: Any) -> Drafting:
    drafting = asked(prompt, **fields)
    work_off_draftings()
    drafting.refresh_from_db()
    return drafting


def test_one_request_drafts_a_contract(judge_at_standin: StandInControl, prompt: Any) -> None:
    judge_at_standin.replies(reply(usage=USAGE))

    drafting = ended(prompt)

    assert (drafting.state, drafting.claimed_until) == (DraftingState.DRAFTED, None)
    document = json.loads(drafting.document)
    assert json.loads(document["json_schema"]) == SCHEMA
    assert (document["call_type"], document["system_prompt_sha256"]) == ("planner", prompt.sha256)
    assert (document["strict"], document["notes"]) == (True, "Open ends.")
    [request] = drafting.requests.all()
    assert (request.state, request.output_tokens) == (LedgerState.ANSWERED, 200)
    # 1000 x 2000 + 200 x 10000 nano-USD
    assert request.cost_nano_usd == 4_000_000 == cost_of_drafting(drafting.pk)
    [entry] = judge_at_standin.log()
    assert "Return {subtasks}: a list. \\u0000 \\ud83d" in json.dumps(
        entry["body"]["messages"], ensure_ascii=False
    ).replace("\\\\", "\\")
    audited = AuditEntry.objects.get(action="draft contract")
    assert (audited.actor, audited.target) == ("ada", f"drafting {drafting.pk}")


def test_the_price_is_known_before_and_what_was_spent_after(
    judge_at_standin: StandInControl, prompt: Any
) -> None:
    judge_at_standin.replies(reply(usage=USAGE))
    price = price_of_drafting("planner", prompt)
    assert price.estimate_nano_usd
    assert price.most_nano_usd
    assert price.estimate_nano_usd < price.most_nano_usd

    drafting = ended(prompt)

    assert drafting.budget_nano_usd == price.most_nano_usd
    [row] = run_calls(Run.objects.get()).rows
    [run] = runs_page().rows
    assert row.cost_nano_usd == run.cost_nano_usd == 4_000_000


def test_asking_twice_pays_once(judge_at_standin: StandInControl, prompt: Any) -> None:
    assert asked(prompt) == asked(prompt)
    work_off_draftings()
    work_off_draftings()
    assert judge_at_standin.stats()["requests"] == 1
    assert AuditEntry.objects.filter(action="draft contract").count() == 1
    assert asked(prompt).pk != Drafting.objects.earliest("pk").pk


def test_a_reply_that_is_no_schema_is_asked_for_again_once(
    judge_at_standin: StandInControl, prompt: Any
) -> None:
    judge_at_standin.replies(reply({"type": "lump"}), reply())
    assert ended(prompt).state == DraftingState.DRAFTED
    second = judge_at_standin.log()[1]["body"]["messages"]
    assert "json_schema.type" in json.dumps(second)


@pytest.mark.parametrize(
    ("replies", "reason", "said"),
    [
        ([reply("{"), reply("{")], "invalid", "is not JSON"),
        ([reply({"$ref": "http://e.org"})] * 2, "invalid", "nothing is fetched"),
        ([{"text": "No."}] * 2, "unreadable", ""),
        ([{"content": [], "stop_reason": "refusal"}], "refused", ""),
    ],
)
def test_failure_is_a_value_with_its_reason_and_its_cost(
    judge_at_standin: StandInControl, prompt: Any, replies: Any, reason: str, said: str
) -> None:
    judge_at_standin.replies(*replies)

    drafting = ended(prompt)

    assert (drafting.state, drafting.reason) == (DraftingState.FAILED, reason)
    assert said in drafting.detail
    assert drafting.document == ""
    assert drafting.requests.count() == len(replies)
    assert not drafting.requests.filter(state=LedgerState.OPEN).exists()


def test_a_judge_that_cannot_be_used_fails_the_draft_and_costs_nothing(
    judge_at_standin: StandInControl, prompt: Any
) -> None:
    judge_at_standin.faults({"status": 401})
    drafting = ended(prompt)
    assert (drafting.state, drafting.reason) == (DraftingState.FAILED, service.NO_JUDGE)
    assert cost_of_drafting(drafting.pk) == 0


def test_busy_judges_are_asked_again_on_the_paced_path(
    judge_at_standin: StandInControl, prompt: Any
) -> None:
    judge_at_standin.faults({"status": 529, "headers": {"retry-after": "0"}})
    drafting = ended(prompt)
    assert drafting.state == DraftingState.DRAFTED
    states = list(drafting.requests.values_list("state", flat=True))
    assert states == [LedgerState.FAILED, LedgerState.ANSWERED]


def test_no_request_passes_the_cap(judge_at_standin: StandInControl, prompt: Any) -> None:
    drafting = asked(prompt)
    Drafting.objects.update(budget_nano_usd=1)
    work_off_draftings()
    drafting.refresh_from_db()
    assert (drafting.reason, drafting.requests.count()) == (service.BUDGET, 0)
    assert judge_at_standin.stats()["requests"] == 0


def test_without_a_judge_or_a_prompt_nothing_is_asked_for(
    no_judge: None, prompt: Any, settings: Any
) -> None:
    with pytest.raises(CaseRefused) as refused:
        asked(prompt)
    assert refused.value.field == "judge"
    with pytest.raises(CaseRefused) as refused:
        asked(make_system_prompt(" "))
    assert refused.value.field == "system_prompt"
    assert not Drafting.objects.exists()


def test_a_worker_without_a_judge_says_so(
    judge_at_standin: StandInControl, prompt: Any, settings: Any
) -> None:
    drafting = asked(prompt)
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    work_off_draftings()
    drafting.refresh_from_db()
    assert drafting.reason == service.NO_JUDGE


def test_the_draft_of_a_dead_worker_is_given_up_not_paid_twice(
    judge_at_standin: StandInControl, prompt: Any
) -> None:
    drafting = asked(prompt)
    assert service.claim_drafting(drafting.pk)
    assert service.claim_drafting(drafting.pk) is None
    DraftingRequest.objects.create(
        drafting=drafting,
        ordinal=1,
        system=_prefix(),
        messages=b"",
        max_tokens=10,
        opened_at=timezone.now(),
        cost_nano_usd=77,
    )
    assert service.sweep_draftings() == 0
    assert drafting.requests.get().state == LedgerState.OPEN
    Drafting.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))

    assert service.sweep_draftings() == 0

    drafting.refresh_from_db()
    assert (drafting.state, drafting.reason) == (DraftingState.FAILED, "lost_worker")
    assert drafting.requests.get().state == LedgerState.LOST
    assert cost_of_drafting(drafting.pk) == 77
    work_off_draftings()
    assert judge_at_standin.stats()["requests"] == 0


def _prefix() -> Any:
    from verdicts_app.models import PromptText

    return PromptText.objects.create(sha256="0" * 64, text="x")


def test_a_bug_ends_the_draft(
    judge_at_standin: StandInControl, prompt: Any, monkeypatch: Any
) -> None:
    drafting = asked(prompt)
    monkeypatch.setattr("verdicts_app.work.drafting_loop.read_draft", lambda *a, **k: 1 / 0)
    work_off_draftings()
    drafting.refresh_from_db()
    assert drafting.reason == "internal_error"


def test_the_sweeper_wakes_a_worker_for_what_waits(
    judge_at_standin: StandInControl, prompt: Any, monkeypatch: Any
) -> None:
    sent: list[str] = []
    for task in (tasks.drain, tasks.draft_contracts):
        monkeypatch.setattr(task, "apply_async", lambda name=task.name, **_: sent.append(name))
    tasks.sweep()
    assert sent == []
    drafting = asked(prompt)
    tasks.sweep()
    assert sent == ["verdicts_app.tasks.draft_contracts"]
    tasks.draft_contracts()
    drafting.refresh_from_db()
    assert drafting.state == DraftingState.DRAFTED


@pytest.mark.parametrize(
    "half",
    [
        {"state": "drafted"},
        {"state": "failed", "finished_at": timezone.now()},
        {"document": "{}"},
        {"finished_at": timezone.now()},
        {"reason": "invalid"},
    ],
)
def test_there_are_no_half_states(
    judge_at_standin: StandInControl, prompt: Any, half: dict[str, Any]
) -> None:
    asked(prompt)
    with pytest.raises(IntegrityError), transaction.atomic():
        Drafting.objects.update(**half)


def test_its_ledger_never_changes(judge_at_standin: StandInControl, prompt: Any) -> None:
    ended(prompt)
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        DraftingRequest.objects.update(output_tokens=1)
    with pytest.raises(DatabaseError, match="never goes"), transaction.atomic():
        DraftingRequest.objects.all().delete()
    with without_triggers(connection):
        DraftingRequest.objects.all().delete()


# --- command ------------------------------------------------------------------------------------


def command(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("draft_contract", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_command_prints_what_import_contracts_takes(
    judge_at_standin: StandInControl, prompt: Any, tmp_path: Any
) -> None:
    judge_at_standin.replies(reply(usage=USAGE))

    out, err = command("--call-type", "planner", "--run", "run-1")

    contract = json.loads(out)
    assert contract["json_schema"] == SCHEMA
    assert contract["system_prompt_sha256"] == prompt.sha256
    assert "about" in err
    assert "0.0040 USD spent" in err
    (tmp_path / "c.json").write_text(out)
    call_command("import_contracts", str(tmp_path / "c.json"), stdout=StringIO())


def test_command_names_what_is_wrong(judge_at_standin: StandInControl, prompt: Any) -> None:
    for arguments in (["--call-type", "nobody"], ["--call-type", "planner", "--run", "none"]):
        with pytest.raises(CommandError) as failure:
            command(*arguments)
        assert failure.value.returncode == 2
    make_capture(system_prompt="Another.")
    with pytest.raises(CommandError, match="2 system prompts") as failure:
        command("--call-type", "planner")
    assert failure.value.returncode == 2
    judge_at_standin.replies(reply("{"), reply("{"))
    with pytest.raises(CommandError, match="invalid") as failure:
        command("--call-type", "planner", "--prompt", prompt.sha256[:12])
    assert failure.value.returncode == 1
