"""Gold standards. Who graded is checked by the rule of the document."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from judgeweb.judging.documents import GoldDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import DraftForm
from rubrics_app.models import GoldStandard

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
    autocomplete_fields = ["scenario"]
    rows = {"response": 16, "notes": 4}

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["scenario"] if obj else []

    def save_model(self, request: Any, obj: GoldStandard, form: Any, change: bool) -> None:
        obj.key = obj.scenario.key
        super().save_model(request, obj, form, change)
