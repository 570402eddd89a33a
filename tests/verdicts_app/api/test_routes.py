"""Runs, jobs, verdicts and boards as data; who may call what; what the API says of itself."""

import io
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client

from judgeweb.access.models import AuditEntry
from judgeweb.access.roles import MAY, SCOPES, Role
from judgeweb.api import api as ninja_api
from judgeweb.judging.modes import MODES
from rubrics_app.scenarios import save_scenario
from tests.factories import make_board, make_response, make_verdict
from tests.fixtures.standin import StandInControl
from tests.judging.world import scenario as scenario_document
from tests.verdicts_app.seed_data import WORKS, checklist_data, checklist_said
from verdicts_app.models import Job, JobState, Verdict

SNAPSHOT = Path(__file__).parent / "openapi.json"
NOWHERE = "00000000-0000-0000-0000-000000000000"


def post(client: Client, url: str, body: Any = None, **more: Any) -> Any:
    content = "" if body is None else json.dumps(body)
    return client.post(f"/api/v1{url}", content, content_type="application/json", **more)


def get(client: Client, url: str, **more: Any) -> Any:
    return client.get(f"/api/v1{url}", **more)


def run_to_judge(number: int = 2) -> None:
    """Answers in run-1 to a published scenario, and one to a scenario nobody knows."""
    saved = save_scenario(scenario_document(), user=None)
    for _ in range(number):
        make_response(scenario=saved.scenario)
    make_response(scenario=saved.scenario, outcome="failed", failure="timeout")
    lost = make_response(scenario=saved.scenario)
    lost.scenario, lost.scenario_key = None, "nowhere"
    lost.save()


# --- runs -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_run_says_what_it_holds(api: Any) -> None:
    run_to_judge()
    found = get(api("read"), "/runs/run-1").json()
    assert found["run_id"] == "run-1"
    assert (found["responses"], found["failed"], found["judged"]) == (4, 1, 0)
    assert found["unlinked"] == [{"scenario": "nowhere", "responses": 1}]
    assert get(api("read"), "/runs/other").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["budget_usd", "budget"])
def test_the_budget_has_two_names_and_one_meaning(api: Any, name: str) -> None:
    make_response()
    planned = post(api("judge"), "/runs/run-1/judge", {name: 2.5})
    assert planned.json()["job"]["budget_usd"] == 2.5


@pytest.mark.django_db
def test_dry_run_prices_and_writes_nothing(api: Any, settings: Any) -> None:
    settings.JUDGE_MODEL = "claude-sonnet-5-5"
    run_to_judge()
    entries = AuditEntry.objects.count()
    response = post(api("judge"), "/runs/run-1/judge", {"dry_run": True})
    assert response.status_code == 200
    price = response.json()
    assert (price["judgements"], price["failed_runs"]) == (2, 1)
    assert price["unlinked"] == [{"scenario": "nowhere", "responses": 1}]
    assert price["estimate_usd"] > 0
    assert not Job.objects.exists()
    assert AuditEntry.objects.exclude(action="create token").count() == entries


@pytest.mark.django_db(transaction=True)
def test_judge_run_plans_a_job_and_the_second_time_nothing(
    api: Any, worker: StandInControl
) -> None:
    run_to_judge()
    client = api("judge", "read")
    first = post(client, "/runs/run-1/judge", {"budget_usd": "1.50"})
    assert first.status_code == 202, first.content
    assert first["Location"] == first.json()["job"]["url"]
    assert (first.json()["planned"], first.json()["failed_runs"]) == (2, 1)

    job = get(client, f"/jobs/{first.json()['job']['id']}").json()
    assert (job["state"], job["judged"], job["waiting"]) == ("done", 2, 0)
    assert (job["budget_usd"], job["unjudged_reasons"]) == (1.5, {})
    assert job["spent_usd"] > 0
    assert job["events"][-1]["text"].startswith("Planned 2")

    second = post(client, "/runs/run-1/judge", {})
    assert (second.json()["planned"], second.json()["already_judged"]) == (0, 2)
    assert Verdict.objects.count() == 2


