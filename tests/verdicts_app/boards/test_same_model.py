"""A judge that judges its own model's answers: marked, and left out where that is asked."""

from fractions import Fraction
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from judgeweb.access import tokens
from tests import factories
from tests.verdicts_app.gold_rows import make_calibration, make_gold
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, leaderboard
from verdicts_app.boards.leaderboard_data import as_data
from verdicts_app.boards.ranked import ranked_board
from verdicts_app.boards.same_model import answering_models, own_models
from verdicts_app.boards.trends import trends
from verdicts_app.boards.verdict_list import ListFilters, verdict_list
from verdicts_app.models import Epoch, Verdict

pytestmark = pytest.mark.django_db

JUDGE = "anthropic/model-x-1"
OWN, OTHER = "model-x-1-20260101", "other-1"


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def epoch(name: str = "first", **fields: Any) -> Epoch:
    return factories.make_epoch(name, requested_model=JUDGE, returned_model=OWN, **fields)


def verdict(model: str, total: float, spec: str = "a:dev", **fields: Any) -> Verdict:
    scenario = fields.pop("scenario", "s0")
    answer = factories.make_response(spec, scenario, model=model, run=fields.pop("run", "run-1"))
    return factories.make_verdict(response=answer, total=total, epoch=epoch(), **fields)


def board(query: str = "") -> Leaderboard:
    return leaderboard(BoardFilters.from_query(QueryDict(query)))


def means(query: str = "") -> dict[str, Fraction | None]:
    return {row.key: row.mean for row in board(query).rows}


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


# --- the leaderboard ----------------------------------------------------------------------------


def test_the_leaderboard_marks_and_leaves_out_exactly_the_own_answers() -> None:
    verdict(OWN, 90)
    verdict(JUDGE, 80, scenario="s1")
    verdict(OTHER, 60)
    verdict(OTHER, 50, spec="b:dev")

    # a:dev: scenario s0 (90 + 60) / 2 = 75, s1 80, mean 77.5; without its own 60 on s0 alone
    assert means() == {"a:dev": Fraction(155, 2), "b:dev": 50}
    assert means("self=exclude") == {"a:dev": 60, "b:dev": 50}
    assert means("self=only") == {"a:dev": 85}
    assert [(row.key, row.own, row.valid) for row in board().rows] == [
        ("a:dev", 2, 3),
        ("b:dev", 0, 1),
    ]
    data = as_data(board())
    assert (data["same_model"], data["rows"][0]["same_model"]) == (2, 2)


def test_the_filter_holds_for_every_row_kind_and_for_what_failed() -> None:
    verdict(OWN, 90)
    verdict(OTHER, 60)
    for model in (OWN, OTHER):
        factories.make_unjudged("a:dev", "s0", epoch=epoch(), model=model)
        factories.make_response("a:dev", "s0", outcome="failed", model=model)

    for way, own in (("exclude", 60), ("only", 90)):
        for by in ("persona", "theme", "model"):
            [row] = board(f"self={way}&by={by}").rows
            assert (row.mean, row.valid, row.unjudged, row.failed) == (own, 1, 1, 1), (way, by)
    [row] = board().rows
    assert (row.unjudged, row.failed) == (2, 2)


def test_an_unjudged_answer_of_a_gold_standard_is_on_no_board() -> None:
    """It has no answering model: the filter has nothing to compare with the judge."""
    verdict(OTHER, 60)
    make_calibration((70,), gold=make_gold(), epoch=epoch(), asked=2)

    for query in ("", "self=exclude"):
        [row] = board(query).rows
        assert (row.mean, row.valid, row.unjudged) == (60, 1, 0), query


def test_a_repeated_judgement_is_left_out_whole() -> None:
    mine = verdict(OWN, 90)
    factories.make_verdict(response=mine.response, total=70, epoch=epoch(), repeat=2)
    verdict(OTHER, 60)
    assert means("self=exclude") == {"a:dev": 60}
    assert board().rows[0].own == 2


