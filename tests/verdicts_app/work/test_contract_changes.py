"""Which captures a contract would decide otherwise: service and command."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judgeweb.judging.documents import ContractDocument
from rubrics_app.contracts import save_contract
from tests.factories import make_call_verdict, make_capture, make_system_prompt
from verdicts_app.work.contract_changes import Change, Checked, contract_changes

pytestmark = pytest.mark.django_db

PLAN = '{"subtasks": []}'
MORE = '{"subtasks": [], "domain": "x"}'
SUBTASKS = {"type": "object", "required": ["subtasks"], "properties": {"subtasks": {}}}
DOMAIN = {
    "type": "object",
    "required": ["subtasks", "domain"],
    "properties": {"subtasks": {}, "domain": {}},
}


def contract(schema: Any, **fields: Any) -> ContractDocument:
    return ContractDocument(call_type="planner", json_schema=schema, **fields)


def changes(document: ContractDocument) -> tuple[list[Change], Checked]:
    counts = Checked()
    return list(contract_changes(document, counts)), counts


def test_flips_both_ways_and_what_they_do_to_the_verdict() -> None:
    save_contract(contract(SUBTASKS), user=None)
    holds = make_capture(call_id="holds", response_content=PLAN)
    make_call_verdict(holds, ok=(True, True, True))
    wrong = make_capture(call_id="wrong", response_content=PLAN)
    make_call_verdict(wrong, ok=(True, False, True))
    more = make_capture(call_id="more", response_content=MORE)
    make_call_verdict(more, ok=(False, True, True))
    make_capture(call_id="unjudged", response_content=PLAN)
    make_capture(call_id="broken", response_content="no JSON", parsed_ok=False)
    make_capture("reconciler", response_content=PLAN)

    found, counts = changes(contract(DOMAIN))

    assert [(c.call_id, c.before, c.after) for c in found] == [
        ("holds", True, False), ("wrong", True, False), ("more", False, True),
        ("unjudged", True, False),
    ]  # fmt: skip
    assert [(c.passed_before, c.passed_after) for c in found] == [
        (True, False), (False, False), (False, True), (None, None),
    ]  # fmt: skip
    assert (counts.captures, counts.changed, counts.verdicts) == (5, 4, 2)
    assert "domain" in found[0].reason


def test_without_a_published_contract_the_verdict_says_what_was() -> None:
    judged = make_capture(call_id="judged", response_content=PLAN)
    make_call_verdict(judged, ok=(True, True, True))
    make_capture(call_id="new", response_content=PLAN)
    found, _ = changes(contract(DOMAIN))
    assert [(c.call_id, c.before, c.after) for c in found] == [
        ("judged", True, False), ("new", None, False),
    ]  # fmt: skip


def test_a_contract_of_one_system_prompt_concerns_no_other() -> None:
    special = make_system_prompt("special")
    make_capture(call_id="special", system_prompt=special, response_content=PLAN)
    make_capture(call_id="plain", response_content=PLAN)
    make_capture(call_id="none", system_prompt=None, response_content=PLAN)
    own = contract(SUBTASKS, system_prompt_sha256=special.sha256)
    save_contract(own, user=None)
    save_contract(contract(SUBTASKS), user=None)

    for_any, _ = changes(contract(DOMAIN))
    for_one, _ = changes(contract(DOMAIN, system_prompt_sha256=special.sha256))

    assert [change.call_id for change in for_any] == ["plain", "none"]
    assert [change.call_id for change in for_one] == ["special"]


def test_the_published_contract_changes_nothing() -> None:
    save_contract(contract(SUBTASKS), user=None)
    for text in (PLAN, MORE, "[]", None):
        make_capture(response_content=text, parsed_ok=text is not None)
    assert changes(contract(SUBTASKS))[0] == []


def report(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("contract_report", *arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_command_reports_drafts_and_files(tmp_path: Path) -> None:
    save_contract(contract(SUBTASKS), user=None)
    save_contract(contract(DOMAIN), user=None, publish=False)
    make_capture(call_id="a", response_content=PLAN)

    said = report("planner")

    assert said.startswith("run-1 a: schema_ok true -> false: ")
    assert said.endswith("planner: 1 of 1 captures change in schema_ok, 0 verdicts\n")
    assert json.loads(report("planner", json=True))["after"] is False
    file = tmp_path / "contracts.json"
    file.write_text(json.dumps({"planner": DOMAIN}))
    assert report(file=file) == said


def test_command_names_what_it_does_not_know(tmp_path: Path) -> None:
    for arguments in (["nobody"], ["--file", str(tmp_path / "none.json")]):
        with pytest.raises(CommandError) as failure:
            report(*arguments)
        assert failure.value.returncode == 2
