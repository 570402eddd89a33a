"""Rows for tests. Each function takes what a test cares about and invents the rest.

`make_verdict(persona="a:dev", scenario="s1", total="75.698085")` is the usual way in;
`make_board(cells={...})` writes many verdicts at once.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from django.db import transaction

from judgeweb.judging.text import visible
from rubrics_app.models import Revision, Scenario
from rubrics_app.models.revision import RevisionKind
from verdicts_app.models import (
    PHASES,
    Capture,
    Chain,
    ContestantOutcome,
    Decision,
    Epoch,
    Job,
    Judgement,
    JudgementState,
    Origin,
    Pair,
    Persona,
    Response,
    ResponseOutcome,
    Run,
    SystemPromptText,
    Verdict,
    VerdictCheck,
    VerdictContestant,
)
from verdicts_app.work import capture_sums, sums

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
NANO = 10**9
_numbers = itertools.count(1)


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()


def nano(value: str | int | float | Fraction) -> int:
    """A total in 1e-9 points, half to even."""
    return round(Fraction(str(value)) * NANO)


def make_persona(spec: str = "lighthouse:reviewer", **fields: Any) -> Persona:
    theme, _, role = spec.partition(":")
    defaults = {"theme": theme, "role": role, "is_control": theme == "control"}
    return Persona.objects.get_or_create(spec=spec, defaults={**defaults, **fields})[0]


def make_scenario(key: str = "ticket-kiosk", **fields: Any) -> Scenario:
    defaults = {"title": key.replace("-", " "), "category": "security", "challenge": f"Do {key}."}
    return Scenario.objects.get_or_create(key=key, defaults={**defaults, **fields})[0]


def make_run(run_id: str = "run-1", **fields: Any) -> Run:
    return Run.objects.get_or_create(run_id=run_id, defaults=fields)[0]


def make_revision(
    key: str = "solo", number: int = 1, kind: str = RevisionKind.RUBRIC, document: str = "{}"
) -> Revision:
    found = Revision.objects.filter(kind=kind, key=key, number=number).first()
    return found or Revision.objects.create(
        kind=kind, key=key, number=number, document=document, sha256=digest(key, number, document)
    )


def make_epoch(name: str = "first", **fields: Any) -> Epoch:
    """One epoch per name; its digest is the name's hash."""
    base = {
        "base_digest": digest("base", name),
        "origin": Origin.JUDGED,
        "mode": "solo",
        "prompt_version": "1",
        "requested_model": "claude-sonnet-5-5",
        "returned_model": "claude-sonnet-5-5",
    }
    return Epoch.objects.get_or_create(digest=digest("epoch", name), defaults={**base, **fields})[0]


def make_response(
    persona: Persona | str = "lighthouse:reviewer",
    scenario: Scenario | str = "ticket-kiosk",
    *,
    run: Run | str = "run-1",
    answered_at: datetime = NOON,
    **fields: Any,
) -> Response:
    """A failed one with outcome="failed"."""
    serial = next(_numbers)
    scenario_row = _scenario(scenario)
    is_answer = fields.get("outcome", ResponseOutcome.ANSWERED) == ResponseOutcome.ANSWERED
    text = fields.pop("text", f"Answer {serial}: the lock is taken twice." if is_answer else "")
    content = digest(text, serial)
    defaults = {
        "scenario_key": scenario_row.key,
        "identity": content,
        "content_sha256": content,
        "outcome": ResponseOutcome.ANSWERED,
        "model": "claude-haiku-5-5",
    }
    return Response.objects.create(
        run=_run(run),
        persona=_persona(persona),
        scenario=scenario_row,
        answered_at=answered_at,
        text=text,
        **{**defaults, **fields},
    )


