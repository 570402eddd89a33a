"""Bad tokens at the API: 401 each, then 429 with the time to wait, for that address alone."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from judgeweb.access import tokens
from judgeweb.access.bad_tokens import MOST

pytestmark = pytest.mark.django_db

# Windows begin at full five minutes: this one ends in 200 s.
NOW = datetime(2026, 11, 2, 12, 1, 40, tzinfo=UTC)


def send(token: str, address: str = "10.0.0.1") -> Any:
    client = Client(headers={"authorization": f"Bearer {token}"}, REMOTE_ADDR=address)
    return client.get("/api/v1/verdicts")


def test_many_bad_tokens_are_429_until_the_window_ends() -> None:
    with time_machine.travel(NOW, tick=False) as clock:
        assert [send(f"jw_{n}").status_code for n in range(MOST)] == [401] * 30
        refused = send("jw_again")
        assert (refused.status_code, refused["Retry-After"]) == (429, "200")
        assert refused["Content-Type"] == "application/problem+json"
        assert refused.json()["type"] == "urn:judgeweb:problem:too-many-requests"
        assert "try again in 200 s" in refused.json()["detail"]
        assert send("jw_other", address="10.0.0.2").status_code == 401

        clock.shift(199.5)
        assert send("jw_again")["Retry-After"] == "1"
        clock.shift(0.5)
        assert send("jw_again").status_code == 401


def test_a_token_in_force_is_never_turned_away(make_user: Any) -> None:
    secret = tokens.create_token(
        user=make_user("viewer"), name="test", scopes=["read"], expires_at=None, actor="test"
    )[1]
    with time_machine.travel(NOW, tick=False):
        for _ in range(MOST + 1):
            status = send("jw_bad").status_code
        assert status == 429
        assert send(secret).status_code == 200


def test_a_request_without_a_token_is_not_counted() -> None:
    with time_machine.travel(NOW, tick=False):
        for _ in range(MOST + 1):
            assert Client(REMOTE_ADDR="10.0.0.1").get("/api/v1/verdicts").status_code == 401
        assert send("jw_bad").status_code == 401
