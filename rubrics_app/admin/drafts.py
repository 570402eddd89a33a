"""What the admin pages of all drafts share: state, conflicts, publishing, archiving."""

from typing import Any, ClassVar

from adminsortable2.admin import SortableAdminBase
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import BaseFormSet, ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from judgeweb.access.admin import Audited
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.admin.forms import DraftForm, PlainTexts, PublishForm
from rubrics_app.admin.words import in_words
from rubrics_app.lint import Problem, errors_of, lint
from rubrics_app.models import AnchorSet, Draft
from rubrics_app.publishing import (
    document_of,
    locked,
    publish,
    raise_version,
    state_of,
    states_of,
)
from rubrics_app.selectors import rubrics_using


class DraftChangeList(ChangeList):
    """Knows the state of every draft it lists, at two queries for all."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        for draft, state in states_of(self.result_list).items():
            draft.state_label = state.label


def problems_of(draft: Draft) -> tuple[Problem, ...]:
    try:
        return lint(document_of(draft))
    except DocumentInvalid as error:
        return tuple(Problem(place, message) for place, message in error.problems)


class DraftAdmin(SortableAdminBase, PlainTexts, Audited):
    form = DraftForm
    change_form_template = "admin/rubrics_app/change_form.html"
    list_display: Any = ["key", "state", "updated_at", "updated_by", "archived"]
    list_filter: ClassVar[Any] = ["is_archived"]
    list_select_related = ["updated_by"]
    search_fields: ClassVar[Any] = ["key"]
    list_per_page = 50
    actions: Any = ["archive", "take_back"]
    save_on_top = True

    # --- list ---------------------------------------------------------------------------------

    archived = in_words("is_archived", heading="archive", yes="archived", no="–")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DraftChangeList

    @admin.display(description="state")
    def state(self, draft: Draft) -> str:
        return getattr(draft, "state_label", "")

    @admin.action(description="Archive the selected", permissions=["change"])
    def archive(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_archived(request, queryset.filter(is_archived=False), True)

    @admin.action(description="Take the selected back from the archive", permissions=["change"])
    def take_back(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_archived(request, queryset.filter(is_archived=True), False)

    @transaction.atomic
    def _set_archived(
        self, request: HttpRequest, queryset: QuerySet[Any], is_archived: bool
    ) -> None:
        drafts = list(queryset)
        for draft in drafts:
            type(draft).objects.filter(pk=draft.pk).update(is_archived=is_archived)
            raise_version(draft, user=person(request))
            self.audit(request, "archive" if is_archived else "take back", draft)
        self.message_user(request, f"{len(drafts)} changed.", messages.SUCCESS)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without deleting many at once: what was published can only be archived."""
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.revisions().exists():
            return False
        return super().has_delete_permission(request, obj)

    # --- change page --------------------------------------------------------------------------

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = list(super().get_readonly_fields(request, obj))
        return [*fields, "key"] if obj and "key" not in fields else fields

    def save_related(self, request: Any, form: ModelForm, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if has_changed(form, formsets):
            raise_version(form.instance, user=person(request))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        draft = self.get_object(request, object_id)
        panel = self._panel(request, draft) if draft else {}
        return super().change_view(request, object_id, form_url, {**panel, **(extra_context or {})})

    def _panel(self, request: HttpRequest, draft: Any) -> dict[str, Any]:
        problems = problems_of(draft)
        return {
            "may_publish": self.has_change_permission(request, draft),
            "state": state_of(draft),
            "problems": problems,
            "has_errors": bool(errors_of(problems)),
            "revisions": draft.revisions().select_related("published_by"),
            "publish_form": PublishForm(
                initial={"opened_version": draft.version}, prefix="publish"
            ),
            "publish_url": self._url("publish", draft.pk),
            "dependents": rubrics_using(draft.key) if isinstance(draft, AnchorSet) else [],
        }

    def _url(self, name: str, *args: Any) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=args)

    # --- publishing ---------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_publish"
        view = self.admin_site.admin_view(self.publish_view)
        return [path("<int:pk>/publish/", view, name=name), *super().get_urls()]

    def publish_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        draft = get_object_or_404(self.model, pk=pk)
        if not self.has_change_permission(request, draft):
            raise PermissionDenied
        if request.method == "POST":
            level, text = self._publish(request, draft)
            self.message_user(request, text, level)
        return HttpResponseRedirect(self._url("change", pk))

    @transaction.atomic
    def _publish(self, request: HttpRequest, draft: Any) -> tuple[int, str | SafeString]:
        form = PublishForm(request.POST, prefix="publish")
        if not form.is_valid():
            return messages.ERROR, "Not published: the note is at most 300 characters."
        stored = locked(draft)
        if form.cleaned_data["opened_version"] != stored.version:
            return messages.ERROR, (
                f"Not published: {stored.updated_by or 'somebody'} changed {stored.key!r} after "
                "you opened it. This is the draft as it stands now."
            )
        before = state_of(stored).newest
        try:
            revision = publish(
                stored,
                user=person(request),
                note=form.cleaned_data["note"],
                actor=request.user.get_username(),
            )
        except DocumentInvalid as error:
            return messages.ERROR, f"Not published: {error}."
        if revision == before:
            return messages.INFO, f"Nothing has changed since revision {revision.number}."
        return messages.SUCCESS, f"Published as revision {revision.number}."


def person(request: HttpRequest) -> User:
    """Who is logged in; the admin lets nobody else in."""
    assert isinstance(request.user, User)
    return request.user


def has_changed(form: ModelForm, formsets: list[BaseFormSet]) -> bool:
    """Whether a save of form and inlines changes anything of the draft."""
    return any(name != "opened_version" for name in form.changed_data) or any(
        formset.has_changed() for formset in formsets
    )