def make_judgement(
    response: Response | None = None,
    *,
    capture: Capture | None = None,
    epoch: Epoch | str = "first",
    state: str = JudgementState.JUDGED,
    job: Job | None = None,
    **fields: Any,
) -> Judgement:
    """One judgement of a response or capture, by itself in a finished job unless one is given."""
    subject = capture or response or make_response()
    epoch_row = _epoch(epoch)
    is_open = state in (JudgementState.PLANNED, JudgementState.CLAIMED)
    if job is None:
        ending = {} if is_open else {"state": "done", "finished_at": NOON}
        job = Job.objects.create(run=subject.run, budget_nano_usd=50 * NANO, **ending)
    defaults: dict[str, Any] = {
        "mode": epoch_row.mode,
        "scenario": getattr(subject, "scenario", None),
        "identity": digest(
            "judgement", subject._meta.label, subject.pk, epoch_row.pk, fields.get("repeat", 1)
        ),
        "finished_at": None if is_open else NOON,
    }
    return Judgement.objects.create(
        job=job,
        **(
            {"capture": capture, "call_type": capture.call_type}
            if capture
            else {"response": subject}
        ),
        epoch=epoch_row,
        state=state,
        **{**defaults, **fields},
    )


def make_unjudged(
    persona: Persona | str = "lighthouse:reviewer",
    scenario: Scenario | str = "ticket-kiosk",
    *,
    reason: str = "truncated",
    epoch: Epoch | str = "first",
    **response: Any,
) -> Judgement:
    return make_judgement(
        make_response(persona, scenario, **response),
        epoch=epoch,
        state=JudgementState.UNJUDGED,
        unjudged_reason=reason,
    )


def make_verdict(
    persona: Persona | str = "lighthouse:reviewer",
    scenario: Scenario | str = "ticket-kiosk",
    *,
    total: str | int | float | Fraction | None = "75.698085",
    without_persona: str | int | float | Fraction | None = None,
    epoch: Epoch | str = "first",
    run: Run | str = "run-1",
    answered_at: datetime = NOON,
    response: Response | None = None,
    **fields: Any,
) -> Verdict:
    """A live verdict on its board, with its response. `total` may be None."""
    subject = response or make_response(persona, scenario, run=run, answered_at=answered_at)
    row = _verdict(
        response=subject,
        persona=subject.persona,
        scenario=subject.scenario,
        run=subject.run,
        epoch=_epoch(epoch),
        total=total,
        without_persona=without_persona,
        answered_at=subject.answered_at,
        **fields,
    )
    with transaction.atomic(), sums.kept_in_step(responses=[subject.pk]):
        row.save(force_insert=True)
    return row


def make_board(
    cells: Mapping[str, Mapping[str, Iterable[str | int | float | Fraction]]],
    *,
    epoch: Epoch | str = "first",
    run: Run | str = "run-1",
    answered_at: datetime = NOON,
) -> list[Verdict]:
    """{"a:dev": {"s1": [70, 72.5], "s2": [80]}} -> one verdict a total, in one statement."""
    epoch_row, run_row = _epoch(epoch), _run(run)
    rows = [
        _verdict(
            response=make_response(spec, key, run=run_row, answered_at=answered_at),
            persona=make_persona(spec),
            scenario=make_scenario(key),
            run=run_row,
            epoch=epoch_row,
            total=total,
            without_persona=total,
            answered_at=answered_at,
        )
        for spec, scenarios in cells.items()
        for key, totals in scenarios.items()
        for total in totals
    ]
    with transaction.atomic(), sums.kept_in_step(responses=[row.response_id for row in rows]):
        return Verdict.objects.bulk_create(rows)


