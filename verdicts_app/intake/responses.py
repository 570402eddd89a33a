"""Results taken into a run: each answer, and each verdict made elsewhere, is stored once."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.documents import digest
from rubrics_app.scenario_names import scenarios_called
from verdicts_app.intake import (
    exact,
    linking,
    predictions,
    same_texts,
    shapes,
    store,
    summaries,
    themes,
)
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.files import Piece, UploadedFile, free_name, pieces
from verdicts_app.intake.imported import Importer
from verdicts_app.intake.judged import document
from verdicts_app.intake.made import ELSEWHERE, Made
from verdicts_app.intake.receipts import Receipt, Refusal, Remark, Tally
from verdicts_app.intake.shapes import Answer, Found, Subject, Summary
from verdicts_app.intake.store import identity_of
from verdicts_app.intake.table import Table
from verdicts_app.models import PLAYGROUND_RUN


class RunRefused(Exception):
    """The run's name cannot be used."""


@dataclass(frozen=True)
class Upload:
    """How files are to be read. `spec` and `scenario` are for documents that name none.

    `is_verdict`: the sender says that envelopes and plain texts hold a judge's words. Else they
    are answers, in which no verdict is ever looked for. `judge` and `opponent` are for documents
    and rows that name none. `only_themes` refuses everything else."""

    spec: str = ""
    scenario: str = ""
    is_verdict: bool = False
    judge: str = ""
    opponent: str = ""
    only_themes: bool = False


def take_in(
    *,
    run_id: str,
    files: Iterable[UploadedFile],
    user: User | None,
    actor: str,
    how: Upload | None = None,
    dry_run: bool = False,
) -> Receipt:
    """Store what can be stored, file by file, each in a transaction of its own; of a dry run
    nothing. Raise RunRefused."""
    check_run_id(run_id)
    how = how or Upload()
    if not dry_run:
        return _take_in(run_id, files, how, user=user, actor=actor)
    with transaction.atomic():
        receipt = _take_in(run_id, files, how, user=user, actor=actor)
        transaction.set_rollback(True)
    return replace(receipt, dry_run=True, response_ids=())


def _take_in(
    run_id: str, files: Iterable[UploadedFile], how: Upload, *, user: User | None, actor: str
) -> Receipt:
    linking.link_unlinked()
    tally = Tally(run_id)
    about: list[Found] = []
    made: list[Made] = []
    table = Table(judge=how.judge, opponent=how.opponent)
    predicted: dict[tuple[str, str], tuple[str, str]] = {}
    for file in apart(files):
        answers: list[Found] = []
        for name, piece in _pieces(file, tally):
            if not how.only_themes and table.takes(name, piece):
                continue
            found, verdicts = _read(name, piece, tally, how)
            found = [one for one in found if not _contradicts(one, predicted, tally)]
            answers += [item for item in found if isinstance(item.reading, Answer)]
            about += [item for item in found if isinstance(item.reading, Summary)]
            made += verdicts
        if answers:
            keys = {item.subject.scenario for item in answers}
            store.store(answers, tally, scenarios=scenarios_called(keys), user=user)
    summaries.attach(about, tally)
    made += table.made(tally)
    Importer(tally, user).store(made)
    same_texts.flag(tally.response_ids)
    receipt = tally.receipt()
    if receipt.accepted or receipt.summaries or receipt.verdicts:
        audit.record(
            actor=actor,
            action="upload answers",
            target=run_id,
            detail=f"{receipt.accepted} new, {receipt.duplicate} known, "
            f"{receipt.summaries} summaries, {len(receipt.refused)} refused"
            + (f", {receipt.verdicts} verdicts made elsewhere" if receipt.verdicts else ""),
        )
    for change in tally.themes:
        audit.record(actor=actor, action="import theme", target=run_id, detail=change)
    return receipt


def apart(files: Iterable[UploadedFile]) -> Iterator[UploadedFile]:
    """Files of the same name are told apart by their order."""
    taken: set[str] = set()
    for file in files:
        yield replace(file, name=free_name(file.name, taken))


