"""Calibrations in the browser: how judges stand, over time, and started with their price."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from rubrics_app.scenarios import save_gold, save_scenario
from tests import factories
from tests.judging.world import items
from tests.verdicts_app.gold_rows import GOLD_TEXT, make_calibration, make_gold
from verdicts_app.models import Job, Judgement, VerdictFinding
from verdicts_app.templatetags.figures import MINUS

pytestmark = pytest.mark.django_db

MODEL = "claude-sonnet-5-5"


def day(number: int) -> datetime:
    return datetime(2026, 11, 2, 12, tzinfo=UTC) + timedelta(days=number)


@pytest.fixture
def viewer(client: Any, make_user: Any) -> Any:
    client.force_login(make_user("viewer"))
    return client


@pytest.fixture
def operator(client: Any, make_user: Any, settings: Any) -> Any:
    settings.ANTHROPIC_API_KEY = "key"
    settings.JUDGE_MODEL = MODEL
    client.force_login(make_user("operator"))
    return client


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls: list[int] = []
    monkeypatch.setattr("verdicts_app.pages.calibrate.wake_workers", lambda: calls.append(1))
    return calls


def text_of(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def page_of(client: Any, query: str = "") -> str:
    return text_of(client.get(f"{reverse('calibrations')}?{query}"))


# --- how judges stand ---------------------------------------------------------------------------


def test_without_gold_standards_the_page_names_the_next_step(viewer: Any) -> None:
    page = page_of(viewer)
    assert "No gold standard is published" in page
    assert "An author adds one to a scenario" in page
    assert "Calibrate a judge" not in page


def test_without_calibrations_the_page_says_what_one_is(operator: Any) -> None:
    make_gold()
    page = page_of(operator)
    assert "Nothing is calibrated yet" in page
    assert "See the price" in page


def test_the_page_says_who_is_outside_and_by_how_much(viewer: Any) -> None:
    make_calibration((80, 81), gold=make_gold("near", score=82))
    make_calibration((90, 92), gold=make_gold("far", score=82))

    page = page_of(viewer)

    # (90 + 92) / 2 - 82 = +9.0; 80.5 - 82 = -1.5
    assert "1 of 2 calibrations lies outside of 5 points, farthest" in page
    assert f"farthest {MODEL} on far: +9.0." in page
    assert re.search(rf"<b>\+9\.0</b>.*✕ outside.*<b>{MINUS}1\.5</b>.*✓ within", page)
    assert "Calibrate a judge" not in page


def test_the_chart_leads_to_the_verdicts_behind_a_point(viewer: Any) -> None:
    gold = make_gold(score=80)
    make_calibration((81,), gold=gold, at=day(0))
    first, second = make_calibration((84, 86), gold=gold, at=day(2))

    page = page_of(viewer, "scenario=refunds")

    figure = json.loads(re.search(r'id="calibration-figure"[^>]*>(.*?)</script>', page)[1])
    line = figure["data"][1]
    # 81 less 80, then the mean of 84 and 86 less 80.
    assert line["y"] == [1.0, None, 5.0, None]
    listed = text_of(viewer.get(line["customdata"][2]))
    assert listed.count("<b>84.0</b>") == listed.count("<b>86.0</b>") == 1
    assert "<b>81.0</b>" not in listed
    for verdict in (first, second):
        assert reverse("verdict", args=[verdict.pk]) in listed
    # The table holds the same numbers, and every total its verdict.
    assert "+4.0 to +6.0" in page
    assert f'<a href="{reverse("verdict", args=[first.pk])}">84.0</a>' in page


def test_superseded_verdicts_stand_in_the_list_of_a_gold_standard(viewer: Any) -> None:
    gold = make_gold(score=80)
    make_calibration((81,), gold=gold, at=day(0))
    make_calibration((82,), gold=gold, at=day(1))

    page = text_of(viewer.get(f"{reverse('verdicts')}?gold=refunds"))

    assert page.count("gold answer</a>") == 2
    assert page.count(">superseded</span>") == 1
    assert "<b>81.0</b>" in page
    assert "<b>82.0</b>" in page
    assert "Nobody" not in text_of(viewer.get(f"{reverse('verdicts')}?gold=nowhere"))


def test_the_view_is_a_table_and_data(viewer: Any) -> None:
    gold = make_gold(score=80)
    make_calibration((81, 82.5), gold=gold, at=day(0))
    make_calibration((20,), gold=gold, at=day(1), asked=3)

    answer = viewer.get(f"{reverse('calibrations_csv')}?scenario=refunds")
    newer, older = csv.DictReader(io.StringIO(answer.content.decode()))
    data = viewer.get(f"{reverse('calibrations_json')}?scenario=refunds").json()

    # (81 + 82.5) / 2 = 81.75
    assert (older["totals"], older["mean"], older["deviation"]) == ("81 82.5", "81.75", "1.75")
    assert (newer["counts"], newer["asked"]) == ("False", "3")
    assert [one["totals"] for one in data["calibrations"]] == [[20], [81, 82.5]]


def test_names_are_shown_as_text(viewer: Any) -> None:
    hostile = make_gold("a<b>", graded_by="R. <i>Ode</i>")
    make_calibration((20,), gold=hostile, epoch=factories.make_epoch("x", returned_model="<u>m"))
    page = page_of(viewer)
    assert "<i>Ode" not in page
    assert "<u>m" not in page
    assert "a<b>" not in page


# --- a verdict on a gold answer -----------------------------------------------------------------


def test_the_page_of_a_calibration_shows_the_gold_answer_with_quotes_lit(viewer: Any) -> None:
    gold = make_gold(score=82, notes="Graded twice.")
    [verdict] = make_calibration((77.5,), gold=gold)
    start = GOLD_TEXT.index("never")
    VerdictFinding.objects.create(
        verdict=verdict,
        position=1,
        kind="baseline",
        item_id="LOCK",
        category="high",
        found=True,
        evidence="never released",
        evidence_state="verified",
        evidence_start=start,
        evidence_end=start + len("never released"),
    )
    make_gold(score=60)

    page = text_of(viewer.get(reverse("verdict", args=[verdict.pk])))

    assert "Gold answer" in page
    assert "not stored here" not in page.lower()
    assert re.search(r'The lock is <mark class="ev"[^>]*>never released', page)
    assert "R. Ode gave this answer 82.0" in page
    assert "revision 2 is published now" in page
    assert "Graded twice." in page
    # 77.5 - 82
    assert re.search(r"<dt>Gold score</dt> <dd>82\.0</dd>", page)
    assert re.search(rf"<dt>Deviation</dt> <dd>{MINUS}4\.5</dd>", page)
    assert f"{reverse('calibrations')}?scenario=refunds" in page


def test_other_verdicts_on_the_gold_answer_stand_beside_it(viewer: Any) -> None:
    gold = make_gold()
    [old] = make_calibration((80,), gold=gold, at=day(0))
    [new] = make_calibration((81,), gold=gold, at=day(1))
    page = text_of(viewer.get(reverse("verdict", args=[new.pk])))
    assert "Verdicts on this gold answer" in page
    assert f'href="{reverse("verdict", args=[old.pk])}"' in page


def test_a_gold_answer_that_gave_no_verdict_is_shown_with_its_reason(viewer: Any) -> None:
    make_calibration((80,), gold=make_gold(), asked=2)
    judgement = Judgement.objects.get(state="unjudged")
    page = text_of(viewer.get(reverse("judgement", args=[judgement.pk])))
    assert f'Gold answer</h2></div> <div class="evidence-text as-stored">{GOLD_TEXT}' in page
    assert "gold answer on refunds" in page


def test_of_many_verdicts_on_a_gold_answer_the_newest_are_listed(viewer: Any) -> None:
    gold = make_gold()
    for number in range(4):
        verdicts = make_calibration((80, 81, 82, 83, 84), gold=gold, at=day(number))
    page = text_of(viewer.get(reverse("verdict", args=[verdicts[-1].pk])))
    others = page[page.index("Verdicts on this gold answer") :]
    assert others.count("<tr") == 16  # the head and 15 of 20
    assert f'{reverse("verdicts")}?gold=refunds">all of them</a>' in others


# --- marks --------------------------------------------------------------------------------------

MARK = "This judge is off the gold standards by more than 5 points."


@pytest.fixture
def off() -> str:
    """The name of a judge that is off."""
    make_calibration((40,), gold=make_gold(), epoch=factories.make_epoch("calibrated"))
    return MODEL


def places() -> dict[str, str]:
    """A page of each kind that the judge's verdicts stand on."""
    verdict = factories.make_verdict(epoch=factories.make_epoch("solo"))
    duel = factories.make_comparison(epoch=factories.make_epoch("compare", mode="compare"))
    relay = factories.make_coherence(epoch=factories.make_epoch("relay", mode="coherence"))
    call = factories.make_call_verdict(epoch=factories.make_epoch("calls", mode="calls"))
    assert relay.chain is not None
    return {
        "leaderboard": "/?mode=solo",
        "duels": "/?mode=compare",
        "relays": "/?mode=coherence",
        "trends": "/trends/",
        "pass rates": "/trends/?view=rates",
        "prompts": f"/calls/prompts/?call_type={call.capture.call_type}",
        "verdict": reverse("verdict", args=[verdict.pk]),
        "duel": reverse("verdict", args=[duel.pk]),
        "relay": reverse("relay", args=[relay.chain.pk]),
        "call": reverse("capture", args=[call.capture_id]),
    }


