"""The boards of captured calls, on values."""

import random
from datetime import timedelta

import pytest
from django.http import QueryDict

from judgeweb.judging.statistics.rates import wilson
from tests import factories
from tests.factories import NOON, make_call_verdict, make_capture
from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.capture_list import capture_list
from verdicts_app.boards.contract_gaps import contract_gaps
from verdicts_app.boards.epochs import Kind, epochs_on_boards
from verdicts_app.boards.pass_rates import pass_rates
from verdicts_app.boards.prompt_versions import prompt_versions, rate_change
from verdicts_app.boards.rates import PASS, Rate
from verdicts_app.boards.run_calls import run_calls
from verdicts_app.boards.runs_page import runs_page

pytestmark = pytest.mark.django_db

GOOD, BAD, UNSURE = (True, True, True), (True, False, False), (True, None, True)


def filters(text=""):
    return CallFilters.from_query(QueryDict(text))


def judged(ok, *, weeks=0, epoch="calls", **capture):
    at = NOON + timedelta(weeks=weeks)
    return make_call_verdict(make_capture(at=at, **capture), ok=ok, epoch=epoch)


def unjudged(reason="truncated", **capture):
    return factories.make_judgement(
        capture=make_capture(**capture),
        epoch=factories.make_epoch("calls", mode="calls"),
        state="unjudged",
        unjudged_reason=reason,
    )


# --- rates --------------------------------------------------------------------------------------


def test_a_rate_leaves_the_undecided_out_and_has_a_wilson_interval():
    rate = Rate(3, 4, undecided=2)
    assert rate.n == 7
    assert round(float(rate.share), 6) == 0.428571
    assert round(rate.interval.low, 6) == 0.158220
    assert round(rate.interval.high, 6) == 0.749542
    assert Rate(0, 0, 5).share is None
    assert Rate(0, 0, 5).interval is None


def test_the_interval_of_a_difference_is_newcombes():
    """Newcombe 1998, table II, (a): 56/70 against 48/80 gives 0.2, 0.0524 to 0.3339."""
    change = rate_change(PASS, Rate(48, 32), Rate(56, 14))
    assert change.difference == pytest.approx(0.2)
    assert change.interval.low == pytest.approx(0.0524, abs=5e-5)
    assert change.interval.high == pytest.approx(0.3339, abs=5e-5)
    assert change.is_clear
    assert rate_change(PASS, Rate(0, 0), Rate(1, 0)).interval is None


# --- pass rates over time -----------------------------------------------------------------------


def test_points_are_rates_per_call_type_and_dimension_with_true_gaps():
    for ok in (GOOD, GOOD, BAD, UNSURE):
        judged(ok)
    judged(GOOD, weeks=2)
    judged(BAD, call_type="reviewer")

    found = pass_rates(filters())

    assert [trend.call_type for trend in found.trends] == ["planner", "reviewer"]
    first, gap, last = found.trends[0].points
    assert gap is None
    assert last.verdicts == 1
    assert first.rates == {
        "pass": Rate(2, 1, 1),
        "schema_ok": Rate(4, 0),
        "factually_grounded": Rate(2, 1, 1),
        "hallucination_free": Rate(3, 1),
    }
    assert [len(run) for run in found.trends[0].segments] == [1, 1]
    assert found.focus.call_type == "planner"
    assert pass_rates(filters("call_type=reviewer")).focus.call_type == "reviewer"


def test_what_changed_is_named_and_only_an_epoch_breaks_the_line():
    old = factories.make_epoch("c1", mode="calls", rubric_revision=factories.make_revision())
    new = factories.make_epoch(
        "c2", mode="calls", rubric_revision=factories.make_revision(number=2)
    )
    judged(GOOD, epoch=old, system_prompt="One")
    judged(GOOD, epoch=old, system_prompt="Two", weeks=1)
    judged(GOOD, epoch=new, system_prompt="Two", weeks=2, model="other")

    trend = pass_rates(filters()).trends[0]

    one, two = (factories.make_system_prompt(text).sha256[:6] for text in ("One", "Two"))
    assert [change.what for change in trend.changes] == [
        f"System prompt {one} → {two}",
        "Worker claude-haiku-5-5 → other, Rubric 1 → 2",
    ]
    assert [len(run) for run in trend.segments] == [2, 1]


