"""Answers as rows: each stored once in its run, with its persona."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.judging.documents import digest
from judgeweb.judging.text import visible
from rubrics_app.models import Scenario
from verdicts_app.intake.receipts import Refusal, Remark, Tally
from verdicts_app.intake.shapes import Answer, Found, Subject
from verdicts_app.models import Persona, Response, ResponseOutcome, Run
from verdicts_app.work import board_sums


def store(
    answers: Sequence[Found],
    tally: Tally,
    *,
    scenarios: Mapping[str, Scenario],
    user: User | None,
) -> None:
    """Store them in one transaction. What is not in `scenarios` stays unlinked."""
    # Run and personas are committed first, one by one: two uploads that made the same ones inside
    # longer transactions could wait for one another for ever.
    run, _ = Run.objects.get_or_create(run_id=tally.run_id, defaults={"created_by": user})
    subjects = sorted({found.subject for found in answers}, key=lambda subject: subject.spec)
    personas = {subject.spec: ensure_persona(subject) for subject in subjects}
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        for found in answers:
            subject = found.subject
            scenario = scenarios.get(subject.scenario)
            _store(found, _response(found, run, personas[subject.spec], scenario), tally)


def ensure_persona(subject: Subject) -> Persona:
    persona, is_new = Persona.objects.get_or_create(
        spec=subject.spec,
        defaults={
            "theme": subject.theme,
            "role": subject.role,
            "character": subject.character,
            "is_control": subject.is_control,
        },
    )
    if not is_new and subject.character and not persona.character:
        Persona.objects.filter(pk=persona.pk, character="").update(character=subject.character)
    return persona


def content_hash(text: str) -> str:
    """Equal for answers with the very same text."""
    return digest(json.dumps(text))


def _response(found: Found, run: Run, persona: Persona, scenario: Scenario | None) -> Response:
    answer = found.reading
    assert isinstance(answer, Answer)
    safe, is_escaped = visible(answer.text)
    source_id = answer.subject.source_id
    return Response(
        run=run,
        persona=persona,
        scenario=scenario,
        scenario_key=answer.subject.scenario,
        source_id=source_id,
        identity=identity_of(source_id, found.document, run_id=run.run_id),
        content_sha256=content_hash(answer.text),
        outcome=answer.outcome,
        failure=answer.failure,
        text=safe,
        text_json=json.dumps(answer.text) if is_escaped else "",
        document=json.dumps(found.document, sort_keys=True),
        flags=",".join(answer.flags),
        character=answer.subject.character,
        model=answer.model,
        answered_at=answer.answered_at or timezone.now(),
        answered_at_is_upload=answer.answered_at is None,
        turns=answer.turns,
        duration_ms=answer.duration_ms,
        **vars(answer.usage),
    )


def identity_of(source_id: str, document: Any, *, run_id: str) -> str:
    """What an answer is known by in its run: its own id, or the hash of its document.

    An id that only repeats the run's name tells no two answers apart."""
    if source_id and source_id != run_id:
        return source_id
    return f"sha256:{digest(json.dumps(document, sort_keys=True))}"


def _fill(absent: Response, response: Response) -> None:
    """The answer takes the place of the absent one that verdicts made elsewhere stand on."""
    response.pk = absent.pk
    with board_sums.kept_in_step([absent.pk]):
        response.save(force_update=True)


def _store(found: Found, response: Response, tally: Tally) -> None:
    """The run is locked, so what is not known now cannot appear meanwhile."""
    known = Response.objects.filter(
        run=response.run,
        persona=response.persona,
        scenario_key=response.scenario_key,
        identity=response.identity,
    ).first()
    if known is None or known.outcome == ResponseOutcome.ABSENT:
        if known is None:
            response.save(force_insert=True)
        else:
            _fill(known, response)
        tally.response_ids.append(response.pk)
        tally.of(found.file).accepted += 1
        tally.failed += bool(response.failure)
        if response.scenario_id is None:
            tally.unlinked.add(response.scenario_key)
        assert isinstance(found.reading, Answer)
        tally.warnings += [Remark(found.file, found.place, text) for text in found.reading.warnings]
    elif (known.content_sha256, known.outcome) == (response.content_sha256, response.outcome):
        tally.duplicate += 1
        tally.known_ids.append(known.pk)
        tally.of(found.file).duplicate += 1
    else:
        reason = f"another answer with the id {response.source_id!r} is stored; the first stands"
        tally.refused.append(Refusal(found.file, found.place, "run_id", reason))