def test_a_judge_that_is_off_is_marked_wherever_it_judged(viewer: Any, off: str) -> None:
    for name, url in places().items():
        page = text_of(viewer.get(url))
        assert page.count(MARK) == 1, name
        assert f"{off} gives 40.0 where R. Ode gave 82.0" in page, name


def test_a_judge_that_is_within_is_marked_nowhere(viewer: Any) -> None:
    make_calibration((80,), gold=make_gold())
    for name, url in places().items():
        assert MARK not in text_of(viewer.get(url)), name


@pytest.mark.parametrize(
    "url",
    [
        "/leaderboard.json?mode=solo",
        "/leaderboard.json?mode=compare",
        "/leaderboard.json?mode=coherence",
        "/trends.json",
        "/trends.json?view=rates",
    ],
)
def test_the_data_of_a_board_says_so_as_well(viewer: Any, off: str, url: str) -> None:
    places()
    assert viewer.get(url).json()["judge_off"] == [
        {
            "judge": off,
            "scenario": "refunds",
            "gold_score": 82.0,
            "mean": 40.0,
            "deviation": -42.0,
            "tolerance": 5,
        }
    ]


# --- started in the browser ---------------------------------------------------------------------


def pressed(page: str) -> dict[str, list[str]]:
    """What pressing the button would post."""
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page):
        if name != "csrfmiddlewaretoken":
            fields.setdefault(name, []).append(value)
    return fields


