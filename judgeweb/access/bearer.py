"""Who calls the API: a bearer token with a scope. A session is never enough at /api."""

from django.http import HttpRequest
from ninja.security import HttpBearer

from judgeweb.access import bad_tokens, tokens
from judgeweb.access.models import Token
from judgeweb.access.roles import SCOPES, can
from judgeweb.problems import Problem

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="judgeweb"'}


def caller(request: HttpRequest) -> Token:
    """The token that an API request came with."""
    token: Token = request.auth  # type: ignore[attr-defined]
    return token


def not_in_force(request: HttpRequest) -> Problem:
    """401, or 429 once too many came from the caller's address."""
    said = "The token is unknown, expired or revoked, or its owner is not active."
    wait_s = bad_tokens.wait_after(request.META.get("REMOTE_ADDR", ""))
    if wait_s:
        return Problem(
            429,
            f"{said} More than {bad_tokens.MOST} such tokens came from this address: try again in "
            f"{wait_s} s, or with a token in force.",
            headers={"Retry-After": str(wait_s)},
        )
    return Problem(
        401,
        said,
        headers={"WWW-Authenticate": CHALLENGE["WWW-Authenticate"] + ', error="invalid_token"'},
    )


class Bearer(HttpBearer):
    """`Bearer("upload")` guards a route: 401 without a token in force, 403 where the token lacks
    the scope or its owner's roles no longer allow it."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Token:
        kind, _, secret = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise Problem(
                401, "This needs the header 'Authorization: Bearer <token>'.", headers=CHALLENGE
            )
        return self.authenticate(request, secret.strip())

    def authenticate(self, request: HttpRequest, token: str) -> Token:
        found = tokens.authenticate(token)
        if found is None:
            raise not_in_force(request)
        if self.scope not in found.scope_set:
            raise Problem(403, f"The token lacks the scope {self.scope!r}.", kind="scope-missing")
        if not can(found.user, SCOPES[self.scope]):
            raise Problem(
                403,
                f"The roles of the token's owner no longer allow {self.scope!r}.",
                kind="role-missing",
            )
        # Whoever else may be logged in by cookie: the token's owner acts here.
        request.user = found.user
        return found
