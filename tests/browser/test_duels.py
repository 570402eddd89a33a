"""Comparisons and relays in a browser: readable on a phone and on a desk, without a violation."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.browsing import axe_violations, overflow, size_and_scheme
from tests.judging.world import checklist_reply, pair, pair_reply
from tests.verdicts_app.pages.duels import SCENARIO, make_duel, make_relay

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_duel_relay_and_their_boards_hold_at_both_sizes(sign_in: Callable[..., Page]) -> None:
    about = pair("checklist", SCENARIO)
    ours, theirs = checklist_reply(about, {"C1", "L1"}), checklist_reply(about, {"C1"})
    theirs["baseline_findings"][0]["evidence"] = "Retries are bounded"
    duel = make_duel(pair_reply(ours, theirs), pair_reply(theirs, ours), rubric="checklist")
    relay = make_relay("excellent")
    page = sign_in("viewer", **size_and_scheme(1280, "light"))
    places = (f"/verdicts/{duel.pk}/", f"/relays/{relay.pk}/", "/?mode=compare", "/?mode=coherence")
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size(size_and_scheme(width, scheme)["viewport"])
        page.emulate_media(color_scheme=scheme)
        for place in places:
            page.goto(place)
            assert (place, overflow(page), axe_violations(page)) == (place, 0, [])
    page.goto("/?mode=compare")
    page.get_by_text("Mode: Head to head").click()
    page.get_by_role("link", name="Relays").click()
    page.wait_for_url("**/?mode=coherence")
    page.get_by_role("heading", name="Which team runs the best relay?").wait_for()
