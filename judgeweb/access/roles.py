"""Roles and what they may do. A role is a group of the same name; superusers are admins."""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase


class Role(StrEnum):
    VIEWER = "viewer"
    REVIEWER = "reviewer"
    AUTHOR = "author"
    OPERATOR = "operator"
    ADMIN = "admin"


class Capability(StrEnum):
    READ = "read"
    REVIEW = "review"
    AUTHOR = "author"  # edit and publish rubrics and scenarios
    OPERATE = "operate"  # upload, start, pause, set budgets
    ADMINISTER = "administer"


MAY: dict[Role, frozenset[Capability]] = {
    Role.VIEWER: frozenset({Capability.READ}),
    Role.REVIEWER: frozenset({Capability.READ, Capability.REVIEW}),
    Role.AUTHOR: frozenset({Capability.READ, Capability.AUTHOR}),
    Role.OPERATOR: frozenset({Capability.READ, Capability.OPERATE}),
    Role.ADMIN: frozenset(Capability),
}

SCOPES: dict[str, Capability] = {
    "read": Capability.READ,
    "upload": Capability.OPERATE,
    "judge": Capability.OPERATE,
    "author": Capability.AUTHOR,
}
"""Scopes of tokens, each with the capability that its owner needs."""


def capabilities(user: AbstractBaseUser | AnonymousUser) -> frozenset[Capability]:
    """All that the user's roles allow; cached on the user object, empty without a role."""
    if not user.is_authenticated or not getattr(user, "is_active", False):
        return frozenset()
    if getattr(user, "is_superuser", False):
        return MAY[Role.ADMIN]
    known: frozenset[Capability] | None = getattr(user, "_capabilities", None)
    if known is None:
        names = set(user.groups.values_list("name", flat=True))  # type: ignore[attr-defined]
        known = frozenset().union(*(MAY[role] for role in Role if role in names))
        user._capabilities = known  # type: ignore[attr-defined]
    return known


def can(user: AbstractBaseUser | AnonymousUser, capability: Capability) -> bool:
    return capability in capabilities(user)


View = Callable[..., HttpResponseBase]


def needs(capability: Capability) -> Callable[[View], View]:
    """Guard a page: 403 without the capability (anonymous users never get this far)."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not can(request.user, capability):
                raise PermissionDenied(f"This needs a role that may {capability}.")
            return view(request, *args, **kwargs)

        return guarded

    return guard
