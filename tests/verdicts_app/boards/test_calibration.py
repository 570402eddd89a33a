"""How judges stand on gold standards, now and over time, and which are marked."""

import json
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.http import QueryDict

from tests.factories import NOON, make_epoch, make_revision, make_verdict
from tests.verdicts_app.gold_rows import make_calibration, make_gold
from verdicts_app.boards.calibration import (
    Judge,
    board_off,
    calibration_history,
    calibrations,
    judge_off,
)
from verdicts_app.boards.calibration_page import CalibrationFilters, calibration_page
from verdicts_app.boards.calibration_trend import CalibrationTrend, calibration_trend
from verdicts_app.boards.epochs import epochs_on_boards
from verdicts_app.charts.calibration import axis_of, bars, calibration_figure
from verdicts_app.models import Epoch, Verdict

pytestmark = pytest.mark.django_db

MODEL = "claude-sonnet-5-5"


def day(number: int, hour: int = 12) -> datetime:
    return datetime(2026, 11, 2, hour, tzinfo=UTC) + timedelta(days=number)


def deviations(trend: CalibrationTrend) -> list[list[Fraction | None]]:
    return [[point and point.deviation for point in line.points] for line in trend.lines]


# --- now ----------------------------------------------------------------------------------------


def test_the_newest_calibration_says_how_a_judge_stands_and_older_ones_stay() -> None:
    gold = make_gold(score=82)
    make_calibration((60, 61, 62, 63, 64), gold=gold, at=day(0))
    make_calibration((80, 75, 77.5), gold=gold, at=day(1))

    [one] = calibrations()

    # (80 + 75 + 77.5) / 3 - 82 = -4.5; what is left of the five older ones is in no mean.
    assert (one.deviation, one.is_within, len(one.totals)) == (Fraction(-9, 2), True, 3)
    assert [len(each.totals) for each in calibration_history("refunds")] == [5, 3]
    # Three of the five are superseded, and all five are read.
    assert calibration_history("refunds")[0].mean == 62
    assert Verdict.objects.filter(superseded_at__isnull=False).count() == 3


def test_a_calibration_with_less_than_half_of_its_repeats_does_not_count() -> None:
    gold = make_gold(score=82)
    make_calibration((80, 81), gold=gold, at=day(0))
    make_calibration((40,), gold=gold, at=day(1), asked=3)

    [one] = calibrations()

    assert one.mean == Fraction(161, 2)
    assert [each.counts for each in calibration_history("refunds")] == [True, False]


def test_half_of_the_repeats_are_enough() -> None:
    make_calibration((80,), gold=make_gold(), asked=2)
    assert [one.counts for one in calibrations()] == [True]


def test_a_new_gold_standard_empties_what_stands_and_not_the_history() -> None:
    make_calibration((80,), gold=make_gold(score=82))
    make_gold(score=60)
    assert calibrations() == ()
    assert [one.gold_score for one in calibration_history("refunds")] == [82]


# --- who is marked ------------------------------------------------------------------------------


def judged_by(name: str) -> Judge:
    return Judge(name, "judged", 0)


def test_a_judge_beyond_five_points_is_marked_and_at_five_it_is_not() -> None:
    make_calibration((87,), gold=make_gold("at five", score=82))
    assert judge_off(judged_by(MODEL)) == ()
    make_calibration((76.9,), gold=make_gold("below", score=82))
    make_calibration((90,), gold=make_gold("above", score=82))
    # 76.9 - 82 = -5.1 and 90 - 82 = +8: the farthest first.
    found = judge_off(judged_by(MODEL))
    assert [(one.scenario, one.deviation) for one in found] == [
        ("above", 8),
        ("below", Fraction(-51, 10)),
    ]
    assert judge_off(judged_by("claude-haiku-5-5")) == ()
    assert judge_off(Judge(MODEL, "stand_in", 0)) == ()


def test_a_new_rubric_that_is_within_lifts_the_mark_but_from_the_old_board() -> None:
    gold = make_gold(score=82)
    old = make_epoch("old", rubric_revision=make_revision(number=1))
    new = make_epoch("new", rubric_revision=make_revision(number=2))
    make_calibration((60,), gold=gold, epoch=old, at=day(0))
    make_calibration((82,), gold=gold, epoch=new, at=day(1))
    make_verdict(epoch=old)
    make_verdict(epoch=new)

    marks = {one.id: board_off(one) for one in epochs_on_boards()}

    assert marks[new.pk] == ()
    assert [one.deviation for one in marks[old.pk]] == [-22]


