"""Clients of the API: `api("upload")` carries a token with that scope."""

from typing import Any

import pytest
from django.test import Client

from judgeweb.access import tokens
from tests.fixtures.standin import StandInControl
from verdicts_app.work.drain import drain


@pytest.fixture
def make_token(make_user: Any, django_user_model: Any) -> Any:
    """make_token("upload", role="operator") -> the secret of a new token."""

    def make(*scopes: str, role: str = "admin") -> str:
        user = django_user_model.objects.filter(username=role).first() or make_user(role)
        return tokens.create_token(
            user=user, name="test", scopes=scopes, expires_at=None, actor="test"
        )[1]

    return make


@pytest.fixture
def api(make_token: Any) -> Any:
    def client(*scopes: str, role: str = "admin") -> Client:
        secret = make_token(*scopes, role=role)
        return Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)

    return client


WAKING = ("judgements", "runs", "jobs", "calibrations")


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Workers that were woken, by the module that did; none is there."""
    calls: list[str] = []
    for name in WAKING:
        monkeypatch.setattr(
            f"verdicts_app.api.{name}.wake_workers", lambda name=name: calls.append(name)
        )
    return calls


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, standin: StandInControl, settings: Any) -> Any:
    """A worker that does its work at once, with the stand-in as its judge."""
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    for name in WAKING:
        monkeypatch.setattr(f"verdicts_app.api.{name}.wake_workers", drain)
    return standin