def test_where_a_bucket_holds_two_epochs_the_one_used_last_is_shown():
    judged(BAD, epoch="a")
    judged(BAD, epoch="a")
    judged(GOOD, epoch="b")
    (trend,) = pass_rates(filters()).trends
    assert trend.points[0].rates["pass"] == Rate(1, 0)


def test_a_pinned_contract_that_changes_is_marked():
    revisions = [factories.make_revision(key="planner", number=n, kind="contract") for n in (1, 2)]
    for week, revision in enumerate(revisions):
        capture = make_capture(at=NOON + timedelta(weeks=week))
        judgement = factories.make_judgement(
            capture=capture,
            epoch=factories.make_epoch("calls", mode="calls"),
            contract_revision=revision,
        )
        make_call_verdict(capture, judgement=judgement)
    (trend,) = pass_rates(filters()).trends
    assert [c.what for c in trend.changes] == ["Contract planner revision 1 → planner revision 2"]


def test_calls_are_on_no_board_of_totals():
    judged(GOOD)
    assert epochs_on_boards() == []
    assert [epoch.mode for epoch in epochs_on_boards(Kind.CALLS)] == ["calls"]


def test_the_number_of_queries_does_not_grow(django_assert_num_queries):
    for number in range(12):
        judged(BAD, call_type=f"t{number % 4}", weeks=number, system_prompt=f"p{number}")
    with django_assert_num_queries(5):
        pass_rates(filters())
    run = factories.make_run()
    unjudged()
    with django_assert_num_queries(9):
        run_calls(run)
    with django_assert_num_queries(4):
        assert len(contract_gaps(run).gaps) == 13
    with django_assert_num_queries(4):
        capture_list(filters())


# --- the calls of a run -------------------------------------------------------------------------


def test_a_run_shows_its_call_types_with_rates_money_and_latencies():
    for number in range(1, 21):
        capture = make_capture(latency_ms=float(number * 100))
        make_call_verdict(capture, ok=GOOD if number < 17 else BAD)
    make_capture(call_type="reviewer", failure_kind="timeout", success=False, latency_ms=None)
    unjudged(call_type="reviewer")

    planner, reviewer = run_calls(factories.make_run()).rows

    assert (planner.captures, planner.judged, planner.unjudged) == (20, 20, 0)
    assert planner.rates["pass"] == Rate(16, 4)
    assert planner.rates["schema_ok"] == Rate(20, 0)
    assert (planner.median_ms, planner.p95_ms) == (1000, 1900)
    assert (reviewer.captures, reviewer.judged, reviewer.unjudged) == (2, 0, 1)
    assert reviewer.rates is None
    assert reviewer.median_ms == 850
    assert reviewer.kinds == (("timeout", 1),)
    assert reviewer.to_judge == 2


def test_latencies_are_by_nearest_rank_whatever_their_number_and_order():
    chance = random.Random(5)
    for number in (1, 2, 19, 20, 21, 40):
        latencies = [float(chance.randrange(1, 30)) for _ in range(number)]
        for latency in latencies:
            make_capture(f"of-{number}", latency_ms=latency)
        make_capture(f"of-{number}", latency_ms=None)
        (row,) = [r for r in run_calls(factories.make_run()).rows if r.call_type == f"of-{number}"]
        # The smallest that at least so many per cent do not exceed.
        expected = [
            min(one for one in latencies if 100 * sum(o <= one for o in latencies) >= p * number)
            for p in (50, 95)
        ]
        assert [row.median_ms, row.p95_ms] == expected


def test_work_on_calls_named_one_by_one_counts_in_their_run():
    capture = unjudged().capture
    job = factories.Job.objects.create(budget_nano_usd=1)
    factories.make_judgement(capture=capture, epoch="calls", state="planned", job=job, repeat=2)
    make_capture(run="run-2")
    (row,) = run_calls(factories.make_run()).rows
    assert (row.unjudged, row.waiting) == (1, 1)
    rows = {row.run_id: (row.unjudged, row.waiting) for row in runs_page().rows}
    assert rows == {"run-1": (1, 1), "run-2": (0, 0)}


