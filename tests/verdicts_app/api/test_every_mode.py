"""Every mode of the seed through the API and a worker that judges at the stand-in."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from tests.fixtures.standin import StandInControl
from tests.judging.world import pair_reply, solo_reply
from tests.verdicts_app.mode_data import (
    BY_MODE,
    GOLDEN,
    Golden,
    coherence_data,
    compare_data,
    in_both_orders,
    make_instance,
    patch_data,
    phase_data,
    rated,
)
from tests.verdicts_app.seed_data import WORKS, said
from verdicts_app.models import Chain, Job, JobState, Pair, Response, Verdict

pytestmark = pytest.mark.django_db(transaction=True)

SHARED = ["success", "mode", "timestamp", "token_usage", "response_text"]


def ask(client: Any, mode: str, data: Any, wait: int = 10, **more: Any) -> Any:
    return client.post(
        f"/api/v1/judgements?wait={wait}",
        {"mode": mode, "data": data, **more},
        content_type="application/json",
    )


@pytest.fixture(autouse=True)
def instance() -> None:
    make_instance()


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.mode)
def test_golden_case_is_judged_once_and_recomputes(
    api: Any, worker: StandInControl, golden: Golden
) -> None:
    worker.replies(*golden.script)
    client = api("judge", "read")

    response = ask(client, golden.mode, golden.data)

    assert response.status_code == 200, response.content
    result = response.json()
    texts = [reply["text"] for reply in golden.replies]
    assert result["mode"] == golden.mode
    assert result["response_text"] == (texts[0] if texts else "")
    responses = {"responses": texts} if len(texts) > 1 else {}
    mine = {key: value for key, value in result.items() if key not in SHARED}
    assert mine == {**golden.result, **responses}
    assert (result["token_usage"]["input"] > 0) == bool(texts)

    requests = worker.stats()["requests"]
    assert requests == len(golden.script)
    assert ask(client, golden.mode, golden.data).json() == result
    assert worker.stats()["requests"] == requests
    assert Verdict.objects.count() == Job.objects.count() == 1
    out = StringIO()
    call_command("recompute", stdout=out)
    assert out.getvalue() == "1 verdicts recomputed, 0 differences\n"


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.mode)
def test_without_a_judge_only_what_needs_none_is_judged(
    api: Any, worker: StandInControl, settings: Any, golden: Golden
) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    response = ask(api("judge"), golden.mode, golden.data)

    job = Job.objects.get()
    if golden.replies:
        assert (response.status_code, job.state) == (202, JobState.WAITING)
    else:
        assert (response.status_code, job.state) == (200, JobState.DONE)
        assert (job.budget_nano_usd, job.committed_nano_usd) == (None, 0)


# --- what two orders decide ---------------------------------------------------------------------


def compared(api: Any, worker: StandInControl, *replies: Any, **more: Any) -> Any:
    worker.replies(WORKS, *replies)
    return ask(api("judge", "read"), "compare", more.pop("data", compare_data()), **more)


def test_orders_that_name_different_winners_are_inconsistent(
    api: Any, worker: StandInControl
) -> None:
    # Whoever sits at A gets 80, whoever sits at B 77.5: both reach 78.75.
    a_wins = said(pair("A"))

    result = compared(api, worker, a_wins, a_wins).json()

    assert result["scores"] == {"lighthouse:dev": 78.75, "control:dev": 78.75}
    assert (result["winner"], result["decision"]) == (None, "inconsistent")
    assert [row.outcome for row in Verdict.objects.get().contestants.all()] == ["inconsistent"] * 2


def pair(winner: str) -> dict[str, Any]:
    better, worse = solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)
    return pair_reply(better, worse) if winner == "A" else pair_reply(worse, better)


def test_one_order_unjudged_is_unjudged(api: Any, worker: StandInControl) -> None:
    broken = {"text": "I would say A."}

    response = compared(api, worker, said(pair("A")), broken, broken)

    assert response.status_code == 502
    assert "unreadable" in response.json()["detail"]
    assert not Verdict.objects.exists()


def test_one_order_is_one_request(api: Any, worker: StandInControl) -> None:
    result = compared(api, worker, said(pair("A")), orders=1).json()

    assert result["scores"] == {"lighthouse:dev": 80, "control:dev": 77.5}
    assert "responses" not in result
    assert worker.stats()["requests"] == 2


def test_the_same_answer_twice_is_two_contestants(api: Any, worker: StandInControl) -> None:
    one = {"spec": "lighthouse:dev", "character": "Maren Holt", "response": "Release the lock."}
    twice = compare_data(contestants=[one, dict(one)])
    same = solo_reply(8, 7, 9, 8)

    result = compared(api, worker, *in_both_orders(same, same), data=twice).json()

    assert result["scores"] == {"lighthouse:dev#1": 80, "lighthouse:dev#2": 80}
    assert (result["winner"], result["decision"]) == (None, "tie")


def test_the_same_two_the_other_way_round_are_judged_once(api: Any, worker: StandInControl) -> None:
    first = compared(api, worker, *BY_MODE["compare"].replies).json()
    data = compare_data(contestants=compare_data()["contestants"][::-1])
    requests = worker.stats()["requests"]

    turned = ask(api("judge", "read"), "compare", data)

    assert turned.json() == first
    assert worker.stats()["requests"] == requests
    assert Pair.objects.count() == Verdict.objects.count() == 1
    # In a single order it matters who stands first.
    worker.replies(WORKS, said(pair("A")))
    single = ask(api("judge", "read"), "compare", data, orders=1).json()
    assert single["winner"] == "control:dev"
    assert Pair.objects.count() == 2


def test_judging_again_supersedes_only_where_the_new_verdict_is_valid(
    api: Any, worker: StandInControl
) -> None:
    golden = BY_MODE["compare"]
    first = compared(api, worker, *golden.replies).json()

    broken = {"text": "B, clearly."}
    failed = compared(api, worker, broken, broken, rejudge=True)
    assert failed.status_code == 502
    assert Verdict.objects.get(superseded_at=None).decision == "win"
    assert compared(api, worker).json() == first

    worker.reset()
    again = compared(api, worker, said(pair("B")), said(pair("A")), rejudge=True).json()
    assert again["winner"] == "control:dev"
    assert Verdict.objects.filter(superseded_at=None).count() == 1
    assert Verdict.objects.filter(superseded_at__isnull=False, on_board=False).count() == 1


def test_a_verdict_gives_its_contestants_and_orders(api: Any, worker: StandInControl) -> None:
    golden = BY_MODE["phase-sm"]
    worker.replies(*golden.script)
    client = api("judge", "read")
    ask(client, golden.mode, golden.data)

    [listed] = client.get("/api/v1/verdicts").json()["items"]
    whole = client.get(f"/api/v1/verdicts/{listed['id']}").json()

    assert (listed["decision"], listed["total"], listed["persona"]) == ("win", None, None)
    first, second = whole["contestants"]
    assert (first["label"], first["persona"], first["outcome"]) == (
        "lighthouse",
        "lighthouse:sm",
        "won",
    )
    assert (first["total"], first["order_totals"]) == (79, [79, 79])
    assert (second["total"], second["outcome"]) == (50, "lost")
    assert second["response_text"] == "The sm of nobody."
    assert {mark["order"] for mark in whole["marks"]} == {"first", "second"}
    assert len(whole["marks"]) == 2 * 2 * 3
    assert whole["pins"]["parameters"]["orders"] == 2


# --- relays -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rating", "multiplier", "total"),
    # Mean of 79, 70, 75 and 77: 301 / 4 = 75.25.
    [("excellent", 1.2, 90.3), ("good", 1, 75.25), ("poor", 0.8, 60.2)],
)
def test_a_relay_is_the_mean_of_its_phases_by_its_coherence(
    api: Any, worker: StandInControl, rating: str, multiplier: float, total: float
) -> None:
    client = api("judge", "read")
    for phase in ("sm", "tea", "dev", "reviewer"):
        golden = BY_MODE[f"phase-{phase}"]
        worker.replies(*golden.script)
        assert ask(client, golden.mode, golden.data).status_code == 200
    worker.replies(WORKS, rated(rating))

    result = ask(client, "coherence", coherence_data()).json()

    assert (result["rating"], result["multiplier"]) == (rating, multiplier)
    assert result["phases"] == {"sm": 79, "tea": 70, "dev": 75, "reviewer": 77}
    assert result["chain"] == {
        "theme": "lighthouse",
        "opponent": "control",
        "mean": 75.25,
        "total": total,
        "incomplete": [],
    }
    # The answers of the phases are the relay's.
    assert Response.objects.count() == 8
    assert (Pair.objects.count(), Chain.objects.count()) == (4, 1)


def test_a_relay_of_two_judges_has_no_total(api: Any, worker: StandInControl) -> None:
    client = api("judge", "read")
    for phase in ("sm", "tea", "dev", "reviewer"):
        golden = BY_MODE[f"phase-{phase}"]
        worker.replies(*golden.script)
        ask(client, golden.mode, golden.data)
    worker.replies(WORKS, rated("good"))

    result = ask(client, "coherence", coherence_data(), model="claude-opus-5-5").json()

    assert result["chain"]["total"] is None
    assert result["chain"]["incomplete"][0] == "sm is not judged"


# --- several judges and repeats -----------------------------------------------------------------


def test_several_judges_work_in_one_job(api: Any, worker: StandInControl) -> None:
    models = ["claude-opus-5-5", "claude-sonnet-5-5"]

    response = ask(api("judge"), "solo", BY_MODE["solo"].data, models=models)

    assert response.status_code == 200, response.content
    verdicts = Verdict.objects.select_related("epoch")
    assert sorted(verdict.epoch.requested_model for verdict in verdicts) == models
    assert {verdict.judgement.job_id for verdict in verdicts} == {Job.objects.get().pk}
    # A probe and a request each.
    assert worker.stats()["requests"] == 4
    mean = sum(verdict.total_nano for verdict in verdicts) / 2 / 10**9
    assert response.json()["scores"] == {"lighthouse:reviewer": pytest.approx(mean)}


# --- what is refused ----------------------------------------------------------------------------

ISSUES = {"high": [{"id": "H1", "description": "The lock is kept."}]}
CRITERIA = {"planning": [{"id": "P1", "description": "Names the next step."}]}


@pytest.mark.parametrize(
    ("mode", "data", "field", "words"),
    [
        ("compare", compare_data(challenge=" "), "challenge", "empty"),
        ("compare", compare_data(contestants=[{}]), "contestants", "expected a list of 2, not 1"),
        (
            "compare",
            compare_data(contestants=[compare_data()["contestants"][0], {"spec": "a:b"}]),
            "contestants[1].character",
            "missing",
        ),
        (
            "compare",
            compare_data(baseline_issues=ISSUES, baseline_criteria=CRITERIA),
            "baseline_criteria",
            "baseline_issues is given as well",
        ),
        ("compare", compare_data(gold_standard={}), "gold_standard", "unknown field"),
        ("phase-sm", phase_data("sm", context=""), "context", "empty"),
        ("phase-tea", phase_data("tea", team2={"theme": "x"}), "team2.response", "missing"),
        ("phase-dev", phase_data("dev", team1=None), "team1", "missing"),
        (
            "phase-reviewer",
            phase_data("reviewer", team1={"theme": "a:b", "response": "x"}),
            "team1.theme",
            "no colon",
        ),
        ("coherence", coherence_data(tea_response=""), "tea_response", "empty"),
        ("coherence", coherence_data(theme=None), "theme", "missing"),
        ("swebench", patch_data(scenario="booking-1"), "scenario", "no SWE-bench instance"),
        ("ground-truth", patch_data(response=None), "response", "missing"),
        ("ground-truth", patch_data(response_file="/etc/hosts"), "response_file", "local command"),
        ("chess", {}, "mode", "expected one of solo, compare, phase-sm"),
    ],
)
def test_bad_data_is_refused_by_the_name_of_its_field(
    api: Any, mode: str, data: Any, field: str, words: str
) -> None:
    response = ask(api("judge"), mode, data, wait=0)

    assert response.status_code == 422, response.content
    [fault] = response.json()["errors"]
    assert fault["field"] == field
    assert words in fault["expected"]
    assert not Job.objects.exists()
    assert not Response.objects.exists()


@pytest.mark.parametrize("mode", ["compare", "phase-sm"])
def test_two_empty_answers_are_judged_without_a_judge(
    api: Any, worker: StandInControl, settings: Any, mode: str
) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    data: Any = phase_data("sm") if mode == "phase-sm" else compare_data()
    for one in data.get("contestants", [data.get("team1"), data.get("team2")]):
        one["response"] = " \n"

    result = ask(api("judge"), mode, data).json()

    assert list(result["scores"].values()) == [0, 0]
    assert (result["winner"], result["decision"]) == (None, "tie")
    assert Verdict.objects.get().flags == "empty_answer"
