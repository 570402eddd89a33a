"""The boards of captured calls: one large run, judged, with a request for each call."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

RUN = "calls"
TYPES, PROMPTS, WORKERS = 6, 18, 2
BATCH = 1000
NOW = datetime(2026, 11, 29, 20, tzinfo=UTC)
INPUT = "Line of an input as long as such inputs are. " * 80
BLOB = bytes(range(256)) * 6
"""A request's messages are about as long: they must not be read for a sum."""


def acts(client: Any) -> dict[str, Callable[[], object]]:
    from django.http import QueryDict

    from verdicts_app.boards.call_filters import CallFilters
    from verdicts_app.boards.pass_rates import pass_rates
    from verdicts_app.boards.run_calls import run_calls
    from verdicts_app.models import Capture, Run

    def shown(path: str) -> None:
        assert client.get(path).status_code == 200

    run = Run.objects.get(run_id=RUN)
    everything = CallFilters.from_query(QueryDict(""))
    of_type = Capture.objects.filter(run=run, call_type__gte="")
    return {
        "floor: count of calls": lambda: of_type.count(),
        "pass rates, data": lambda: pass_rates(everything),
        "pass rates, page": lambda: shown("/trends/?view=rates"),
        "run's calls, data": lambda: run_calls(run),
        "run's calls, page": lambda: shown(f"/runs/{RUN}/calls/"),
        "run, page": lambda: shown(f"/runs/{RUN}/"),
        "runs, page": lambda: shown("/runs/"),
        "calls, page": lambda: shown("/calls/?call_type=type-1"),
        "prompts, page": lambda: shown("/calls/prompts/?call_type=type-1"),
    }


def fill(size: int) -> None:
    """Bring the run to this many judged captures."""
    from django.db import transaction

    from tests import factories
    from verdicts_app.models import Capture, Job
    from verdicts_app.work import capture_sums, sums

    run = factories.make_run(RUN)
    job = Job.objects.get_or_create(run=run, state="done", finished_at=NOW)[0]
    held = Capture.objects.filter(run=run).count()
    for start in range(held, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        with transaction.atomic():
            captures = Capture.objects.bulk_create(list(make_captures(run, numbers)))
            capture_sums.add(
                capture_sums.Stored(*(getattr(one, name) for name in capture_sums.COLUMNS))
                for one in captures
            )
            with sums.kept_in_step(captures=[capture.pk for capture in captures]):
                judge(job, captures)


def make_captures(run: Any, numbers: range) -> Iterator[Any]:
    from tests import factories
    from verdicts_app.models import Capture

    prompts = [factories.make_system_prompt(f"Prompt {number}") for number in range(PROMPTS)]
    for number in numbers:
        at = NOW - timedelta(minutes=number * 97 % 129_600)
        yield Capture(
            run=run,
            call_id=f"call-{number}",
            call_type=f"type-{number % TYPES}",
            model=f"worker-{number // 7 % WORKERS}",
            system_prompt=prompts[number % PROMPTS],
            user_content=INPUT,
            response_content=INPUT[:900],
            parsed_ok=True,
            success=number % 50 != 0,
            failure_kind="timeout" if number % 100 == 0 else "",
            latency_ms=float(number * 7919 % 60_000),
            at=at,
            at_text=at.isoformat(),
            content_hash=factories.digest("capture", number),
            input_crc=number,
            line_number=number + 1,
            uploaded_at=NOW,
        )


def judge(job: Any, captures: list[Any]) -> None:
    """Verdicts on all captures, of which a third fail one dimension."""
    from tests import factories

    epoch = factories.make_epoch("bench calls", mode="calls")
    judgements = add_judgements(job, captures, epoch)
    add_requests(judgements)
    add_checks(add_verdicts(judgements, epoch))


def add_judgements(job: Any, captures: list[Any], epoch: Any) -> list[Any]:
    from tests import factories
    from verdicts_app.models import Judgement

    return Judgement.objects.bulk_create(
        Judgement(
            job=job,
            mode="calls",
            capture=capture,
            call_type=capture.call_type,
            epoch=epoch,
            identity=factories.digest("call", capture.pk),
            state="judged",
            finished_at=NOW,
        )
        for capture in captures
    )


def add_requests(judgements: list[Any]) -> None:
    from tests import factories
    from verdicts_app.models import LedgerEntry, PromptText

    prefix = PromptText.objects.get_or_create(sha256=factories.digest("prefix"), text="Judge.")[0]
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            judgement=judgement,
            attempt=1,
            ordinal=1,
            state="answered",
            system=prefix,
            messages=BLOB,
            max_tokens=8000,
            opened_at=NOW,
            closed_at=NOW,
            reply=BLOB[:500],
            cost_nano_usd=19_400_000,
        )
        for judgement in judgements
    )


def add_verdicts(judgements: list[Any], epoch: Any) -> list[Any]:
    from tests import factories
    from verdicts_app.models import Verdict

    return Verdict.objects.bulk_create(
        Verdict(
            judgement=judgement,
            capture=judgement.capture,
            identity=judgement.identity,
            board_key=factories.digest("board of calls", judgement.pk),
            mode="calls",
            epoch=epoch,
            origin=epoch.origin,
            run_id=judgement.capture.run_id,
            answered_at=judgement.capture.at,
            detail="{}",
            passed=judgement.pk % 3 != 0,
        )
        for judgement in judgements
    )


def add_checks(verdicts: list[Any]) -> None:
    from tests import factories
    from verdicts_app.models import VerdictCheck

    VerdictCheck.objects.bulk_create(
        VerdictCheck(
            verdict=verdict,
            position=position,
            key=key,
            ok=bool(verdict.passed) or position != 1,
            rationale="Because.",
            decided_by="judge",
            evidence_state="none",
        )
        for verdict in verdicts
        for position, key in enumerate(factories.CALL_CHECKS)
    )
