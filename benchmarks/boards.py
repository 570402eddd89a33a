"""Latency of the boards at up to a million verdicts beside a floor of the same run.

The floor is one plain `SELECT count(*)` over the board's index: what a board that adds up its
verdicts when asked would at least have to read. "data" is the board as dataclasses, "page" the
whole request with its template. BENCH_VERDICTS=100000 stops at that size. A fifth as many
captured calls are judged in one run, with a request each; their floor is a count over an index of
that run's captures.
"""

import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks import calls
from benchmarks.databases import run_on_each_database, set_up

SIZES = (10_000, 100_000, 1_000_000)
MOST = int(os.environ.get("BENCH_VERDICTS", SIZES[-1]))
PERSONAS, SCENARIOS = 20, 12
CALLS_PART = 5
ROUNDS = 20
BATCH = 1000
NOW = datetime(2026, 11, 29, 20, tzinfo=UTC)
DETAIL = '{"working": "' + "0123456789" * 200 + '"}'
"""A real verdict's texts are about as long: they must not be read for a board."""


def run() -> None:
    run_on_each_database("benchmarks.boards")


def measure() -> None:
    vendor = set_up()
    logging.disable(logging.WARNING)
    client = signed_in()
    for size in (size for size in SIZES if size <= MOST):
        fill(size)
        calls.fill(size // CALLS_PART)
        analyze()
        print(
            f"{vendor}, {size:,} verdicts, {PERSONAS} personas, {SCENARIOS} scenarios, "
            f"{size // CALLS_PART:,} judged calls in one run",
            flush=True,
        )
        for name, act in {**acts(client), **calls.acts(client)}.items():
            act()
            print(f"  {name:<22}{figures(act)}", flush=True)


def acts(client: Any) -> dict[str, Callable[[], object]]:
    from django.http import QueryDict

    from verdicts_app.boards.filters import BoardFilters
    from verdicts_app.boards.leaderboard import leaderboard
    from verdicts_app.boards.trends import trends
    from verdicts_app.models import Epoch, Verdict

    def shown(path: str) -> None:
        assert client.get(path).status_code == 200

    epoch = Epoch.objects.get(mode="solo")
    everything = BoardFilters.from_query(QueryDict(""))
    return {
        "floor: count": lambda: Verdict.objects.filter(epoch=epoch, on_board=True).count(),
        "leaderboard, data": lambda: leaderboard(everything),
        "leaderboard, page": lambda: shown("/"),
        "trends, data": lambda: trends(everything),
        "trends, page": lambda: shown("/trends/"),
        "verdicts, page": lambda: shown("/verdicts/"),
    }


def figures(act: Callable[[], object]) -> str:
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        act()
        taken.append((time.perf_counter() - start) * 1000)
    p95 = statistics.quantiles(taken, n=20)[-1]
    return f"p50 {statistics.median(taken):8.1f} ms   p95 {p95:8.1f} ms"


def signed_in() -> Any:
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(User.objects.create_superuser("bench"))
    return client


def fill(size: int) -> None:
    """Bring the board to this many verdicts, one response each."""
    from django.db import transaction

    from verdicts_app.models import Response, Verdict
    from verdicts_app.work.sums import kept_in_step

    held = Verdict.objects.count()
    for start in range(held, size, BATCH):
        numbers = range(start, min(start + BATCH, size))
        responses = Response.objects.bulk_create(list(make_responses(numbers)))
        with transaction.atomic(), kept_in_step(responses=[response.pk for response in responses]):
            Verdict.objects.bulk_create(list(make_verdicts(numbers, responses)))


def analyze() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def make_responses(numbers: range) -> Iterator[Any]:
    from tests import factories
    from verdicts_app.models import Response

    run = factories.make_run("bench")
    personas = [persona(number) for number in range(PERSONAS)]
    scenarios = [factories.make_scenario(f"scenario-{n}") for n in range(SCENARIOS)]
    for number in numbers:
        scenario = scenarios[number // PERSONAS % SCENARIOS]
        yield Response(
            run=run,
            persona=personas[number % PERSONAS],
            scenario=scenario,
            scenario_key=scenario.key,
            identity=f"answer-{number}",
            content_sha256=factories.digest(number),
            outcome="answered",
            text="An answer as long as such answers are. " * 40,
            model="claude-haiku-5-5",
            answered_at=NOW - timedelta(minutes=number * 97 % 129_600),
        )


def persona(number: int) -> Any:
    from tests import factories

    return factories.make_persona(f"{'control' if number == 0 else f'theme-{number}'}:reviewer")


def make_verdicts(numbers: range, responses: list[Any]) -> Iterator[Any]:
    from tests import factories
    from verdicts_app.models import Verdict

    epoch = factories.make_epoch("bench")
    for number, response in zip(numbers, responses, strict=True):
        total = 40_000_000_000 + (number % PERSONAS) * 10**9 + number * 7919 % (20 * 10**9)
        yield Verdict(
            response=response,
            persona=response.persona,
            scenario=response.scenario,
            run=response.run,
            epoch=epoch,
            mode=epoch.mode,
            origin=epoch.origin,
            identity=factories.digest("identity", number),
            board_key=factories.digest("board", number),
            total_nano=total,
            without_persona_nano=total,
            total_exact=f"{total}/1000000000",
            detail=DETAIL,
            cost_nano_usd=19_400_000,
            answered_at=response.answered_at,
        )


if __name__ == "__main__":
    measure()
