"""Tokens: what is stored, who may have which scope, when they stop to work."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from judgeweb.access import tokens
from judgeweb.access.models import AuditEntry, Token
from judgeweb.access.roles import SCOPES

pytestmark = pytest.mark.django_db


def make(user: Any, *scopes: str, **more: Any) -> tuple[Token, str]:
    return tokens.create_token(
        user=user,
        name="ci",
        scopes=scopes or ["read"],
        expires_at=more.get("expires_at"),
        actor=user.username,
    )


def test_create_token_stores_the_hash_and_never_the_secret(make_user: Any) -> None:
    token, secret = make(make_user("operator"), "upload", "read")

    assert secret.startswith("jw_")
    assert len(secret) >= 40
    assert secret[:11] == token.prefix
    row = " ".join(str(value) for value in Token.objects.values_list().get())
    assert secret not in row
    assert token.scopes == "read,upload"
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action) == ("operator", "create token")
    assert secret not in entry.target + entry.detail


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("viewer", {"read"}),
        ("reviewer", {"read"}),
        ("author", {"read", "author"}),
        ("operator", {"read", "upload", "judge"}),
        ("admin", set(SCOPES)),
    ],
)
def test_create_token_never_gives_more_than_the_role(
    make_user: Any, role: str, allowed: set[str]
) -> None:
    user = make_user(role)
    for scope in SCOPES:
        if scope in allowed:
            assert make(user, scope)[0].scopes == scope
        else:
            with pytest.raises(tokens.TokenRefused) as refused:
                make(user, scope)
            assert refused.value.field == "scopes"
            assert scope in refused.value.message


@pytest.mark.parametrize(
    ("scopes", "name", "days", "field"),
    [
        ([], "ci", None, "scopes"),
        (["write"], "ci", None, "scopes"),
        (["read"], "  ", None, "name"),
        (["read"], "x" * 101, None, "name"),
        (["read"], "a\x00b", None, "name"),
        (["read"], "ci", -1, "expires_at"),
    ],
)
def test_create_token_names_the_wrong_value(
    make_user: Any, scopes: list[str], name: str, days: int | None, field: str
) -> None:
    user = make_user("operator")
    expires_at = timezone.now() + timedelta(days=days) if days else None
    with pytest.raises(tokens.TokenRefused) as refused:
        tokens.create_token(
            user=user, name=name, scopes=scopes, expires_at=expires_at, actor="test"
        )
    assert refused.value.field == field
    assert not Token.objects.exists()


def test_authenticate_knows_a_token_in_force_and_no_other(make_user: Any) -> None:
    user = make_user("operator")
    token, secret = make(user)

    found = tokens.authenticate(secret)
    assert found == token
    assert tokens.authenticate(secret + "x") is None
    assert tokens.authenticate("") is None
    assert tokens.authenticate("\ud800") is None


def test_authenticate_refuses_expired_revoked_and_inactive(make_user: Any) -> None:
    user = make_user("operator")
    _, expired = make(user, expires_at=timezone.now() + timedelta(hours=1))
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert tokens.authenticate(expired) is None

    token, revoked = make(user)
    assert tokens.revoke_token(token=token, actor="operator")
    assert not tokens.revoke_token(token=token, actor="operator")
    assert tokens.authenticate(revoked) is None
    assert AuditEntry.objects.filter(action="revoke token").count() == 1

    _, secret = make(user)
    user.is_active = False
    user.save()
    assert tokens.authenticate(secret) is None
    with pytest.raises(tokens.TokenRefused):
        make(user)


def test_last_used_is_written_once_a_minute(make_user: Any, django_assert_num_queries: Any) -> None:
    token, secret = make(make_user("viewer"))
    with django_assert_num_queries(2):
        tokens.authenticate(secret)
    with django_assert_num_queries(1):
        tokens.authenticate(secret)
    Token.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    with django_assert_num_queries(2):
        tokens.authenticate(secret)
    token.refresh_from_db()
    assert token.last_used_at is not None
