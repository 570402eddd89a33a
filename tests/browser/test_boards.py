"""Signing in, the leaderboard's filters and the chart, in a real browser."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser.browsing import axe_violations, cells_cut_off, overflow, size_and_scheme

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MONDAY = datetime(2026, 9, 7, 12, tzinfo=UTC)
LONG = "cartographers-of-the-unmapped-northern-archipelago:principal-integration-reviewer"


@pytest.fixture
def season() -> None:
    """Ten weeks of five personas on six scenarios, with a gap, a new rubric and what is missing."""
    first = factories.make_epoch("one", rubric_revision=factories.make_revision(number=1))
    second = factories.make_epoch("two", rubric_revision=factories.make_revision(number=2))
    means = {"foundry:reviewer": 82, "orchard:reviewer": 79, "control:reviewer": 70, LONG: 61}
    for week in (0, 1, 2, 3, 5, 7, 8, 9):
        factories.make_board(
            {
                spec: {f"s{n}": [mean + 3 * n - week % 3] for n in range(6)}
                for spec, mean in means.items()
            },
            epoch=first if week < 3 else second,
            answered_at=MONDAY + timedelta(weeks=week),
        )
    factories.make_board({"papermill:dev": {"s0": [75]}}, epoch=second, answered_at=MONDAY)
    factories.make_unjudged("foundry:reviewer", "s0", epoch="two")
    factories.make_response("foundry:reviewer", "s0", outcome="failed")


def test_signing_in_leads_to_the_leaderboard(browser: Any, live_server: Any, make_user: Any):
    make_user("viewer", "rana")
    page = browser.new_page(base_url=live_server.url)
    page.goto("/trends/")
    assert axe_violations(page) == []
    page.get_by_label("Name").fill("rana")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Name and password do not match")
    assert axe_violations(page) == []
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{live_server.url}/trends/")
    page.context.close()


PAGES = (
    "/",
    "/?role=nobody",
    "/?min=20&from=never",
    "/trends/",
    "/trends/?bucket=day",
    "/verdicts/?persona=foundry:reviewer",
    "/verdicts/?state=unjudged",
    "/figures/",
    "/account/",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_pass_axe_and_keep_their_width(season, sign_in, width, scheme):
    page = sign_in("operator", **size_and_scheme(width, scheme))
    for path in PAGES:
        page.goto(path)
        assert (path, axe_violations(page)) == (path, [])
        assert (path, max(overflow(page), 0)) == (path, 0)
        assert (path, cells_cut_off(page)) == (path, [])


def test_an_empty_installation_names_the_next_step(sign_in):
    page = sign_in("operator", **size_and_scheme(390, "light"))
    page.goto("/")
    expect(page.get_by_role("heading", name="No verdicts yet")).to_be_visible()
    assert axe_violations(page) == []


def test_a_filter_changes_board_and_address_without_a_new_page(season, sign_in, live_server):
    page = sign_in("viewer")
    page.goto("/")
    table = page.get_by_role("region", name="Leaderboard")
    expect(table.get_by_role("row")).to_have_count(7)  # head, four, the line before the unranked
    page.evaluate("window.stayed = true")
    page.get_by_text("Add filter").click()
    page.get_by_label("Role").select_option("dev")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(f"{live_server.url}/?role=dev")
    expect(page.get_by_role("link", name="papermill:dev")).to_be_visible()
    expect(page.get_by_role("link", name="foundry:reviewer", exact=True)).to_have_count(0)
    assert page.evaluate("window.stayed") is True
    page.get_by_role("link", name="role dev").click()
    expect(page.get_by_role("link", name="foundry:reviewer", exact=True)).to_be_visible()
    page.get_by_role("link", name="vs control").click()
    expect(page.get_by_role("columnheader", name="vs control")).to_have_attribute(
        "aria-sort", "descending"
    )
    page.go_back()
    expect(page.get_by_role("columnheader", name="Mean total")).to_have_attribute(
        "aria-sort", "descending"
    )


def test_filters_work_without_any_script(season, browser, live_server, client, make_user):
    client.force_login(make_user("viewer"))
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    cookie = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Theme", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which theme does best?")
    context.close()


def test_a_click_on_a_point_opens_its_verdicts(season, sign_in, live_server):
    page = sign_in("viewer")
    page.goto("/trends/")
    chart = page.locator(".chart-live")
    expect(chart.locator("path.point").first).to_be_visible()
    # Plotly listens on a layer above the points, so the mouse goes where the point is.
    point = chart.locator(".trace.scatter path.point").first.bounding_box()
    page.mouse.move(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(chart.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(page.get_by_role("heading", level=1)).to_have_text("Verdicts")
    assert "persona=" in page.url
    assert "from=2026-09-07" in page.url
    expect(page.get_by_role("region", name="Verdicts").get_by_role("row")).to_have_count(7)


def test_the_chart_takes_its_colours_anew_with_the_theme(season, sign_in):
    page = sign_in("viewer", color_scheme="light")
    page.goto("/trends/")
    line = page.locator(".chart-live path.js-line").first
    expect(line).to_have_css("stroke", "rgb(10, 95, 158)")
    page.keyboard.press("t")
    expect(line).to_have_css("stroke", "rgb(109, 180, 242)")


def test_the_table_holds_what_the_chart_shows(season, sign_in):
    page = sign_in("viewer")
    page.goto("/trends/")
    page.get_by_text("Table", exact=True).click()
    table = page.get_by_role("region", name="Table of mean total")
    expect(table).to_be_visible()
    expect(table.get_by_role("row")).to_have_count(11)
    expect(table.get_by_text("Rubric 1 → 2")).to_be_visible()


def test_names_with_markup_are_text_in_the_chart_too(sign_in):
    factories.make_verdict("<img src=x onerror=alert(1)>", "s0")
    page = sign_in("viewer")
    page.goto("/trends/")
    expect(page.locator(".chart-live .annotation").first).to_contain_text("<img src=x")
    assert page.locator("main img").count() == 0
    page.goto("/")
    expect(page.get_by_role("link", name="<img src=x")).to_be_visible()


def test_keys_open_the_filter_and_can_be_switched_off(season, sign_in):
    page = sign_in("viewer")
    page.goto("/")
    page.keyboard.press("/")
    expect(page.get_by_label("Role")).to_be_visible()
    page.locator("main").click(position={"x": 2, "y": 2})
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
