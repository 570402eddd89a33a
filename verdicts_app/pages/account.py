"""Signing in and out, and the page of one's own account."""

from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_failure_limit
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.contrib.messages.views import SuccessMessageMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy

from judgeweb.access.roles import MAY, Role
from verdicts_app.pages.context import role_of


class SignIn(LoginView):
    """Names after a wrong password how many tries are left before the pause."""

    template_name = "registration/login.html"
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        credentials = {"username": form.data.get("username", "")}
        failures = AxesProxyHandler.get_failures(self.request, credentials)
        left = max(get_failure_limit(self.request, credentials) - failures, 0)
        return self.render_to_response(self.get_context_data(form=form, tries_left=left))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(pause_minutes=pause_minutes(), **kwargs)


class ChangePassword(SuccessMessageMixin, PasswordChangeView):
    template_name = "registration/password.html"
    success_url = reverse_lazy("account")
    success_message = "The password is changed."


def pause_minutes() -> int:
    return round(settings.AXES_COOLOFF_TIME * 60)


def locked_out(request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
    """What axes answers once the tries are used up."""
    return render(
        request, "registration/locked.html", {"pause_minutes": pause_minutes()}, status=429
    )


def account(request: HttpRequest) -> HttpResponse:
    roles = [Role(name) for name in role_of(request).split(", ") if name]
    may = sorted({capability.value for role in roles for capability in MAY[role]})
    return render(request, "registration/account.html", {"roles": roles, "may": may})