def test_trends_take_the_filter_as_well() -> None:
    verdict(OWN, 90)
    verdict(OTHER, 60)
    [line] = trends(BoardFilters.from_query(QueryDict("self=exclude"))).lines
    assert [point and point.mean for point in line.points] == [60]


def test_an_unknown_value_is_named_and_left_out() -> None:
    filters = BoardFilters.from_query(QueryDict("self=maybe"))
    assert [(p.field, p.value) for p in filters.problems] == [("self", "maybe")]
    assert BoardFilters(own="exclude").to_query() == "self=exclude"


def test_the_filter_takes_a_fixed_number_of_queries(
    django_assert_num_queries: Any,
) -> None:
    for number in range(3):
        verdict(OWN, 90, spec=f"p{number}:dev")
    with django_assert_num_queries(7):
        board()
    # Per pass over sums (cells, weeks): the epochs, the names.
    with django_assert_num_queries(11):
        board("self=only")
    for number in range(10):
        verdict(f"model-{number}", 90, spec=f"q{number}:dev")
        verdict(OWN, 90, spec=f"q{number}:dev")
    with django_assert_num_queries(11):
        board("self=only")


def test_every_name_that_answered_is_found_once() -> None:
    assert answering_models() == set()
    for model in ("b", "", "a", "b"):
        factories.make_response(model=model)
    assert answering_models() == {"", "a", "b"}
    assert own_models([epoch().pk]) == {}


# --- duels and relays ---------------------------------------------------------------------------


def test_duels_with_the_own_model_are_counted_and_left_out() -> None:
    compare = epoch("compare", mode="compare")
    mine = factories.make_response("a:dev", model=OWN)
    theirs = [factories.make_response("b:dev", model=OTHER) for _ in range(2)]
    factories.make_comparison(factories.make_pair(mine, theirs[0]), epoch=compare)
    plain = factories.make_response("a:dev", model=OTHER)
    factories.make_comparison(factories.make_pair(plain, theirs[1]), epoch=compare, winner=2)

    def of(query: str) -> tuple[int, int, int]:
        found = ranked_board(BoardFilters.from_query(QueryDict(f"mode=compare&{query}")))
        row = next(row for row in found.rows if row.key == "a:dev")
        return row.record.won, row.record.lost, found.own

    assert of("") == (1, 1, 1)
    assert of("self=exclude") == (0, 1, 0)
    assert of("self=only") == (1, 0, 1)


def test_relays_with_the_own_model_are_counted_and_left_out() -> None:
    coherence = epoch("coherence", mode="coherence")
    for theme, model in (("lighthouse", OWN), ("harbour", OTHER)):
        chain = factories.make_chain(theme)
        chain.tea.model = model
        chain.tea.save()
        factories.make_coherence(chain, epoch=coherence)

    def of(query: str) -> tuple[list[str], int]:
        found = ranked_board(BoardFilters.from_query(QueryDict(f"mode=coherence&{query}")))
        return sorted(row.key for row in found.rows), found.own

    assert of("") == (["harbour", "lighthouse"], 1)
    assert of("self=exclude") == (["harbour"], 0)
    assert of("self=only") == (["lighthouse"], 1)


# --- lists and pages ----------------------------------------------------------------------------


def listed(query: str) -> list[tuple[int, bool]]:
    rows = verdict_list(ListFilters.from_query(QueryDict(query))).rows
    return sorted((row.id, row.is_own) for row in rows)


