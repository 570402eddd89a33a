"""What browser tests ask of every page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def axe_violations(page: Page) -> list[tuple[str, Any]]:
    """(rule, places) of every violation."""
    found = Axe().run(page, options={"runOnly": RULES, "preload": False}).response["violations"]
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found]


def overflow(page: Page) -> int:
    """By how many pixels the page could be scrolled sideways."""
    root = "document.documentElement"
    return int(page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


def size_and_scheme(width: int, scheme: str) -> dict[str, Any]:
    height = 800 if width > 640 else 844
    return {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
