"""Contracts of captured calls: the JSON Schema as text, checked when it is saved."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from judgeweb.access.admin import Audited
from judgeweb.judging.contract_schemas import publishable_contract
from judgeweb.judging.documents import ContractDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import DraftForm
from rubrics_app.admin.words import in_words
from rubrics_app.models import CallTypePolicy, Contract
from rubrics_app.models.contract import contract_key

FIELDS = ("call_type", "system_prompt_sha256", "json_schema", "strict", "source", "notes")


class ContractForm(DraftForm):
    """What is no JSON Schema is refused with its places. The input stands, nothing is lost."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        values = {name: cleaned.get(name, getattr(self.instance, name)) for name in FIELDS}
        if not self.errors.keys() & set(FIELDS):
            try:
                publishable_contract(load_document(ContractDocument, values))
            except DocumentInvalid as error:
                for place, message in error.problems:
                    field = place.partition(".")[0]
                    self.add_error(field if field in self.fields else None, f"{place}: {message}")
        return cleaned


@admin.register(Contract)
class ContractAdmin(DraftAdmin):
    form = ContractForm
    list_display: Any = ["key", "strictness", "source", "state", "updated_at", "updated_by"]
    list_filter: ClassVar[Any] = ["is_archived", "strict"]
    search_fields: ClassVar[Any] = ["key", "call_type", "system_prompt_sha256"]
    fields = [*FIELDS, "is_archived"]
    rows = {"json_schema": 30, "notes": 4}
    strictness = in_words("strict", heading="strictness", yes="strict", no="lenient")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "json_schema" and isinstance(field.widget, forms.Textarea):
            field.widget.attrs["spellcheck"] = "false"
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["call_type", "system_prompt_sha256"] if obj else []

    def save_model(self, request: Any, obj: Contract, form: Any, change: bool) -> None:
        obj.key = contract_key(obj.call_type, obj.system_prompt_sha256)
        super().save_model(request, obj, form, change)


@admin.register(CallTypePolicy)
class CallTypePolicyAdmin(Audited):
    list_display = ["call_type", "undecidable"]
    list_filter = ["undecidable_allowed"]
    search_fields = ["call_type"]
    undecidable = in_words(
        "undecidable_allowed", heading="undecidable", yes="allowed", no="not allowed"
    )
