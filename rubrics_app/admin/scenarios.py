"""Scenarios with their files and checklists."""

from collections.abc import Iterator
from typing import Any, ClassVar

from adminsortable2.admin import SortableStackedInline, SortableTabularInline
from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string

from judgeweb.judging.modes import PATCH_MODES, SOLO_MODES
from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import DraftForm, PlainTextField, PlainTexts, SortableFormSet
from rubrics_app.admin.prompt import PromptPage
from rubrics_app.models import ChecklistEntry, Scenario, ScenarioFile
from rubrics_app.models.details import details_of, details_text
from rubrics_app.scoring import own_rubric


class FileInline(PlainTexts, SortableStackedInline):
    model = ScenarioFile
    formset = SortableFormSet
    fields = ["role", "language", "filename", "content"]
    extra = 0
    rows = {"content": 12}


class DetailsField(PlainTextField):
    """`key: text` a line; a line that starts with white space goes on with the text above."""

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "rows": 2, "aria-label": "details"}

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith("["):
            return value
        return "\n".join(
            f"{key}: {text}".replace("\n", "\n  ").rstrip() for key, text in details_of(value)
        )

    def clean(self, value: Any) -> str:
        pairs: list[tuple[str, str]] = []
        for line in super().clean(value).splitlines():
            if line[:1].isspace() and pairs:
                key, text = pairs[-1]
                pairs[-1] = (key, f"{text}\n{line.removeprefix('  ')}")
            elif line.strip():
                key, colon, text = line.partition(":")
                if not colon or not key.strip():
                    raise forms.ValidationError(f"{line!r} is not of the form 'key: text'")
                pairs.append((key.strip(), text.strip()))
        return details_text(pairs)

    def has_changed(self, initial: Any, data: Any) -> bool:
        shown = self.prepare_value(initial) or ""
        return bool(shown != self.to_python(data))


class EntryForm(forms.ModelForm):
    details = DetailsField(required=False, help_text="One 'key: text' a line")


class EntryInline(PlainTexts, SortableTabularInline):
    model = ChecklistEntry
    form = EntryForm
    formset = SortableFormSet
    fields = ["list_name", "category", "item_id", "description", "details"]
    extra = 0
    rows = {"description": 2}


class ScenarioForm(DraftForm):
    family = forms.ChoiceField(
        label="mode",
        required=False,
        choices=[
            ("", "decided by its lists and where it comes from"),
            *((name, name) for name in SOLO_MODES + PATCH_MODES),
        ],
    )


class NamedValues(admin.AllValuesFieldListFilter):
    """Has a word for no value, too."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield choice if choice["display"] else {**choice, "display": "none"}


@admin.register(Scenario)
class ScenarioAdmin(PromptPage, DraftAdmin):
    form = ScenarioForm
    list_display: Any = [
        "key", "title", "category", "difficulty", "state", "updated_at", "updated_by",
    ]  # fmt: skip
    list_filter: ClassVar[Any] = [
        ("category", NamedValues), ("difficulty", NamedValues),
        "is_inline", "is_sample", "is_archived",
    ]  # fmt: skip
    search_fields: ClassVar[Any] = ["key", "title"]
    fields = [
        "key", "title", "category", "difficulty", "version_label", "family", "challenge",
        "context", "own_rubric", "extras", "is_archived",
    ]  # fmt: skip
    readonly_fields: ClassVar[Any] = ["own_rubric"]
    inlines: ClassVar[Any] = [FileInline, EntryInline]
    rows = {"challenge": 16, "context": 6, "extras": 4}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Scenario]:
        return super().get_queryset(request).prefetch_related("files", "items")

    @admin.display(description="own rubric")
    def own_rubric(self, scenario: Scenario) -> str:
        """What the file says of scoring; the judge scores by the published rubric."""
        categories = own_rubric(scenario.extras)
        if not categories:
            return "none: the published rubric alone"
        return render_to_string("admin/rubrics_app/own_rubric.html", {"categories": categories})
