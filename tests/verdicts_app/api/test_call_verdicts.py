"""Judging captures over the API and reading the verdict file."""

import json
from typing import Any

import pytest

from tests.factories import make_call_verdict, make_capture, make_run
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.api.test_routes import get, post
from verdicts_app.models import Judgement

pytestmark = pytest.mark.django_db


def test_judge_by_call_type_and_read_the_file(api: Any, worker: StandInControl) -> None:
    for call_type in ("planner", "planner", "reconciler"):
        make_capture(call_type)

    answer = post(api("judge"), "/runs/run-1/judge", {"call_type": "planner"})

    assert (answer.status_code, answer.json()["planned"]) == (202, 2)
    assert Judgement.objects.count() == 2


def test_dry_run_prices_captures_and_writes_nothing(api: Any, settings: Any) -> None:
    settings.JUDGE_MODEL = "claude-sonnet-5-5"
    make_capture()
    body = {"call_type": "planner", "dry_run": True}
    answer = post(api("judge"), "/runs/run-1/judge", body)
    assert (answer.status_code, answer.json()["judgements"]) == (200, 1)
    assert answer.json()["estimate_usd"] > 0
    assert Judgement.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"call_type": "nobody"}, "call_type"),
        ({"call_type": "planner", "mode": "solo"}, "call_type"),
        ({"call_type": ""}, "call_type"),
        ({"call_type": "\x00"}, "call_type"),
    ],
)
def test_what_cannot_be_judged_is_422_by_field(api: Any, body: Any, field: str) -> None:
    make_capture()
    answer = post(api("judge"), "/runs/run-1/judge", body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_file_in_three_dialects(api: Any) -> None:
    make_call_verdict(make_capture(call_id="a"))
    reader = api("read")

    def found(**query: str) -> Any:
        answer = get(reader, "/runs/run-1/verdicts", data={"call_type": "planner", **query})
        assert answer.status_code == 200
        return json.loads(answer.content)

    assert found()["verdicts"][0]["call_id"] == "a"
    assert found(dialect="camel")["verdicts"][0]["callId"] == "a"
    assert found(dialect="index") == [{"call_id": "a", "call_type": "planner", "passed": True}]
    assert found(call_id="a")["passed"] is True


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 422),
        ({"call_type": "planner", "dialect": "xml"}, 422),
        ({"call_type": "pl\x00"}, 422),
        ({"call_type": "nobody"}, 404),
        ({"call_type": "reconciler"}, 404),
        ({"call_type": "planner", "call_id": "x"}, 404),
        ({"call_type": "planner", "model": "nobody"}, 404),
    ],
)
def test_what_there_is_none_of(api: Any, query: dict[str, str], status: int) -> None:
    make_call_verdict(make_capture())
    make_capture("reconciler")
    answer = get(api("read"), "/runs/run-1/verdicts", data=query)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_scopes(api: Any) -> None:
    make_run("run-1")
    url = "/runs/run-1/verdicts"
    assert get(api("upload"), url, data={"call_type": "planner"}).status_code == 403
    assert post(api("read"), "/runs/run-1/judge", {"call_type": "planner"}).status_code == 403


def test_whole_record_of_a_verdict_on_a_capture(api: Any) -> None:
    verdict = make_call_verdict(make_capture(call_id="a"), ok=(True, False, True))
    found = get(api("read"), f"/verdicts/{verdict.pk}").json()
    assert (found["mode"], found["passed"]) == ("calls", False)
    assert (found["call_id"], found["call_type"], found["total"]) == ("a", "planner", None)
    assert get(api("read"), "/verdicts").json()["items"][0]["call_id"] == "a"
    assert [(check["key"], check["ok"]) for check in found["checks"]] == [
        ("schema_ok", True), ("factually_grounded", False), ("hallucination_free", True),
    ]  # fmt: skip