def test_marks_take_one_query_where_nothing_is_calibrated(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        judge_off(judged_by(MODEL))
    with django_assert_num_queries(0):
        judge_off(judged_by(""))


# --- over time ----------------------------------------------------------------------------------


def test_a_day_without_calibration_is_a_gap_and_no_line_crosses_it() -> None:
    gold = make_gold(score=80)
    for number, total in ((0, 81), (1, 83), (3, 78)):
        make_calibration((total,), gold=gold, at=day(number))

    trend = calibration_trend("refunds")

    assert trend.bucket == "day"
    assert deviations(trend) == [[1, 3, None, -2]]
    assert [len(segment) for segment in trend.lines[0].segments] == [2, 1]
    assert trend.changes == ()


def test_a_point_is_the_mean_over_its_bucket_with_the_outermost_repeats() -> None:
    gold = make_gold(score=80)
    make_calibration((82, 84), gold=gold, at=day(0, 8))
    make_calibration((78,), gold=gold, at=day(0, 20))

    [point] = calibration_trend("refunds").lines[0].held

    # (+3 and -2) / 2, each calibration once; repeats from 78 - 80 to 84 - 80
    assert (point.deviation, point.low, point.high) == (Fraction(1, 2), -2, 4)
    assert (len(point.calibrations), point.verdicts) == (2, 3)


def changed(number: int, **fields: Any) -> Epoch:
    """Another epoch of the same judge."""
    made = {"rubric_revision": make_revision(number=6)} | fields
    return make_epoch(f"epoch {number}", **made)


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"rubric": 7}, "Rubric 6 → 7"),
        ({"returned_model": f"{MODEL}-20261115"}, f"Answers as {MODEL} → {MODEL}-20261115"),
        ({"prompt_version": "2"}, "Prompt 1 → 2"),
        ({"parameters": '{"effort": "high"}'}, "Parameters"),
        ({"rubric": 7, "prompt_version": "2"}, "Rubric 6 → 7, Prompt 1 → 2"),
    ],
)
def test_what_changed_in_the_instrument_is_marked(fields: dict[str, Any], what: str) -> None:
    gold = make_gold(score=80)
    if number := fields.pop("rubric", None):
        fields["rubric_revision"] = make_revision(number=number)
    make_calibration((81,), gold=gold, epoch=changed(1), at=day(0))
    make_calibration((83,), gold=gold, epoch=changed(2, **fields), at=day(1))

    trend = calibration_trend("refunds")

    [change] = trend.changes
    assert (change.before, change.start, change.what) == (
        date(2026, 11, 2),
        date(2026, 11, 3),
        what,
    )
    assert [len(segment) for segment in trend.lines[0].segments] == [1, 1]


def test_another_model_asked_for_is_a_line_of_its_own_and_marked_where_it_replaces() -> None:
    gold = make_gold(score=80)
    first = changed(1)
    second = changed(2, requested_model="claude-opus-5-5", returned_model="claude-opus-5-5")
    make_calibration((81,), gold=gold, epoch=first, at=day(0))
    make_calibration((83,), gold=gold, epoch=second, at=day(2))

    trend = calibration_trend("refunds")

    assert [line.name for line in trend.lines] == ["claude-opus-5-5", MODEL]
    assert [change.what for change in trend.changes] == [f"Judge {MODEL} → claude-opus-5-5"]
    # Side by side neither replaces the other.
    make_calibration((81,), gold=gold, epoch=first, at=day(2))
    assert calibration_trend("refunds").changes == ()
    assert [line.name for line in calibration_trend("refunds", judge=MODEL).lines] == [MODEL]


def test_a_new_gold_standard_breaks_the_line_and_is_marked() -> None:
    make_calibration((81,), gold=make_gold(score=80), at=day(0))
    make_calibration((81,), gold=make_gold(score=70), at=day(1))

    trend = calibration_trend("refunds")

    assert deviations(trend) == [[1, 11]]
    assert [len(segment) for segment in trend.lines[0].segments] == [1, 1]
    assert [change.what for change in trend.changes] == ["Gold standard 1 → 2"]


def test_what_does_not_count_is_listed_and_not_drawn() -> None:
    gold = make_gold(score=80)
    make_calibration((81,), gold=gold, at=day(0))
    make_calibration((20,), gold=gold, at=day(1), asked=3)

    trend = calibration_trend("refunds")

    assert deviations(trend) == [[1]]
    assert [one.counts for one in trend.calibrations] == [False, True]


