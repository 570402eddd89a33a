"""Claimed judgements with all that judging and recording them needs, read many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import prefetch_related_objects

from judgeweb.judging.modes import PATCH_MODES
from judgeweb.judging.types import Case, Contestant, Reading
from rubrics_app.models import Revision, SweInstance
from rubrics_app.selectors import gold_document
from verdicts_app.models import Capture, Chain, Epoch, Judgement, Pair, Response
from verdicts_app.work import cases
from verdicts_app.work.cases import AnyCase
from verdicts_app.work.identity import (
    Subject,
    capture_subject,
    chain_subject,
    gold_subject,
    pair_subject,
    response_subject,
)
from verdicts_app.work.linked import persona_marks
from verdicts_app.work.reuse import readings
from verdicts_app.work.spent import requests_spent
from verdicts_app.work.together import loaded_chains, loaded_pairs


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A claimed judgement. `persona` is the linked verdict's mean persona mark. `spent` counts, by
    prompt, the requests that workers made for it before they were lost; None where none was.
    `taken` is what the judge decided on the same prompt before, so that nobody is asked."""

    id: int
    attempt: int
    job_id: UUID
    mode: str
    repeat: int
    identity: str
    epoch: Epoch
    scenario: Revision | None
    gold: Revision | None
    scenario_id: int | None
    response_id: int | None
    text: str
    answered_at: datetime
    character: str
    run_pk: int | None
    persona_id: int | None
    spec: str
    subject: Subject
    capture: Capture | None = None
    contract: Revision | None = None
    pair: Pair | None = None
    chain: Chain | None = None
    gold_answer: Revision | None = None
    instance: SweInstance | None = None
    persona: Fraction | None = None
    spent: Mapping[str, int] | None = None
    taken: Reading | None = None
    seed: str = ""


def case_of(item: Item) -> AnyCase:
    if item.capture is not None:
        return cases.call_case(item.capture, item.epoch, item.contract)
    if item.chain is not None:
        return cases.chain_case(item.chain, item.epoch)
    if item.pair is not None:
        assert item.scenario is not None
        contestants = cases.contestants_of(item.pair, item.mode)
        return cases.answer_case(contestants, item.epoch, item.scenario, item.gold, item.seed)
    if item.instance is not None:
        rubric = item.epoch.rubric_revision
        assert item.scenario is not None
        assert rubric is not None
        return cases.known_patch_case(item.text, rubric, item.scenario, item.instance, item.persona)
    return response_case(item)


def response_case(item: Item) -> Case:
    """As `case_of`, for an item that is known to be a response."""
    assert item.scenario is not None
    contestant = Contestant(item.spec, item.character, item.text)
    return cases.answer_case([contestant], item.epoch, item.scenario, item.gold, item.seed)


FIELDS = (
    "id",
    "attempt",
    "job_id",
    "mode",
    "repeat",
    "identity",
    "seed",
    "lost",
    "epoch_id",
    "scenario_id",
    "scenario_revision_id",
    "gold_revision_id",
    "contract_revision_id",
    "taken_from_id",
    "capture_id",
    "pair_id",
    "chain_id",
    "gold_answer_id",
    "linked_id",
    "response_id",
    "response__text",
    "response__answered_at",
    "response__character",
    "response__persona__character",
    "response__run_id",
    "response__run__run_id",
    "response__persona_id",
    "response__persona__spec",
    "response__scenario_key",
    "response__identity",
)
REVISIONS = (
    "scenario_revision_id",
    "gold_revision_id",
    "contract_revision_id",
    "gold_answer_id",
)
Row = dict[str, Any]


def loaded(ids: list[int]) -> list[Item]:
    rows: list[Row] = list(Judgement.objects.filter(pk__in=ids).order_by("id").values(*FIELDS))
    revisions = Revision.objects.in_bulk(set().union(*(_of(rows, name) for name in REVISIONS)))
    found = Pinned(
        epochs=Epoch.objects.select_related("rubric_revision").in_bulk(_of(rows, "epoch_id")),
        revisions=revisions,
        captures=_captures(_of(rows, "capture_id")),
        pairs=loaded_pairs(_of(rows, "pair_id")),
        chains=loaded_chains(_of(rows, "chain_id")),
        instances=_instances(rows, revisions),
        personas=persona_marks(_of(rows, "linked_id")),
        readings=readings(_of(rows, "taken_from_id")),
        spent=requests_spent([row["id"] for row in rows if row["lost"]]),
    )
    return [Item(**_common(row, found), **_about(row, found)) for row in rows]


def _of(rows: Iterable[Row], name: str) -> set[int]:
    return {row[name] for row in rows} - {None}


