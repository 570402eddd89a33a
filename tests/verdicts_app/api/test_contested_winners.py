"""Winners that the judge states against its own marks, or cannot name: through the API, a worker,
the pages and the board."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.fixtures.standin import StandInControl
from tests.judging.world import pair_reply, solo_reply
from tests.verdicts_app.mode_data import compare_data
from tests.verdicts_app.seed_data import WORKS, said
from verdicts_app.models import Response, Verdict

pytestmark = pytest.mark.django_db(transaction=True)

# 2.5 x (8 + 7 + 9 + 8) = 80, 2.5 x (7 + 8 + 7 + 9) = 77.5
DEV, REV = solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)


def compared(client: Any, worker: StandInControl, winner: Any, **data: Any) -> dict[str, Any]:
    """The result of one order in which the first contestant has the better marks."""
    worker.replies(WORKS, said(pair_reply(DEV, REV, winner=winner)))
    response = client.post(
        "/api/v1/judgements?wait=10",
        {"mode": "compare", "data": compare_data(**data), "orders": 1},
        content_type="application/json",
    )
    assert response.status_code == 200, response.content
    result: dict[str, Any] = response.json()
    return result


def contestant(spec: str, character: str, response: str) -> dict[str, str]:
    return {"spec": spec, "character": character, "response": response}


DEV_AND_REV = [contestant("dev", "Maren", "Release it."), contestant("rev", "Pell", "Retry it.")]
TWINS = [contestant("dev", "Maren", "Release it."), contestant("dev", "Pell", "Retry it.")]


def whole_verdict(client: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/v1/verdicts/{Verdict.objects.get().pk}").json()
    return found


def stated_winner(whole: dict[str, Any]) -> tuple[str, str, bool]:
    [winner] = [one for one in whole["stated"] if one["name"] == "first.winner"]
    return winner["stated"], winner["computed"], winner["differs"]


def test_a_winner_against_the_totals_is_flagged_and_not_taken(
    api: Any, worker: StandInControl, client: Client, make_user: Any
) -> None:
    result = compared(api("judge"), worker, "rev", contestants=DEV_AND_REV)

    assert result["scores"] == {"dev": 80, "rev": 77.5}
    assert result["winner"] == "dev"
    whole = whole_verdict(api("read"))
    assert stated_winner(whole) == ("rev", "dev", True)
    assert "stated_differs" in whole["flags"]
    client.force_login(make_user("viewer"))
    page = client.get(reverse("verdict", args=[whole["id"]])).content.decode()
    assert "≠ stated rev" in page
    assert "✓ dev wins" in page
    rows = api("read").get("/api/v1/leaderboard?mode=compare").json()["rows"]
    assert {row["name"]: (row["won"], row["lost"]) for row in rows} == {
        "dev": (1, 0),
        "rev": (0, 1),
    }


@pytest.mark.parametrize("stated", ["Dev", "C", ""])
def test_two_contestants_of_one_spec_stay_two_whatever_winner_is_stated(
    api: Any, worker: StandInControl, stated: str
) -> None:
    result = compared(api("judge"), worker, stated, contestants=TWINS)

    assert result["scores"] == {"dev#1": 80, "dev#2": 77.5}
    assert result["winner"] == "dev#1"
    whole = whole_verdict(api("read"))
    assert stated_winner(whole)[1:] == ("dev#1", True)
    assert [(one["label"], one["character"], one["outcome"]) for one in whole["contestants"]] == [
        ("dev#1", "Maren", "won"),
        ("dev#2", "Pell", "lost"),
    ]
    assert Response.objects.count() == 2
    sent = str(worker.log()[-1]["body"])
    assert "Contestant A" in sent
    assert "Contestant B" in sent
    assert "dev" not in sent.lower().replace("develop", "").replace("deviat", "")


def test_the_case_of_a_stated_winner_does_not_matter(api: Any, worker: StandInControl) -> None:
    compared(api("judge"), worker, "DEV", contestants=DEV_AND_REV)
    assert stated_winner(whole_verdict(api("read"))) == ("dev", "dev", False)
