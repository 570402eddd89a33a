import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from judgeweb.access.models import AuditEntry
from tests import factories
from verdicts_app.models import Response, Run

pytestmark = pytest.mark.django_db
ANSWER = {
    "run_id": "a-1",
    "spec": "lighthouse:reviewer",
    "scenario": "ticket-kiosk",
    "response": "The lock is taken twice.",
    "timestamp": "2026-11-02T12:00:00Z",
}


@pytest.fixture
def operator(client, make_user):
    client.force_login(make_user("operator"))
    return client


def file(name, value):
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return SimpleUploadedFile(name, content, "application/json")


def send(client, *files, run="nightly", **fields):
    return client.post(reverse("upload"), {"run": run, "files": list(files)} | fields)


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_upload_two_files_one_broken_gives_a_receipt_for_each(operator):
    factories.make_scenario("ticket-kiosk")

    answer = send(operator, file("good.json", ANSWER), file("broken.json", b'{"spec": '))

    page = text_of(answer)
    assert answer.status_code == 200
    assert "1 answer stored, 1 refused." in page
    assert '<th scope="row" class="span">good.json</th>' in page
    assert "✓ stored" in page
    assert "not JSON" in page
    assert reverse("judge_run", args=["nightly"]) in page
    assert Response.objects.get().run.run_id == "nightly"
    assert AuditEntry.objects.get().actor == "operator"


def test_upload_the_same_file_twice_changes_nothing(operator):
    factories.make_scenario("ticket-kiosk")
    send(operator, file("good.json", ANSWER))

    page = text_of(send(operator, file("good.json", ANSWER)))

    assert "0 answers stored, 1 known before." in page
    assert "= known before" in page
    assert Response.objects.count() == 1


def test_upload_of_files_of_the_same_name_reports_each_by_its_order(operator):
    call = {"call_id": "c1", "call_type": "planner", "user_content": "u", "parsed_ok": True}
    lines = [
        SimpleUploadedFile("run.ndjson", json.dumps(one).encode(), "application/x-ndjson")
        for one in (call | {"response_content": "{}"}, ANSWER)
    ]
    answer = send(
        operator, file("run.json", ANSWER), file("run.json", b"{"), file("run (2).json", {}), *lines
    )

    page = text_of(answer)
    for name in ("run.json", "run (2).json", "run (2) (2).json", "run.ndjson", "run (2).ndjson"):
        assert f'<th scope="row" class="span">{name}</th>' in page
    assert Response.objects.count() == 1


def test_upload_names_unlinked_scenarios_and_failed_runs(operator):
    failed = ANSWER | {"run_id": "a-2", "success": False}

    page = text_of(send(operator, file("a.json", [ANSWER, failed])))

    assert "2 answers stored, 1 of them failed runs." in page
    assert "1 scenario is not known here:" in page
    assert '<span class="mono">ticket-kiosk</span>' in page


def test_upload_takes_persona_and_scenario_from_the_form_where_a_file_has_none(operator):
    envelope = {"type": "result", "is_error": False, "result": "An answer.", "num_turns": 3}

    page = text_of(
        send(operator, file("cli.json", envelope), spec="control:dev", scenario="ticket-kiosk")
    )

    assert "1 answer stored" in page
    assert Response.objects.get().persona.spec == "control:dev"


def test_upload_without_files_or_with_a_bad_run_name_says_so_and_keeps_the_rest(operator):
    nothing = send(operator)
    bad = send(operator, file("good.json", ANSWER), run="a/b", spec="x:y")

    assert nothing.status_code == 422
    assert "Choose at least one file." in text_of(nothing)
    assert bad.status_code == 422
    assert 'value="a/b"' in text_of(bad)
    assert 'value="x:y"' in text_of(bad)
    assert not Run.objects.exists()


def test_upload_too_large_is_refused_with_both_sizes(operator, settings):
    settings.UPLOAD_MAX_BYTES = 1024

    by_files = send(operator, file("big.json", b" " * 2000))
    by_length = send(operator, file("huge.json", b" " * 200_000))

    assert by_files.status_code == 422
    assert by_length.status_code == 413
    assert "Nothing was stored." in text_of(by_files)
    assert "Nothing was stored." in text_of(by_length)


def test_upload_needs_the_csrf_token(make_user):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("operator"))

    assert send(client, file("good.json", ANSWER)).status_code == 403
    assert not Response.objects.exists()


def test_upload_shows_hostile_names_as_text(operator):
    answer = send(
        operator,
        file("<img src=x onerror=alert(1)>.json", ANSWER | {"scenario": "</script><b>x"}),
        run="<b>run",
    )

    page = text_of(answer)
    assert "<img src=x" not in page
    assert "<b>x" not in page
    assert "&lt;/script&gt;&lt;b&gt;x" in page
