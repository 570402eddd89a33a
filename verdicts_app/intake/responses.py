"""Run results taken into a run: each answer is stored once, however often it is sent."""

import json
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.documents import digest
from judgeweb.judging.text import visible
from rubrics_app.models import Scenario
from verdicts_app.intake import linking, same_texts, shapes, summaries
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.files import Piece, UploadedFile, pieces
from verdicts_app.intake.receipts import Receipt, Refusal, Remark, Tally
from verdicts_app.intake.shapes import Answer, Found, Subject, Summary
from verdicts_app.models import Persona, Response, Run


class RunRefused(Exception):
    """The run's name cannot be used."""


def take_in(
    *,
    run_id: str,
    files: Iterable[UploadedFile],
    spec: str = "",
    scenario: str = "",
    user: User | None,
    actor: str,
) -> Receipt:
    """Store what can be stored, file by file, each in a transaction of its own.

    `spec` and `scenario` are for documents that name none. Raise RunRefused."""
    check_run_id(run_id)
    linking.link_unlinked()
    tally = Tally(run_id)
    about: list[Found] = []
    for file in files:
        found = list(_read(file, tally, spec=spec, scenario=scenario))
        about += [item for item in found if isinstance(item.reading, Summary)]
        answers = [item for item in found if isinstance(item.reading, Answer)]
        if answers:
            _store_file(answers, tally, user=user)
    summaries.attach(about, tally)
    same_texts.flag(tally.response_ids)
    receipt = tally.receipt()
    if receipt.accepted or receipt.summaries:
        audit.record(
            actor=actor,
            action="upload answers",
            target=run_id,
            detail=f"{receipt.accepted} new, {receipt.duplicate} known, "
            f"{receipt.summaries} summaries, {len(receipt.refused)} refused",
        )
    return receipt


def check_run_id(run_id: str) -> None:
    if not run_id.strip() or len(run_id) > 200 or not run_id.isprintable() or "/" in run_id:
        raise RunRefused("a run is named by 1 to 200 printable characters without a slash")


def _read(file: UploadedFile, tally: Tally, *, spec: str, scenario: str) -> Iterable[Found]:
    zone = timezone.get_default_timezone()
    name = shapes.one_line(file.name, most=200)
    tally.of(name)
    for piece in pieces(file, most=settings.UPLOAD_MAX_BYTES):
        if piece.fault:
            tally.refused.append(Refusal(name, piece.place, "", piece.fault))
            continue
        try:
            reading = shapes.read(piece.document, spec=spec, scenario=scenario, zone=zone)
            yield Found(name, piece.place, piece.document, reading)
        except FieldRefused as error:
            tally.refused.append(_refusal(name, piece, error))


def _refusal(name: str, piece: Piece, error: FieldRefused) -> Refusal:
    return Refusal(name, piece.place, error.field, error.message)


def _store_file(answers: list[Found], tally: Tally, *, user: User | None) -> None:
    # Run and personas are committed first, one by one: two uploads that made the same ones inside
    # longer transactions could wait for one another for ever.
    run, _ = Run.objects.get_or_create(run_id=tally.run_id, defaults={"created_by": user})
    personas = {
        subject.spec: ensure_persona(subject)
        for subject in sorted({found.subject for found in answers}, key=lambda s: s.spec)
    }
    keys = {found.subject.scenario for found in answers}
    scenarios = {s.key: s for s in Scenario.objects.filter(key__in=keys, is_inline=False)}
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        for found in answers:
            subject = found.subject
            response = _response(found, run, personas[subject.spec], scenarios)
            _store(found, response, tally)


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


def _response(
    found: Found, run: Run, persona: Persona, scenarios: Mapping[str, Scenario]
) -> Response:
    answer = found.reading
    assert isinstance(answer, Answer)
    safe, is_escaped = visible(answer.text)
    source_id = answer.subject.source_id
    document = json.dumps(found.document, sort_keys=True)
    return Response(
        run=run,
        persona=persona,
        scenario=scenarios.get(answer.subject.scenario),
        scenario_key=answer.subject.scenario,
        source_id=source_id,
        # An id that only repeats the run's name tells no two answers apart.
        identity=source_id
        if source_id and source_id != run.run_id
        else f"sha256:{digest(document)}",
        content_sha256=text_digest(answer.text),
        outcome=answer.outcome,
        failure=answer.failure,
        text=safe,
        text_json=json.dumps(answer.text) if is_escaped else "",
        document=document,
        flags=",".join(answer.flags),
        character=answer.subject.character,
        model=answer.model,
        answered_at=answer.answered_at or timezone.now(),
        answered_at_is_upload=answer.answered_at is None,
        turns=answer.turns,
        duration_ms=answer.duration_ms,
        **vars(answer.usage),
    )


def text_digest(text: str) -> str:
    return digest(json.dumps(text))


def _store(found: Found, response: Response, tally: Tally) -> None:
    """The run is locked, so what is not known now cannot appear meanwhile."""
    known = Response.objects.filter(
        run=response.run,
        persona=response.persona,
        scenario_key=response.scenario_key,
        identity=response.identity,
    ).first()
    if known is None:
        response.save(force_insert=True)
        tally.response_ids.append(response.pk)
        tally.of(found.file).accepted += 1
        tally.failed += bool(response.failure)
        if response.scenario_id is None:
            tally.unlinked.add(response.scenario_key)
        assert isinstance(found.reading, Answer)
        tally.warnings += [Remark(found.file, found.place, text) for text in found.reading.warnings]
    elif (known.content_sha256, known.outcome) == (response.content_sha256, response.outcome):
        tally.duplicate += 1
        tally.of(found.file).duplicate += 1
    else:
        reason = f"another answer with the id {response.source_id!r} is stored; the first stands"
        tally.refused.append(Refusal(found.file, found.place, "run_id", reason))