def _contradicts(
    one: Found, predicted: dict[tuple[str, str], tuple[str, str]], tally: Tally
) -> bool:
    """Whether a prediction is the second of its model for its instance, and another: of two
    neither is known to be the one that was meant, so that the first stands. It is refused."""
    if not predictions.is_prediction(one.document) or one.subject.source_id:
        return False
    key = (one.subject.spec, one.subject.scenario)
    said = json.dumps(one.document, sort_keys=True)
    where = " ".join(filter(None, (one.file, one.place)))
    first, stood = predicted.setdefault(key, (said, where))
    if first == said:
        return False
    reason = f"another prediction of {key[0]!r} for {key[1]!r} stands in {stood}; the first stands"
    tally.refused.append(Refusal(one.file, one.place, predictions.PATCH, reason))
    return True


def check_run_id(run_id: str) -> None:
    if not run_id.strip() or len(run_id) > 200 or not run_id.isprintable() or "/" in run_id:
        raise RunRefused("a run is named by 1 to 200 printable characters without a slash")
    if run_id == PLAYGROUND_RUN:
        raise RunRefused(f"{run_id!r} is kept for what is pasted into the playground")


def _pieces(file: UploadedFile, tally: Tally) -> Iterable[tuple[str, Piece]]:
    """Every document that could be read, with the name of its file; the others are refused."""
    name = shapes.one_line(file.name, most=200)
    tally.of(name)
    for piece in pieces(file, most=settings.UPLOAD_MAX_BYTES):
        if piece.fault:
            tally.refused.append(Refusal(name, piece.place, "", piece.fault))
        else:
            tally.warnings += [Remark(name, piece.place, str(note)) for note in piece.notes]
            yield name, piece


def _read(name: str, piece: Piece, tally: Tally, how: Upload) -> tuple[list[Found], list[Made]]:
    """What one document gives: an answer or a summary, a verdict made elsewhere, or both."""
    zone = timezone.get_default_timezone()
    found: list[Found] = []
    made: list[Made] = []
    try:
        if themes.is_theme(piece.document):
            _take_theme(name, piece, tally)
            return [], []
        if how.only_themes:
            raise FieldRefused("theme", "this is no theme: expected the keys theme and agents")
        if isinstance(piece.document, str) and how.is_verdict:
            piece = piece._replace(document={"judge_response": piece.document})
        is_judged = document.is_judged(piece.document, is_verdict=how.is_verdict)
        if not is_judged or document.has_answer(piece.document, is_verdict=how.is_verdict):
            plain = exact.plain(piece.document)
            reading = shapes.read(plain, spec=how.spec, scenario=how.scenario, zone=zone)
            found.append(Found(name, piece.place, plain, reading))
        if is_judged:
            made.append(_made(name, piece, how, run_id=tally.run_id, zone=zone))
    except FieldRefused as error:
        place = piece.place_of(error.field)
        tally.refused.append(Refusal(name, place, error.field, error.message))
        return [], []
    return found, made


def _take_theme(name: str, piece: Piece, tally: Tally) -> None:
    change = themes.save(themes.read(piece.document))
    tally.of(name).personas += change.created + change.changed + change.unchanged
    if change.created or change.changed:
        words = f"theme {change.name}: {change.created} personas new, {change.changed} changed"
        tally.themes.append(words)


def _made(name: str, piece: Piece, how: Upload, *, run_id: str, zone: tzinfo) -> Made:
    """Raise FieldRefused where nobody says whose verdict it is."""
    about = document.about(
        piece.document,
        spec=how.spec,
        scenario=how.scenario,
        is_verdict=how.is_verdict,
        zone=zone,
    )
    canonical = exact.canonical(piece.document)
    identity = identity_of(about.subject.source_id, exact.plain(piece.document), run_id=run_id)
    made = Made(
        file=name,
        place=piece.place,
        subject=about.subject,
        identity=identity,
        judge=about.judge or how.judge,
        judged_at=about.judged_at,
        said_at=about.said_at,
        usage=about.usage,
        document=canonical,
        read=partial(document.read, piece.document, is_verdict=how.is_verdict),
        warnings=about.warnings,
        place_of=piece.place_of,
    )
    return made if about.second is None else _compared(made, about.second)


def _compared(made: Made, second: Subject) -> Made:
    """The answers of a comparison are known by its id, else by persona and scenario alone: then
    its time, or what it says, tells several judgings of them apart."""
    identity = made.identity if made.identity == made.subject.source_id else ELSEWHERE
    is_one_spec = made.subject.spec == second.spec
    return replace(
        made,
        second=second,
        identity=f"{identity}#1" if is_one_spec else identity,
        second_identity=f"{identity}#2" if is_one_spec else identity,
        said_at=made.said_at or f"sha256:{digest(made.document)}",
    )
