"""Throughput and CPU of judging beside the SDK's own floor, same stand-in, same run.

The floor is a bare loop: AsyncAnthropic with aiohttp, the same prompts, replies thrown away.
Judging is everything: claim, ledger row before each request, validation, verdict with its marks
and findings in the database. Ideal is N x latency / in flight.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.databases import ROOT, run_on_each_database, set_up

LATENCY_S = 0.2
LEVELS = {64: 640, 100: 1000, 256: 2048}
ISSUES = 22
MODEL = "claude-sonnet-5-5"


@dataclass(frozen=True)
class Taken:
    """`server_s` is processor time of the database's server; SQLite works in our own process."""

    wall_s: float
    cpu_s: float
    server_s: float


def run() -> None:
    run_on_each_database("benchmarks.judging")


def measure() -> None:
    vendor = set_up()
    with stand_in() as url:
        point_settings_at(url)
        warm_up()
        for in_flight, items in LEVELS.items():
            floor = bare_sdk(prompts(items), url, in_flight)
            ours = judged(items, in_flight)
            report(vendor, in_flight, items, floor, ours)


def report(vendor: str, in_flight: int, items: int, floor: Taken, ours: Taken) -> None:
    ideal = items * LATENCY_S / in_flight
    print(
        f"{vendor:<10} {in_flight:>3} in flight, {items} items of {LATENCY_S:g} s (ideal "
        f"{ideal:.2f} s)\n"
        f"   SDK alone {floor.wall_s:6.2f} s {items / floor.wall_s:6.0f}/s "
        f"{1000 * floor.cpu_s / items:5.1f} ms CPU each\n"
        f"   judging   {ours.wall_s:6.2f} s {items / ours.wall_s:6.0f}/s "
        f"{1000 * ours.cpu_s / items:5.1f} ms CPU each (and {1000 * ours.server_s / items:.1f} in "
        f"the database server), {ours.wall_s / floor.wall_s:.2f} x the floor, "
        f"{100 * ideal / ours.wall_s:.0f} % of ideal",
        flush=True,
    )


@contextmanager
def stand_in() -> Iterator[str]:
    command = [sys.executable, "-m", "judgeweb.standin", "--port", "0"]
    command += ["--latency-ms", str(round(LATENCY_S * 1000))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def point_settings_at(url: str) -> None:
    from django.conf import settings

    settings.ANTHROPIC_API_KEY = "benchmark"
    settings.ANTHROPIC_BASE_URL = url
    settings.JUDGE_MODEL = MODEL


def warm_up() -> None:
    """Imports and first connections are start-up, not rate."""
    import anthropic  # noqa: F401

    judged(8, 8)


# --- the floor ------------------------------------------------------------------------------------


def prompts(number: int) -> list[dict[str, Any]]:
    """The very requests that judging sends."""
    from judgeweb.judging.modes import mode_named
    from judgeweb.judging.providers.messages_request import MessagesRequest
    from verdicts_app.models import Judgement
    from verdicts_app.work import claim
    from verdicts_app.work.items import case_of

    planned(number)
    request = MessagesRequest(MODEL, effort="medium")
    [job_id] = claim.jobs_with_work()
    items = claim.claim_items(job_id=job_id, limit=number)
    mode = mode_named("checklist")
    bodies = []
    for item in items:
        [prompt] = mode.prompts(case_of(item))
        bodies.append(json.loads(request.body(prompt, (), 8000)))
    now_judged(Judgement, [item.id for item in items], job_id)
    return bodies


def now_judged(judgements: Any, ids: list[int], job_id: Any) -> None:
    from django.utils import timezone

    from verdicts_app.work import states

    judgements.objects.filter(pk__in=ids).update(
        state="cancelled", claimed_until=None, finished_at=timezone.now()
    )
    states.finish([job_id])


def bare_sdk(bodies: list[dict[str, Any]], url: str, in_flight: int) -> Taken:
    from anthropic import AsyncAnthropic, DefaultAioHttpClient, Timeout

    async def ask_all() -> None:
        slots = asyncio.Semaphore(in_flight)
        async with AsyncAnthropic(
            api_key="benchmark",
            base_url=url,
            max_retries=0,
            timeout=Timeout(600, connect=60),
            http_client=DefaultAioHttpClient(),
        ) as client:

            async def ask(body: dict[str, Any]) -> None:
                async with slots:
                    await client.messages.create(**body)

            await asyncio.gather(*[ask(body) for body in bodies])

    return timed(lambda: asyncio.run(ask_all()))


# --- judging --------------------------------------------------------------------------------------


def judged(items: int, in_flight: int) -> Taken:
    from django.conf import settings

    from verdicts_app.models import Verdict
    from verdicts_app.work.drain import drain_job

    settings.JUDGE_IN_FLIGHT = in_flight
    job_id = planned(items)
    before = Verdict.objects.count()
    taken = timed(lambda: drain_job(job_id))
    made = Verdict.objects.count() - before
    assert made == items, f"{made} verdicts of {items}"
    return taken


def planned(number: int) -> Any:
    """A job over new answers; its probe is taken as made, as it is one request for all."""
    from django.utils import timezone

    from verdicts_app.models import Job, Persona, Response, Run
    from verdicts_app.work.plan import JudgeRequest, plan_job

    scenario = published_scenario()
    run = Run.objects.create(run_id=f"benchmark-{time.time_ns()}")
    persona, _ = Persona.objects.get_or_create(spec="lighthouse:reviewer")
    Response.objects.bulk_create(
        Response(
            run=run,
            persona=persona,
            scenario=scenario,
            scenario_key=scenario.key,
            identity=f"answer-{n}",
            content_sha256="0" * 64,
            outcome="answered",
            text=f"Answer {n}. The lock is taken twice and never released. " * 50,
            answered_at=timezone.now(),
        )
        for n in range(number)
    )
    job = plan_job(request=JudgeRequest(run_id=run.run_id), user=None, actor="benchmark").job
    Job.objects.filter(pk=job.pk).update(probed_at=timezone.now(), budget_nano_usd=10**15)
    return job.pk


def published_scenario() -> Any:
    from judgeweb.judging.documents import ChecklistItem, CodeFile, ScenarioDocument
    from rubrics_app.scenarios import save_scenario

    issues = tuple(
        ChecklistItem(
            id=f"ISSUE_{n}",
            category=("critical", "high", "medium", "low")[n % 4],
            description=f"Issue {n}: what it is, where it stands and what follows from it",
        )
        for n in range(ISSUES)
    )
    code = CodeFile(language="python", filename="refunds.py", content="def refund(x): ...\n" * 100)
    saved = save_scenario(
        ScenarioDocument(
            name="benchmark",
            challenge="Review the refund service. " * 20,
            baseline_issues=issues,
            files=(code,),
        ),
        user=None,
    )
    return saved.scenario


def timed(work: Any) -> Taken:
    wall, cpu, server = time.perf_counter(), time.process_time(), server_cpu_s()
    work()
    return Taken(time.perf_counter() - wall, time.process_time() - cpu, server_cpu_s() - server)


def server_cpu_s() -> float:
    """What the server's process behind our connection has used so far; 0 where there is none."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    measure()
