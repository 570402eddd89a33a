"""The sums under the boards follow every change of the verdicts, exactly."""

import random
from datetime import UTC, date, datetime
from fractions import Fraction
from importlib import import_module
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests import factories
from verdicts_app.models import BoardSum, JudgementState, Response, Verdict
from verdicts_app.models.board_sum import UNIT, Span
from verdicts_app.work import board_sums, sums

pytestmark = pytest.mark.django_db
NANO = 10**9


def the_sum(span: str = Span.ALL) -> BoardSum:
    return BoardSum.objects.get(span=span, runs__gt=0)


def in_step() -> bool:
    return board_sums.stored_sums() == board_sums.sums_of_verdicts()


def take_off(verdict: Verdict) -> None:
    with board_sums.kept_in_step([verdict.response_id or 0]):
        Verdict.objects.filter(pk=verdict.pk).update(on_board=False, superseded_at=timezone.now())


def test_one_verdict_stands_in_four_buckets() -> None:
    factories.make_verdict(
        total="75.5", without_persona=80, answered_at=datetime(2026, 11, 4, 23, 30, tzinfo=UTC)
    )
    starts = {row.span: row.start for row in BoardSum.objects.all()}
    assert starts == {
        "all": date.min,
        "month": date(2026, 11, 1),
        "week": date(2026, 11, 2),
        "day": date(2026, 11, 4),
    }
    row = the_sum()
    assert (row.runs, row.total) == (1, 75_500_000_000 * UNIT)
    assert (row.bare_runs, row.without_persona) == (1, 80 * NANO * UNIT)
    assert (row.verdicts, row.costed, row.cost_nano_usd) == (1, 1, 19_400_000)


def test_repeats_of_a_run_count_once_with_their_exact_mean() -> None:
    response = factories.make_response()
    for repeat, total in enumerate(("70", "80", "81"), 1):
        factories.make_verdict(response=response, total=total, repeat=repeat)
    row = the_sum()
    # (70 + 80 + 81) / 3 = 77
    assert (row.runs, row.verdicts, row.total) == (1, 3, 77 * NANO * UNIT)
    # variance (49 + 9 + 16) / 2 = 37, its root 6.082762530298, rounded down
    assert (row.repeated_runs, row.spread) == (1, 6_082_762_530)


def test_a_run_with_fewer_than_half_its_repeats_valid_is_in_no_mean() -> None:
    response = factories.make_response()
    factories.make_verdict(response=response, total=70, repeat=1)
    for repeat in (2, 3):
        with board_sums.kept_in_step([response.pk]):
            factories.make_judgement(
                response,
                state=JudgementState.UNJUDGED,
                unjudged_reason="truncated",
                repeat=repeat,
            )
        # 1 of 2 is half; 1 of 3 is not.
        assert BoardSum.objects.filter(span="all", runs=1).exists() is (repeat == 2)
    factories.make_verdict(response=response, total=90, repeat=3)
    # 2 of 3 again: (70 + 90) / 2 = 80.
    assert the_sum().total == 80 * NANO * UNIT
    # sqrt(100 + 100) = 14.142135623730
    assert the_sum().spread == 14_142_135_623


def test_spread_leaves_with_the_repeat_that_made_it() -> None:
    response = factories.make_response()
    factories.make_verdict(response=response, total=70, repeat=1)
    second = factories.make_verdict(response=response, total=90, repeat=2)
    take_off(second)
    assert (the_sum().repeated_runs, the_sum().spread) == (0, 0)
    assert in_step()


def test_the_database_refuses_a_spread_without_repeats() -> None:
    factories.make_verdict()
    with pytest.raises(IntegrityError), transaction.atomic():
        BoardSum.objects.update(spread=1)


def test_migration_adds_up_the_spread_of_stored_repeats() -> None:
    twice, thrice, lost = (factories.make_response() for _ in range(3))
    for response, totals in ((twice, (70, 90)), (thrice, (70, 80, 81)), (lost, (10, 20))):
        for repeat, total in enumerate(totals, 1):
            factories.make_verdict(response=response, total=total, repeat=repeat)
    factories.make_verdict(total=50)
    for repeat in (3, 4, 5):
        with transaction.atomic(), sums.kept_in_step(responses=[lost.pk]):
            factories.make_judgement(
                lost, state="unjudged", unjudged_reason="truncated", repeat=repeat
            )
    kept = board_sums.stored_sums()
    # 14.142135623 + 6.082762530; the third has 2 of 5.
    assert (the_sum().repeated_runs, the_sum().spread) == (2, 20_224_898_153)
    BoardSum.objects.update(repeated_runs=0, spread=0)

    import_module("verdicts_app.migrations.0021_add_up_spread").add_up(apps, None)

    assert board_sums.stored_sums() == kept


def answered_nothing(response: Response, *, repeats: int = 1, **fields: Any) -> list[Verdict]:
    given = {"response": response, "total": 0, "flags": "escaped_text,empty_answer", **fields}
    return [factories.make_verdict(repeat=repeat, **given) for repeat in range(1, repeats + 1)]


def test_an_empty_answer_counts_once_per_run_however_often_it_was_judged() -> None:
    answered_nothing(factories.make_response(), repeats=3)
    answered_nothing(factories.make_response())
    factories.make_verdict(total=60, flags="no_patch")
    # Runs: 0 of three repeats, 0, 60; their verdicts 3 + 1 + 1.
    for row in BoardSum.objects.all():
        assert (row.runs, row.verdicts, row.empty_runs) == (3, 5, 2)
        assert row.total == 60 * NANO * UNIT
    assert BoardSum.objects.count() == 4
    assert in_step()


