"""Clients of the API: `api("upload")` carries a token with that scope."""

from typing import Any

import pytest
from django.test import Client

from judgeweb.access import tokens


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