@pytest.mark.django_db
def test_judge_run_links_scenarios_imported_since(api: Any) -> None:
    run_to_judge(1)
    save_scenario(scenario_document(name="nowhere"), user=None)
    assert post(api("judge"), "/runs/run-1/judge", {}).json()["planned"] == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mode": "chess"}, "mode"),
        ({"mode": "phase-sm"}, "mode"),
        ({"opponent": "control:dev"}, "opponent"),
        ({"orders": 3}, "orders"),
        ({"models": ["a", "b"], "model": "a"}, "models"),
        ({"rubric": "none"}, "rubric"),
        ({"model": " "}, "model"),
        ({"repeats": 0}, "repeats"),
        ({"budget_usd": -1}, "budget_usd"),
        ({"batch": True}, "batch"),
    ],
)
def test_judge_run_refuses_by_field(api: Any, body: Any, field: str) -> None:
    run_to_judge()
    for dry_run in ({}, {"dry_run": True}):
        response = post(api("judge"), "/runs/run-1/judge", body | dry_run)
        assert response.status_code == 422
        assert response.json()["errors"][0]["field"] == field
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_unknown_rubric_and_mode_name_those_that_are_there(api: Any) -> None:
    run_to_judge()
    for body, expected in (
        (
            {"rubric": "none"},
            "no rubric 'none' is published: expected one of behaviours, calls, checklist, "
            "coherence, ground-truth, phase-dev, phase-reviewer, phase-sm, phase-tea, solo, "
            "swebench",
        ),
        ({"mode": "chess"}, f"'chess': expected one of {', '.join(MODES)}"),
    ):
        [fault] = post(api("judge"), "/runs/run-1/judge", body).json()["errors"]
        assert fault["expected"] == expected
        assert [fault["value"]] == list(body.values())


@pytest.mark.django_db
def test_rubric_of_another_mode_is_refused_by_scenario(api: Any) -> None:
    run_to_judge()
    answer = post(api("judge"), "/runs/run-1/judge", {"rubric": "behaviours"}).json()
    [refused] = answer["refused"]
    assert (answer["planned"], refused["responses"], refused["field"]) == (0, 2, "rubric")
    assert "is for mode 'behaviours', not 'solo'" in refused["message"]


@pytest.mark.django_db
def test_judge_run_honours_the_idempotency_key(api: Any) -> None:
    run_to_judge()
    client = api("judge")
    key = {"idempotency-key": "k"}
    first = post(client, "/runs/run-1/judge", {}, headers=key)
    second = post(client, "/runs/run-1/judge", {}, headers=key)
    assert first["Location"] == second["Location"]
    assert second.json()["planned"] == 2
    assert Job.objects.count() == 1
    assert post(client, "/runs/run-1/judge", {"repeats": 2}, headers=key).status_code == 409
    assert post(client, "/runs/other/judge", {}).status_code == 404


# --- jobs -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_job_is_paused_resumed_and_cancelled_and_says_who_did(
    api: Any, settings: Any, woken: list[str]
) -> None:
    settings.ANTHROPIC_API_KEY = "key"
    run_to_judge()
    client = api("judge", "read")
    job = post(client, "/runs/run-1/judge", {}).json()["job"]
    url = f"/jobs/{job['id']}"

    assert post(client, f"{url}/pause").json()["state"] == JobState.PAUSED
    assert post(client, f"{url}/pause").status_code == 409
    assert post(client, f"{url}/resume").json()["state"] == JobState.RUNNING
    assert post(client, f"{url}/retry").status_code == 409
    changed = client.patch(f"/api/v1{url}", '{"budget_usd": 3}', content_type="application/json")
    assert changed.json()["budget_usd"] == 3
    done = post(client, f"{url}/cancel").json()
    assert (done["state"], done["cancelled"]) == (JobState.CANCELLED, 2)
    late = client.patch(f"/api/v1{url}", '{"budget_usd": 3}', content_type="application/json")
    assert late.status_code == 409
    assert post(client, f"{url}/explode").status_code == 422
    assert "token jw_" in AuditEntry.objects.get(action="cancel job").actor
    assert woken.count("jobs") == 4


@pytest.mark.django_db
def test_unknown_job_is_404(api: Any) -> None:
    client = api("judge", "read")
    assert get(client, f"/jobs/{NOWHERE}").status_code == 404
    assert post(client, f"/jobs/{NOWHERE}/pause").status_code == 404
    assert get(client, "/jobs/nonsense").status_code == 422


# --- verdicts ---------------------------------------------------------------------------------


@pytest.mark.django_db
def test_verdicts_come_in_keyset_pages(api: Any) -> None:
    for number in range(5):
        make_verdict(scenario=f"s{number}", total=f"{70 + number}.5")
    client = api("read")
    first = get(client, "/verdicts?limit=2").json()
    second = get(client, f"/verdicts?limit=2&after={first['next']}").json()
    last = get(client, f"/verdicts?limit=2&after={second['next']}").json()
    pages = [page["items"] for page in (first, second, last)]
    assert [row["total"] for page in pages for row in page] == [70.5, 71.5, 72.5, 73.5, 74.5]
    assert last["next"] is None