def test_verdicts_of_an_older_epoch_are_counted_beside_the_rates():
    judged(BAD, epoch="old")
    judged(GOOD, epoch="new")
    (row,) = run_calls(factories.make_run()).rows
    assert row.rates["pass"] == Rate(1, 0)
    assert row.other_epochs == 1


# --- the list -----------------------------------------------------------------------------------


def call_ids(text):
    return [row.call_id for row in capture_list(filters(text)).rows]


def test_the_list_is_narrowed_by_outcome_dimension_prompt_and_date():
    judged(GOOD, call_id="good", system_prompt="One")
    judged(BAD, call_id="bad", weeks=1)
    judged(UNSURE, call_id="unsure", weeks=2, call_type="reviewer")
    unjudged(call_id="lost")
    make_capture(call_id="new", run="run-2")
    one = factories.make_system_prompt("One").sha256

    assert call_ids("") == ["new", "lost", "unsure", "bad", "good"]
    assert call_ids("state=fail") == ["bad"]
    assert call_ids("state=undecidable") == ["unsure"]
    assert call_ids("state=unjudged") == ["lost"]
    assert call_ids("state=open") == ["new", "lost"]
    assert call_ids("factually_grounded=fail") == ["bad"]
    assert call_ids("hallucination_free=pass") == ["unsure", "good"]
    assert call_ids(f"prompt={one[:12]}") == ["good"]
    assert call_ids("run=run-2") == ["new"]
    assert call_ids("call_type=reviewer") == ["unsure"]
    assert call_ids("from=2026-11-09&to=2026-11-09") == ["bad"]
    assert call_ids("call=good") == ["good"]


def test_a_row_shows_the_verdict_of_the_epoch_asked_for():
    capture = make_capture()
    old = make_call_verdict(capture, ok=BAD, epoch="old")
    new = make_call_verdict(capture, ok=GOOD, epoch="new")
    (row,) = capture_list(filters("")).rows
    assert (row.verdict_id, row.state) == (new.pk, "pass")
    (row,) = capture_list(filters(f"epoch={old.epoch.digest[:12]}")).rows
    assert (row.verdict_id, row.state) == (old.pk, "fail")
    assert [cell.ok for cell in row.checks] == [True, False, False]


def test_a_value_that_cannot_be_read_is_named():
    found = filters("state=maybe&prompt=xyz&from=2026-11-05&to=2026-11-01&before=-1")
    assert [problem.field for problem in found.problems] == ["prompt", "state", "before", "to"]
    assert found.to_query() == "from=2026-11-05"


# --- prompt versions ----------------------------------------------------------------------------


def test_versions_of_a_prompt_are_compared_before_and_after():
    for number in range(10):
        judged(BAD if number < 5 else GOOD, system_prompt="Plan.\nBe brief.")
        judged(BAD if number < 1 else GOOD, system_prompt="Plan.\nBe exact.", weeks=1)

    found = prompt_versions(filters("call_type=planner"))

    old, new = found.versions
    assert (old.captures, old.verdicts, old.rates["pass"]) == (10, 10, Rate(5, 5))
    assert old.first_seen < new.first_seen
    change = found.comparison.rates[0]
    assert (change.before, change.after) == (Rate(5, 5), Rate(9, 1))
    assert change.difference == pytest.approx(0.4)
    assert change.interval.low == pytest.approx(-0.0024, abs=5e-5)
    assert [(line.change, line.left, line.right) for line in found.comparison.lines] == [
        ("", "Plan.", "Plan."),
        ("changed", "Be brief.", "Be exact."),
    ]
    swapped = prompt_versions(
        filters("call_type=planner"), before=new.sha256[:8], after=old.sha256[:8]
    )
    assert swapped.comparison.rates[0].difference == pytest.approx(-0.4)


def test_one_version_has_nothing_to_be_compared_with():
    judged(GOOD)
    found = prompt_versions(filters("call_type=planner"))
    assert len(found.versions) == 1
    assert found.comparison is None
    assert found.call_types == (("planner", 1),)


def test_wilson_is_the_one_of_the_core():
    assert Rate(79, 221).interval.low == wilson(79, 300).lo
