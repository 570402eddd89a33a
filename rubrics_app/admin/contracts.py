"""Contracts of captured calls: the JSON Schema as text, checked when it is saved."""

from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from judgeweb.access.admin import Audited
from judgeweb.judging.contract_schemas import publishable_contract
from judgeweb.judging.documents import ContractDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.admin.drafts import DraftAdmin
from rubrics_app.admin.forms import DraftForm
from rubrics_app.admin.words import in_words
from rubrics_app.exporting import contracts_yaml
from rubrics_app.models import CallTypePolicy, Contract
from rubrics_app.models.contract import contract_key
from rubrics_app.publishing import document_of

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
    change_form_template = "admin/rubrics_app/contract/change_form.html"
    list_display: Any = ["key", "strictness", "source", "state", "updated_at", "updated_by"]
    list_filter: ClassVar[Any] = ["is_archived", "strict"]
    search_fields: ClassVar[Any] = ["key", "call_type", "system_prompt_sha256"]
    fields = [*FIELDS, "is_archived"]
    rows = {"json_schema": 30, "notes": 4}
    actions: Any = [*DraftAdmin.actions, "download"]

    @admin.action(description="Download the selected as YAML, as saved here", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[Contract]) -> HttpResponse | None:
        try:
            text = contracts_yaml(
                cast(ContractDocument, document_of(contract)) for contract in queryset
            )
        except DocumentInvalid as error:
            self.message_user(request, f"Not downloaded: {error}.", messages.ERROR)
            return None
        return HttpResponse(
            text,
            content_type="application/yaml",
            headers={"Content-Disposition": 'attachment; filename="contracts.yaml"'},
        )

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
