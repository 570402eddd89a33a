from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from django.http import QueryDict

from tests import factories
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, Row, leaderboard
from verdicts_app.models import Origin

pytestmark = pytest.mark.django_db


def board(query: str = "") -> Leaderboard:
    return leaderboard(BoardFilters.from_query(QueryDict(query)))


def rows(query: str = "") -> dict[str, Row]:
    return {row.key: row for row in board(query).rows}


def flat(value: float, scenarios: int = 6) -> dict[str, list[float]]:
    return {f"s{n}": [value + n] for n in range(scenarios)}


def test_each_scenario_counts_once_however_often_it_was_run():
    scores = {"A": [80, 82, 81], "B": [60, 64], "C": [90, 92, 91, 89], "D": [70, 75, 71]}
    factories.make_board({"a:dev": scores})
    row = rows()["a:dev"]
    assert row.mean == Fraction("76.375")
    assert (row.scenarios, row.valid) == (4, 12)


def test_the_mean_is_exact_where_a_float_is_not():
    factories.make_board({"a:dev": {"A": ["0.1", "0.2", "0.3"], "B": ["75.698085"]}})
    assert rows()["a:dev"].mean == (Fraction("0.2") + Fraction("75.698085")) / 2


def test_a_run_judged_several_times_counts_once_with_the_mean_of_its_repeats():
    often = factories.make_response("a:dev", "A")
    for repeat, total in enumerate((80, 90), start=1):
        factories.make_verdict(response=often, total=total, repeat=repeat, without_persona=total)
    factories.make_verdict("a:dev", "A", total=60, without_persona=60)
    row = rows()["a:dev"]
    assert row.mean == Fraction("72.5")
    assert row.other_mean == Fraction("72.5")
    assert row.valid == 3


def test_repeat_spread_is_the_mean_over_answers_of_their_standard_deviation():
    # 80, 90: sqrt(50) = 7.071067811; 70, 80, 81: sqrt(37) = 6.082762530; mean 6.5769151705.
    for totals in ((80, 90), (70, 80, 81)):
        response = factories.make_response("a:dev", "A")
        for repeat, total in enumerate(totals, start=1):
            factories.make_verdict(response=response, total=total, repeat=repeat)
    factories.make_verdict("a:dev", "A", total=10)
    factories.make_verdict("b:dev", "A", total=60)
    found = rows()
    assert (found["a:dev"].repeat_sd, found["a:dev"].repeated) == (Fraction("6.5769151705"), 2)
    assert (found["b:dev"].repeat_sd, found["b:dev"].repeated) == (None, 0)
    assert board().has_repeats
    assert rows("by=theme")["a"].repeat_sd == Fraction("6.5769151705")


def test_empty_answers_are_in_the_mean_and_counted_beside_it():
    silent = factories.make_response("a:dev", "A")
    for repeat in (1, 2):
        factories.make_verdict(response=silent, total=0, flags="empty_answer", repeat=repeat)
    factories.make_verdict("a:dev", "A", total=90)
    mute = factories.make_response("a:dev", "B", model="mute-1")
    factories.make_verdict(response=mute, total=0, flags="empty_answer")
    factories.make_verdict("b:dev", "A", total=70)
    found = rows()
    # A: (0 + 90) / 2 = 45; B: 0; (45 + 0) / 2 = 22.5. Three answers, four verdicts.
    row = found["a:dev"]
    assert (row.mean, row.valid, row.answers, row.empty) == (Fraction("22.5"), 4, 3, 2)
    assert (found["b:dev"].answers, found["b:dev"].empty) == (1, 0)
    assert (board().empty, board("scenario=B").empty, board("role=sm").empty) == (2, 1, 0)
    assert rows("by=theme")["a"].empty == 2
    assert {key: row.empty for key, row in rows("by=model").items()} == {
        "claude-haiku-5-5": 1,
        "mute-1": 1,
    }


def test_the_interval_is_t_on_the_scenario_means():
    values = [78.5, 82.0, 74.5, 80.0, 85.5, 79.0, 76.0, 81.5]
    factories.make_board({"a:dev": {f"s{n}": [value] for n, value in enumerate(values)}})
    row = rows()["a:dev"]
    assert row.mean == Fraction("79.625")
    assert row.interval.low == pytest.approx(76.713894, abs=1e-6)
    assert row.interval.high == pytest.approx(82.536106, abs=1e-6)


def test_below_five_scenarios_there_is_no_interval_and_no_rank():
    factories.make_board({"lucky:dev": {"s0": [97]}, "steady:dev": flat(85)})
    found = board()
    assert [(row.key, row.best, row.worst) for row in found.ranked] == [("steady:dev", 1, 1)]
    [lucky] = found.unranked
    assert (lucky.mean, lucky.interval, lucky.best) == (97, None, None)


