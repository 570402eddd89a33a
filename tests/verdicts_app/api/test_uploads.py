"""Bodies of every kind: plain, in parts, gzipped, in chunks."""

import gzip
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import UnreadablePostError
from django.test import RequestFactory

from judgeweb.access.models import AuditEntry
from judgeweb.problems import Problem
from verdicts_app.api.bodies import open_stream, read_body, read_upload
from verdicts_app.models import Response

URL = "/api/v1/runs/nightly/responses"
A1 = {"type": "result", "is_error": False, "result": "Found two."}
A2 = {"run_id": "1", "spec": "harbour:dev", "scenario": "kiosk", "response": "Done."}


@pytest.mark.django_db
def test_upload_twice_gives_the_same_rows_and_an_honest_receipt(api: Any) -> None:
    client = api("upload", role="operator")
    url = f"{URL}?spec=control:dev&scenario=kiosk"

    first = client.post(url, json.dumps([A1, A2]), content_type="application/json").json()
    second = client.post(url, json.dumps([A1, A2]), content_type="application/json").json()

    assert first == {
        "run_id": "nightly",
        "accepted": 2,
        "failed": 0,
        "duplicate": 0,
        "summaries": 0,
        "verdicts": 0,
        "personas": 0,
        "dry_run": False,
        "files": [
            {
                "file": "body",
                "outcome": "read",
                "accepted": 2,
                "duplicate": 0,
                "summaries": 0,
                "verdicts": 0,
                "rows": 0,
                "personas": 0,
                "refused": 0,
            }
        ],
        "refused": [],
        "warnings": [],
        "unlinked": ["kiosk"],
    }
    assert (second["accepted"], second["duplicate"]) == (0, 2)
    assert Response.objects.count() == 2
    actor = AuditEntry.objects.get(action="upload answers").actor
    assert actor.startswith("token jw_")
    assert actor.endswith(" of operator")
    assert Response.objects.first().run.created_by.username == "operator"


@pytest.mark.django_db
def test_several_files_of_a_form_are_taken_and_named_in_the_receipt(api: Any) -> None:
    files = [
        SimpleUploadedFile("one.json", json.dumps(A2).encode()),
        SimpleUploadedFile("two.json.gz", gzip.compress(json.dumps(A1).encode())),
        SimpleUploadedFile("three.json", b"nonsense"),
    ]
    receipt = api("upload").post(URL, {"files": files, "spec": "a:b", "scenario": "s"}).json()
    assert receipt["accepted"] == 2
    assert [refusal["file"] for refusal in receipt["refused"]] == ["three.json"]


@pytest.mark.django_db
def test_a_form_without_files_is_no_success(api: Any) -> None:
    assert api("upload").post(URL, {"spec": "a:b"}).status_code == 422


@pytest.mark.django_db
def test_gzip_is_undone_and_its_bomb_is_not(api: Any, settings: Any) -> None:
    client = api("upload")
    content = gzip.compress(json.dumps(A2).encode())
    headers = {"content-encoding": "gzip"}
    response = client.post(URL, content, content_type="application/json", headers=headers)
    assert response.json()["accepted"] == 1

    settings.UPLOAD_MAX_BYTES = 100_000
    bomb = gzip.compress(b"[" + b" " * 10_000_000 + b"]")
    assert len(bomb) < 20_000
    response = client.post(URL, bomb, content_type="application/json", headers=headers)
    assert response.status_code == 413
    cut = client.post(URL, content[:-9], content_type="application/json", headers=headers)
    assert cut.status_code == 400


@pytest.mark.django_db
def test_ndjson_is_known_by_its_media_type(api: Any) -> None:
    lines = json.dumps(A2) + "\n" + json.dumps(A2 | {"run_id": "2"}) + "\n{torn"
    receipt = api("upload").post(URL, lines, content_type="application/x-ndjson").json()
    assert receipt["accepted"] == 2
    assert receipt["refused"][0]["place"] == "line 3"


def without_length(stream: Any, **more: str) -> Any:
    """A request as a WSGI server hands it on: no length, the bytes in wsgi.input."""
    request = RequestFactory().post(URL, b"", content_type="application/json")
    request.META.pop("CONTENT_LENGTH", None)
    request.META.update({"wsgi.input": stream, **more})
    open_stream(request)
    return request


CHUNKED = {"HTTP_TRANSFER_ENCODING": "chunked"}


