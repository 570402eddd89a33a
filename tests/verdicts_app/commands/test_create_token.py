"""manage.py create_token: prints the secret once and makes nothing else."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from judgeweb.access.models import Token
from judgeweb.access.tokens import authenticate

pytestmark = pytest.mark.django_db


def test_create_token_prints_a_token_that_works(make_user: Any) -> None:
    make_user("operator")
    out = StringIO()
    call_command("create_token", "--user", "operator", "--scopes", "upload, read", stdout=out)
    token = authenticate(out.getvalue().strip())
    assert token is not None
    assert (token.scopes, token.expires_at, token.name) == ("read,upload", None, "command line")
    assert User.objects.count() == 1


def test_create_token_takes_name_and_days(make_user: Any) -> None:
    make_user("operator")
    options = ["--user", "operator", "--scopes", "read", "--name", "ci", "--days", "30"]
    call_command("create_token", *options, stdout=StringIO())
    token = Token.objects.get()
    assert token.name == "ci"
    assert token.expires_at is not None
    assert 29 <= (token.expires_at - token.created_at).days <= 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--user", "nobody", "--scopes", "read"], "no user 'nobody'"),
        (["--user", "viewer", "--scopes", "judge"], "do not allow 'judge'"),
        (["--user", "viewer", "--scopes", "write"], "unknown"),
        (["--user", "viewer", "--scopes", ","], "none given"),
        (["--user", "viewer", "--scopes", "read", "--days", "0"], "expected 1 to 36500"),
    ],
)
def test_create_token_refuses_with_a_reason(make_user: Any, options: list[str], words: str) -> None:
    make_user("viewer")
    with pytest.raises(CommandError, match=words):
        call_command("create_token", *options, stdout=StringIO())
    assert not Token.objects.exists()