def test_the_difference_to_control_is_paired_on_shared_scenarios():
    a, b = [80, 72, 65, 90, 77, 84], [76, 70, 66, 85, 70, 80]
    factories.make_board(
        {
            "a:dev": {**{f"s{n}": [value] for n, value in enumerate(a)}, "alone": [10]},
            "control:dev": {f"s{n}": [value] for n, value in enumerate(b)},
        }
    )
    found = rows()
    versus = found["a:dev"].versus
    assert versus.mean == pytest.approx(3.5)
    assert versus.scenarios == 6
    assert versus.interval.low == pytest.approx(0.626002, abs=1e-6)
    assert versus.interval.high == pytest.approx(6.373998, abs=1e-6)
    assert versus.is_clear
    assert found["control:dev"].is_reference
    assert found["control:dev"].versus is None


def test_with_several_controls_each_row_has_that_of_its_role():
    factories.make_board(
        {
            "a:dev": flat(80),
            "a:tea": flat(70),
            "control:dev": flat(75),
            "control:tea": flat(60),
            "a:sm": flat(50),
        }
    )
    found = rows()
    assert found["a:dev"].reference == "control:dev"
    assert found["a:tea"].versus.mean == pytest.approx(10)
    assert found["a:sm"].versus is None
    assert board().control is None


def test_by_role_the_controls_are_the_reference_and_no_row():
    factories.make_board({"a:dev": flat(80), "b:dev": flat(70), "control:dev": flat(60)})
    found = rows("by=role")
    assert list(found) == ["dev"]
    assert found["dev"].versus.mean == pytest.approx(15)


def test_by_theme_and_model_rows_are_pooled():
    factories.make_board({"a:dev": {"s": [80]}, "a:tea": {"s": [60]}, "b:dev": {"s": [50]}})
    assert {key: row.mean for key, row in rows("by=theme").items()} == {"a": 70, "b": 50}
    assert {key: row.valid for key, row in rows("by=model").items()} == {"claude-haiku-5-5": 3}


def test_rows_that_cannot_be_told_apart_share_a_tie_group():
    noise = [0, 3, -2, 1, -3, 1, 2, -2]
    lead = {f"s{n}": [90 + extra] for n, extra in enumerate(noise)}
    near = {f"s{n}": [89.5 - extra] for n, extra in enumerate(noise)}
    last = {f"s{n}": [60 + extra] for n, extra in enumerate(noise)}
    factories.make_board({"lead:dev": lead, "near:dev": near, "last:dev": last})
    assert [(row.key, row.best, row.worst, row.group) for row in board().ranked] == [
        ("lead:dev", 1, 2, 1),
        ("near:dev", 1, 2, 1),
        ("last:dev", 3, 3, 2),
    ]


def test_unjudged_and_failed_runs_stand_beside_the_mean():
    factories.make_board({"a:dev": {"s0": [80]}})
    factories.make_unjudged("a:dev", "s0", reason="truncated")
    factories.make_unjudged("a:dev", "s0", reason="refused")
    factories.make_response("a:dev", "s0", outcome="failed")
    factories.make_response("a:dev", "elsewhere", outcome="failed")
    sample = factories.make_run("sample-1", is_sample=True)
    factories.make_response("a:dev", "s0", run=sample, outcome="failed")
    factories.make_unjudged("nothing:dev", "s0", reason="truncated")
    found = board()
    row = rows()["a:dev"]
    assert (row.valid, row.unjudged, row.failed, row.tried, row.mean) == (1, 2, 1, 3, 80)
    assert found.reasons == (("truncated", 2), ("refused", 1))
    assert rows()["nothing:dev"].mean is None


def test_an_unjudged_answer_that_got_its_verdict_later_counts_as_valid_alone():
    response = factories.make_response("a:dev", "s0")
    factories.make_judgement(response, state="unjudged", unjudged_reason="truncated")
    factories.make_verdict(response=response, total=70)
    row = rows()["a:dev"]
    assert (row.valid, row.unjudged) == (1, 0)


def test_a_verdict_off_the_board_counts_no_more():
    factories.make_verdict("a:dev", "q1", total=100, on_board=False)
    factories.make_verdict("a:dev", "q1", total=0)
    factories.make_verdict("a:dev", "q2", total=50)
    assert rows()["a:dev"].mean == 25
    assert rows()["a:dev"].valid == 2


def test_two_epochs_are_never_averaged():
    old = factories.make_epoch("old")
    factories.make_verdict("a:dev", "s0", total=80, epoch=old)
    factories.make_verdict("a:dev", "s0", total=60, epoch="new")
    found = board()
    assert found.rows[0].mean == 60
    assert [epoch.digest for epoch in found.epochs.others] == [old.digest]
    assert board(f"epoch={old.digest[:8]}").rows[0].mean == 80


def test_the_mode_judged_last_is_shown_and_modes_are_never_averaged():
    factories.make_verdict(total=80, epoch=factories.make_epoch("one", mode="checklist"))
    factories.make_verdict(total=60, epoch=factories.make_epoch("two", mode="solo"))
    assert board().epochs.chosen.mode == "solo"
    assert board().epochs.modes == ("solo", "checklist")
    assert board("mode=checklist").rows[0].mean == 80


