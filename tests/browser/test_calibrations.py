"""Calibrations in a real browser: axe, widths, from a point to its verdicts, and the start."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser.browsing import axe_violations, cells_cut_off, overflow, size_and_scheme
from tests.verdicts_app.gold_rows import make_calibration, make_gold
from verdicts_app.models import Verdict

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def month(settings: Any) -> Verdict:
    """A judge that drifts away under another name, and one verdict of its last calibration."""
    settings.ANTHROPIC_API_KEY = "key"
    gold = make_gold("ticket-kiosk-refunds", score=82, notes="Graded twice, a week apart.")
    after = factories.make_epoch("after", returned_model="claude-sonnet-5-5-20261110")
    made = []
    for day in (0, 1, 2, 5, 6, 7):
        epoch = factories.make_epoch("before") if day < 6 else after
        totals = (80 + day, 82.5 + day, 81 + day)
        made = make_calibration(totals, gold=gold, epoch=epoch, at=FIRST + timedelta(days=day))
    make_calibration((40,), gold=gold, epoch=after, at=FIRST + timedelta(days=8), asked=3)
    answer = factories.make_response(model="claude-sonnet-5-5", run="nightly")
    factories.make_verdict(response=answer, epoch=after)
    for number in range(6):
        factories.make_verdict(epoch=after, run="nightly", total=60 + number)
    return made[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_pass_axe_and_keep_their_width(
    month: Verdict, sign_in: Any, width: int, scheme: str
) -> None:
    page = sign_in("operator", **size_and_scheme(width, scheme))
    for url in (
        "/calibrations/",
        "/calibrations/new/",
        f"/verdicts/{month.pk}/",
        "/verdicts/?gold=ticket-kiosk-refunds",
        "/runs/nightly/",
        "/?self=only",
    ):
        page.goto(url)
        assert (url, axe_violations(page)) == (url, [])
        assert (url, overflow(page)) == (url, 0)
        assert (url, cells_cut_off(page)) == (url, [])


def test_a_click_on_a_point_opens_its_verdicts(month: Verdict, sign_in: Any) -> None:
    page = sign_in("viewer")
    page.goto("/calibrations/")
    chart = page.locator(".chart-live")
    expect(chart.locator("path.point").first).to_be_visible()
    # Two runs of days before the change and one after it; the gaps are shaded.
    expect(chart.locator("path.point")).to_have_count(6)
    point = chart.locator(".trace.scatter path.point").first.bounding_box()
    page.mouse.move(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(chart.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(page.get_by_role("heading", level=1)).to_have_text("Calibration of judges")
    expect(page.get_by_role("region", name="Verdicts").get_by_role("row")).to_have_count(4)


def test_the_table_holds_what_the_chart_shows(month: Verdict, sign_in: Any) -> None:
    page = sign_in("viewer")
    page.goto("/calibrations/")
    page.get_by_text("Table", exact=True).click()
    table = page.get_by_role("region", name="Table of deviations")
    # Day 7: totals 87, 89.5 and 88, less 82.
    expect(table.get_by_role("row").nth(1)).to_contain_text("+6.2")
    expect(table.get_by_role("row").nth(1)).to_contain_text("+5.0 to +7.5")
    expect(table).to_contain_text("Answers as claude-sonnet-5-5 → claude-sonnet-5-5-20261110")


def test_the_price_follows_what_is_chosen(month: Verdict, sign_in: Any) -> None:
    page = sign_in("operator")
    page.goto("/calibrations/")
    page.get_by_role("link", name="Calibrate a judge").click()
    expect(page.locator("#calibrate-now")).to_contain_text("Calibrate: 3 verdicts, about $")
    page.locator("#j-repeats").fill("5")
    page.locator("#j-repeats").blur()
    expect(page.locator("#calibrate-now")).to_contain_text("Calibrate: 5 verdicts, about $")
    page.locator("#calibrate-now").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Job of")
    expect(page.get_by_role("link", name="See the calibrations")).to_be_visible()
