"""The API behind the server it runs on: bodies streamed over a real socket, and fuzzing."""

import gzip
import http.client
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from judgeweb.api import api
from judgeweb.serving import free_port, wait_until_answering, web_command
from tests.fixtures.database import database_url
from tests.fixtures.standin import ROOT
from verdicts_app.models import Response

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]

LIMIT = 300_000
RUN = "/api/v1/runs/nightly/responses"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """granian as it is started in production, over the tests' database."""
    port = free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "JUDGEWEB_DATA_DIR": str(tmp_path),
        "UPLOAD_MAX_BYTES": str(LIMIT),
        "LOG_LEVEL": "CRITICAL",
    }
    command = web_command("127.0.0.1", port)
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            assert wait_until_answering(f"{address}/api/v1/", 60)
            yield address
        finally:
            process.terminate()


@pytest.fixture
def schema() -> Any:
    import schemathesis

    @schemathesis.serializer("application/x-ndjson")
    def as_it_is(ctx: Any, value: Any) -> bytes:
        return str(value).encode("utf-8", "surrogatepass")

    return schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema())))


def test_no_request_that_fuzzing_finds_breaks_the_api(
    server: str, make_token: Any, schema: Any
) -> None:
    """Whatever is sent: the answer is one that the OpenAPI document declares, in its shape."""
    from hypothesis import HealthCheck, given, settings
    from schemathesis import checks

    headers = {"Authorization": f"Bearer {make_token('read', 'upload', 'judge', 'author')}"}
    held = [
        checks.CHECKS.get_one(name)
        for name in (
            "not_a_server_error",
            "status_code_conformance",
            "content_type_conformance",
            "response_schema_conformance",
        )
    ]
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=15,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def fuzz(case: Any) -> None:
            response = case.call(base_url=server, headers=headers)
            case.validate_response(response, checks=held, headers=headers)

        fuzz()


def row(number: int, text: str = "An answer.") -> dict[str, Any]:
    return {"run_id": str(number), "spec": "harbour:dev", "scenario": "s", "response": text}


def stream(
    server: str, secret: str, pieces: list[bytes], **headers: str
) -> tuple[int, dict[str, Any]]:
    """POST in chunks, without Content-Length."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=30)
    sent = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    connection.request("POST", RUN, iter(pieces), {**sent, **headers}, encode_chunked=True)
    response = connection.getresponse()
    content = json.loads(response.read())
    connection.close()
    return response.status, content


def test_streamed_upload_is_taken_whole(server: str, make_token: Any) -> None:
    secret = make_token("upload")
    content = json.dumps([row(number) for number in range(500)]).encode()
    pieces = [content[at : at + 1000] for at in range(0, len(content), 1000)]

    status, receipt = stream(server, secret, pieces)

    assert (status, receipt.get("accepted")) == (200, 500), receipt
    assert Response.objects.count() == 500
    assert stream(server, secret, pieces)[1]["duplicate"] == 500


def test_streamed_gzip_is_taken_whole(server: str, make_token: Any) -> None:
    content = gzip.compress(json.dumps([row(1), row(2)]).encode())
    encoded = {"Content-Encoding": "gzip"}
    status, receipt = stream(server, make_token("upload"), [content[:20], content[20:]], **encoded)
    assert (status, receipt.get("accepted")) == (200, 2), receipt


def test_streamed_nothing_is_no_success(server: str, make_token: Any) -> None:
    status, problem = stream(server, make_token("upload"), [])
    assert (status, problem["status"]) == (422, 422)


def test_streamed_body_over_the_limit_is_413(server: str, make_token: Any) -> None:
    secret = make_token("upload")
    status, _ = stream(server, secret, [b" " * 50_000] * 7)
    assert status == 413
    bomb = gzip.compress(b" " * 10_000_000)
    status, _ = stream(server, secret, [bomb], **{"Content-Encoding": "gzip"})
    assert status == 413
    assert not Response.objects.exists()


def test_streamed_body_without_a_token_is_401(server: str) -> None:
    status, problem = stream(server, "jw_nobody", [b"[]"])
    assert (status, problem["status"]) == (401, 401)


def test_other_routes_read_streamed_bodies_too(server: str, make_token: Any) -> None:
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=30)
    headers = {
        "Authorization": f"Bearer {make_token('judge')}",
        "Content-Type": "application/json",
    }
    body = iter([b'{"mode": "chess", ', b'"data": {}}'])
    connection.request("POST", "/api/v1/judgements", body, headers, encode_chunked=True)
    response = connection.getresponse()
    problem = json.loads(response.read())
    connection.close()
    assert (response.status, problem["errors"][0]["field"]) == (422, "mode")
