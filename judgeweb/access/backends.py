"""Roles as Django permissions, so that the stock admin asks them."""

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from judgeweb.access.roles import Capability, can

AUTHORED = "rubrics_app"


class RoleBackend(BaseBackend):
    """Rubrics and scenarios need the capability to author them; all else in the admin needs an
    administrator. Whoever administers may read both."""

    def has_perm(
        self, user_obj: AbstractBaseUser | AnonymousUser, perm: str, obj: Any = None
    ) -> bool:
        app, _, action = perm.partition(".")
        if app != AUTHORED:
            return can(user_obj, Capability.ADMINISTER)
        if action.startswith("view_") and can(user_obj, Capability.ADMINISTER):
            return True
        return can(user_obj, Capability.AUTHOR)

    def has_module_perms(self, user_obj: AbstractBaseUser | AnonymousUser, app_label: str) -> bool:
        return self.has_perm(user_obj, f"{app_label}.view_")