def test_the_price_is_shown_first_and_nothing_is_written(operator: Any) -> None:
    make_gold("one")
    make_gold("two")

    page = text_of(operator.get(reverse("calibrate")))

    # Two gold standards, three repeats each
    assert re.search(r'id="calibrate-now">Calibrate: 6 verdicts, about \$0\.\d{4}</button>', page)
    assert not Job.objects.exists()


def test_pressing_the_button_plans_the_job_and_wakes_workers(
    operator: Any, woken: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    make_gold("one")
    make_gold("two")
    query = {"model": MODEL, "repeats": "2", "budget": "5", "scenario": "two", "rejudge": "on"}
    page = text_of(operator.get(reverse("calibrate"), query))
    assert "Calibrate: 2 verdicts, about" in page

    with django_capture_on_commit_callbacks(execute=True):
        answer = operator.post(reverse("calibrate"), pressed(page), follow=True)

    job = Job.objects.get()
    assert (job.run, job.budget_nano_usd) == (None, 5 * 10**9)
    golds = Judgement.objects.filter(job=job).values_list("gold_answer__key", flat=True)
    assert list(golds) == ["two", "two"]
    assert woken
    page = text_of(answer)
    assert "2 verdicts to come." in page
    assert f'href="{reverse("calibrations")}?scenario=two"' in page


def test_what_was_calibrated_is_judged_anew_unless_told_otherwise(operator: Any) -> None:
    gold = make_gold()
    url = reverse("calibrate")
    page = text_of(operator.get(url))
    operator.post(url, pressed(page))
    Judgement.objects.update(state="judged", finished_at=day(0))
    for judgement in Judgement.objects.all():
        factories.Verdict.objects.create(
            judgement=judgement,
            identity=judgement.identity,
            board_key=judgement.identity,
            mode=judgement.mode,
            epoch=judgement.epoch,
            origin="judged",
            gold_answer=gold,
            repeat=judgement.repeat,
            answered_at=day(0),
            total_nano=80 * 10**9,
            total_exact="80",
            detail="{}",
            on_board=False,
        )
    assert "Calibrate: 3 verdicts, about" in text_of(operator.get(url))
    kept = text_of(operator.get(url, {"model": MODEL, "repeats": "3", "budget": "5"}))
    assert "Nothing is left to judge this way." in kept
    assert "<dd>3 <small>left out</small></dd>" in kept


def test_more_than_the_button_named_starts_nothing(operator: Any) -> None:
    make_gold("one")
    page = text_of(operator.get(reverse("calibrate")))
    make_gold("two")
    again = text_of(operator.post(reverse("calibrate"), pressed(page)), 409)
    assert "There is more to judge than the button said." in again
    assert "Calibrate: 6 verdicts" in again
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"repeats": "6"}, "Repeats: Choose 1 to 5."),
        ({"budget": "0"}, "Budget: Give more than 0."),
        ({"model": f"{MODEL}, {MODEL}"}, "Model: the same judge model twice"),
        ({"scenario": "nowhere"}, "Scenario: Select a valid choice."),
    ],
)
def test_what_cannot_be_asked_is_said_at_its_field(
    operator: Any, change: dict[str, str], said: str
) -> None:
    make_gold()
    query = {"model": MODEL, "repeats": "3", "budget": "5", **change}
    page = text_of(operator.get(reverse("calibrate"), query), 422)
    assert said in page
    assert 'id="calibrate-now"' not in page
    text_of(operator.post(reverse("calibrate"), {**query, "agreed": "99"}), 422)
    assert not Job.objects.exists()


