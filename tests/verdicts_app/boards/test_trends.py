import json
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from django.http import QueryDict

from tests import factories
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.trends import Trends, trends
from verdicts_app.charts.line_names import short_names
from verdicts_app.charts.trends import trends_figure
from verdicts_app.work import board_sums

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 11, 2, 12, tzinfo=UTC)


def found(query: str = "") -> Trends:
    return trends(BoardFilters.from_query(QueryDict(query)))


def verdict(week: int, total: object, spec: str = "a:dev", scenario: str = "s0", **fields: object):
    return factories.make_verdict(
        spec, scenario, total=total, answered_at=MONDAY + timedelta(weeks=week), **fields
    )


def means(query: str = "") -> dict[str, list[Fraction | None]]:
    return {
        line.name: [point and point.mean for point in line.points] for line in found(query).lines
    }


def test_a_point_is_the_mean_over_the_scenarios_of_its_bucket():
    verdict(0, 70)
    verdict(0, 80)
    verdict(0, 55, scenario="s1")
    assert means() == {"a:dev": [65]}


def test_a_week_without_runs_is_a_gap_and_no_zero():
    verdict(0, 70)
    verdict(2, 80)
    assert means() == {"a:dev": [70, None, 80]}
    assert [len(segment) for segment in found().lines[0].segments] == [1, 1]


def test_no_line_crosses_an_epoch_and_the_change_is_named():
    first = factories.make_epoch("one", rubric_revision=factories.make_revision(number=6))
    second = factories.make_epoch("two", rubric_revision=factories.make_revision(number=7))
    verdict(0, 70, epoch=first)
    verdict(1, 71, epoch=first)
    verdict(2, 80, epoch=second)
    verdict(3, 81, epoch=second)
    shown = found()
    assert [len(segment) for segment in shown.lines[0].segments] == [2, 2]
    assert [(change.start, change.what) for change in shown.changes] == [
        (date(2026, 11, 16), "Rubric 6 → 7")
    ]


def test_where_a_bucket_holds_two_epochs_the_one_used_last_is_shown():
    verdict(0, 70, epoch="one")
    verdict(0, 90, epoch="two")
    assert means() == {"a:dev": [90]}
    old = factories.make_epoch("one").digest
    assert means(f"epoch={old}") == {"a:dev": [70]}


def test_the_leaders_come_first_and_the_control_with_them():
    for number, total in enumerate((60, 90, 80, 70)):
        verdict(0, total, spec=f"p{number}:dev")
    verdict(0, 50, spec="control:dev")
    assert [line.name for line in found().lines] == ["p1:dev", "p2:dev", "p3:dev", "control:dev"]
    assert found().lines[-1].is_control


def test_chosen_lines_are_shown():
    for spec in ("a:dev", "b:dev", "c:dev"):
        verdict(0, 70, spec=spec)
    assert list(means("line=a%3Adev&line=c%3Adev")) == ["a:dev", "c:dev"]


def test_days_are_those_of_the_installation(settings):
    late = datetime.fromisoformat("2026-03-01T23:30:00-05:00")
    factories.make_verdict(answered_at=late)
    assert found("bucket=day").buckets == (date(2026, 3, 2),)
    settings.TIME_ZONE = "America/New_York"
    board_sums.rebuild()
    assert found("bucket=day").buckets == (date(2026, 3, 1),)


def test_the_figure_holds_nulls_and_no_nan():
    verdict(0, 80)
    verdict(2, 90)
    figure = trends_figure(found(), {})
    text = json.dumps(figure, allow_nan=False)
    line = figure["data"][1]
    assert line["y"] == [80.0, None, 90.0, None]
    assert line["connectgaps"] is False
    assert json.loads(text) == figure


def test_a_lone_point_has_a_whisker_and_neighbours_a_band():
    for week in (0, 1, 3):
        for scenario in range(6):
            verdict(week, 70 + scenario, scenario=f"s{scenario}")
    band, line = trends_figure(found(), {})["data"]
    assert [bool(reach) for reach in line["error_y"]["array"]] == [False, False, False, True, False]
    assert band["x"] == ["2026-11-02", "2026-11-09", "2026-11-09", "2026-11-02"]


def test_the_control_is_dashed_with_a_diamond():
    verdict(0, 70)
    verdict(0, 50, spec="control:dev")
    figure = trends_figure(found(), {})
    control = figure["data"][3]
    assert (control["line"]["dash"], control["marker"]["symbol"]) == ("dash", "diamond")


def test_names_in_a_figure_are_text():
    verdict(0, 70, spec="<img src=x onerror=alert(1)>")
    text = json.dumps(trends_figure(found(), {}))
    assert "<img" not in text
    assert "&lt;img" in text


def test_nothing_in_view_is_no_line():
    verdict(0, 70)
    assert found("role=nobody").lines == ()
    assert found("mode=ground-truth").lines == ()


def test_the_number_of_queries_is_fixed(django_assert_num_queries):
    for count in (3, 30):
        for number in range(count):
            verdict(0, number, spec=f"p{number}:dev")
        with django_assert_num_queries(5):
            found()


def test_names_at_line_ends_tell_the_lines_apart() -> None:
    # Twenty characters: the role gets its ten first, the theme what is left.
    assert short_names(
        ["lighthouse:dev", "lighthouse:reviewer", "foundry:dev", "gpt-fives-successor-in-beta"]
    ) == {
        "lighthouse:dev": "lighthouse:dev",
        "lighthouse:reviewer": "lighthouse:reviewer",
        "foundry:dev": "foundry",
        "gpt-fives-successor-in-beta": "gpt-fives-successor…",
    }
    assert short_names(["observatory:archivist-in-chief", "observatory:dev"]) == {
        "observatory:archivist-in-chief": "observat…:archivist…",
        "observatory:dev": "observatory:dev",
    }