@pytest.mark.django_db
def test_verdict_filters(api: Any) -> None:
    make_verdict(persona="a:dev", scenario="s1", total="70")
    make_verdict(persona="b:dev", scenario="s2", total="80")
    client = api("read")
    for query, totals in [
        ("persona=a:dev", [70]),
        ("scenario=s2", [80]),
        ("run=run-1", [70, 80]),
        ("run=other", []),
        ("mode=solo", [70, 80]),
        ("mode=checklist", []),
        (f"epoch={Verdict.objects.first().epoch.digest[:8]}", [70, 80]),
        ("epoch=ffffffff", []),
        (f"job={NOWHERE}", []),
        ("live=any", [70, 80]),
        ("live=false", []),
    ]:
        found = get(client, f"/verdicts?{query}").json()["items"]
        assert [row["total"] for row in found] == totals, query
    for query in ("limit=0", "limit=1001", "after=-1", "after=x", f"after={2**63}", "live=maybe"):
        response = get(client, f"/verdicts?{query}")
        assert response.status_code == 422, query
        assert response.json()["errors"][0]["field"] == query.partition("=")[0]


@pytest.mark.django_db
def test_list_of_verdicts_asks_the_database_as_often_for_one_as_for_many(
    api: Any, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        make_verdict(persona=f"p{number}:dev", scenario=f"s{number}")
    client = api("read")
    with django_assert_max_num_queries(8):
        assert len(get(client, "/verdicts").json()["items"]) == 30


@pytest.mark.django_db(transaction=True)
def test_verdict_gives_everything_behind_it(api: Any, worker: StandInControl) -> None:
    worker.replies(WORKS, checklist_said())
    client = api("judge", "read")
    post(client, "/judgements?wait=10", {"mode": "solo", "data": checklist_data()})
    listed = get(client, "/verdicts").json()["items"][0]

    whole = get(client, f"/verdicts/{listed['id']}").json()

    assert {key: whole[key] for key in listed} == listed
    assert (whole["mode"], whole["total"]) == ("checklist", 75.698085419735)
    assert whole["total_exact"] == "51399/679"
    assert len([row for row in whole["findings"] if row["kind"] == "baseline"]) == 22
    assert sum(row["found"] for row in whole["findings"] if row["kind"] == "baseline") == 13
    quoted = next(row for row in whole["findings"] if row["id"] == "C1")
    start, end = quoted["evidence_at"]
    assert whole["response_text"][start:end] == quoted["evidence"] == "never released"
    assert {row["key"]: row["value"] for row in whole["marks"]} == {
        "clear_explanations": 8,
        "actionable_fixes": 7,
        "in_character": 9,
        "professional_tone": 8,
    }
    assert {row["name"] for row in whole["working"]} >= {"recall", "precision"}
    assert whole["pins"]["rubric"] == {
        "key": "checklist",
        "revision": 1,
        "sha256": whole["pins"]["rubric"]["sha256"],
    }
    assert whole["pins"]["scenario"]["key"].startswith("inline-")
    asked = [row for row in whole["requests"] if row["prompt"] != "probe"]
    assert len(asked) == 1
    assert asked[0]["reply"] == checklist_said()["text"]
    assert "Review the refund service." in asked[0]["system"]
    assert "The lock is" in asked[0]["messages"][0]["text"]
    assert whole["cost_usd"] > 0
    assert get(client, "/verdicts/999999").status_code == 404
    assert get(client, f"/verdicts/{2**63}").status_code == 404


# --- boards -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_leaderboard_as_json_and_as_csv(api: Any) -> None:
    make_board({"=cmd:dev": {f"s{n}": [80] for n in range(6)}})
    client = api("read")
    board = get(client, "/leaderboard").json()
    assert [(row["name"], row["mean"]) for row in board["rows"]] == [("=cmd:dev", 80)]

    for response in (
        get(client, "/leaderboard?format=csv"),
        get(client, "/leaderboard", headers={"accept": "text/csv"}),
    ):
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        header, line = response.content.decode().splitlines()
        assert header.split(",")[3] == "name"
        assert line.split(",")[3] == "'=cmd:dev"
    assert get(client, "/leaderboard?format=xml").status_code == 422
    wrong = get(client, "/leaderboard?from=yesterday")
    assert wrong.json()["errors"][0]["field"] == "from"


@pytest.mark.django_db
def test_leaderboard_counts_empty_answers_per_row_and_board(api: Any) -> None:
    for scenario in ("s0", "s1"):
        make_verdict("a:dev", scenario, total=0, flags="empty_answer")
    make_verdict("b:dev", "s0", total=40)
    board = get(api("read"), "/leaderboard").json()

    assert board["empty_answers"] == 2
    assert {row["name"]: row["empty_answers"] for row in board["rows"]} == {"a:dev": 2, "b:dev": 0}


@pytest.mark.django_db
def test_leaderboard_of_nothing_is_empty(api: Any) -> None:
    assert get(api("read"), "/leaderboard").json()["rows"] == []


@pytest.mark.django_db
def test_boards_as_parquet_by_name_or_by_what_is_accepted(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api("read")
    make_verdict("a:dev", total=80)

    for path in ("/leaderboard", "/trends"):
        for response in (
            get(client, f"{path}?format=parquet"),
            get(client, path, headers={"accept": "application/vnd.apache.parquet"}),
        ):
            assert response["Content-Type"] == "application/vnd.apache.parquet"
            [row] = pyarrow.parquet.read_table(io.BytesIO(response.content)).to_pylist()
            assert row["mean"] == 80

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    without = get(client, "/leaderboard?format=parquet")
    assert without.status_code == 501
    assert "pyarrow" in without.json()["detail"]


@pytest.mark.django_db
def test_trends_as_json_and_as_csv(api: Any) -> None:
    monday = datetime(2026, 11, 2, 12, tzinfo=UTC)
    make_verdict(total="70", answered_at=monday)
    make_verdict(total="80.5", answered_at=monday + timedelta(weeks=2))
    client = api("read")
    found = get(client, "/trends").json()
    assert found["starts"] == ["2026-11-02", "2026-11-09", "2026-11-16"]
    (line,) = found["lines"]
    assert [point and point["mean"] for point in line["points"]] == [70, None, 80.5]

    response = get(client, "/trends?format=csv&bucket=day")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert len(response.content.decode().splitlines()) == 3
    assert get(client, "/trends?bucket=year").json()["errors"][0]["field"] == "bucket"


# --- who may call what ------------------------------------------------------------------------

ROUTES = [
    ("get", "/runs/none", "read"),
    ("get", f"/jobs/{NOWHERE}", "read"),
    ("get", "/verdicts", "read"),
    ("get", "/verdicts/1", "read"),
    ("get", "/leaderboard", "read"),
    ("get", "/calibrations", "read"),
    ("get", "/calibrations/history?scenario=x", "read"),
    ("post", "/calibrations", "judge"),
    ("get", "/trends", "read"),
    ("get", "/rubrics", "read"),
    ("get", "/scenarios", "read"),
    ("post", "/runs/r/responses", "upload"),
    ("post", "/judgements", "judge"),
    ("post", "/runs/none/judge", "judge"),
    ("post", f"/jobs/{NOWHERE}/pause", "judge"),
    ("patch", f"/jobs/{NOWHERE}", "judge"),
    ("post", "/rubrics", "author"),
    ("post", "/scenarios", "author"),
]


@pytest.mark.django_db
@pytest.mark.parametrize("scope", list(SCOPES))
def test_each_route_takes_its_scope_and_no_other(api: Any, scope: str) -> None:
    client = api(scope)
    for method, path, needed in ROUTES:
        status = getattr(client, method)(f"/api/v1{path}").status_code
        assert (status == 403) == (scope != needed), (scope, path, status)
        assert status not in (401, 500), (scope, path, status)


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_each_role_keeps_only_the_scopes_it_allows(
    make_user: Any, make_token: Any, role: Role
) -> None:
    """A token made while its owner was admin does no more than the owner's role of today."""
    from django.contrib.auth.models import Group, User

    secret = make_token(*SCOPES, role="admin")
    owner = User.objects.get(username="admin")
    owner.groups.set([Group.objects.get_or_create(name=role)[0]])
    client = Client(headers={"authorization": f"Bearer {secret}"})
    for method, path, needed in ROUTES:
        status = getattr(client, method)(f"/api/v1{path}").status_code
        assert (status != 403) == (SCOPES[needed] in MAY[role]), (role, path, status)


def test_every_route_needs_a_token_and_declares_its_errors() -> None:
    for operations in ninja_api.get_openapi_schema()["paths"].values():
        for operation in operations.values():
            assert operation["security"], operation["operationId"]
            assert {400, 401, 403, 413, 422, 429} <= operation["responses"].keys()


# --- what the API says of itself --------------------------------------------------------------


def test_openapi_document_is_the_one_agreed() -> None:
    """Write it anew with: manage.py export_openapi_schema --api judgeweb.api.api --indent 1
    --output tests/verdicts_app/api/openapi.json"""
    schema = json.loads(json.dumps(ninja_api.get_openapi_schema()))
    assert schema == json.loads(SNAPSHOT.read_text())


@pytest.mark.django_db
def test_documentation_needs_a_login_and_runs_under_the_policy(make_user: Any) -> None:
    for path in ("docs", "openapi.json"):
        assert Client().get(f"/api/v1/{path}").status_code == 302
    client = Client()
    client.force_login(make_user("viewer"))
    assert client.get("/api/v1/openapi.json").json()["openapi"].startswith("3.")
    response = client.get("/api/v1/docs")
    page = response.content.decode()
    assert "https://" not in page
    assert "<style" not in page
    assert "style=" not in page
    scripts = page.split("<script")[1:]
    assert all(s.startswith((" src=", ' type="application/json"')) for s in scripts)
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