def test_samples_leave_with_the_first_own_verdict_and_imports_must_be_asked_for():
    sample = factories.make_epoch("sample", origin=Origin.SAMPLE)
    imported = factories.make_epoch("imported", origin=Origin.IMPORTED)
    factories.make_verdict(total=50, epoch=sample)
    factories.make_verdict(total=99, epoch=imported)
    assert board().is_sample
    factories.make_verdict(total=60, epoch="own")
    factories.make_verdict(total=50, epoch=sample)
    assert board().rows[0].mean == 60
    assert board().epochs.others == ()
    assert board(f"epoch={imported.digest}").rows[0].mean == 99


def test_filters_narrow_by_scenario_category_role_theme_and_judge():
    factories.make_scenario("perf", category="performance")
    factories.make_board(
        {"a:dev": {"s0": [80], "perf": [40]}, "b:tea": {"s0": [70]}, "control:dev": {"s0": [1]}}
    )
    assert rows("scenario=perf")["a:dev"].mean == 40
    assert rows("category=security")["a:dev"].mean == 80
    assert list(rows("role=tea")) == ["b:tea"]
    assert sorted(rows("theme=a")) == ["a:dev", "control:dev"]
    assert board("judge=claude-opus-5-5").epochs.chosen is None


def test_days_are_those_of_the_installation(settings):
    settings.TIME_ZONE = "America/New_York"
    late = datetime(2026, 3, 2, 4, 30, tzinfo=UTC)  # 23:30 on 1 March there
    factories.make_verdict("a:dev", "s0", total=80, answered_at=late)
    assert rows("from=2026-03-01&to=2026-03-01")
    assert not rows("from=2026-03-02&to=2026-03-02")


def test_without_persona_ranks_by_the_other_total():
    factories.make_verdict("a:dev", "s0", total=80, without_persona=90)
    factories.make_verdict("control:dev", "s0", total=70, without_persona=95)
    assert (rows()["a:dev"].mean, rows()["a:dev"].other_mean) == (80, 90)
    assert (rows("persona=0")["a:dev"].mean, rows("persona=0")["a:dev"].other_mean) == (90, 80)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("-mean", [90, Fraction("82.5"), 71, None, None]),
        ("mean", [71, Fraction("82.5"), 90, None, None]),
    ],
)
def test_missing_means_come_last_in_both_directions(sort, order):
    for n, total in enumerate((82.5, None, 90, None, 71)):
        if total is None:
            factories.make_unjudged(f"p{n}:dev", "s0")
        else:
            factories.make_verdict(f"p{n}:dev", "s0", total=total)
    assert [row.mean for row in board(f"sort={sort}").rows] == order


def test_the_cost_is_the_mean_of_the_verdicts_whose_price_is_known():
    factories.make_verdict("a:dev", "s0", cost_nano_usd=10_000_001)
    factories.make_verdict("a:dev", "s1", cost_nano_usd=20_000_000)
    factories.make_verdict("a:dev", "s2", cost_nano_usd=None)
    factories.make_verdict("b:dev", "s2", cost_nano_usd=None)
    assert rows()["a:dev"].cost_nano_usd == 15_000_000
    assert rows()["b:dev"].cost_nano_usd is None


def test_the_last_eight_weeks_keep_their_gaps():
    monday = datetime(2026, 11, 2, 12, tzinfo=UTC)
    for week, total in ((0, 70), (2, 80), (7, 90)):
        factories.make_verdict(
            "a:dev", "s0", total=total, answered_at=monday + timedelta(weeks=week)
        )
    assert rows()["a:dev"].weeks == (70.0, None, 80.0, None, None, None, None, 90.0)


def test_archived_personas_leave_the_board():
    factories.make_verdict(factories.make_persona("old:dev", is_archived=True), "s0")
    factories.make_verdict("a:dev", "s0")
    assert list(rows()) == ["a:dev"]


@pytest.mark.parametrize("query", ["", "by=theme", "by=role", "by=model", "persona=0"])
def test_the_number_of_queries_does_not_grow_with_the_personas(query, django_assert_num_queries):
    filters = BoardFilters.from_query(QueryDict(query))
    for count in (3, 40):
        factories.make_board({f"p{n}:dev": {"s0": [n], "s1": [n]} for n in range(count)})
        with django_assert_num_queries(7):
            leaderboard(filters)


def test_texts_of_verdicts_are_not_loaded(django_assert_num_queries):
    factories.make_verdict(detail='{"secret": 1}')
    with django_assert_num_queries(7) as captured:
        board()
    assert not any('"detail"' in query["sql"] for query in captured.captured_queries)


def test_the_board_equals_a_plain_recount():
    plan = {
        f"p{n}:dev": {
            f"s{k}": [(n * 7 + k * 13 + r * 3) % 90 + 10 for r in range(n % 3 + 1)]
            for k in range(7)
        }
        for n in range(9)
    }
    factories.make_board(plan)
    for key, row in rows().items():
        means = [Fraction(sum(totals), len(totals)) for totals in plan[key].values()]
        assert row.mean == sum(means) / len(means)


def test_a_date_filter_takes_whole_days():
    filters = BoardFilters.from_query(QueryDict("from=2026-11-01&to=2026-11-02"))
    start, after = filters.between()
    assert (start.date(), after.date()) == (date(2026, 11, 1), date(2026, 11, 3))