@pytest.mark.parametrize(
    "more", [CHUNKED, {"wsgi.input_terminated": True}, {"SERVER_PROTOCOL": "HTTP/2"}]
)
def test_body_without_length_is_read_to_its_end(more: Any) -> None:
    content = json.dumps([A2] * 5000).encode()
    assert read_body(without_length(BytesIO(content), **more)) == content
    (file,) = read_upload(without_length(BytesIO(content), **more)).files
    assert file.content == content


def test_body_without_length_that_nothing_ends_is_not_waited_for() -> None:
    assert read_body(without_length(BytesIO(b"never read"))) == b""


def test_body_without_length_stops_at_the_limit(settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 100_000
    assert len(read_body(without_length(BytesIO(b"x" * 100_000), **CHUNKED))) == 100_000
    with pytest.raises(Problem) as refused:
        read_body(without_length(BytesIO(b"x" * 100_001), **CHUNKED))
    assert refused.value.status == 413


def test_body_that_breaks_off_is_unreadable() -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError("connection reset")

    with pytest.raises(UnreadablePostError, match="connection reset"):
        read_body(without_length(Broken(), **CHUNKED))


def test_a_body_shorter_than_announced_is_refused() -> None:
    request = RequestFactory().post(URL, b"{}", content_type="application/json")
    request.META["CONTENT_LENGTH"] = "10"
    with pytest.raises(Problem) as refused:
        read_body(request)
    assert refused.value.status == 400


# --- verdicts made elsewhere --------------------------------------------------------------------

VERDICTS = "/api/v1/runs/nightly/verdicts"
SHAPES = json.loads((Path(__file__).parents[2] / "cases" / "verdicts" / "shapes.json").read_text())


@pytest.mark.django_db
@pytest.mark.parametrize("url", [URL, VERDICTS])
def test_verdicts_made_elsewhere_are_imported_once(api: Any, url: str) -> None:
    client = api("upload", "read", role="operator")
    body = json.dumps([SHAPES["J1 wrapper"], SHAPES["J4 of 25"]])
    first = client.post(url, body, content_type="application/json").json()
    second = client.post(url, body, content_type="application/json").json()
    assert (first["verdicts"], first["accepted"], first["refused"]) == (2, 0, [])
    assert (second["verdicts"], second["duplicate"]) == (0, 2)
    (listed, _) = client.get("/api/v1/verdicts").json()["items"]
    assert (listed["origin"], listed["total"]) == ("imported", 80)
    whole = client.get(f"/api/v1/verdicts/{listed['id']}").json()
    assert whole["imported"]["shape"] == "marks"
    assert json.loads(whole["imported"]["document"]) == SHAPES["J1 wrapper"]
    assert {one["name"]: one["stated"] for one in whole["stated"]} == {
        "weighted_total": "80.0",
        "score": "80",
    }


@pytest.mark.django_db
def test_a_dry_run_reports_by_file_and_stores_nothing(api: Any) -> None:
    client = api("upload", role="operator")
    files = [
        SimpleUploadedFile("one.json", json.dumps(SHAPES["J1 wrapper"]).encode()),
        SimpleUploadedFile("two.yaml", b"findings:\n- finding_id: F1\n  caught: maybe\n"),
    ]
    names = "spec=a:b&scenario=s&dry_run=true"
    receipt = client.post(f"{VERDICTS}?{names}", {"files": files}).json()
    assert receipt["dry_run"] is True
    outcomes = {file["file"]: file["outcome"] for file in receipt["files"]}
    assert outcomes == {"one.json": "read", "two.yaml": "refused"}
    (refusal,) = receipt["refused"]
    assert (refusal["place"], refusal["field"]) == ("line 3", "findings[0].caught")
    assert not Response.objects.exists()
    assert not AuditEntry.objects.filter(action="upload answers").exists()


@pytest.mark.django_db
def test_an_envelope_is_a_judges_words_on_the_route_of_verdicts(api: Any) -> None:
    client = api("upload", role="operator")
    envelope = {"type": "result", "result": SHAPES["J1 wrapper"]["judge_response"]}
    query = "?spec=a:b&scenario=s"
    post = {"data": json.dumps(envelope), "content_type": "application/json"}
    assert client.post(f"{URL}{query}", **post).status_code == 200
    assert Response.objects.get().outcome == "answered"
    receipt = client.post(f"{VERDICTS}{query}&judge=some-judge", **post).json()
    assert (receipt["verdicts"], receipt["accepted"]) == (1, 0)


@pytest.mark.django_db
def test_importing_verdicts_needs_the_scope(api: Any) -> None:
    body = json.dumps(SHAPES["J1 wrapper"])
    assert api("read").post(VERDICTS, body, content_type="application/json").status_code == 403
