"""Run results taken into a run: each answer is stored once, however often it is sent."""

from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from judgeweb.access import audit
from rubrics_app.models import Scenario
from verdicts_app.intake import linking, same_texts, shapes, store, summaries
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.files import Piece, UploadedFile, pieces
from verdicts_app.intake.receipts import Receipt, Refusal, Tally
from verdicts_app.intake.shapes import Answer, Found, Summary
from verdicts_app.models import PLAYGROUND_RUN


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
            keys = {item.subject.scenario for item in answers}
            known = Scenario.objects.filter(key__in=keys, is_inline=False)
            store.store(answers, tally, scenarios={s.key: s for s in known}, user=user)
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
    if run_id == PLAYGROUND_RUN:
        raise RunRefused(f"{run_id!r} is kept for what is pasted into the playground")


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
