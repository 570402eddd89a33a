"""Captured calls of made-up workers, week by week, with what the made-up judge says of them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from rubrics_app.contracts import import_contracts
from verdicts_app.intake import call_lines, capture_rows
from verdicts_app.intake.ndjson import Line
from verdicts_app.intake.prompts import Prompts
from verdicts_app.intake.retries import Attempts, SeenInputs
from verdicts_app.models import Run, SystemPromptText
from verdicts_app.sample.judging import MadeUpJudge
from verdicts_app.sample.runs import new_run
from verdicts_app.sample.workers import CONTRACTS, SCENES, WORKERS, Response, Worker, facts

CALLS_A_TYPE = 9
UNPARSED, TIMED_OUT = 0.03, 0.015
WRONG_TIME = "05:15"
INVENTED = "A pilot has confirmed it by radio."
UNASKED = "confidence"

Checks = dict[str, Any]


def publish_contracts() -> None:
    content = json.dumps(CONTRACTS).encode()
    report = import_contracts(content, source="the sample data", user=None, actor="command")
    if report.refusals:
        raise RuntimeError(f"a sample contract was refused: {report.refusals[0]}")


def make_calls(week: int, at: datetime, judge: MadeUpJudge) -> Run:
    """The run of a week, with calls of its seven days; `judge` is told what to think of them."""
    run = new_run("calls", at)
    prompts = Prompts()
    ready = []
    for number, document in enumerate(_calls(week, run, at, judge), 1):
        call = call_lines.read(Line(number, 0, json.dumps(document).encode()))
        ready.append(capture_rows.prepared(call, prompts.stored(document["system_prompt"])))
    capture_rows.insert(ready, run_pk=run.pk, attempts=Attempts(run.pk, SeenInputs()), now=at)
    seen = SystemPromptText.objects.filter(captures__run=run, first_seen_at__gt=at)
    SystemPromptText.objects.filter(pk__in=seen.values("pk")).update(first_seen_at=at)
    return run


def _calls(week: int, run: Run, at: datetime, judge: MadeUpJudge) -> Iterator[dict[str, Any]]:
    for worker in (worker.in_week(week) for worker in WORKERS):
        for number in range(CALLS_A_TYPE):
            call_id = f"{worker.call_type}-{week:02}-{number:02}"
            when = at - timedelta(hours=4 + 17 * number)
            rng = Random(call_id)
            asked, response = SCENES[worker.call_type](facts(rng))
            judge.checks[call_id] = _spoiled(rng, worker, response)
            said, parsed = _sent(rng, response)
            yield {
                "call_id": call_id,
                "call_type": worker.call_type,
                "run_id": run.run_id,
                "model": worker.model,
                "system_prompt": worker.prompt,
                "user_content": asked,
                "response_content": said,
                "parsed_ok": parsed,
                "success": said is not None,
                "failure_kind": "timeout" if said is None else None,
                "input_tokens": (len(asked) + len(worker.prompt)) // 4,
                "output_tokens": len(said or "") // 4,
                "latency_ms": rng.randint(700, 6200),
                "ts": f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            }


def _spoiled(rng: Random, worker: Worker, response: Response) -> Checks:
    """What is wrong with the response after some of it was spoiled, by dimension."""
    checks = {name: _holds() for name in ("schema_ok", "factually_grounded", "hallucination_free")}
    if rng.random() < worker.wrong:
        response[_first_in(response, "from", "until", "wind")] = WRONG_TIME
        checks["factually_grounded"] = _fails(WRONG_TIME, "The message gives another time.")
    if rng.random() < worker.invented:
        response[_first_in(response, "reason", "advice", "title")] = INVENTED
        checks["hallucination_free"] = _fails(INVENTED, "The message says nothing of a pilot.")
    if rng.random() < worker.breaks:
        response[UNASKED] = 0.9
        checks["schema_ok"] = _fails(f'"{UNASKED}": 0.9', "The prompt asks for no such field.")
    return checks


def _first_in(response: Response, *keys: str) -> str:
    return next(key for key in keys if key in response)


def _holds() -> Checks:
    return {"rationale": "All of it stands in what was given. (sample)", "value": True}


def _fails(line: str, why: str) -> Checks:
    return {"rationale": f"{why} (sample)", "value": False, "worst_offender": line}


def _sent(rng: Random, response: Response) -> tuple[str | None, bool]:
    """The text that came, and whether the producer could read it: now and then it is cut off, or
    nothing came in time."""
    text = json.dumps(response, indent=2, ensure_ascii=False)
    luck = rng.random()
    if luck < TIMED_OUT:
        return None, False
    return (text[: len(text) // 2], False) if luck < UNPARSED else (text, True)
