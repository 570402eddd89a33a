"""Judges tried on gold standards: through the API, the command, and as a mark on the boards."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from rubrics_app.scenarios import save_gold, save_scenario
from tests.factories import make_epoch, make_verdict
from tests.fixtures.standin import StandInControl
from tests.judging.world import solo_reply
from tests.verdicts_app.seed_data import WORKS, said
from verdicts_app.models import Job, Judgement, Response, Verdict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def refunds() -> None:
    """A task whose gold standard a person gave 82 points."""
    save_scenario(ScenarioDocument(name="refunds", challenge="Review the refunds."), user=None)
    save_gold(gold(), user=None)


def gold(**change: Any) -> GoldDocument:
    made = {
        "scenario": "refunds",
        "response": "The lock is never released.",
        "score": 82,
        "graded_by": "R. Ode",
    }
    return GoldDocument(**{**made, **change})


def calibrate(client: Any, **body: Any) -> Any:
    return client.post("/api/v1/calibrations", body, content_type="application/json")


# 2.5 x 32 = 80, 2.5 x 30 = 75, 2.5 x 31 = 77.5
MARKS = [(8, 7, 9, 8), (8, 7, 8, 7), (7, 8, 7, 9)]


def script(*marks: tuple[int, ...]) -> list[dict[str, str]]:
    return [WORKS, *(said(solo_reply(*one)) for one in marks)]


def test_a_judge_judges_the_gold_answer_blind_and_its_deviation_is_given(
    api: Any, worker: StandInControl, settings: Any
) -> None:
    settings.JUDGE_IN_FLIGHT = 1
    worker.replies(*script(*MARKS))
    client = api("judge", "read")

    planned = calibrate(client, repeats=3)

    assert (planned.status_code, planned.json()["planned"]) == (202, 3)
    [one] = client.get("/api/v1/calibrations").json()
    assert sorted(one["totals"]) == [75, 77.5, 80]
    # (80 + 75 + 77.5) / 3 = 77.5; 77.5 - 82 = -4.5
    assert (one["mean"], one["spread"], one["deviation"]) == (77.5, 5, -4.5)
    assert (one["scenario"], one["gold_score"], one["within"]) == ("refunds", 82, True)
    for entry in worker.log()[1:]:
        sent = str(entry["body"])
        assert "The lock is never released." in sent
        assert "R. Ode" not in sent
        # A number of its own: the nonces are hexadecimal.
        assert not re.search(r"\b82\b", sent)
        assert "calibration" not in sent.lower()
        assert "gold" not in sent.lower()


def test_calibrations_are_on_no_board_and_in_no_run(api: Any, worker: StandInControl) -> None:
    client = api("judge", "read")

    calibrate(client, repeats=2)

    assert Verdict.objects.count() == 2
    listed = client.get("/api/v1/verdicts").json()["items"]
    whole = client.get(f"/api/v1/verdicts/{listed[0]['id']}").json()
    assert (whole["calibrates"], whole["persona"], whole["scenario"]) == (True, None, "refunds")
    assert whole["response_text"] == "The lock is never released."
    assert not Verdict.objects.filter(on_board=True).exists()
    assert client.get("/api/v1/leaderboard").json()["rows"] == []
    assert not Response.objects.exists()
    assert Job.objects.get().run is None
    with pytest.raises(IntegrityError), transaction.atomic():
        Verdict.objects.update(on_board=True)
    out = StringIO()
    call_command("recompute", stdout=out)
    assert out.getvalue() == "2 verdicts recomputed, 0 differences\n"


def test_asked_again_it_is_judged_anew_and_the_history_keeps_both(
    api: Any, worker: StandInControl
) -> None:
    client = api("judge", "read")
    worker.replies(*script(MARKS[0]))
    first = calibrate(client, repeats=1).json()
    # The price of the second one is that of the first: nothing is reused.
    priced = calibrate(client, repeats=1, dry_run=True).json()
    assert (priced["judgements"], priced["already_judged"]) == (1, 0)

    worker.replies(*script((9, 9, 9, 9)))
    second = calibrate(client, repeats=1).json()

    [now] = client.get("/api/v1/calibrations").json()
    # 2.5 x 36 = 90, 90 - 82 = +8
    assert (now["deviation"], now["within"], now["job"]) == (8, False, second["job"]["id"])
    history = client.get("/api/v1/calibrations/history?scenario=refunds").json()
    assert [(one["job"], one["deviation"]) for one in history] == [
        (first["job"]["id"], -2),
        (second["job"]["id"], 8),
    ]
    [old] = history[0]["verdicts"]
    whole = client.get(f"/api/v1/verdicts/{old}").json()
    assert (whole["live"], whole["total"], whole["response_text"]) == (
        False,
        80,
        "The lock is never released.",
    )
    assert client.get("/api/v1/calibrations/history?scenario=nowhere").json() == []
    assert client.get("/api/v1/calibrations/history").status_code == 422


def test_the_old_verdict_stands_until_the_new_one_is_valid(
    api: Any, worker: StandInControl
) -> None:
    client = api("judge", "read")
    worker.replies(*script(MARKS[0]))
    calibrate(client, repeats=1)
    worker.replies(WORKS, said("Nothing to read."), said("Nothing to read."))

    calibrate(client, repeats=1)

    assert Judgement.objects.filter(state="unjudged").count() == 1
    assert [one["deviation"] for one in client.get("/api/v1/calibrations").json()] == [-2]


def test_what_was_calibrated_can_be_left_out_and_a_new_gold_standard_is_judged(
    api: Any, worker: StandInControl
) -> None:
    client = api("judge", "read")
    calibrate(client, repeats=1)

    assert calibrate(client, repeats=1, rejudge=False).json()["already_judged"] == 1
    save_gold(gold(score=60), user=None)
    assert client.get("/api/v1/calibrations").json() == []
    assert calibrate(client, repeats=1).json()["planned"] == 1
    [one] = client.get("/api/v1/calibrations").json()
    assert (one["gold_score"], one["gold_revision"]) == (60, 2)


@pytest.mark.parametrize(
    ("body", "field"),
    [({"scenarios": ["nowhere"]}, "scenarios"), ({"repeats": 6}, "repeats")],
)
def test_what_cannot_be_calibrated_is_refused_by_field(api: Any, body: Any, field: str) -> None:
    response = calibrate(api("judge"), **body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == field
    assert not Judgement.objects.exists()


def test_the_price_is_given_first(api: Any) -> None:
    priced = calibrate(api("judge"), dry_run=True).json()
    assert (priced["judgements"], priced["needs_a_judge"]) == (3, True)
    assert priced["estimate_usd"] > 0


def test_the_command_prints_a_line_a_scenario_and_fails_outside_the_tolerance(
    standin: StandInControl, settings: Any
) -> None:
    settings.ANTHROPIC_API_KEY = "key"
    settings.ANTHROPIC_BASE_URL = standin.url
    standin.replies(*script(MARKS[0]))
    out, said_aside = StringIO(), StringIO()
    call_command("calibrate", "refunds", repeats=1, stdout=out, stderr=said_aside)
    assert out.getvalue() == (
        "refunds: gold 82 by R. Ode, claude-sonnet-5-5 80.0 (1 of it, spread 0.0): -2.0, "
        "within +-5\n"
    )
    assert said_aside.getvalue().startswith("1 judgements by claude-sonnet-5-5, about $")

    standin.replies(*script((4, 4, 4, 4)))
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("calibrate", repeats=1, rejudge=True, stdout=out, stderr=StringIO())
    assert end.value.code == 1
    assert out.getvalue().endswith("40.0 (1 of it, spread 0.0): -42.0, OUTSIDE +-5\n")


def test_without_a_judge_the_command_says_how_to_get_one(settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    with pytest.raises(CommandError, match="ANTHROPIC_API_KEY"):
        call_command("calibrate")


def test_a_judge_outside_the_tolerance_is_marked_on_its_boards(
    api: Any, worker: StandInControl, client: Client, make_user: Any
) -> None:
    client.force_login(make_user("viewer"))
    worker.replies(*script((4, 4, 4, 4)))
    calibrate(api("judge"), repeats=1)
    judge = Verdict.objects.get().epoch.returned_model
    make_verdict(epoch=make_epoch("of the judge", returned_model=judge, requested_model=judge))

    marked = " ".join(client.get("/").content.decode().split())
    other = client.get("/?judge=another")

    assert "This judge is off the gold standards by more than 5 points." in marked
    assert "gives 40.0 where R. Ode gave 82.0" in marked
    assert "off the gold standards" not in other.content.decode()
    [off] = api("read").get("/api/v1/leaderboard").json()["judge_off"]
    assert (off["scenario"], off["gold_score"], off["mean"]) == ("refunds", 82, 40)
    assert (off["deviation"], off["tolerance"], off["judge"]) == (-42, 5, judge)
