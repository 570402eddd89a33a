"""What makes two judgements the same work, and what puts two verdicts on one board.

All three are SHA-256 over canonical JSON, made of natural keys, so that they hold across
installations and re-imports:

epoch     origin, mode, rubric revision, prompt version, requested model, parameters
identity  subject, repeat, epoch, scenario revision, gold revision (captures: contract revision)
board     subject, mode, epoch, repeat

Where a model answers under another name than before, a further epoch of the same base starts.
Identities are made of the base, so that a judgement has one identity whatever will be returned.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rubrics_app.models import Revision
from verdicts_app.models import Epoch

Subject = tuple[str, ...]


def hash_of(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def response_subject(*, run_id: str, spec: str, scenario_key: str, identity: str) -> Subject:
    return ("response", run_id, spec, scenario_key, identity)


def capture_subject(*, run_id: str, call_id: str) -> Subject:
    return ("capture", run_id, call_id)


def pair_subject(first: Subject, second: Subject) -> Subject:
    """Of the subjects of its two answers."""
    return ("pair", *first[1:], *second[1:])


def chain_subject(theme: str, *answers: Subject) -> Subject:
    """Of the subjects of its four answers, in the order of the phases."""
    return ("chain", theme, *(part for answer in answers for part in answer[1:]))


def gold_subject(revision: Revision) -> Subject:
    """The answer of a gold standard, as published."""
    return ("gold", revision.key, str(revision.number), revision.sha256)


def pin(revision: Revision | None) -> list[Any] | None:
    """The natural key of a revision, with its hash."""
    if revision is None:
        return None
    return [revision.kind, revision.key, revision.number, revision.sha256]


def identity_of(
    *,
    subject: Subject,
    repeat: int,
    base_digest: str,
    scenario_pin: list[Any] | None,
    gold_pin: list[Any] | None,
) -> str:
    return hash_of([subject, repeat, base_digest, scenario_pin, gold_pin])


def call_identity_of(
    *, subject: Subject, repeat: int, base_digest: str, contract_pin: list[Any] | None
) -> str:
    return hash_of([subject, repeat, base_digest, contract_pin])


def board_key_of(*, subject: Subject, mode: str, epoch_digest: str, repeat: int) -> str:
    return hash_of([subject, mode, epoch_digest, repeat])


@dataclass(frozen=True)
class EpochPins:
    """`rubric` is null for verdicts of other tools. `parameters`: orders, output_mode, effort.
    Without `requested_model` nobody is asked: the prompt version is that of the algorithm."""

    origin: str
    mode: str
    rubric: Revision | None
    prompt_version: str
    requested_model: str
    parameters: Mapping[str, Any]

    @property
    def base_digest(self) -> str:
        return hash_of(
            [
                self.origin,
                self.mode,
                pin(self.rubric),
                self.prompt_version,
                self.requested_model,
                dict(self.parameters),
            ]
        )


def epoch_to_plan(pins: EpochPins) -> Epoch:
    """The newest epoch of these pins, made where there is none. Two planners make one."""
    base = pins.base_digest
    newest = Epoch.objects.filter(base_digest=base).order_by("-id").first()
    if newest is not None:
        return newest
    parameters = json.dumps(dict(pins.parameters), sort_keys=True)
    return Epoch.objects.get_or_create(
        digest=hash_of([base, ""]),
        defaults={
            "base_digest": base,
            "origin": pins.origin,
            "mode": pins.mode,
            "rubric_revision": pins.rubric,
            "prompt_version": pins.prompt_version,
            "requested_model": pins.requested_model,
            "parameters": parameters,
        },
    )[0]


def epoch_returned(planned: Epoch, returned_model: str) -> Epoch:
    """The epoch of a verdict that came back under `returned_model`: the planned one where the
    name is the first or the same, else another of the same base (made where it is new)."""
    if not returned_model or planned.returned_model == returned_model:
        return planned
    first = Epoch.objects.filter(pk=planned.pk, returned_model="")
    if planned.returned_model == "" and first.update(returned_model=returned_model):
        planned.returned_model = returned_model
        return planned
    known = Epoch.objects.filter(base_digest=planned.base_digest, returned_model=returned_model)
    return known.order_by("-id").first() or _further_epoch(planned, returned_model)


def _further_epoch(planned: Epoch, returned_model: str) -> Epoch:
    return Epoch.objects.get_or_create(
        digest=hash_of([planned.base_digest, returned_model]),
        defaults={
            "base_digest": planned.base_digest,
            "origin": planned.origin,
            "mode": planned.mode,
            "rubric_revision_id": planned.rubric_revision_id,
            "prompt_version": planned.prompt_version,
            "requested_model": planned.requested_model,
            "returned_model": returned_model,
            "parameters": planned.parameters,
        },
    )[0]
