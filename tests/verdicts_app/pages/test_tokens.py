import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judgeweb.access.models import AuditEntry, Token
from judgeweb.access.roles import SCOPES
from judgeweb.access.tokens import authenticate, create_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client, make_user):
    client.force_login(make_user("operator"))
    return client


def make(client, **values):
    return client.post(
        reverse("tokens"), {"name": "nightly", "scopes": ["read"], "days": "90"} | values
    )


def test_a_token_is_shown_once_and_works(operator):
    answer = make(operator, scopes=["read", "upload"])

    secret = re.search(r'id="new-token">(jw_[^<]+)<', answer.content.decode())[1]
    token = authenticate(secret)
    assert token.scope_set == {"read", "upload"}
    assert token.expires_at - timezone.now() > timedelta(days=89)
    assert secret not in operator.get(reverse("tokens")).content.decode()
    assert "no-store" in answer["Cache-Control"]


def test_a_token_offers_only_what_the_role_allows(operator):
    page = operator.get(reverse("tokens")).content.decode()

    assert 'value="judge"' in page
    assert 'value="author"' not in page
    answer = make(operator, scopes=["author"])
    assert answer.status_code == 422
    assert not Token.objects.exists()


OFFERED = {
    "viewer": {"read"},
    "reviewer": {"read"},
    "author": {"read", "author"},
    "operator": {"read", "upload", "judge"},
    "admin": {"read", "upload", "judge", "author"},
}


@pytest.mark.parametrize("role", sorted(OFFERED))
def test_each_role_makes_tokens_for_what_it_may_do_itself(client, make_user, role):
    client.force_login(make_user(role))
    assert reverse("tokens") in client.get(reverse("account")).content.decode()
    page = client.get(reverse("tokens")).content.decode()
    assert set(re.findall(r'name="scopes" value="(\w+)"', page)) == OFFERED[role]

    for scope in SCOPES:
        answer = make(client, name=scope, scopes=[scope])
        assert answer.status_code == (200 if scope in OFFERED[role] else 422), scope
    assert {token.scopes for token in Token.objects.all()} == OFFERED[role]

    by_token = make(client, scopes=list(OFFERED[role])).content.decode()
    secret = re.search(r'id="new-token">(jw_[^<]+)<', by_token)[1]
    headers = {"Authorization": f"Bearer {secret}"}
    assert client.get("/api/v1/leaderboard", headers=headers).status_code == 200


def test_a_token_without_scope_or_with_a_strange_name_is_refused(operator):
    assert make(operator, scopes=[]).status_code == 422
    answer = make(operator, name="a\x07b")
    assert answer.status_code == 422
    assert not Token.objects.exists()


def test_a_token_is_revoked_by_its_owner_alone(operator, make_user):
    other = make_user("operator", "somebody")
    foreign, _ = create_token(
        user=other, name="theirs", scopes=["read"], expires_at=None, actor="somebody"
    )
    make(operator)
    own = Token.objects.get(name="nightly")

    assert operator.post(reverse("revoke_token", args=[foreign.pk])).status_code == 404
    answer = operator.post(reverse("revoke_token", args=[own.pk]), follow=True)

    own.refresh_from_db()
    foreign.refresh_from_db()
    assert own.revoked_at is not None
    assert foreign.revoked_at is None
    assert "Token nightly is revoked" in answer.content.decode()
    assert AuditEntry.objects.filter(actor="operator", action="revoke token").count() == 1


def test_the_list_shows_own_tokens_with_their_state(operator, make_user):
    make_user("operator", "somebody")
    make(operator, days="")

    page = operator.get(reverse("tokens")).content.decode()

    assert "no end" in page
    assert "in force" in page
