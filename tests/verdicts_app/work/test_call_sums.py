"""The sums under the boards of captured calls follow every change, exactly."""

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from tests import factories
from tests.factories import NOON, make_call_verdict, make_capture, write_call_verdict
from verdicts_app.intake import captures as intake
from verdicts_app.models import CallSum, Capture, CaptureSum, Epoch, Verdict, VerdictCheck
from verdicts_app.work import call_sums, sums

pytestmark = pytest.mark.django_db

OUTCOMES = (True, False, None)


def in_step() -> bool:
    return not list(sums.differences())


def leave(verdicts: QuerySet[Verdict]) -> None:
    verdicts.filter(on_board=True).update(on_board=False, superseded_at=timezone.now())


def take_off(verdict: Verdict) -> None:
    with sums.kept_in_step(captures=[verdict.capture_id]):
        leave(Verdict.objects.filter(pk=verdict.pk))


def the_sum(span: str = "all") -> CallSum:
    return CallSum.objects.get(span=span, verdicts__gt=0)


# --- verdicts -----------------------------------------------------------------------------------


def test_one_verdict_stands_in_four_buckets() -> None:
    at = datetime(2026, 11, 4, 23, 30, tzinfo=UTC)
    verdict = make_call_verdict(make_capture(at=at), ok=(True, False, None))
    starts = {row.span: row.start for row in CallSum.objects.all()}
    assert starts == {
        "all": date.min,
        "month": date(2026, 11, 1),
        "week": date(2026, 11, 2),
        "day": date(2026, 11, 4),
    }
    row = the_sum()
    assert (row.verdicts, row.passed, row.undecided) == (1, 0, 0)
    assert (row.schema_failed, row.schema_undecided) == (0, 0)
    assert (row.factual_failed, row.factual_undecided) == (1, 0)
    assert (row.hallucination_failed, row.hallucination_undecided) == (0, 1)
    assert (row.newest_at, row.newest_verdict) == (at, verdict.pk)


def test_a_second_repeat_and_another_mode_count_in_no_sum() -> None:
    capture = make_capture()
    make_call_verdict(capture, repeat=2)
    make_call_verdict(capture, mode="other")
    assert not CallSum.objects.exists()
    assert CaptureSum.objects.get().judged == 1


def test_calls_without_prompt_and_contract_share_a_row() -> None:
    for _ in range(2):
        make_call_verdict(make_capture(system_prompt=None))
    row = the_sum()
    assert (row.verdicts, row.system_prompt, row.contract_revision) == (2, None, None)


def test_what_leaves_the_board_is_taken_off_and_an_empty_row_forgets_its_newest() -> None:
    early, late = (make_capture(at=NOON + timedelta(hours=hours)) for hours in (0, 1))
    kept, gone = make_call_verdict(early), make_call_verdict(late, ok=(True, None, True))
    take_off(gone)
    assert (the_sum().verdicts, the_sum().passed, the_sum().undecided) == (1, 1, 0)
    assert the_sum().newest_at == NOON + timedelta(hours=1)
    take_off(kept)
    assert not CallSum.objects.filter(verdicts__gt=0).exists()
    make_call_verdict(early)
    assert the_sum().newest_at == NOON
    assert in_step()


def test_a_verdict_that_takes_anothers_place_changes_what_is_counted_and_no_more() -> None:
    capture = make_capture()
    old = make_call_verdict(capture, ok=(True, True, True))
    with sums.kept_in_step(captures=[capture.pk]):
        leave(Verdict.objects.filter(pk=old.pk))
        write_call_verdict(capture, ok=(False, True, True))
    row = the_sum()
    assert (row.verdicts, row.passed, row.schema_failed) == (1, 0, 1)
    assert CaptureSum.objects.get().judged == 1