def test_without_gold_standards_there_is_nothing_to_start(operator: Any) -> None:
    page = text_of(operator.get(reverse("calibrate")))
    assert "No gold standard is published" in page
    operator.post(reverse("calibrate"), {"model": MODEL, "agreed": "1"})
    assert not Job.objects.exists()


def test_a_judge_is_calibrated_the_way_that_it_is_to_judge(operator: Any) -> None:
    listed = ScenarioDocument(
        name="kiosk", challenge="Review it.", baseline_issues=items(critical=1)
    )
    save_scenario(listed, user=None)
    gold = GoldDocument(scenario="kiosk", response="It locks twice.", score=80, graded_by="R. Ode")
    save_gold(gold, user=None)
    chosen = {"model": MODEL, "repeats": "2", "budget": "5", "claims": "on", "shuffle": "on"}

    page = text_of(operator.get(reverse("calibrate"), chosen))

    assert f"The claims of 1 response are extracted first, once each, by {MODEL}" in page
    assert operator.post(reverse("calibrate"), pressed(page)).status_code == 302
    parameters = json.loads(Judgement.objects.all()[0].epoch.parameters)
    assert parameters["claim_step"]["model"] == MODEL
    assert parameters["shuffle"] is True
    assert Judgement.objects.exclude(seed="").count() == 2
