"""Rubrics with their weighted dimensions; a dimension's marks on a page of their own."""

from decimal import Decimal
from typing import Any, ClassVar

from adminsortable2.admin import SortableAdminBase, SortableTabularInline
from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from judgeweb.access.admin import Audited
from judgeweb.judging import documents
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.modes import RUBRIC_MODES
from judgeweb.judging.rubric_rules import publishable_rubric
from rubrics_app.admin.drafts import DraftAdmin, has_changed, person
from rubrics_app.admin.forms import DraftForm, PlainTexts, SortableFormSet
from rubrics_app.admin.prompt import PromptPage
from rubrics_app.models import Dimension, DimensionMark, Draft, Rubric
from rubrics_app.publishing import document_of, plain, raise_version


class DimensionFormSet(SortableFormSet):
    def clean(self) -> None:
        """The weights are refused here for the very reasons for which publishing refuses them."""
        super().clean()
        rows = [
            form.cleaned_data
            for form in self.forms
            if form.is_valid() and form.cleaned_data and not form.cleaned_data.get("DELETE")
        ]
        weights = [(row["key"], row["weight"]) for row in rows]
        if problems := weight_problems(self.instance.mode, weights):
            raise ValidationError([f"{place}: {message}" for place, message in problems])


def weight_problems(mode: str, weights: list[tuple[str, Decimal]]) -> list[tuple[str, str]]:
    """What the core says of the weights; nothing where there are none yet."""
    rubric = documents.RubricDocument(
        name="",
        mode=mode,
        dimensions=tuple(
            documents.Dimension(key=key, label="", weight=weight) for key, weight in weights
        ),
    )
    if not weights:
        return []
    try:
        publishable_rubric(rubric)
    except DocumentInvalid as error:
        return [p for p in error.problems if p[0] == "weights" or p[0].endswith(".weight")]
    return []


class DimensionInline(PlainTexts, SortableTabularInline):
    model = Dimension
    formset = DimensionFormSet
    fields = ["key", "label", "weight", "anchor_set", "criteria", "marks_given"]
    readonly_fields = ["marks_given"]
    extra = 0
    rows = {"criteria": 2}

    @admin.display(description="marks")
    def marks_given(self, dimension: Dimension) -> str:
        if dimension.pk is None:
            return "Save first, then add its marks."
        labels = ", ".join(mark.label for mark in dimension.marks.all()) or "none: computed"
        url = reverse("admin:rubrics_app_dimension_change", args=[dimension.pk])
        return format_html('{} <a href="{}">Edit marks</a>', labels, url)


class RubricForm(DraftForm):
    mode = forms.ChoiceField(choices=[(name, name) for name in RUBRIC_MODES])


@admin.register(Rubric)
class RubricAdmin(PromptPage, DraftAdmin):
    form = RubricForm
    list_display: Any = [
        "key",
        "name",
        "mode",
        "state",
        "updated_at",
        "updated_by",
        "archived",
    ]
    list_filter: ClassVar[Any] = ["mode", "is_archived"]
    fields = ["key", "name", "mode", "description", "whole_numbers", "weights", "is_archived"]
    readonly_fields = ["weights"]
    inlines: ClassVar[Any] = [DimensionInline]

    @admin.display(description="weights (%)")
    def weights(self, rubric: Rubric) -> str:
        if rubric.pk is None:
            return "–"
        weights = [plain(dimension.weight) for dimension in rubric.dimensions.all()]
        return f"{' + '.join(map(str, weights)) or '0'} = {plain(sum(weights, Decimal(0)))}"

    def save_related(self, request: Any, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        store_percent(form.instance)


def store_percent(rubric: Rubric) -> None:
    """Weights written as shares of 1 are kept as what they are read as: percent."""
    document = document_of(rubric)
    assert isinstance(document, documents.RubricDocument)
    for dimension in document.dimensions:
        rubric.dimensions.filter(key=dimension.key).exclude(weight=dimension.weight).update(
            weight=dimension.weight
        )


class MarkInline(PlainTexts, SortableTabularInline):
    model = DimensionMark
    formset = SortableFormSet
    fields = ["key", "label", "criteria"]
    extra = 0
    rows = {"criteria": 2}


class DimensionForm(DraftForm):
    def draft(self) -> Draft:
        return self.instance.rubric


@admin.register(Dimension)
class DimensionAdmin(SortableAdminBase, PlainTexts, Audited):
    """The marks of one dimension: a part of its rubric, whose version it raises."""

    form = DimensionForm
    change_form_template = "admin/rubrics_app/part_form.html"
    fields = ["rubric", "label", "criteria"]
    readonly_fields = ["rubric"]
    inlines: ClassVar[Any] = [MarkInline]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_related(self, request: Any, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if has_changed(form, formsets):
            raise_version(form.instance.rubric, user=person(request))

    def response_post_save_change(
        self, request: HttpRequest, obj: Dimension
    ) -> HttpResponseRedirect:
        return HttpResponseRedirect(
            reverse("admin:rubrics_app_rubric_change", args=[obj.rubric_id])
        )
