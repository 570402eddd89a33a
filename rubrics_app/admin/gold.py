"""Gold standards. Who graded is checked by the rule of the document."""

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from judgeweb.judging.documents import GoldDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import DraftForm
from rubrics_app.models import GoldStandard, Scenario

FIELDS = ("response", "score", "graded_by", "notes", "show_score")


class GoldForm(DraftForm):
    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        values = {name: cleaned[name] for name in FIELDS if name in cleaned}
        try:
            load_document(GoldDocument, {"scenario": "", **values})
        except DocumentInvalid as error:
            for place, message in error.problems:
                if place in values:
                    self.add_error(place, message)
        return cleaned


@admin.register(GoldStandard)
class GoldStandardAdmin(DraftAdmin):
    form = GoldForm
    list_display: Any = ["key", "score", "graded_by", "state", "updated_at", "updated_by"]
    fields = ["scenario", "response", "score", "graded_by", "notes", "show_score", "is_archived"]
    rows = {"response": 16, "notes": 4}

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["scenario"] if obj else []

    def formfield_for_foreignkey(
        self, db_field: "models.ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Without the tasks that came with a judgement request."""
        kwargs["queryset"] = Scenario.objects.filter(is_inline=False)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: Any, obj: GoldStandard, form: Any, change: bool) -> None:
        obj.key = obj.scenario.key
        super().save_model(request, obj, form, change)
