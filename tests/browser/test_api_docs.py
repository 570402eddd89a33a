"""The page of the API runs from our own files under the strict policy."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_api_page_lists_the_routes_without_a_word_on_the_console(
    sign_in: Callable[..., Page], live_server: Any
) -> None:
    page = sign_in("viewer")
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(host_of(request.url)))

    page.goto("/api/v1/docs")

    route = page.locator('[data-path="/api/v1/judgements"]')
    # The bundle is large, and the machine may be busy.
    expect(route).to_be_visible(timeout=30_000)
    expect(page.get_by_role("button", name="Authorize")).to_be_visible()
    route.click()
    expect(page.get_by_text("Takes the seed's mode and data.")).to_be_visible()
    assert hosts == {live_server.url}


def host_of(url: str) -> str:
    return "/".join(url.split("/")[:3])
