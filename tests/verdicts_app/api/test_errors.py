"""Every error is a problem document that names the field, its value and what was expected."""

import json
from typing import Any

import pytest
from django.test import Client

from judgeweb import api as judgeweb_api
from judgeweb.access.models import Token
from judgeweb.judging.errors import CaseRefused, DocumentInvalid

pytestmark = pytest.mark.django_db

UPLOAD = "/api/v1/runs/nightly/responses"


def problem(response: Any, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert document["status"] == status
    assert document["type"].startswith("urn:judgeweb:problem:")
    assert document["title"]
    assert document["detail"]
    assert document["instance"].startswith("/api/")
    assert all({"field", "value", "expected"} == set(fault) for fault in document["errors"])
    return document


def post(client: Client, content: bytes | str, **more: Any) -> Any:
    return client.post(UPLOAD, content, content_type="application/json", **more)


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", "Basic dXNlcjpwdw==", "Bearer jw_unknown", "Token x", "jw_x"],
)
def test_401_without_a_token_in_force(header: str | None) -> None:
    headers = {} if header is None else {"authorization": header}
    response = post(Client(headers=headers), "{}")
    problem(response, 401)
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_401_for_a_session_alone(make_user: Any) -> None:
    client = Client()
    client.force_login(make_user("admin"))
    problem(post(client, "{}"), 401)


def test_401_says_nothing_of_the_secret(caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    settings.DEBUG = True
    response = post(Client(headers={"authorization": "Digest my-secret"}), "{}")
    assert b"my-secret" not in response.content
    assert "my-secret" not in caplog.text


def test_403_without_the_scope_names_it(api: Any) -> None:
    assert "upload" in problem(post(api("read"), "{}"), 403)["detail"]


def test_403_once_the_role_no_longer_allows_the_scope(api: Any) -> None:
    client = api("upload", role="operator")
    assert post(client, '{"result": "x"}').status_code == 422
    Token.objects.get().user.groups.clear()
    assert problem(post(client, '{"result": "x"}'), 403)["type"].endswith("role-missing")


def test_401_once_the_owner_is_not_active(api: Any) -> None:
    client = api("upload", role="operator")
    user = Token.objects.get().user
    user.is_active = False
    user.save()
    problem(post(client, "{}"), 401)


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/x", "/api/v1/", "/api/x"])
def test_404_where_nothing_is(path: str) -> None:
    problem(Client().get(path), 404)
    problem(Client().post(path), 404)


def test_405_names_what_is_allowed(api: Any) -> None:
    response = api("upload").delete(UPLOAD)
    assert problem(response, 405)["errors"][0]["expected"] == "POST"
    assert response["Allow"] == "POST"


def test_413_for_an_announced_and_for_a_read_body(api: Any, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 2000
    document = problem(post(api("upload"), b" " * 2001), 413)
    assert "2000" in document["errors"][0]["expected"]


def test_422_lists_every_document_that_was_refused(api: Any) -> None:
    rows = [{"result": "x", "spec": "a:b"}, {"scenario": "s", "response": 5, "spec": "a"}]
    document = problem(post(api("upload"), json.dumps(rows)), 422)
    assert [fault["field"] for fault in document["errors"]] == [
        "body item 1 scenario",
        "body item 2 response",
    ]


@pytest.mark.parametrize("content", [b"", b" \n ", b"[]", b"\xef\xbb\xbf"])
def test_422_where_nothing_was_read(api: Any, content: bytes) -> None:
    problem(post(api("upload"), content), 422)


def test_422_for_broken_json_names_line_and_column(api: Any) -> None:
    document = problem(post(api("upload"), b'{"a": 1,\n "b" 2}'), 422)
    assert "line 2, column 6" in document["errors"][0]["expected"]


def test_422_for_a_run_id_that_cannot_be_used(api: Any) -> None:
    response = api("upload").post(
        f"/api/v1/runs/{'x' * 201}/responses",
        json.dumps({"result": "x", "spec": "a:b", "scenario": "s"}),
        content_type="application/json",
    )
    assert problem(response, 422)["errors"][0]["field"] == "run_id"


@pytest.mark.parametrize(
    "path", ["/verdicts?persona=a%00b", "/runs/a%00b", "/rubrics/a%00b", "/leaderboard?role=%00"]
)
def test_422_for_nul_in_the_address(api: Any, path: str) -> None:
    problem(api("read").get(f"/api/v1{path}"), 422)


def test_415_for_an_unknown_encoding(api: Any) -> None:
    problem(post(api("upload"), b"x", headers={"content-encoding": "br"}), 415)


def test_400_for_gzip_that_is_none(api: Any) -> None:
    problem(post(api("upload"), b"plain", headers={"content-encoding": "gzip"}), 400)


def test_500_gives_a_report_number_and_no_internals(
    api: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, settings: Any
) -> None:
    def broken(**_: Any) -> None:
        raise RuntimeError("the password is hunter2")

    settings.DEBUG = True
    monkeypatch.setattr("verdicts_app.intake.responses.take_in", broken)
    response = post(api("upload"), "{}")
    document = problem(response, 500)
    assert document["report"] in document["detail"]
    assert b"hunter2" not in response.content
    assert document["report"] in caplog.text
    assert "hunter2" in caplog.text


def test_values_in_problems_are_short_and_valid_json(api: Any) -> None:
    row = {"spec": "a:b", "scenario": "s", "response": "x", "num_turns": "9" * 5000}
    document = problem(post(api("upload"), json.dumps(row)), 422)
    assert len(document["errors"][0]["expected"]) < 300


def test_the_map_knows_every_kind_of_error() -> None:
    from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
    from django.http import Http404, UnreadablePostError
    from ninja.errors import HttpError

    expected: list[tuple[Exception, int]] = [
        (CaseRefused("challenge", "is empty"), 422),
        (DocumentInvalid([("weights", "sum to 99")]), 422),
        (Http404(), 404),
        (PermissionDenied(), 403),
        (RequestDataTooBig(), 413),
        (UnreadablePostError(), 400),
        (SuspiciousOperation(), 400),
        (HttpError(429, "Too many"), 429),
        (ValueError(), 500),
    ]
    for error, status in expected:
        assert judgeweb_api.problem_of(error).status == status, error


def test_refusals_of_the_core_give_the_values_they_know() -> None:
    case = judgeweb_api.problem_of(CaseRefused("spec", "expected text", 5))
    assert [(fault.field, fault.value) for fault in case.faults] == [("spec", 5)]

    problems = [("weights", "sum to 99"), ("name", "is empty")]
    document = judgeweb_api.problem_of(DocumentInvalid(problems, {"weights": "99"}))
    assert [(fault.field, fault.value) for fault in document.faults] == [
        ("weights", "99"),
        ("name", None),
    ]


@pytest.mark.parametrize("path", ["/api/v1/runs/nightly/judge", "/api/v1/judgements"])
def test_422_for_a_field_that_does_not_exist_names_those_that_do(api: Any, path: str) -> None:
    body = {"mode": "solo", "data": {}, "order": 2} if "judgements" in path else {"order": 2}

    response = api("judge").post(path, json.dumps(body), content_type="application/json")

    [fault] = problem(response, 422)["errors"]
    assert (fault["field"], fault["value"]) == ("order", 2)
    assert fault["expected"].startswith("one of the fields budget_usd, ")
    assert "repeats" in fault["expected"]