def _verdict(
    *,
    response: Response | None,
    epoch: Epoch,
    total: str | int | float | Fraction | None,
    without_persona: str | int | float | Fraction | None,
    **fields: Any,
) -> Verdict:
    serial = next(_numbers)
    exact = None if total is None else Fraction(str(total))
    defaults = {
        "identity": digest("identity", serial),
        "board_key": digest("board", serial),
        "mode": epoch.mode,
        "origin": epoch.origin,
        "total_nano": None if total is None else nano(total),
        "without_persona_nano": None if without_persona is None else nano(without_persona),
        "total_exact": "" if exact is None else f"{exact.numerator}/{exact.denominator}",
        "detail": "{}",
        "response_characters": len(response.text) if response else 0,
        "cost_nano_usd": 19_400_000,
        "input_tokens": 4200,
        "output_tokens": 900,
        "latency_ms": 11_800,
    }
    return Verdict(response=response, epoch=epoch, **{**defaults, **fields})


def _persona(value: Persona | str) -> Persona:
    return make_persona(value) if isinstance(value, str) else value


def _scenario(value: Scenario | str) -> Scenario:
    return make_scenario(value) if isinstance(value, str) else value


def _run(value: Run | str) -> Run:
    return make_run(value) if isinstance(value, str) else value


def _epoch(value: Epoch | str) -> Epoch:
    return make_epoch(value) if isinstance(value, str) else value


# --- captured calls -----------------------------------------------------------------------------


def make_system_prompt(text: str = "You plan. Answer in JSON.", **fields: Any) -> SystemPromptText:
    sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    defaults = {"text": visible(text)[0], **fields}
    return SystemPromptText.objects.get_or_create(sha256=sha256, defaults=defaults)[0]


def make_capture(
    call_type: str = "planner",
    *,
    run: Run | str = "run-1",
    system_prompt: SystemPromptText | str | None = "You plan. Answer in JSON.",
    at: datetime = NOON,
    **fields: Any,
) -> Capture:
    serial = next(_numbers)
    is_text = isinstance(system_prompt, str)
    defaults = {
        "call_id": f"call-{serial}",
        "model": "claude-haiku-5-5",
        "user_content": f"Plan step {serial} for src/app.py.",
        "response_content": '{"subtasks": [{"title": "Read src/app.py", "size": 3}]}',
        "parsed_ok": True,
        "success": True,
        "input_tokens": 1200,
        "output_tokens": 90,
        "latency_ms": 850.0,
        "at_text": at.isoformat(),
        "content_hash": digest("capture", serial),
        "input_crc": serial,
        "line_number": serial,
        "uploaded_at": at,
    }
    capture = Capture.objects.create(
        run=_run(run),
        call_type=call_type,
        system_prompt=make_system_prompt(system_prompt) if is_text else system_prompt,
        at=at,
        **{**defaults, **fields},
    )
    capture_sums.add(
        [capture_sums.Stored(*(getattr(capture, name) for name in capture_sums.COLUMNS))]
    )
    return capture


CALL_CHECKS = ("schema_ok", "factually_grounded", "hallucination_free")


def make_call_verdict(capture: Capture | None = None, **fields: Any) -> Verdict:
    """As `write_call_verdict`, with the sums in step."""
    subject = capture or make_capture()
    with transaction.atomic(), sums.kept_in_step(captures=[subject.pk]):
        return write_call_verdict(subject, **fields)


def write_call_verdict(
    capture: Capture,
    *,
    ok: tuple[bool | None, bool | None, bool | None] = (True, True, True),
    epoch: Epoch | str = "calls",
    checks: Mapping[str, Mapping[str, Any]] | None = None,
    **fields: Any,
) -> Verdict:
    """A live verdict on a capture. `ok` holds the three dimensions; `checks` more of a check."""
    epoch_row = make_epoch(epoch, mode="calls") if isinstance(epoch, str) else epoch
    defaults = {"mode": "calls", "answered_at": capture.at or capture.uploaded_at}
    verdict = _verdict(
        response=None,
        epoch=epoch_row,
        total=None,
        without_persona=None,
        **{**defaults, "capture": capture, "run": capture.run, **fields},
    )
    verdict.passed = False if False in ok else None if None in ok else True
    verdict.save(force_insert=True)
    for position, (key, holds) in enumerate(zip(CALL_CHECKS, ok, strict=True)):
        more = {
            "rationale": f"{key} was looked at.",
            "decided_by": "contract" if key == "schema_ok" else "judge",
            "evidence_state": "none",
        }
        more |= (checks or {}).get(key, {})
        VerdictCheck.objects.create(verdict=verdict, position=position, key=key, ok=holds, **more)
    return verdict


