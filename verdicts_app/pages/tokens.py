"""Bearer tokens of one's own, for what one may do: made, shown once, revoked."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from judgeweb.access.models import Token
from judgeweb.access.roles import SCOPES, Capability, can, needs
from judgeweb.access.tokens import TokenRefused, create_token, revoke_token

MEANING = {
    "read": "read runs, verdicts, boards and rubrics",
    "upload": "upload answers",
    "judge": "start judging, which spends money",
    "author": "import scenarios and rubrics",
}
LIFETIMES = [("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "no end")]


class TokenForm(forms.Form):
    """Offers only the scopes that the user's role allows."""

    name = forms.CharField(max_length=100)
    scopes = forms.MultipleChoiceField()
    days = forms.ChoiceField(choices=LIFETIMES, required=False, initial="90")

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (scope, MEANING[scope]) for scope, needed in SCOPES.items() if can(user, needed)
        ]


@never_cache
@needs(Capability.READ)
def tokens(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    form = TokenForm(request.POST or None, user=user, initial={"scopes": ["read"], "days": "90"})
    secret = ""
    if request.method == "POST" and form.is_valid():
        secret = _made(form, user)
        if secret:
            form = TokenForm(None, user=user, initial={"scopes": ["read"], "days": "90"})
    context = {
        "form": form,
        "secret": secret,
        "tokens": Token.objects.filter(user=user).order_by("-created_at", "-pk"),
        "now": timezone.now(),
    }
    return render(request, "verdicts/tokens.html", context, status=422 if form.errors else 200)


def _made(form: TokenForm, user: User) -> str:
    """The secret of the new token; empty where it was refused, with the reason on the form."""
    values = form.cleaned_data
    days = values["days"]
    try:
        _, secret = create_token(
            user=user,
            name=values["name"],
            scopes=values["scopes"],
            expires_at=timezone.now() + timedelta(days=int(days)) if days else None,
            actor=user.get_username(),
        )
    except TokenRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, refused.message)
        return ""
    return secret


@require_POST
@needs(Capability.READ)
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    user = request.user
    token = get_object_or_404(Token, pk=token_id, user_id=user.pk)
    revoke_token(token=token, actor=user.get_username())
    messages.success(request, f"Token {token.name} is revoked. Nothing can use it any more.")
    return redirect("tokens")
