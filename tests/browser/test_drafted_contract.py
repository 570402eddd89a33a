"""From a run without a contract to a published one, drafted by the stand-in, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from rubrics_app.selectors import contract_for
from tests.browser.browsing import axe_violations, overflow, size_and_scheme
from tests.factories import make_capture
from verdicts_app.models import Drafting
from verdicts_app.work.drafting_loop import work_off_draftings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def asked_of_the_stand_in(settings, standin, monkeypatch):
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.ANTHROPIC_API_KEY = "any"
    settings.JUDGE_IS_STAND_IN = True
    monkeypatch.setattr("verdicts_app.pages.drafting.wake_for_draftings", lambda: True)


def test_a_contract_is_drafted_reviewed_and_published(sign_in):
    prompt = make_capture().system_prompt
    make_capture(response_content="[" + "1, " * 200 + "1]", call_id="a-list")
    page = sign_in("author", **size_and_scheme(1280, "light"))
    page.goto("/runs/run-1/")
    assert axe_violations(page) == []
    assert overflow(page) == 0
    page.click("#draft-1")
    expect(page.locator("h1")).to_have_text("Draft a contract for planner")
    assert axe_violations(page) == []
    page.click("#draft-now")
    expect(page.locator("#drafting")).to_contain_text("This page follows by itself")
    assert axe_violations(page) == []

    work_off_draftings()

    review_and_publish(page)
    assert contract_for("planner", prompt.sha256) is not None
    page.goto("/runs/run-1/")
    expect(page.locator("#run-contracts")).to_have_count(0)
    assert Drafting.objects.get().requests.count() == 1


def review_and_publish(page: Page):
    expect(page.locator("#id_json_schema")).to_be_visible(timeout=10_000)
    expect(page.locator("#report")).to_contain_text("2 captures would change")
    page.set_viewport_size({"width": 390, "height": 844})
    assert axe_violations(page) == []
    assert overflow(page) == 0
    page.fill("#id_json_schema", "{")
    page.click("#publish-now")
    expect(page.get_by_role("alert")).to_contain_text("is not JSON")
    assert axe_violations(page) == []
    page.fill("#id_json_schema", '{"type": ["object", "array"]}')
    page.uncheck("[name=strict]")
    page.click("#check-again")
    expect(page.locator("#report")).to_contain_text("Keep it2")
    page.click("#publish-now")
    expect(page.locator("h1 + p")).to_contain_text("Reviewed and published as")