def test_the_list_marks_and_filters_verdicts_of_every_kind() -> None:
    mine, other = verdict(OWN, 90), verdict(OTHER, 60)
    pair = factories.make_pair(
        factories.make_response("a:dev", model=OTHER), factories.make_response("b:dev", model=OWN)
    )
    duel = factories.make_comparison(pair, epoch=epoch("compare", mode="compare"))
    call = factories.make_call_verdict(
        factories.make_capture(model=OWN), epoch=epoch("calls", mode="calls")
    )
    # Another judge: the same name is no longer its own.
    elsewhere = factories.make_epoch("else", requested_model="other-9", returned_model="other-9")
    strange = factories.make_verdict(
        response=factories.make_response(model=OWN), epoch=elsewhere, total=1
    )

    own = sorted(one.pk for one in (mine, duel, call))
    others = sorted(one.pk for one in (other, strange))
    assert listed("") == sorted([*((pk, True) for pk in own), *((pk, False) for pk in others)])
    assert listed("self=only") == [(pk, True) for pk in own]
    assert listed("self=exclude") == [(pk, False) for pk in others]
    assert listed(f"self=only&epoch={mine.epoch.digest[:12]}") == [(mine.pk, True)]


def test_unjudged_answers_are_filtered_too() -> None:
    for model in (OWN, OTHER):
        factories.make_unjudged("a:dev", epoch=epoch(), model=model)
    assert len(listed("state=unjudged")) == 2
    assert len(listed("state=unjudged&self=exclude")) == 1


NOTE = "The judge\N{RIGHT SINGLE QUOTATION MARK}s own model answered here"


def test_pages_of_own_verdicts_say_so_and_others_do_not(viewer: Client) -> None:
    mine, other = verdict(OWN, 90), verdict(OTHER, 60)
    pair = factories.make_pair(
        factories.make_response("a:dev", model=OTHER), factories.make_response("b:dev", model=OWN)
    )
    duel = factories.make_comparison(pair, epoch=epoch("compare", mode="compare"))
    call = factories.make_call_verdict(
        factories.make_capture(model=OWN), epoch=epoch("calls", mode="calls")
    )
    chain = factories.make_chain()
    chain.dev.model = OWN
    chain.dev.save()
    factories.make_coherence(chain, epoch=epoch("coherence", mode="coherence"))

    for url in (
        reverse("verdict", args=[mine.pk]),
        reverse("verdict", args=[duel.pk]),
        reverse("capture", args=[call.capture_id]),
        reverse("relay", args=[chain.pk]),
    ):
        assert f"{NOTE}: {OWN}." in text_of(viewer.get(url)), url
    assert NOTE not in text_of(viewer.get(reverse("verdict", args=[other.pk])))


def test_the_leaderboard_page_leads_to_the_view_without_them(viewer: Client) -> None:
    verdict(OWN, 90)
    verdict(OTHER, 60)

    page = text_of(viewer.get("/"))
    assert "1 verdict is on answers of the judge\N{RIGHT SINGLE QUOTATION MARK}s own model." in page
    assert '<a href="?self=exclude">Leave them out</a>' in page
    assert "! same model" in page

    without = text_of(viewer.get("/?self=exclude"))
    assert "! same model" not in without
    assert "own model</span> <b>left out</b>" in without
    # What stands behind the row is what the row counts.
    assert "self=exclude" in next(part for part in without.split("<a ") if 'title="a:dev"' in part)


def test_the_api_says_of_each_verdict_whether_it_is_own(client: Client, make_user: Any) -> None:
    secret = tokens.create_token(
        user=make_user("viewer"), name="t", scopes=("read",), expires_at=None, actor="test"
    )[1]
    verdict(OWN, 90)
    verdict(OTHER, 60)
    headers = {"authorization": f"Bearer {secret}"}
    items = client.get("/api/v1/verdicts", headers=headers).json()["items"]
    assert [one["same_model"] for one in items] == [True, False]
    rows = client.get("/api/v1/leaderboard?self=exclude", headers=headers).json()["rows"]
    assert [(row["name"], row["mean"]) for row in rows] == [("a:dev", 60)]
    assert client.get("/api/v1/leaderboard?self=no", headers=headers).status_code == 422
