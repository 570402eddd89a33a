"""One browser for the session; every test signs in anew."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
REFUSED_FORM = "responded with a status of 422"
"""What the browser says of a form that is shown again with its mistakes."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and not os.environ.get("JUDGEWEB_CI"):
        pytest.skip(f"no browser on this machine: none of {', '.join(NAMES)}")
    # Playwright keeps a loop running in this thread, and Django would take tests for coroutines.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def sign_in(
    browser: Browser, live_server: Any, make_user: Any, client: Any
) -> Iterator[Callable[..., Page]]:
    """sign_in("operator", viewport=…) -> a page of that user. A word on any console fails the
    test at its end: that is how a broken content security policy is seen."""
    contexts: list[BrowserContext] = []
    said: list[str] = []

    def start(role: str, **options: Any) -> Page:
        client.force_login(make_user(role))
        context = browser.new_context(base_url=live_server.url, **options)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _hear(said, f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        return page

    yield start
    for context in contexts:
        context.close()
    assert said == []


def _hear(said: list[str], text: str) -> None:
    if REFUSED_FORM not in text:
        said.append(text)
