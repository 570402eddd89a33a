"""manage.py judge with repeats and several judges: means over judges of means over repeats, and the
quorum. Case 52."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from tests.fixtures.standin import StandInControl
from tests.judging.world import solo_reply
from tests.verdicts_app.mode_data import (
    coherence_data,
    compare_data,
    in_both_orders,
    rated,
)
from tests.verdicts_app.seed_data import WORKS, said, solo_data
from verdicts_app.models import Verdict

pytestmark = pytest.mark.django_db(transaction=True)
OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"
WHO, OTHER = "lighthouse:dev", "control:dev"
UNREADABLE = {"text": "Sorry, no."}
AHEAD, BEHIND = solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)  # 80 and 77.5


@pytest.fixture(autouse=True)
def at_standin(standin: StandInControl, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    # One after the other, so that scripted replies come in their order.
    settings.JUDGE_IN_FLIGHT = 1


def solo(total: int) -> dict[str, str]:
    """Four equal marks: 2.5 x 4 x total / 10."""
    return said(solo_reply(*[total // 10] * 4))


def judged(mode: str, data: Any, *models: str, **options: Any) -> dict[str, Any]:
    """What it prints, with the exit code and standard error under names of our own."""
    out, err = StringIO(), StringIO()
    code: Any = 0
    try:
        call_command(
            "judge",
            mode=mode,
            data=json.dumps(data),
            model=list(models),
            stdout=out,
            stderr=err,
            **options,
        )
    except SystemExit as left:
        code = left.code
    printed: dict[str, Any] = json.loads(out.getvalue()) if out.getvalue() else {}
    return printed | {"code": code, "err": err.getvalue()}


def ask(api: Client, mode: str, data: Any, **more: Any) -> Any:
    return api.post(
        "/api/v1/judgements?wait=10",
        {"mode": mode, "data": data, "run_id": "command-line", **more},
        content_type="application/json",
    )


@pytest.fixture
def api(make_user: Any) -> Client:
    from judgeweb.access import tokens

    _, secret = tokens.create_token(
        user=make_user("operator"), name="t", scopes=("judge",), expires_at=None, actor="test"
    )
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_case_52_one_valid_judge_of_three_names_no_winner(standin: StandInControl) -> None:
    standin.replies(WORKS, *in_both_orders(AHEAD, BEHIND))
    assert judged("compare", compare_data(), OPUS)["winner"] == WHO
    standin.settings(garbage_share=1)

    result = judged("compare", compare_data(), OPUS, SONNET, HAIKU)

    assert result["code"] == 1
    assert "inconclusive: 1 of 3 judges gave a valid verdict" in result["err"]
    assert "DO NOT estimate scores" in result["err"]
    assert (result["success"], result["winner"], result["decision"]) == (
        False,
        None,
        "inconclusive",
    )
    assert result["scores"] == {WHO: None, OTHER: None}
    # The one vote is shown.
    assert [(one["model"], one["valid"], one["vote"]) for one in result["judges"]] == [
        (OPUS, 1, WHO),
        (SONNET, 0, None),
        (HAIKU, 0, None),
    ]
    assert result["judges"][1]["repeats"][0]["unjudged"].startswith("unreadable")
    assert Verdict.objects.count() == 1


def test_case_52_over_the_api(standin: StandInControl, api: Client, monkeypatch: Any) -> None:
    from verdicts_app.work.drain import drain

    monkeypatch.setattr("verdicts_app.api.judgements.wake_workers", drain)
    standin.replies(WORKS, *in_both_orders(AHEAD, BEHIND))
    assert ask(api, "compare", compare_data(), model=OPUS).json()["winner"] == WHO
    standin.settings(garbage_share=1)

    response = ask(api, "compare", compare_data(), models=[OPUS, SONNET, HAIKU])

    assert response.status_code == 200, response.content
    result = response.json()
    assert (result["success"], result["winner"], result["decision"]) == (
        False,
        None,
        "inconclusive",
    )
    assert result["reason"].startswith("inconclusive: 1 of 3 judges")
    assert result["judges"][0]["vote"] == WHO
    assert result["scores"] == {WHO: None, OTHER: None}


def test_one_valid_total_of_three_judges_is_no_total(standin: StandInControl) -> None:
    standin.replies(WORKS, solo(80))
    judged("solo", solo_data(), OPUS)
    standin.settings(garbage_share=1)

    result = judged("solo", solo_data(), OPUS, SONNET, HAIKU)

    assert (result["code"], result["success"]) == (1, False)
    assert result["scores"] == {"lighthouse:reviewer": None}
    assert result["judges"][0]["scores"] == {"lighthouse:reviewer": 80}


def test_no_valid_judge_prints_no_result(standin: StandInControl) -> None:
    standin.settings(garbage_share=1)

    result = judged("solo", solo_data(), OPUS, SONNET)

    assert (result.keys(), result["code"]) == ({"code", "err"}, 1)
    assert "unreadable" in result["err"]


def test_two_judges_that_agree_carry_an_unjudged_third(standin: StandInControl) -> None:
    # 80 : 77.5 and 70 : 60; the means are (80 + 70) / 2 = 75 and (77.5 + 60) / 2 = 68.75.
    standin.replies(WORKS, *in_both_orders(AHEAD, BEHIND))
    judged("compare", compare_data(), OPUS)
    standin.replies(WORKS, *in_both_orders(solo_reply(7, 7, 7, 7), solo_reply(6, 6, 6, 6)))
    judged("compare", compare_data(), SONNET)
    standin.settings(garbage_share=1)

    result = judged("compare", compare_data(), OPUS, SONNET, HAIKU)

    assert (result["code"], result["success"], result["winner"]) == (0, True, WHO)
    assert result["decision"] == "win"
    assert result["scores"] == {WHO: 75, OTHER: 68.75}
    assert "reason" not in result


def test_judges_that_disagree_have_no_winner(standin: StandInControl) -> None:
    standin.replies(WORKS, *in_both_orders(AHEAD, BEHIND))
    judged("compare", compare_data(), OPUS)
    standin.replies(WORKS, *in_both_orders(BEHIND, AHEAD))
    judged("compare", compare_data(), SONNET)

    result = judged("compare", compare_data(), OPUS, SONNET)

    # (80 + 77.5) / 2 each: both judges are valid, none has the majority.
    assert (result["success"], result["winner"], result["decision"]) == (
        True,
        None,
        "inconclusive",
    )
    assert result["scores"] == {WHO: 78.75, OTHER: 78.75}
    assert [judge["vote"] for judge in result["judges"]] == [WHO, OTHER]


def test_total_is_the_mean_over_judges_of_the_mean_over_repeats(standin: StandInControl) -> None:
    # 80, 70 and one unjudged: 75, range 10, sd sqrt(50) = 7.071068. 60, 60, 90: 70, range 30,
    # sd sqrt(300) = 17.320508. Over judges (75 + 70) / 2 = 72.5; all five together would be 72.
    standin.replies(WORKS, solo(80), solo(70), UNREADABLE, UNREADABLE)
    assert judged("solo", solo_data(), OPUS, repeats=3)["scores"] == {"lighthouse:reviewer": 75}
    standin.replies(WORKS, solo(60), solo(60), solo(90))
    judged("solo", solo_data(), SONNET, repeats=3)
    standin.replies(WORKS, UNREADABLE, UNREADABLE)

    result = judged("solo", solo_data(), OPUS, SONNET, repeats=3)

    assert result["scores"] == {"lighthouse:reviewer": 72.5}
    first, second = result["judges"]
    assert (first["asked"], first["valid"], first["scores"]) == (3, 2, {"lighthouse:reviewer": 75})
    assert first["spread"]["lighthouse:reviewer"] == {
        "range": 10,
        "sd": pytest.approx(7.071068, abs=1e-6),
    }
    assert (second["asked"], second["valid"]) == (3, 3)
    assert second["spread"]["lighthouse:reviewer"] == {
        "range": 30,
        "sd": pytest.approx(17.320508, abs=1e-6),
    }
    assert sum(one["unjudged"] is not None for one in first["repeats"]) == 1


def test_a_judge_with_fewer_than_half_its_repeats_has_no_say(standin: StandInControl) -> None:
    standin.replies(WORKS, solo(90), *[UNREADABLE] * 4)
    result = judged("solo", solo_data(), OPUS, repeats=3)
    assert (result.keys(), result["code"]) == ({"code", "err"}, 1)
    assert "1 of 3 are valid, fewer than half; unreadable" in result["err"]
    standin.replies(WORKS, solo(60), solo(60), solo(60))
    judged("solo", solo_data(), SONNET, repeats=3)
    standin.settings(garbage_share=1)

    result = judged("solo", solo_data(), OPUS, SONNET, repeats=3)

    # 1 of 2 judges is half; the 90 is in no mean.
    assert result["scores"] == {"lighthouse:reviewer": 60}
    assert result["judges"][0]["scores"] == {"lighthouse:reviewer": None}


@pytest.mark.parametrize(
    ("winners", "winner", "decision"),
    [
        ((1, 2, 1), WHO, "win"),
        ((1, 2), None, "inconclusive"),
        ((1, 2, 0), None, "inconclusive"),
        ((0, 0, 1), None, "tie"),
    ],
)
def test_winner_of_repeats_is_that_of_their_majority(
    standin: StandInControl, winners: tuple[int, ...], winner: str | None, decision: str
) -> None:
    pairs = {1: (AHEAD, BEHIND), 2: (BEHIND, AHEAD), 0: (AHEAD, AHEAD)}
    replies = [reply for who in winners for reply in in_both_orders(*pairs[who])]
    standin.replies(WORKS, *replies)

    result = judged("compare", compare_data(), OPUS, repeats=len(winners))

    assert (result["success"], result["winner"], result["decision"]) == (True, winner, decision)


def test_a_rating_is_that_of_the_majority(standin: StandInControl) -> None:
    standin.replies(WORKS, rated("good"), rated("poor"), rated("good"))
    result = judged("coherence", coherence_data(), OPUS, repeats=3)
    assert (result["rating"], result["multiplier"]) == ("good", 1)
    standin.replies(WORKS, rated("excellent"))
    judged("coherence", coherence_data(), SONNET)

    result = judged("coherence", coherence_data(), OPUS, SONNET)

    # The first repeat of one, and the other: they do not agree.
    assert (result["rating"], result["multiplier"]) == (None, None)
    assert result["success"] is True