def test_the_database_refuses_sums_that_count_a_verdict_twice() -> None:
    make_call_verdict(ok=(None, None, True))
    for change in ({"passed": 1}, {"schema_failed": 1}, {"factual_undecided": -1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            CallSum.objects.update(**change)
    for change in ({"judged": 2}, {"timed": -1}):
        with pytest.raises(IntegrityError), transaction.atomic():
            CaptureSum.objects.update(**change)


def recount(span: str) -> Counter[tuple[Any, ...]]:
    """Worked out verdict by verdict, in another way than the sums are."""
    found: Counter[tuple[Any, ...]] = Counter()
    verdicts = Verdict.objects.filter(on_board=True, repeat=1, mode="calls")
    for verdict in verdicts.select_related("capture", "judgement"):
        capture, judgement = verdict.capture, verdict.judgement
        assert capture is not None
        day = verdict.answered_at.date()
        start = {
            "all": date.min,
            "month": date(day.year, day.month, 1),
            "week": date.fromisocalendar(*day.isocalendar()[:2], 1),
            "day": day,
        }[span]
        contract = judgement.contract_revision_id if judgement else None
        key = (
            *(verdict.epoch_id, start, capture.run_id, capture.call_type),
            *(capture.system_prompt_id, capture.model, contract),
        )
        found[*key, "verdicts"] += 1
        found[*key, {True: "passed", False: "failed", None: "undecided"}[verdict.passed]] += 1
        for check in VerdictCheck.objects.filter(verdict=verdict).exclude(ok=True):
            name = check.key.split("_")[0].replace("factually", "factual")
            found[*key, f"{name}_{'undecided' if check.ok is None else 'failed'}"] += 1
    return found


def stored(span: str) -> Counter[tuple[Any, ...]]:
    found: Counter[tuple[Any, ...]] = Counter()
    for row in CallSum.objects.filter(span=span):
        key = (
            *(row.epoch_id, row.start, row.run_id, row.call_type),
            *(row.system_prompt_id, row.model, row.contract_revision_id),
        )
        for name in call_sums.TOTALS:
            found[*key, name] = getattr(row, name)
        found[*key, "failed"] = row.verdicts - row.passed - row.undecided
    return +found


def test_any_order_of_writes_gives_what_the_verdicts_add_up_to() -> None:
    chance = random.Random(11)
    contracts = [None, *(factories.make_revision("c", n, kind="contract") for n in (1, 2))]
    epochs = [factories.make_epoch(name, mode="calls") for name in ("first", "second")]
    calls = [
        make_capture(
            chance.choice(["planner", "reviewer"]),
            run=chance.choice(["run-1", "run-2"]),
            system_prompt=chance.choice(["One", None]),
            model=chance.choice(["small", "large"]),
            at=NOON + timedelta(days=chance.randrange(60)),
        )
        for _ in range(8)
    ]
    for _ in range(60):
        held = list(Verdict.objects.filter(on_board=True))
        off = chance.sample(held, min(len(held), chance.randrange(3)))
        judged = chance.sample(calls, chance.randrange(3))
        ids = [call.pk for call in judged] + [verdict.capture_id for verdict in off]
        with transaction.atomic(), sums.kept_in_step(captures=ids):
            leave(Verdict.objects.filter(pk__in=[verdict.pk for verdict in off]))
            for call in judged:
                epoch = chance.choice(epochs)
                leave(Verdict.objects.filter(capture=call, epoch=epoch))
                judgement = factories.make_judgement(
                    capture=call, epoch=epoch, contract_revision=chance.choice(contracts)
                )
                ok = (chance.choice(OUTCOMES), chance.choice(OUTCOMES), chance.choice(OUTCOMES))
                write_call_verdict(call, epoch=epoch, ok=ok, judgement=judgement)
        assert in_step()
    for span in ("all", "month", "week", "day"):
        assert stored(span) == recount(span)
    before = stored("all")
    sums.rebuild()
    assert stored("all") == before
    assert in_step()


@pytest.mark.serial
@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_capture_count_a_verdict_once() -> None:
    """The second writes after the first has looked and before it looks again, unless it waits."""
    capture = make_capture()
    epochs = [factories.make_epoch(name, mode="calls") for name in ("first", "second")]

    def judge(epoch: Epoch) -> None:
        try:
            with transaction.atomic(), sums.kept_in_step(captures=[capture.pk]):
                write_call_verdict(capture, epoch=epoch)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), sums.kept_in_step(captures=[capture.pk]):
            other = pool.submit(judge, epochs[1])
            wait([other], timeout=0.3)
            write_call_verdict(capture, epoch=epochs[0])
        other.result()
    assert CaptureSum.objects.get().judged == 1
    assert [row.verdicts for row in CallSum.objects.filter(span="all")] == [1, 1]


# --- captures -----------------------------------------------------------------------------------


def line(call_id: str, **fields: Any) -> bytes:
    call = {
        "call_id": call_id,
        "call_type": "planner",
        "model": "small",
        "system_prompt": "Plan.",
        "user_content": call_id,
        "response_content": "{}",
        "parsed_ok": True,
        "ts": "2026-11-30T23:59:59Z",
    }
    return json.dumps({**call, **fields}).encode() + b"\n"


def take(*lines: bytes) -> None:
    intake.take_in(run_id="r1", chunks=lines, user=None, actor="test")


def test_captures_are_added_up_as_they_are_stored_and_once() -> None:
    lines = [
        line("a", latency_ms=3),
        line("b", success=False),
        line("c", failure_kind="timeout", success=False),
        line("d", ts="2026-12-01T00:00:00Z", latency_ms=0),
        line("e", system_prompt=None, model="large"),
        line("f", call_type="reviewer"),
        line("g", ts="2026-11-30T08:00:00Z"),
    ]
    take(*lines[:3])
    take(*lines)
    rows = CaptureSum.objects.order_by("call_type", "day", "model", "is_failure", "failure_kind")
    figures = [
        (row.call_type, row.day.day, row.model, row.is_failure, row.failure_kind, row.captures)
        for row in rows
    ]
    assert figures == [
        ("planner", 30, "large", False, "", 1),
        ("planner", 30, "small", False, "", 2),
        ("planner", 30, "small", True, "", 1),
        ("planner", 30, "small", True, "timeout", 1),
        ("planner", 1, "small", False, "", 1),
        ("reviewer", 30, "small", False, "", 1),
    ]
    first = rows[1]
    assert (first.timed, first.judged) == (1, 0)
    assert (first.first_at.hour, first.last_at.hour) == (8, 23)
    assert first.last_upload == Capture.objects.get(call_id="g").uploaded_at
    assert rows[0].system_prompt is None
    assert in_step()


def test_a_capture_without_a_time_counts_on_the_day_of_its_upload() -> None:
    take(line("a", ts=None))
    row, capture = CaptureSum.objects.get(), Capture.objects.get()
    assert capture.at is None
    assert (row.first_at, row.last_at) == (capture.uploaded_at, capture.uploaded_at)
    assert in_step()


def test_a_capture_is_judged_while_any_verdict_on_it_lives() -> None:
    capture = make_capture()
    verdicts = [make_call_verdict(capture, epoch=name) for name in ("first", "second")]
    for verdict, judged in zip(verdicts, (1, 0), strict=True):
        take_off(verdict)
        assert CaptureSum.objects.get().judged == judged
    assert in_step()


# --- the command --------------------------------------------------------------------------------


def test_recompute_names_sums_that_are_off_and_can_make_all_anew() -> None:
    make_call_verdict()
    CallSum.objects.filter(span="day").update(passed=0)
    CaptureSum.objects.update(judged=0)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("recompute", stdout=out)
    assert "sum of calls" in out.getvalue()
    assert "sum of captures" in out.getvalue()
    assert "2 differences" in out.getvalue()
    call_command("recompute", "--rebuild-sums", stdout=StringIO())
    assert in_step()
