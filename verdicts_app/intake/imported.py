"""Verdicts made elsewhere, stored: each once, beside its answer, in an epoch of its own tool.

A verdict stands on the answer of its persona, scenario and id; where the run does not hold it, on
an *absent* answer, which the answer itself fills when it is uploaded. Its identity is its answer,
the judge, the mode and when it was judged: the same document again is a duplicate, another one
under the same identity is refused and the first stands.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.judging.documents import digest
from rubrics_app.models import Scenario
from verdicts_app.intake import remarks
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.receipts import Refusal, Remark, Tally
from verdicts_app.intake.shapes import Subject
from verdicts_app.intake.store import ensure_persona
from verdicts_app.intake.usage import Usage
from verdicts_app.models import (
    Epoch,
    ImportedDocument,
    Origin,
    Persona,
    Response,
    ResponseOutcome,
    Run,
    Verdict,
)
from verdicts_app.work import verdict_rows
from verdicts_app.work.identity import (
    EpochPins,
    board_key_of,
    epoch_to_plan,
    hash_of,
    response_subject,
)

BATCH = 400
ELSEWHERE = "elsewhere"
"""The id of an answer that is known by persona and scenario alone."""


@dataclass(frozen=True)
class Made:
    """A verdict made elsewhere. `identity` is its answer's in the run; `document` canonical JSON.

    `read` gives the name of the shape and the verdict; it raises FieldRefused. `place_of` tells
    where a field of the document stands."""

    file: str
    place: str
    subject: Subject
    identity: str
    judge: str
    judged_at: datetime | None
    said_at: str
    usage: Usage
    document: str
    read: Callable[[Given], tuple[str, Judged]]
    warnings: tuple[str, ...] = ()
    place_of: Callable[[str], str] | None = None

    def at(self, field_name: str) -> str:
        return self.place_of(field_name) if self.place_of else self.place


@dataclass
class _New:
    """A verdict about to be stored."""

    made: Made
    response: Response
    shape: str
    judged: Judged
    epoch: Epoch
    identity: str
    board_key: str
    judged_at: datetime
    on_board: bool = True


@dataclass
class Importer:
    """Stores batch by batch; remembers what it has looked up."""

    tally: Tally
    user: User | None
    _personas: dict[str, Persona] = field(default_factory=dict)
    _epochs: dict[str, Epoch] = field(default_factory=dict)

    def store(self, all_made: Sequence[Made]) -> None:
        if not all_made:
            return
        run, _ = Run.objects.get_or_create(
            run_id=self.tally.run_id, defaults={"created_by": self.user}
        )
        for start in range(0, len(all_made), BATCH):
            batch = all_made[start : start + BATCH]
            for made in sorted(batch, key=lambda made: made.subject.spec):
                if made.subject.spec not in self._personas:
                    self._personas[made.subject.spec] = ensure_persona(made.subject)
            with transaction.atomic():
                Run.objects.select_for_update().get(pk=run.pk)
                self._store(run, batch)

    def _store(self, run: Run, batch: Sequence[Made]) -> None:
        scenarios = {
            one.key: one
            for one in Scenario.objects.filter(
                key__in={made.subject.scenario for made in batch}, is_inline=False
            )
        }
        answers = self._answers(run, batch, scenarios)
        read = [self._read(run, made, answers[_key(made)], scenarios) for made in batch]
        new = self._unknown([one for one in read if one is not None])
        _save_absent(new)
        _settle_boards(new)
        ids = _insert(run, new)
        self.tally.verdict_ids += ids
        for one in new:
            self.tally.of(one.made.file).verdicts += 1
            if one.response.scenario_id is None:
                self.tally.unlinked.add(one.response.scenario_key)
        self._remark(new)

    def _answers(
        self, run: Run, batch: Sequence[Made], scenarios: Mapping[str, Scenario]
    ) -> dict[tuple[str, str, str], Response]:
        """The answers that the run holds, and absent ones (not saved yet) for the others."""
        held = Response.objects.filter(
            run=run,
            scenario_key__in={made.subject.scenario for made in batch},
            persona__in={self._personas[made.subject.spec].pk for made in batch},
        ).select_related("persona")
        found: dict[tuple[str, str, str], Response] = {}
        of_both: dict[tuple[str, str], list[Response]] = defaultdict(list)
        for one in held:
            found[one.persona.spec, one.scenario_key, one.identity] = one
            of_both[one.persona.spec, one.scenario_key].append(one)
        for made in batch:
            if _key(made) in found:
                continue
            answers = of_both[_key(made)[:2]]
            if made.identity == ELSEWHERE and len(answers) == 1:
                found[_key(made)] = answers[0]
            else:
                found[_key(made)] = self._absent(run, made, scenarios)
        return found

    def _absent(self, run: Run, made: Made, scenarios: Mapping[str, Scenario]) -> Response:
        subject = made.subject
        return Response(
            run=run,
            persona=self._personas[subject.spec],
            scenario=scenarios.get(subject.scenario),
            scenario_key=subject.scenario,
            source_id=subject.source_id,
            identity=made.identity,
            content_sha256=digest('""'),
            outcome=ResponseOutcome.ABSENT,
            character=subject.character,
            answered_at=timezone.now(),
            answered_at_is_upload=True,
        )

    def _read(
        self, run: Run, made: Made, answer: Response, scenarios: Mapping[str, Scenario]
    ) -> _New | None:
        scenario = scenarios.get(made.subject.scenario)
        given = Given(
            response=answer.text if answer.outcome == ResponseOutcome.ANSWERED else None,
            scoring=json.loads(scenario.extras).get("scoring")
            if scenario and scenario.extras
            else None,
        )
        try:
            shape, judged = made.read(given)
        except FieldRefused as refused:
            self._refuse(made, refused.field, refused.message)
            return None
        subject = response_subject(
            run_id=run.run_id,
            spec=made.subject.spec,
            scenario_key=made.subject.scenario,
            identity=made.identity,
        )
        epoch = self._epoch(made, shape, judged)
        return _New(
            made=made,
            response=answer,
            shape=shape,
            judged=judged,
            epoch=epoch,
            identity=hash_of([subject, Origin.IMPORTED, judged.mode, made.judge, made.said_at]),
            board_key=board_key_of(
                subject=subject, mode=judged.mode, epoch_digest=epoch.digest, repeat=1
            ),
            judged_at=made.judged_at or timezone.now(),
        )

    def _epoch(self, made: Made, shape: str, judged: Judged) -> Epoch:
        pins = EpochPins(
            origin=Origin.IMPORTED,
            mode=judged.mode,
            rubric=None,
            prompt_version=f"imported: {shape.replace('_', ' ')}"[:40],
            requested_model=made.judge,
            parameters=judged.parameters,
        )
        digest_of = pins.base_digest
        if digest_of not in self._epochs:
            self._epochs[digest_of] = epoch_to_plan(pins)
        return self._epochs[digest_of]

    def _unknown(self, read: Sequence[_New]) -> list[_New]:
        """Those that are new; the others are counted as known, or refused as changed."""
        stored = dict(
            ImportedDocument.objects.filter(
                verdict__identity__in=[one.identity for one in read]
            ).values_list("verdict__identity", "sha256")
        )
        new: list[_New] = []
        for one in read:
            sha256 = digest(one.made.document)
            if one.identity not in stored:
                stored[one.identity] = sha256
                new.append(one)
            elif stored[one.identity] == sha256:
                self.tally.duplicate += 1
                self.tally.of(one.made.file).duplicate += 1
            else:
                self._refuse(one.made, "run_id", _changed(one))
        return new

    def _refuse(self, made: Made, name: str, reason: str) -> None:
        self.tally.refused.append(Refusal(made.file, made.at(name), name, reason))

    def _remark(self, new: Sequence[_New]) -> None:
        for one in new:
            said = remarks.on(one.judged.verdict, one.made.warnings, one.response)
            self.tally.warnings += [Remark(one.made.file, one.made.place, text) for text in said]


def _key(made: Made) -> tuple[str, str, str]:
    return (made.subject.spec, made.subject.scenario, made.identity)


def _changed(one: _New) -> str:
    judge = f" of {one.made.judge}" if one.made.judge else ""
    return (
        f"another verdict{judge} on {one.made.subject.source_id or 'this answer'!r} is stored, "
        "with other content; the first stands"
    )


def _save_absent(new: Sequence[_New]) -> None:
    """Save the answers that are not here, each once."""
    fresh = {id(one.response): one.response for one in new if one.response.pk is None}
    Response.objects.bulk_create(fresh.values())


def _settle_boards(new: Sequence[_New]) -> None:
    """Of several judgings of one answer in one epoch the latest stands on the board."""
    latest: dict[str, _New] = {}
    for one in new:
        held = latest.get(one.board_key)
        if held is None or held.judged_at <= one.judged_at:
            latest[one.board_key] = one
    on_board = Verdict.objects.filter(on_board=True, board_key__in=list(latest))
    for key, judged_at in on_board.values_list("board_key", "judged_at"):
        if judged_at > latest[key].judged_at:
            del latest[key]
    Verdict.objects.filter(on_board=True, board_key__in=list(latest)).update(on_board=False)
    for one in new:
        one.on_board = latest.get(one.board_key) is one


def _insert(run: Run, new: Sequence[_New]) -> list[int]:
    rows = Verdict.objects.bulk_create([_row(run, one) for one in new])
    numbered = [(row.pk, one.judged.verdict) for row, one in zip(rows, new, strict=True)]
    verdict_rows.insert_marks(numbered)
    verdict_rows.insert_findings(numbered)
    ImportedDocument.objects.bulk_create(
        ImportedDocument(
            verdict=row,
            shape=one.shape,
            file=one.made.file,
            place=one.made.place[:40],
            sha256=digest(one.made.document),
            document=one.made.document,
        )
        for row, one in zip(rows, new, strict=True)
    )
    return [row.pk for row in rows]


def _row(run: Run, one: _New) -> Verdict:
    verdict, usage = one.judged.verdict, one.made.usage
    kinds = (usage.input_tokens, usage.cache_write_tokens, usage.cache_read_tokens)
    return Verdict(
        identity=one.identity,
        board_key=one.board_key,
        mode=one.judged.mode,
        epoch=one.epoch,
        origin=Origin.IMPORTED,
        run=run,
        response=one.response,
        persona_id=one.response.persona_id,
        scenario_id=one.response.scenario_id,
        answered_at=one.response.answered_at,
        total_nano=verdict_rows.scaled(verdict.total),
        without_persona_nano=verdict_rows.scaled(verdict.total_without_persona),
        total_exact=verdict_rows.exact(verdict.total) or "",
        detail=verdict_rows.detail_of(verdict),
        flags=",".join(verdict.flags),
        response_characters=len(one.response.text),
        cost_nano_usd=usage.cost_nano_usd,
        input_tokens=sum(kind or 0 for kind in kinds),
        output_tokens=usage.output_tokens or 0,
        judged_at=one.judged_at,
        on_board=one.on_board,
    )
