"""What a worker records of two contestants or a relay can be read on its page and its board."""

from typing import Any

import pytest
from django.test import Client

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.api.test_every_mode import ask
from tests.verdicts_app.mode_data import GOLDEN, Golden
from verdicts_app.models import Verdict

pytestmark = pytest.mark.django_db(transaction=True)
TOGETHER = [one for one in GOLDEN if one.mode in ("compare", "phase-reviewer", "coherence")]


@pytest.mark.parametrize("golden", TOGETHER, ids=lambda golden: golden.mode)
def test_recorded_verdict_has_its_page_and_its_board(
    api: Any, worker: StandInControl, client: Client, make_user: Any, golden: Golden
) -> None:
    worker.replies(*golden.script)
    assert ask(api("judge", "read"), golden.mode, golden.data).status_code == 200
    verdict = Verdict.objects.get()
    client.force_login(make_user("viewer"))

    page = client.get(f"/verdicts/{verdict.pk}/", follow=True)
    board = client.get("/")

    assert page.status_code == board.status_code == 200
    shown = page.content.decode()
    for contestant in verdict.contestants.all():
        theme, _, role = contestant.label.partition(":")
        assert (f"{theme}:<wbr>{role}" if role else theme) in shown
    assert ("Both orders, mark by mark" in shown) == (golden.mode != "coherence")
    assert (verdict.rating or "wins both orders") in shown
    title = "best relay?" if golden.mode == "coherence" else "Who beats whom"
    assert title in board.content.decode()
    assert client.get(f"/verdicts/{verdict.pk}.json").status_code == 200
