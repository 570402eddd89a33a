"""Captured calls over HTTP: streamed, gzipped, broken off, sent twice."""

import gzip
import json
from io import BytesIO
from typing import Any

import pytest
from django.test import RequestFactory

from verdicts_app.api.captures import body_chunks
from verdicts_app.intake.captures import Interrupted
from verdicts_app.models import Capture

URL = "/api/v1/runs/nightly/calls"
CALL = {
    "call_id": "c1",
    "call_type": "planner",
    "user_content": "u",
    "response_content": "{}",
    "parsed_ok": True,
}


def lines(count: int) -> bytes:
    calls = ({**CALL, "call_id": f"c{number}"} for number in range(count))
    return b"".join(json.dumps(call).encode() + b"\n" for call in calls)


LINES = lines(3)


def post(client: Any, content: bytes, **more: Any) -> Any:
    return client.post(URL, content, content_type="application/x-ndjson", **more)


def chunked(content: bytes) -> Any:
    """A request as a WSGI server hands it on: no length, the bytes in wsgi.input."""
    request = RequestFactory().post(URL, b"", content_type="application/x-ndjson")
    request.META.pop("CONTENT_LENGTH", None)
    request.META["HTTP_TRANSFER_ENCODING"] = "chunked"
    request.META["wsgi.input"] = BytesIO(content)
    return request


@pytest.mark.django_db
def test_the_receipt_counts_lines_and_sending_twice_changes_nothing(api: Any) -> None:
    client = api("upload", role="operator")
    content = LINES + b"[]\n"
    first = post(client, content)
    assert first.status_code == 200
    assert first.json() == {
        "run_id": "nightly",
        "lines": 4,
        "accepted": 3,
        "duplicate": 0,
        "refused_total": 1,
        "refused": [{"line": 4, "field": "", "reason": "expected an object, not []"}],
        "call_types": {"planner": 3},
        "interrupted": "",
    }
    second = post(client, content).json()
    assert (second["accepted"], second["duplicate"]) == (0, 3)
    assert Capture.objects.count() == 3
    assert Capture.objects.first().run.created_by.username == "operator"


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{"content-encoding": "gzip"}, {}])
def test_gzip_is_known_by_its_header_or_its_first_bytes(api: Any, headers: dict[str, str]) -> None:
    receipt = post(api("upload"), gzip.compress(LINES), headers=headers)
    assert receipt.json()["accepted"] == 3


@pytest.mark.django_db
def test_more_than_one_body_may_hold_is_taken_in(api: Any, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1000
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert post(api("upload"), lines(60)).json()["accepted"] == 60


@pytest.mark.django_db
@pytest.mark.parametrize(("content", "kind"), [(b"", "nothing-read"), (b"\r\n \n", "nothing-read")])
def test_no_line_is_no_success(api: Any, content: bytes, kind: str) -> None:
    response = post(api("upload"), content)
    assert response.status_code == 422
    assert response.json()["type"].endswith(kind)


@pytest.mark.django_db
def test_nothing_but_bad_lines_is_no_success(api: Any) -> None:
    response = post(api("upload"), b'{"call_id":1}\nx\n')
    assert response.status_code == 422
    problem = response.json()
    assert problem["type"].endswith("nothing-taken")
    assert [error["field"] for error in problem["errors"]] == ["line 1 call_id", "line 2"]
    assert problem["receipt"]["refused_total"] == 2


@pytest.mark.django_db
def test_what_breaks_off_is_a_problem_with_the_receipt_of_what_stands(api: Any) -> None:
    cut = gzip.compress(LINES)[:-9]
    response = post(api("upload"), cut, headers={"content-encoding": "gzip"})
    assert response.status_code == 400
    problem = response.json()
    assert problem["type"].endswith("interrupted")
    assert problem["receipt"]["accepted"] == Capture.objects.count() == 3


@pytest.mark.django_db
def test_who_may_not_upload_reads_why(api: Any) -> None:
    assert post(api("read"), LINES).status_code == 403
    assert api("upload").post("/api/v1/runs/a%2Fb/calls", LINES, "text/plain").status_code in (
        404,
        422,
    )
    unknown = post(api("upload"), LINES, headers={"content-encoding": "br"})
    assert unknown.status_code == 415
    form = api("upload").post(URL, {"files": BytesIO(LINES)})
    assert form.status_code == 415
    assert not Capture.objects.exists()


def test_a_chunked_body_is_read_to_its_end() -> None:
    content = LINES * 10_000
    assert b"".join(body_chunks(chunked(content))) == content


def test_a_connection_that_is_lost_is_said_with_what_was_read() -> None:
    request = chunked(b"")

    class Broken:
        pieces = [b"x" * 10, b"y" * 5]

        def read(self, size: int) -> bytes:
            if not self.pieces:
                raise OSError("connection reset")
            return self.pieces.pop(0)

    request.META["wsgi.input"] = Broken()
    with pytest.raises(Interrupted, match="the connection was lost after 15 bytes"):
        list(body_chunks(request))


def test_a_body_shorter_than_announced_broke_off() -> None:
    request = RequestFactory().post(URL, LINES, content_type="application/x-ndjson")
    request.META["CONTENT_LENGTH"] = str(len(LINES) + 1)
    with pytest.raises(
        Interrupted, match=rf"it ended after {len(LINES)} of {len(LINES) + 1} bytes"
    ):
        list(body_chunks(request))
