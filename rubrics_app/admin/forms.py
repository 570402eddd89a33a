"""Forms that keep texts as they were written and notice a second author."""

from typing import Any

from adminsortable2.admin import CustomInlineFormSetMixin
from django import forms
from django.contrib.admin.options import BaseModelAdmin
from django.core.exceptions import ValidationError
from django.db import models
from django.forms import BaseInlineFormSet
from django.http import HttpRequest
from django.utils import timezone

from rubrics_app.models import Draft
from rubrics_app.publishing import locked


class PlainTextField(forms.CharField):
    """A text whose white space is the author's; browsers send CRLF where LF was."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "strip": False})

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n")


class PlainTexts(BaseModelAdmin):
    """For admins and inlines: plain texts, and a spoken name for each field of a table."""

    rows: dict[str, int] = {}
    """Heights of text areas, by field."""

    def formfield_for_dbfield(
        self, db_field: "models.Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        if isinstance(db_field, models.TextField):
            rows = self.rows.get(db_field.name, 4)
            kwargs |= {
                "form_class": PlainTextField,
                "widget": forms.Textarea({"rows": rows, "class": "vLargeTextField"}),
            }
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            # A choice of related rows is wrapped in the widget with the buttons beside it.
            widget: Any = getattr(field.widget, "widget", field.widget)
            widget.attrs.setdefault("aria-label", str(field.label or db_field.verbose_name))
        return field


class LabelledFormSet(BaseInlineFormSet):
    """The rows of a table have no label beside their boxes."""

    def get_deletion_widget(self) -> forms.Widget:  # type: ignore[override]
        return forms.CheckboxInput({"aria-label": "Delete"})


class SortableFormSet(CustomInlineFormSetMixin, LabelledFormSet):
    pass


class DraftForm(forms.ModelForm):
    """Carries the version that it was opened with. `conflict` is the draft as another author
    left it, where the posted version is not the stored one."""

    opened_version = forms.IntegerField(widget=forms.HiddenInput, required=False)

    conflict: Draft | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["opened_version"] = self.draft().version

    def draft(self) -> Draft:
        """The draft whose version counts for this form."""
        assert isinstance(self.instance, Draft)
        return self.instance

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk:
            self._check_version(cleaned.get("opened_version"))
        return cleaned

    def _check_version(self, opened: int | None) -> None:
        """Compare with the row as stored, and hold it until the save is done."""
        stored = locked(self.draft())
        agreed = self.data.get("replace_version", "")
        if stored.version == opened or agreed == str(stored.version):
            return
        self.conflict = stored
        who = stored.updated_by.get_username() if stored.updated_by else "Somebody"
        when = timezone.localtime(stored.updated_at).strftime("%Y-%m-%d %H:%M:%S %Z")
        raise ValidationError(
            f"{who} changed {stored.key!r} at {when}, after you opened it. Nothing of yours is "
            "saved yet; your input stands below.",
            code="conflict",
        )


class PublishForm(forms.Form):
    """The button: a note, and the version that was looked at."""

    note = forms.CharField(
        max_length=300, required=False, widget=forms.TextInput({"class": "vTextField"})
    )
    opened_version = forms.IntegerField(widget=forms.HiddenInput)
