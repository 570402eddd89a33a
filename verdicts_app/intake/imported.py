"""Verdicts made elsewhere, stored: each once, beside its answer, in an epoch of its own tool.

A verdict stands on the answer of its persona, scenario and id; where the run does not hold it, on
an *absent* answer, which the answer itself fills when it is uploaded. Its identity is its answer,
the judge, the mode and when it was judged: the same document again is a duplicate, another one
under the same identity is refused and the first stands.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.judging.documents import digest
from rubrics_app.models import Revision, RevisionKind, Scenario
from rubrics_app.scenario_names import scenarios_called
from rubrics_app.selectors import newest_revision, scenario_document
from verdicts_app.intake import imported_rows, remarks
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.imported_rows import New
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.made import ELSEWHERE, Made
from verdicts_app.intake.receipts import Refusal, Remark, Tally
from verdicts_app.intake.shapes import Subject
from verdicts_app.intake.store import ensure_persona
from verdicts_app.models import (
    Epoch,
    ImportedDocument,
    Origin,
    Persona,
    Response,
    ResponseOutcome,
    Run,
)
from verdicts_app.work import board_sums, identity
from verdicts_app.work.identity import (
    EpochPins,
    board_key_of,
    epoch_to_plan,
    hash_of,
    pair_subject,
    response_subject,
)

BATCH = 400
Key = tuple[str, str, str]
"""(spec, scenario, identity) of an answer."""


@dataclass
class Importer:
    """Stores batch by batch, each in a transaction of its own; remembers what it has looked up."""

    tally: Tally
    user: User | None
    _personas: dict[str, Persona] = field(default_factory=dict)
    _epochs: dict[str, Epoch] = field(default_factory=dict)
    _revisions: dict[str, Revision | None] = field(default_factory=dict)

    def store(self, all_made: Sequence[Made]) -> None:
        if not all_made:
            return
        run, _ = Run.objects.get_or_create(
            run_id=self.tally.run_id, defaults={"created_by": self.user}
        )
        for start in range(0, len(all_made), BATCH):
            batch = all_made[start : start + BATCH]
            self._meet(batch)
            with transaction.atomic():
                Run.objects.select_for_update().get(pk=run.pk)
                self._store(run, batch)

    def _meet(self, batch: Sequence[Made]) -> None:
        """Personas are committed first, one by one, in one order: see `store`."""
        subjects = {one.spec: one for made in batch for one in made.subjects}
        for spec in sorted(subjects.keys() - self._personas.keys()):
            self._personas[spec] = ensure_persona(subjects[spec])

    def _store(self, run: Run, batch: Sequence[Made]) -> None:
        keys = {made.subject.scenario for made in batch}
        scenarios = scenarios_called(keys)
        answers = self._answers(run, batch, scenarios)
        read = [self._read(run, made, answers, scenarios) for made in batch]
        new = self._unknown([one for one in read if one is not None])
        imported_rows.save_absent(new)
        with board_sums.kept_in_step(one.response.pk for one in new if one.second is None):
            imported_rows.settle_boards(new)
            self.tally.verdict_ids += imported_rows.insert(run, new)
        self._tell(new)

    def _answers(
        self, run: Run, batch: Sequence[Made], scenarios: Mapping[str, Scenario]
    ) -> dict[Key, Response]:
        """The answers that the run holds, and absent ones (not saved yet) for the others."""
        wanted = {key_of(one, identity): one for made in batch for one, identity in made.answers}
        held = Response.objects.filter(
            run=run,
            scenario_key__in={key[1] for key in wanted},
            persona__in={self._personas[key[0]].pk for key in wanted},
        ).select_related("persona")
        found: dict[Key, Response] = {}
        of_both: dict[tuple[str, str], list[Response]] = defaultdict(list)
        for one in held:
            found[one.persona.spec, one.scenario_key, one.identity] = one
            of_both[one.persona.spec, one.scenario_key].append(one)
        for key in wanted.keys() - found.keys():
            only = of_both[key[:2]]
            is_known = key[2] == ELSEWHERE and len(only) == 1
            found[key] = only[0] if is_known else self._absent(run, key, wanted[key], scenarios)
        return found

    def _absent(
        self, run: Run, key: Key, subject: Subject, scenarios: Mapping[str, Scenario]
    ) -> Response:
        return Response(
            run=run,
            persona=self._personas[subject.spec],
            scenario=scenarios.get(subject.scenario),
            scenario_key=subject.scenario,
            source_id=subject.source_id,
            identity=key[2],
            content_sha256=digest(ResponseOutcome.ABSENT),  # equal to no text's
            outcome=ResponseOutcome.ABSENT,
            character=subject.character,
            answered_at=timezone.now(),
            answered_at_is_upload=True,
        )

    def _read(
        self,
        run: Run,
        made: Made,
        answers: Mapping[Key, Response],
        scenarios: Mapping[str, Scenario],
    ) -> New | None:
        answer, *others = (answers[key_of(*one)] for one in made.answers)
        second = next(iter(others), None)
        given = self._given(scenarios.get(made.subject.scenario), answer, second)
        try:
            shape, judged = made.read(given)
        except FieldRefused as refused:
            self._refuse(made, refused.field, refused.message)
            return None
        subject = subject_of(run, made)
        epoch = self._epoch(made, shape, judged)
        return New(
            made=made,
            response=answer,
            second=second,
            shape=shape,
            judged=judged,
            epoch=epoch,
            identity=hash_of([subject, Origin.IMPORTED, judged.mode, made.judge, made.said_at]),
            board_key=board_key_of(
                subject=subject, mode=judged.mode, epoch_digest=epoch.digest, repeat=1
            ),
            judged_at=made.judged_at or timezone.now(),
        )

    def _given(self, scenario: Scenario | None, answer: Response, second: Response | None) -> Given:
        revision = self._published(scenario) if scenario else None
        return Given(
            response=_text(answer),
            scoring=_scoring(scenario),
            scenario=scenario_document(revision) if revision else None,
            revision=revision.number if revision else None,
            other=_text(second) if second else None,
        )

    def _published(self, scenario: Scenario) -> Revision | None:
        if scenario.key not in self._revisions:
            newest = newest_revision(RevisionKind.SCENARIO, scenario.key)
            self._revisions[scenario.key] = newest
        return self._revisions[scenario.key]

    def _epoch(self, made: Made, shape: str, judged: Judged) -> Epoch:
        pins = EpochPins(
            origin=Origin.IMPORTED,
            mode=judged.mode,
            rubric=None,
            prompt_version=f"imported: {shape.replace('_', ' ')}"[:40],
            requested_model=made.judge,
            parameters=judged.parameters,
        )
        base = pins.base_digest
        if base not in self._epochs:
            self._epochs[base] = epoch_to_plan(pins)
        return self._epochs[base]

    def _unknown(self, read: Sequence[New]) -> list[New]:
        """Those that are new; the others are counted as known, or refused as changed."""
        identities = [one.identity for one in read]
        stored = dict(
            ImportedDocument.objects.filter(verdict__identity__in=identities).values_list(
                "verdict__identity", "sha256"
            )
        )
        new: list[New] = []
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

    def _tell(self, new: Sequence[New]) -> None:
        for one in new:
            self.tally.of(one.made.file).verdicts += 1
            if one.response.scenario_id is None:
                self.tally.unlinked.add(one.response.scenario_key)
            said = remarks.on(one.judged.verdict, one.made.warnings, one.response)
            self.tally.warnings += [Remark(one.made.file, one.made.place, text) for text in said]
            self.tally.warnings += [
                Remark(one.made.file, one.made.at(name), f"{name}: {text}")
                for name, text in one.judged.said
            ]


def key_of(subject: Subject, identity: str) -> Key:
    return (subject.spec, subject.scenario, identity)


def subject_of(run: Run, made: Made) -> identity.Subject:
    """What a board counts once: the answer, or the pair."""
    first, *second = (
        response_subject(
            run_id=run.run_id, spec=one.spec, scenario_key=one.scenario, identity=identity
        )
        for one, identity in made.answers
    )
    return pair_subject(first, *second) if second else first


def _text(answer: Response) -> str | None:
    return answer.text if answer.outcome == ResponseOutcome.ANSWERED else None


def _scoring(scenario: Scenario | None) -> Any:
    """The scenario's own rubric, as its file has it."""
    return json.loads(scenario.extras).get("scoring") if scenario and scenario.extras else None


def _changed(one: New) -> str:
    judge = f" of {one.made.judge}" if one.made.judge else ""
    return (
        f"another verdict{judge} on {one.made.subject.source_id or 'this answer'!r} is stored, "
        "with other content; the first stands"
    )
