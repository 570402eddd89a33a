"""Anchor sets, their five bands on the same page."""

from typing import Any, ClassVar

from django.contrib import admin

from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import LabelledFormSet, PlainTexts
from rubrics_app.models import AnchorBand, AnchorSet


class BandInline(PlainTexts, admin.TabularInline):
    model = AnchorBand
    formset = LabelledFormSet
    fields = ["low", "high", "text"]
    extra = 0
    rows = {"text": 5}


@admin.register(AnchorSet)
class AnchorSetAdmin(DraftAdmin):
    fields = ["key", "source", "is_archived"]
    inlines: ClassVar[Any] = [BandInline]