@dataclass(frozen=True)
class Pinned:
    """What claimed judgements point at, by id."""

    epochs: Mapping[int, Epoch]
    revisions: Mapping[int, Revision]
    captures: Mapping[int, Capture]
    pairs: Mapping[int, Pair]
    chains: Mapping[int, Chain]
    instances: Mapping[int, SweInstance]
    personas: Mapping[int, Fraction]
    readings: Mapping[int, Reading]
    spent: Mapping[int, Mapping[str, int]]


def _instances(rows: Iterable[Row], revisions: Mapping[int, Revision]) -> dict[int, SweInstance]:
    """By scenario revision, for what is judged against a known patch."""
    pks = {row["scenario_revision_id"] for row in rows if row["mode"] in PATCH_MODES}
    found = {pk: cases.instance_of(revisions[pk]) for pk in pks}
    return {pk: instance for pk, instance in found.items() if instance is not None}


def _captures(ids: set[int]) -> Mapping[int, Capture]:
    """Many share a system prompt: each is read once."""
    if not ids:
        return {}
    captures = Capture.objects.defer("extras").select_related("run").in_bulk(ids)
    prefetch_related_objects(list(captures.values()), "system_prompt")
    return captures


def _common(row: Row, found: Pinned) -> dict[str, Any]:
    return {
        "id": row["id"],
        "attempt": row["attempt"],
        "job_id": row["job_id"],
        "mode": row["mode"],
        "repeat": row["repeat"],
        "identity": row["identity"],
        "seed": row["seed"],
        "epoch": found.epochs[row["epoch_id"]],
        "scenario": found.revisions.get(row["scenario_revision_id"]),
        "gold": found.revisions.get(row["gold_revision_id"]),
        "contract": found.revisions.get(row["contract_revision_id"]),
        "scenario_id": row["scenario_id"],
        "instance": (
            found.instances.get(row["scenario_revision_id"]) if row["mode"] in PATCH_MODES else None
        ),
        "persona": found.personas.get(row["linked_id"]),
        "spent": found.spent.get(row["id"]),
        "taken": found.readings.get(row["taken_from_id"]),
    }


def _about(row: Row, found: Pinned) -> dict[str, Any]:
    """What an item says of its subject."""
    if row["response_id"] is not None:
        return _of_response(row)
    if row["capture_id"] is not None:
        return _of_capture(found.captures[row["capture_id"]])
    if row["pair_id"] is not None:
        return _of_pair(found.pairs[row["pair_id"]])
    if row["gold_answer_id"] is not None:
        return _of_gold(found.revisions[row["gold_answer_id"]])
    return _of_chain(found.chains[row["chain_id"]])


def _of_response(row: Row) -> dict[str, Any]:
    return {
        "response_id": row["response_id"],
        "text": row["response__text"],
        "answered_at": row["response__answered_at"],
        "character": row["response__character"] or row["response__persona__character"],
        "run_pk": row["response__run_id"],
        "persona_id": row["response__persona_id"],
        "spec": row["response__persona__spec"],
        "subject": response_subject(
            run_id=row["response__run__run_id"],
            spec=row["response__persona__spec"],
            scenario_key=row["response__scenario_key"],
            identity=row["response__identity"],
        ),
    }


NOBODY: dict[str, Any] = {"response_id": None, "persona_id": None, "spec": "", "character": ""}


def _of_capture(capture: Capture) -> dict[str, Any]:
    return {
        **NOBODY,
        "capture": capture,
        "text": capture.response_content or "",
        "answered_at": capture.at or capture.uploaded_at,
        "run_pk": capture.run_id,
        "subject": capture_subject(run_id=capture.run.run_id, call_id=capture.call_id),
    }


def _of_pair(pair: Pair) -> dict[str, Any]:
    return {
        **NOBODY,
        "pair": pair,
        "text": pair.first.text + pair.second.text,
        "answered_at": max(pair.first.answered_at, pair.second.answered_at),
        "run_pk": pair.first.run_id,
        "subject": pair_subject(*(natural_key(one) for one in (pair.first, pair.second))),
    }


def _of_chain(chain: Chain) -> dict[str, Any]:
    answers = chain.responses
    return {
        **NOBODY,
        "chain": chain,
        "text": "".join(answer.text for answer in answers),
        "answered_at": max(answer.answered_at for answer in answers),
        "run_pk": chain.run_id,
        "subject": chain_subject(chain.theme, *(natural_key(answer) for answer in answers)),
    }


def _of_gold(revision: Revision) -> dict[str, Any]:
    return {
        **NOBODY,
        "gold_answer": revision,
        "spec": cases.GOLD_SPEC,
        "text": gold_document(revision).response,
        "answered_at": revision.published_at,
        "run_pk": None,
        "subject": gold_subject(revision),
    }


def natural_key(response: Response) -> Subject:
    return response_subject(
        run_id=response.run.run_id,
        spec=response.persona.spec,
        scenario_key=response.scenario_key,
        identity=response.identity,
    )
