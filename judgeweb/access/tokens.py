"""Bearer tokens: made, recognised, revoked. The secret is shown once and stored as its hash."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.access.models import Token
from judgeweb.access.roles import SCOPES, can

SHOWN_OF_SECRET = 11
LAST_USED_STEP = timedelta(minutes=1)
"""`last_used_at` lags by at most this much, so that a busy client does not write per request."""


class TokenRefused(Exception):
    """The token cannot be made. `field` names the value that is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _checked_scopes(user: User, scopes: Iterable[str]) -> str:
    wanted = set(scopes)
    if unknown := wanted - SCOPES.keys():
        raise TokenRefused(
            "scopes", f"{sorted(unknown)} unknown: expected some of {', '.join(SCOPES)}"
        )
    if not wanted:
        raise TokenRefused("scopes", f"none given: expected some of {', '.join(SCOPES)}")
    for scope in sorted(wanted):
        if not can(user, SCOPES[scope]):
            raise TokenRefused("scopes", f"the roles of {user.username!r} do not allow {scope!r}")
    return ",".join(scope for scope in SCOPES if scope in wanted)


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None,
    actor: str,
) -> tuple[Token, str]:
    """Return the token and its secret, which is nowhere else. Raise TokenRefused."""
    if not user.is_active:
        raise TokenRefused("user", f"{user.username!r} is not active")
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise TokenRefused("name", "expected 1 to 100 printable characters")
    if expires_at is not None and expires_at <= timezone.now():
        raise TokenRefused("expires_at", "lies in the past")
    allowed = _checked_scopes(user, scopes)
    secret = f"jw_{secrets.token_urlsafe(32)}"
    token = Token.objects.create(
        user=user,
        name=name.strip(),
        prefix=secret[:SHOWN_OF_SECRET],
        sha256=_digest(secret),
        scopes=allowed,
        expires_at=expires_at,
    )
    audit.record(
        actor=actor,
        action="create token",
        target=f"{token.prefix} of {user.username}",
        detail=f"{token.name}: {allowed}",
    )
    return token, secret


@transaction.atomic
def revoke_token(*, token: Token, actor: str) -> bool:
    """Return False where it was revoked before."""
    changed = Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    if changed:
        audit.record(
            actor=actor, action="revoke token", target=f"{token.prefix} of {token.user.username}"
        )
    return bool(changed)


def authenticate(secret: str) -> Token | None:
    """The token in force with this secret, or None: unknown, revoked, expired, owner inactive."""
    now = timezone.now()
    token = (
        Token.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .filter(sha256=_digest(secret), revoked_at=None, user__is_active=True)
        .select_related("user")
        .first()
    )
    if token is not None and (
        token.last_used_at is None or token.last_used_at <= now - LAST_USED_STEP
    ):
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def actor_of(token: Token) -> str:
    """How the audit log names acts done with this token."""
    return f"token {token.prefix} of {token.user.get_username()}"
