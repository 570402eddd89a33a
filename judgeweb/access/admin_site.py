"""The Django admin for rubric authors and administrators: entered by role, not by a staff flag."""

from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from judgeweb.access.roles import Capability, can


class Site(AdminSite):
    site_header = "judgeweb"
    site_title = "judgeweb"
    index_title = "Rubrics and scenarios"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return can(request.user, Capability.AUTHOR) or can(request.user, Capability.ADMINISTER)

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """One login page for all; whoever is logged in and comes here lacks the role."""
        if request.user.is_authenticated:
            raise PermissionDenied("The admin needs the role author or admin.")
        return redirect_to_login(request.GET.get("next", request.path), settings.LOGIN_URL)

    def logout(  # type: ignore[override]
        self, request: HttpRequest, extra_context: Any = None
    ) -> HttpResponse:
        return redirect("logout", permanent=False, preserve_request=True)
