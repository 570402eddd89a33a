"""The page with the rendered prompt, for rubrics and scenarios alike."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from judgeweb.judging.documents import GoldDocument, RubricDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from judgeweb.judging.modes import solo_mode_for
from rubrics_app.models import Draft, GoldStandard, Rubric, Scenario
from rubrics_app.preview import Preview, preview
from rubrics_app.publishing import document_of

SHOWN = 200


class PromptPage(admin.ModelAdmin):
    """Adds `prompt/` to a change page. The counterpart is chosen by its key: a scenario for a
    rubric (`?with=`), a rubric for a scenario."""

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_prompt"
        view = self.admin_site.admin_view(self.prompt_view)
        return [path("<int:pk>/prompt/", view, name=name), *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_prompt"
        url = reverse(name, args=[object_id]) if object_id.isdecimal() else ""
        return super().change_view(
            request, object_id, form_url, {"prompt_url": url, **(extra_context or {})}
        )

    def prompt_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        draft = get_object_or_404(self.model, pk=pk)
        choices = counterparts(draft)
        chosen = request.GET.get("with") or (choices[0] if choices else "")
        context = {
            **self.admin_site.each_context(request),
            "title": f"Prompt of {draft}",
            "opts": self.opts,
            "original": draft,
            "choices": choices,
            "chosen": chosen,
            "preview": preview_of(draft, chosen),
            "media": self.media,
        }
        return TemplateResponse(request, "admin/rubrics_app/prompt.html", context)


def counterparts(draft: Any) -> list[str]:
    """Keys of what the draft can be judged with, those that fit first."""
    if isinstance(draft, Scenario):
        rubrics = list(Rubric.objects.filter(is_archived=False))
        wanted = _mode_of(draft)
        return [r.key for r in sorted(rubrics, key=lambda r: (r.mode != wanted, r.key != wanted))]
    scenarios = Scenario.objects.filter(is_archived=False, is_inline=False)[:SHOWN]
    fitting = [s.key for s in scenarios if _mode_of(s) == draft.mode]
    return fitting or [s.key for s in scenarios]


def _mode_of(scenario: Scenario) -> str:
    try:
        document = document_of(scenario)
        assert isinstance(document, ScenarioDocument)
        return solo_mode_for(document)
    except (CaseRefused, DocumentInvalid):
        return ""


def preview_of(draft: Draft, chosen: str) -> Preview:
    """The prompt of the drafts as they stand, unpublished edits included."""
    kind: type[Draft] = Rubric if isinstance(draft, Scenario) else Scenario
    other = kind._default_manager.filter(key=chosen).first()
    if other is None:
        return Preview(None, f"There is no {kind._meta.verbose_name} {chosen!r}.")
    rubric, scenario = (other, draft) if isinstance(draft, Scenario) else (draft, other)
    gold = GoldStandard.objects.filter(key=scenario.key, is_archived=False).first()
    try:
        documents = document_of(rubric), document_of(scenario), document_of(gold) if gold else None
    except DocumentInvalid as error:
        return Preview(None, str(error))
    match documents:
        case RubricDocument() as r, ScenarioDocument() as s, (GoldDocument() | None) as g:
            return preview(r, s, g)
    raise TypeError(documents)