# --- comparisons and relays ---------------------------------------------------------------------


def make_pair(
    first: Response | str = "lighthouse:dev",
    second: Response | str = "control:dev",
    scenario: Scenario | str = "ticket-kiosk",
    **fields: Any,
) -> Pair:
    """Of two answers to one scenario; of a spec, a new answer."""
    answers = [
        make_response(one, scenario, **fields) if isinstance(one, str) else one
        for one in (first, second)
    ]
    return Pair.objects.create(first=answers[0], second=answers[1])


def make_chain(
    theme: str = "lighthouse",
    scenario: Scenario | str = "ticket-kiosk",
    *,
    run: Run | str = "run-1",
) -> Chain:
    """A relay with four new answers."""
    answers = {phase: make_response(f"{theme}:{phase}", scenario, run=run) for phase in PHASES}
    return Chain.objects.create(run=_run(run), theme=theme, scenario=_scenario(scenario), **answers)


Totals = tuple[str | int | float | Fraction, ...]
OUTCOMES = {
    Decision.TIE: (ContestantOutcome.TIED, ContestantOutcome.TIED),
    Decision.INCONSISTENT: (ContestantOutcome.INCONSISTENT, ContestantOutcome.INCONSISTENT),
}


def make_comparison(
    pair: Pair | None = None,
    *,
    totals: tuple[Totals, Totals] = ((79, 77), (70, 72)),
    decision: str = Decision.WIN,
    winner: int = 1,
    epoch: Epoch | str = "compare",
    **fields: Any,
) -> Verdict:
    """A live verdict on a pair. `totals` are each contestant's in the orders judged, `winner` 1 or
    2 where one won."""
    subject = pair or make_pair()
    verdict = _subject_verdict(
        epoch, "compare", subject.first, pair=subject, decision=decision, **fields
    )
    won = (ContestantOutcome.WON, ContestantOutcome.LOST)
    outcomes = OUTCOMES.get(Decision(decision), won if winner == 1 else won[::-1])
    specs = [subject.first.persona.spec, subject.second.persona.spec]
    for place, response in enumerate((subject.first, subject.second)):
        reached = [Fraction(str(total)) for total in totals[place]]
        mean = sum(reached) / len(reached)
        VerdictContestant.objects.create(
            verdict=verdict,
            position=place + 1,
            label=specs[place] if specs[0] != specs[1] else f"{specs[place]}#{place + 1}",
            response=response,
            persona=response.persona,
            total_nano=nano(mean),
            total_exact=str(mean),
            order_totals=json.dumps([str(total) for total in reached]),
            outcome=outcomes[place],
        )
    return verdict


def make_coherence(
    chain: Chain | None = None,
    *,
    rating: str = "good",
    epoch: Epoch | str = "coherence",
    **fields: Any,
) -> Verdict:
    """A live verdict on a relay."""
    subject = chain or make_chain()
    return _subject_verdict(epoch, "coherence", subject.sm, chain=subject, rating=rating, **fields)


def _subject_verdict(epoch: Epoch | str, mode: str, answer: Response, **fields: Any) -> Verdict:
    verdict = _verdict(
        response=None,
        epoch=make_epoch(epoch, mode=mode) if isinstance(epoch, str) else epoch,
        total=None,
        without_persona=None,
        **{
            "run": answer.run,
            "scenario": answer.scenario,
            "answered_at": answer.answered_at,
            **fields,
        },
    )
    verdict.save(force_insert=True)
    return verdict