def test_an_empty_answer_leaves_with_the_last_of_its_verdicts() -> None:
    first, second = answered_nothing(factories.make_response(), repeats=2)
    factories.make_verdict(total=60)
    take_off(first)
    assert (the_sum().runs, the_sum().empty_runs) == (2, 1)
    take_off(second)
    assert (the_sum().runs, the_sum().empty_runs) == (1, 0)
    assert in_step()


def test_an_empty_answer_with_fewer_than_half_its_repeats_valid_is_in_no_count() -> None:
    response = factories.make_response()
    answered_nothing(response)
    for repeat in (2, 3):
        with transaction.atomic(), sums.kept_in_step(responses=[response.pk]):
            factories.make_judgement(
                response, state="unjudged", unjudged_reason="truncated", repeat=repeat
            )
    # 1 of 3.
    assert not BoardSum.objects.filter(empty_runs__gt=0).exists()
    assert in_step()


@pytest.mark.parametrize("number", [-1, 2])
def test_the_database_refuses_more_empty_runs_than_runs(number: int) -> None:
    factories.make_verdict()
    with pytest.raises(IntegrityError), transaction.atomic():
        BoardSum.objects.update(empty_runs=number)


def test_migration_counts_stored_runs_that_answered_nothing() -> None:
    often, lost = factories.make_response(), factories.make_response()
    answered_nothing(often, repeats=3)
    answered_nothing(often, epoch="second")
    answered_nothing(factories.make_response("b:dev"))
    answered_nothing(factories.make_response(), on_board=False)
    answered_nothing(lost)
    factories.make_verdict(total=50, flags="not_empty_answer_at_all")
    for repeat in (2, 3):
        with transaction.atomic(), sums.kept_in_step(responses=[lost.pk]):
            factories.make_judgement(
                lost, state="unjudged", unjudged_reason="truncated", repeat=repeat
            )
    kept = board_sums.stored_sums()
    # The repeated one in two epochs and that of b:dev; the lost one has 1 of 3.
    counted = BoardSum.objects.filter(span="all").values_list("empty_runs", flat=True)
    assert sorted(counted) == [1, 1, 1]
    BoardSum.objects.update(empty_runs=0)

    import_module("verdicts_app.migrations.0025_count_empty_runs").count_up(apps, None)

    assert board_sums.stored_sums() == kept


def test_recompute_names_a_count_of_empty_runs_that_is_off() -> None:
    answered_nothing(factories.make_response())
    BoardSum.objects.filter(span="week").update(empty_runs=0)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("recompute", stdout=out)
    assert "1 differences" in out.getvalue()
    call_command("recompute", "--rebuild-sums", stdout=StringIO())
    assert BoardSum.objects.get(span="week").empty_runs == 1


def test_a_verdict_without_a_total_is_in_no_sum() -> None:
    factories.make_verdict(total=None)
    assert not BoardSum.objects.exists()


def test_what_leaves_the_board_is_taken_off() -> None:
    first, second = factories.make_verdict(total=70), factories.make_verdict(total=80)
    take_off(first)
    assert (the_sum().runs, the_sum().total) == (1, 80 * NANO * UNIT)
    take_off(second)
    assert not BoardSum.objects.filter(runs__gt=0).exists()
    assert in_step()


def test_nothing_is_added_where_the_writes_are_rolled_back() -> None:
    def write() -> None:
        verdict = factories.make_verdict()
        factories.make_verdict(identity=verdict.identity)

    with pytest.raises(IntegrityError):
        transaction.atomic(write)()
    assert not BoardSum.objects.exists()


def test_the_database_refuses_a_sum_of_runs_without_verdicts() -> None:
    factories.make_verdict()
    with pytest.raises(IntegrityError), transaction.atomic():
        BoardSum.objects.update(verdicts=0)


def test_any_order_of_writes_gives_what_the_verdicts_add_up_to() -> None:
    chance = random.Random(7)
    responses = [factories.make_response(f"p{n % 3}:dev", f"s{n % 2}") for n in range(6)]
    held: list[Verdict] = []
    for step in range(60):
        if held and chance.random() < 0.4:
            take_off(held.pop(chance.randrange(len(held))))
            continue
        total = Fraction(chance.randint(1, 100 * NANO), NANO)
        held.append(
            factories.make_verdict(
                response=chance.choice(responses),
                total=total,
                without_persona=chance.choice([None, total]),
                epoch=chance.choice(["first", "second"]),
                cost_nano_usd=chance.choice([None, step]),
                repeat=chance.randint(1, 5),
                flags=chance.choice(["", "reasked", "empty_answer"]),
            )
        )
        assert in_step()
    assert in_step()
    before = board_sums.stored_sums()
    sums.rebuild()
    assert board_sums.stored_sums() == before


def test_recompute_names_a_sum_that_is_off_and_can_make_all_anew() -> None:
    factories.make_verdict(total=70)
    BoardSum.objects.filter(span="day").update(total=1)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("recompute", stdout=out)
    assert "board sum" in out.getvalue()
    assert "1 differences" in out.getvalue()
    call_command("recompute", "--rebuild-sums", stdout=StringIO())
    assert in_step()
