"""Cases 37, 40 and 41 as boards, pages and exports show them: float dust, failures of the
candidate, what has no score."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from tests import factories
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, leaderboard
from verdicts_app.boards.run_calls import run_calls
from verdicts_app.exports.calls import Wanted, export
from verdicts_app.models import Capture, Run
from verdicts_app.work import sums

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def board(query: str = "") -> Leaderboard:
    return leaderboard(BoardFilters.from_query(QueryDict(query)))


def page_of(viewer: Client, url: str) -> str:
    response = viewer.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


# --- case 37 ------------------------------------------------------------------------------------


def test_case_37_equal_totals_in_any_order_tie() -> None:
    # The same five totals, from the first to the last scenario and the other way round.
    totals = [Fraction(238, 3), Fraction(242, 3), Fraction(100), Fraction("79.85"), Fraction(50)]
    for spec, order in (("b:dev", totals), ("a:dev", totals[::-1])):
        factories.make_board({spec: {f"s{n}": [total] for n, total in enumerate(order)}})
    found = board()

    first, second = found.ranked
    assert first.mean == second.mean
    assert (first.best, first.worst, second.best, second.worst) == (1, 2, 1, 2)
    assert first.group == second.group == 1
    assert [row.key for row in found.ranked] == ["a:dev", "b:dev"]


def test_case_37_the_order_is_that_of_the_unrounded_means(viewer: Client) -> None:
    # Both are shown as 79.9.
    for spec, total in (("a:dev", "79.85"), ("b:dev", "79.94")):
        factories.make_verdict(spec, "s0", total=total)

    assert [row.key for row in board("min=1").rows] == ["b:dev", "a:dev"]
    assert page_of(viewer, "/?min=1").count('data-label="Mean total">79.9<') == 2


# --- case 40 ------------------------------------------------------------------------------------


def judge_calls(number: int, ok: tuple[bool, bool, bool], **capture: Any) -> None:
    captures = [factories.make_capture("planner", **capture) for _ in range(number)]
    with transaction.atomic(), sums.kept_in_step(captures=[one.pk for one in captures]):
        for one in captures:
            factories.write_call_verdict(one, ok=ok)


def test_case_40_silent_captures_are_in_the_rate_and_judge_failures_are_not(
    viewer: Client,
) -> None:
    judge_calls(108, (True, True, True))
    judge_calls(40, (True, False, True))
    judge_calls(24, (False, True, True), response_content=None, parsed_ok=False)
    for _ in range(5):
        factories.make_judgement(
            capture=factories.make_capture("planner"),
            epoch="calls",
            state="unjudged",
            unjudged_reason="truncated",
        )
    assert Capture.objects.count() == 177

    exported = export(Wanted("run-1", "planner"))
    text = json.loads(exported.text())
    [row] = run_calls(Run.objects.get()).rows

    assert (text["aggregate"]["overall_pass"], text["aggregate"]["n"]) == (108, 172)
    assert len(exported.unjudged) == 5
    # The silent ones are in it, the unjudged are not: neither 148 nor 177.
    assert row.rates["pass"].share == Fraction(108, 172)
    assert (row.judged, row.unjudged) == (172, 5)
    page = page_of(viewer, reverse("run", args=["run-1"]))
    assert "63%" in page
    assert "73%" not in page


# --- case 41 ------------------------------------------------------------------------------------


def test_case_41_nothing_averages_a_comparison_run_as_zero(viewer: Client) -> None:
    solo = factories.make_response("lighthouse:dev", "s0", run="solo-run")
    factories.make_verdict(response=solo, total=90)
    pair = factories.make_pair("lighthouse:dev", "control:dev", "s0", run="duel-run")
    factories.make_comparison(pair, run=pair.first.run)

    found = board("mode=solo")
    assert [(row.key, row.mean, row.valid) for row in found.rows] == [("lighthouse:dev", 90, 1)]
    urls = ["/?mode=solo", "/runs/", "/trends/?mode=solo"]
    urls += [reverse("run", args=[run]) for run in ("solo-run", "duel-run")]
    for url in urls:
        assert "45.0" not in page_of(viewer, url)
    assert "90.0" in page_of(viewer, "/?mode=solo")
    weeks = json.loads(viewer.get("/leaderboard.json?mode=solo").content)
    assert weeks["rows"][0]["mean"] == 90


def test_case_41_a_verdict_without_a_total_is_counted_beside_the_mean(viewer: Client) -> None:
    epoch = factories.make_epoch("theirs", origin="imported", requested_model="", returned_model="")
    factories.make_verdict("lighthouse:dev", "s0", total=90, epoch=epoch)
    factories.make_verdict("lighthouse:dev", "s1", total=None, epoch=epoch)
    query = f"epoch={epoch.digest[:12]}"

    [row] = board(query).rows

    assert (row.mean, row.scenarios, row.valid, row.unscored, row.tried) == (90, 1, 1, 1, 2)
    page = page_of(viewer, f"/?{query}")
    assert '1 / 2<span class="ci"></span>' not in page
    assert "1 not scored" in page
    assert "45.0" not in page
    [data] = json.loads(viewer.get(f"/leaderboard.json?{query}").content)["rows"]
    assert (data["mean"], data["valid"], data["tried"], data["not_scored"]) == (90, 1, 2, 1)
