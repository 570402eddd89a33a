"""From a pasted answer to its verdict, and a patch beside the gold one, in a real browser."""

import os
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.scenarios import save_scenario
from tests import factories
from tests.browser.browsing import axe_violations, overflow, size_and_scheme
from tests.verdicts_app.pages.patches import PREDICTION, make_tides
from verdicts_app.models import Job
from verdicts_app.work.drain import drain_job

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANSWER = "The lock is kept while the guest pays.\nRelease it first, and refund what was taken."
SIZES = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(autouse=True)
def judged_by_the_stand_in(settings, standin, monkeypatch):
    """The server runs in this process; so does the worker, in a thread of its own."""
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.ANTHROPIC_API_KEY = "any"
    settings.JUDGE_IS_STAND_IN = True
    monkeypatch.setattr("verdicts_app.pages.playground.wake_workers", lambda: True)
    document = ScenarioDocument(name="refunds", challenge="Review the refund service.")
    factories.make_response("theme-0:dev", save_scenario(document, user=None).scenario)
    make_tides()


def look(page: Page, name: str, sizes: list[tuple[int, str]] = SIZES) -> None:
    """No violation, nothing to scroll sideways."""
    for width, scheme in sizes:
        page.set_viewport_size(size_and_scheme(width, scheme)["viewport"])
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert (name, width, scheme, axe_violations(page)) == (name, width, scheme, [])
        assert (name, width, max(overflow(page), 0)) == (name, width, 0)
        if folder := os.environ.get("JUDGEWEB_SCREENS"):
            path = Path(folder) / f"{name}-{width}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
    page.set_viewport_size(size_and_scheme(1280, "light")["viewport"])


def fill_in(page: Page) -> None:
    page.get_by_label("Mode", exact=True).select_option("compare")
    expect(page.locator("textarea")).to_have_count(2)
    with page.expect_response("**/playground/"):
        page.get_by_label("Scenario", exact=True).fill("refunds")
        page.locator("#p-who_1").focus()
    expect(page.locator("#p-stored_1")).to_contain_text("theme-0:dev, run-1")
    for place, text in ((1, ANSWER), (2, "Retry until it works.")):
        page.locator(f"#p-who_{place}").fill(f"theme-{place}:dev")
        page.locator(f"#p-character_{place}").fill("Maren Holt, night keeper")
        page.locator(f"#p-text_{place}").fill(text)


def judge_it(page: Page) -> None:
    page.get_by_role("button", name="Judge, about $").click()
    expect(page.locator("#trial-live")).to_contain_text("Waiting for a worker.")
    page.evaluate("window.stayed = true")
    worker = threading.Thread(target=drain_job, args=[Job.objects.get().pk])
    worker.start()
    expect(page.locator("#trial-live .figure-main")).to_be_visible(timeout=10_000)
    worker.join()
    assert page.evaluate("window.stayed") is True
    expect(page.locator("#live")).to_have_text("The trial is over.")
    expect(page.locator("#trial-live")).to_contain_text("stand-in, not a judgement")


def judge_a_patch(page: Page) -> None:
    """At once, in the server: nobody is asked."""
    page.goto("/playground/?mode=ground-truth&scenario=tide-table-1182")
    page.get_by_label("Text").fill(PREDICTION)
    page.get_by_role("button", name="Judge, free").click()
    expect(page.locator("#trial-live .figure-main")).to_contain_text("64.0")
    page.get_by_role("link", name="The whole verdict").click()


def test_from_a_pasted_answer_to_its_verdict_and_a_patch_beside_gold(sign_in):
    page = sign_in("operator", **size_and_scheme(1280, "light"))
    page.goto("/")
    page.get_by_role("link", name="Playground").click()
    page.wait_for_load_state()
    fill_in(page)
    page.get_by_role("button", name="Show prompt and price").last.click()
    expect(page.get_by_role("region", name="User turn, first")).to_contain_text(ANSWER)
    look(page, "preview")
    judge_it(page)
    look(page, "outcome", SIZES[-1:])

    judge_a_patch(page)
    gold = page.get_by_role("region", name="Gold: harbour/tides.py")
    predicted = page.get_by_role("region", name="Prediction: harbour/tides.py")
    assert gold.bounding_box()["y"] == predicted.bounding_box()["y"]
    assert gold.bounding_box()["height"] == predicted.bounding_box()["height"]
    look(page, "patch")
    page.set_viewport_size({"width": 390, "height": 844})
    assert gold.bounding_box()["x"] == predicted.bounding_box()["x"]
    assert gold.bounding_box()["y"] < predicted.bounding_box()["y"]
