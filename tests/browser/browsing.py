"""What browser tests ask of every page."""

from collections.abc import Sequence
from pathlib import Path
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


def drop_files(page: Page, selector: str, files: Sequence[Path]) -> None:
    """Drop files as a file manager does: real drag events of the browser, not of a script."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    where = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
    devtools = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": kind, **where, "data": data})
    devtools.detach()


def cells_cut_off(page: Page) -> list[str]:
    """Cells of tables that are stacked on a phone whose text runs out of its place."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll("table.stack td")]
        .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1)
        .map((cell) => `${cell.dataset.label}: ${cell.innerText}`)"""
    )
    return found
