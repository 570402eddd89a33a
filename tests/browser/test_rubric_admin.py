"""The admin of rubric authors in a real browser: an anchor published, pages fit for everybody."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from judgeweb.judging.documents import ChecklistItem, CodeFile, ScenarioDocument
from rubrics_app.models import AnchorSet, Dimension, Revision, Rubric
from rubrics_app.preview import preview
from rubrics_app.scenarios import save_scenario
from rubrics_app.selectors import default_rubric, rubric_document
from tests.browser.browsing import axe_violations, size_and_scheme
from tests.factories import make_epoch, make_verdict

WORDS = "Follows the fault to the decision that made it."
KIOSK = ScenarioDocument(
    name="kiosk",
    challenge="Find the fault.",
    files=(CodeFile(language="python", filename="kiosk.py", content="x = 1\n"),),
    baseline_issues=(ChecklistItem(id="a", category="high", description="A defect"),),
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SignIn = Callable[..., Page]


def change_url(draft: AnchorSet | Rubric | Dimension) -> str:
    return reverse(f"admin:rubrics_app_{draft._meta.model_name}_change", args=[draft.pk])


def test_published_anchor_changes_the_next_prompt_and_no_old_verdict(sign_in: SignIn) -> None:
    first = default_rubric("solo")
    before = first.document
    verdict = make_verdict(total="80", epoch=make_epoch("old", rubric_revision=first))
    total = verdict.total_exact
    page = sign_in("author")
    page.goto(change_url(AnchorSet.objects.get(key="Depth")))
    page.locator("#id_bands-3-text").fill(WORDS)
    page.get_by_role("button", name="Save and continue editing").first.click()
    expect(page.locator("#publish")).to_contain_text("Draft differs from revision 1")
    page.get_by_label("Note").fill("Sharper")
    page.get_by_role("button", name="Publish the saved draft").click()
    expect(page.locator(".messagelist")).to_contain_text("Published as revision 2.")
    page.get_by_role("link", name="Revision 2").click()
    expect(page.locator("table.comparison")).to_contain_text(WORDS)

    second = default_rubric("solo")
    assert second.number == 2
    new, old = (preview(rubric_document(r), KIOSK).prompt for r in (second, first))
    assert new is not None
    assert old is not None
    assert WORDS in new.system
    assert WORDS not in old.system
    verdict.refresh_from_db()
    assert verdict.total_exact == total
    assert verdict.epoch.rubric_revision == first
    assert Revision.objects.get(pk=first.pk).document == before


def test_row_is_added_and_sorted_under_the_content_policy(sign_in: SignIn) -> None:
    scenario = save_scenario(KIOSK, user=None).scenario
    page = sign_in("author")
    page.goto(reverse("admin:rubrics_app_scenario_change", args=[scenario.pk]))
    page.get_by_text("Add another Checklist entry").click()
    page.locator("#id_items-1-list_name").select_option("baseline_issues")
    page.locator("#id_items-1-category").fill("low")
    page.locator("#id_items-1-item_id").fill("b")
    page.locator("#id_items-1-description").fill("Another")
    page.get_by_role("button", name="Save and continue editing").first.click()
    expect(page.locator("#publish")).to_contain_text("Draft differs from revision 1")
    assert list(scenario.items.values_list("item_id", "position")) == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_without_an_accessibility_fault(sign_in: SignIn, scheme: str) -> None:
    saved = save_scenario(KIOSK, user=None)
    assert saved.revision is not None
    rubric = Rubric.objects.get(key="checklist")
    page = sign_in("author", **size_and_scheme(1280, scheme))
    found = {}
    for url in (
        reverse("admin:index"),
        reverse("admin:rubrics_app_scenario_changelist"),
        reverse("admin:rubrics_app_scenario_add"),
        reverse("admin:rubrics_app_scenario_change", args=[saved.scenario.pk]),
        reverse("admin:rubrics_app_goldstandard_add"),
        reverse("admin:rubrics_app_rubric_add"),
        change_url(rubric),
        change_url(rubric.dimensions.get(key="quality")),
        reverse("admin:rubrics_app_rubric_prompt", args=[rubric.pk]),
        reverse("admin:rubrics_app_revision_changelist"),
        reverse("admin:rubrics_app_revision_change", args=[saved.revision.pk]),
    ):
        page.goto(url)
        if violations := axe_violations(page):
            found[url] = violations
    assert found == {}