def test_a_longer_time_is_shown_by_week_until_someone_chooses() -> None:
    gold = make_gold(score=80)
    make_calibration((81,), gold=gold, at=day(0))
    make_calibration((84,), gold=gold, at=day(32))

    assert calibration_trend("refunds").bucket == "week"
    assert deviations(calibration_trend("refunds")) == [[1, None, None, None, 4]]
    assert len(calibration_trend("refunds", bucket="day").buckets) == 33
    assert deviations(calibration_trend("refunds", bucket="month")) == [[1, 4]]


def test_days_are_those_of_the_installation(settings: Any) -> None:
    settings.TIME_ZONE = "America/New_York"
    make_calibration((81,), gold=make_gold(), at=datetime(2026, 11, 3, 3, tzinfo=UTC))
    assert calibration_trend("refunds").buckets == (date(2026, 11, 2),)


# --- drawn --------------------------------------------------------------------------------------


def test_the_figure_has_gaps_the_tolerance_and_the_links_behind_its_points() -> None:
    gold = make_gold(score=80)
    make_calibration((81,), gold=gold, epoch=changed(1), at=day(0))
    make_calibration((92, 94), gold=gold, epoch=changed(2, prompt_version="2"), at=day(2))
    trend = calibration_trend("refunds")

    figure = calibration_figure(trend, {(MODEL, date(2026, 11, 4)): "/there"})

    json.dumps(figure, allow_nan=False)
    line = figure["data"][1]
    assert line["y"] == [1.0, None, 13.0, None]
    assert line["customdata"] == ["", "", "/there", ""]
    # The whisker reaches from 92 - 80 to 94 - 80.
    assert (line["error_y"]["array"][2], line["error_y"]["arrayminus"][2]) == (1, 1)
    rects = [s for s in figure["layout"]["shapes"] if s["type"] == "rect" and s["yref"] == "y"]
    assert [(rect["y0"], rect["y1"]) for rect in rects] == [(-5, 5)]
    assert [n["text"] for n in figure["layout"]["annotations"] if n["name"] == "change"] == [
        "Prompt 1 → 2"
    ]
    # From -5 to +14 there are 19 points: steps of 5.
    assert axis_of(trend.lines) == (-5, 15, 5)
    assert figure["layout"]["yaxis"]["ticktext"] == ["\N{MINUS SIGN}5", "0", "+5", "+10", "+15"]


def test_small_graphics_share_a_scale() -> None:
    make_calibration((93, 95), gold=make_gold("far", score=82))
    make_calibration((82,), gold=make_gold("near", score=82))

    near, far = bars(sorted(calibrations(), key=lambda one: abs(one.deviation)))

    # The farthest repeat is +13: the scale ends at 15. 85 + 77 x 12 / 15 = 146.6
    assert (near.edge, near.dot, far.dot) == (15, "85.0", "146.6")
    # 85 + 77 x 11 / 15 = 141.5, 85 + 77 x 13 / 15 = 151.7; the tolerance from 85 - 77 / 3, 154 / 3
    assert (far.left, far.right, far.allowed) == ("141.5", "151.7", ("59.3", "51.3"))


# --- the page's selector ------------------------------------------------------------------------


def page(query: str = "") -> Any:
    return calibration_page(CalibrationFilters.from_query(QueryDict(query)))


def test_the_page_lists_the_farthest_first_and_names_what_nobody_tried() -> None:
    make_calibration((80,), gold=make_gold("near", score=82))
    make_calibration((60,), gold=make_gold("far", score=82))
    make_gold("untried")

    found = page()

    assert [one.scenario for one in found.stands] == ["far", "near"]
    assert (found.missing, found.outside, found.trend.scenario) == (("untried",), 1, "far")
    assert page("scenario=near").trend.scenario == "near"
    assert page("judge=another").stands == ()
    assert [p.field for p in page("bucket=year").filters.problems] == ["bucket"]


def test_of_a_judge_the_newest_instrument_stands() -> None:
    gold = make_gold(score=80)
    make_calibration((60,), gold=gold, epoch=changed(1), at=day(0))
    make_calibration((81,), gold=gold, epoch=changed(2, prompt_version="2"), at=day(1))
    assert [one.deviation for one in page().stands] == [1]


def test_the_page_takes_the_same_queries_whatever_it_holds(django_assert_num_queries: Any) -> None:
    gold = make_gold(score=80)
    for number in range(2):
        make_calibration((81, 82), gold=gold, at=day(number))
    with django_assert_num_queries(12):
        page()
    for number in range(10):
        make_calibration((81, 82, 83), gold=gold, epoch=f"e{number % 3}", at=day(number))
        make_calibration((70,), gold=make_gold(f"g{number}"), at=NOON)
    with django_assert_num_queries(12):
        page()
