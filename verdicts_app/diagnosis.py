"""What an installation needs to judge, checked part by part. Nothing is changed.

Each check returns a Finding: good, look (works, but...) or bad, and for the latter two the fix.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from judgeweb import staticfiles
from judgeweb.judging.errors import ProviderError
from verdicts_app.work.judge_config import chosen_judge, is_configured, open_judge

WORKER_ANSWERS_IN_S = 3.0
SWEEPS_MISSED = 4
CLOCKS_MAY_DIFFER = timedelta(seconds=30)
Level = Literal["good", "look", "bad"]


@dataclass(frozen=True)
class Finding:
    name: str
    level: Level
    text: str
    fix: str = ""


@dataclass(frozen=True)
class Check:
    run: Callable[[], Finding]
    asks_judge: bool = False


def database() -> Finding:
    name = "Database"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        first = (str(error).strip().splitlines() or ["no answer"])[0]
        return Finding(name, "bad", f"cannot be reached: {first}", "Check DATABASE_URL.")
    if pending:
        return Finding(
            name, "bad", f"{len(pending)} migrations are missing", "Run: manage.py migrate"
        )
    return Finding(name, "good", f"{connection.vendor}, all migrations applied")


def clock() -> Finding:
    name = "Clock"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CURRENT_TIMESTAMP")
            told = cursor.fetchone()[0]
    except DatabaseError:
        return Finding(name, "look", "not compared: the database does not answer")
    there = told if isinstance(told, datetime) else datetime.fromisoformat(told)
    there = there if there.tzinfo else there.replace(tzinfo=UTC)
    off = abs(datetime.now(UTC) - there)
    if off > CLOCKS_MAY_DIFFER:
        return Finding(
            name,
            "bad",
            f"this machine and the database differ by {off.total_seconds():.0f} s",
            "Synchronise both clocks (NTP): leases depend on them.",
        )
    return Finding(name, "good", f"the database agrees; times are shown in {settings.TIME_ZONE}")


def broker() -> Finding:
    from verdicts_app.tasks import app

    name = "Broker"
    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=WORKER_ANSWERS_IN_S)
    except Exception as error:
        return Finding(
            name,
            "bad",
            f"cannot be reached: {type(error).__name__}",
            "Check CELERY_BROKER_URL, or unset it to use the embedded broker.",
        )
    embedded = settings.CELERY_BROKER_URL.startswith("filesystem")
    return Finding(name, "good", "embedded, for one machine" if embedded else "reachable")


def worker() -> Finding:
    from verdicts_app.tasks import app

    name = "Worker"
    try:
        answers = app.control.ping(timeout=WORKER_ANSWERS_IN_S)
    except Exception as error:
        return Finding(name, "bad", f"could not be asked: {type(error).__name__}", "See Broker.")
    if not answers:
        return Finding(
            name,
            "bad",
            f"none answered within {WORKER_ANSWERS_IN_S:.0f} s; uploaded work waits",
            "Start one: celery -A judgeweb.celery worker (or: make run)",
        )
    return Finding(name, "good", f"{len(answers)} answered")


def sweeper() -> Finding:
    from verdicts_app.tasks import seconds_since_sweeps

    name = "Sweeper"
    try:
        ages = seconds_since_sweeps(WORKER_ANSWERS_IN_S)
    except Exception as error:
        return Finding(name, "bad", f"could not be asked: {type(error).__name__}", "See Broker.")
    if not ages:
        return Finding(name, "look", "nobody to ask: no worker answered", "See Worker.")
    age = min((age for age in ages if age is not None), default=None)
    # A worker that drains sweeps when it is done.
    if age is not None and age <= settings.JUDGE_DRAIN_S + SWEEPS_MISSED * settings.JUDGE_SWEEP_S:
        return Finding(name, "good", f"swept {age:.0f} s ago")
    return Finding(
        name,
        "bad",
        "has never swept" if age is None else f"swept {age:.0f} s ago and not since",
        "Start its clock: celery -A judgeweb.celery beat (or: make run). Until then nobody finds "
        "what a dead worker left.",
    )


def judge() -> Finding:
    name = "Judge"
    if not is_configured():
        return Finding(
            name,
            "look",
            "none is configured; model work waits, nothing is lost",
            "Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to a server with the Messages API.",
        )
    choice = chosen_judge()
    try:
        asyncio.run(_probe())
    except ProviderError as error:
        return Finding(
            name,
            "bad",
            f"{choice.model} does not answer: {error.message}",
            "Check JUDGE_MODEL, the key and the base URL.",
        )
    return Finding(name, "good", f"{choice.model} answers")


async def _probe() -> None:
    async with open_judge(chosen_judge()) as asked:
        await asked.probe()


def static_files() -> Finding:
    name = "Static files"
    if settings.DEBUG:
        return Finding(name, "good", "served from their sources while DEBUG is on")
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():
        return Finding(name, "bad", "were never collected", "Run: manage.py collectstatic")
    if not staticfiles.are_current():
        return Finding(
            name, "look", "may be older than their sources", "Run: manage.py collectstatic"
        )
    return Finding(name, "good", "collected")


CHECKS = (
    Check(database),
    Check(clock),
    Check(broker),
    Check(worker),
    Check(sweeper),
    Check(judge, asks_judge=True),
    Check(static_files),
)
