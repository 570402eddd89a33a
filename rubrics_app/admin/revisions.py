"""Published revisions: to be read and compared, never changed."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from rubrics_app.differences import document_lines, side_by_side
from rubrics_app.models import Revision
from rubrics_app.selectors import document_in


@admin.register(Revision)
class RevisionAdmin(admin.ModelAdmin):
    change_form_template = "admin/rubrics_app/revision/change_form.html"
    list_display = ["key", "kind", "number", "published_at", "published_by", "note"]
    list_filter = ["kind"]
    list_select_related = ["published_by"]
    search_fields = ["key", "note"]
    ordering = ["-published_at", "-id"]
    fields = ["kind", "key", "number", "note", "published_at", "published_by", "sha256"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        revision = self.get_object(request, object_id)
        shown = comparison(revision, request.GET.get("against", "")) if revision else {}
        return super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})


def comparison(revision: Revision, against: str) -> dict[str, Any]:
    """The document, and how it differs from another of its key, by default the one before."""
    others = list(
        Revision.objects.filter(kind=revision.kind, key=revision.key).exclude(pk=revision.pk)
    )
    wanted = int(against) if against.isdecimal() else revision.number - 1
    other = next((r for r in others if r.number == wanted), None)
    lines = document_lines(document_in(revision))
    return {
        "lines": lines,
        "others": others,
        "other": other,
        "rows": side_by_side(document_lines(document_in(other)), lines) if other else [],
    }
