"""Pairs and relays as rows: read with all that judging needs, made where they are new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q

from verdicts_app.models import PHASES, Chain, Pair
from verdicts_app.work.request import chunks

OF_PAIR = ("first", "second")


def _related(fields: Iterable[str]) -> list[str]:
    return [f"{field}__{of}" for field in fields for of in ("persona", "run")]


def loaded_pairs(ids: set[int]) -> Mapping[int, Pair]:
    return Pair.objects.select_related(*_related(OF_PAIR)).in_bulk(ids) if ids else {}


def loaded_chains(ids: set[int]) -> Mapping[int, Chain]:
    return Chain.objects.select_related(*_related(PHASES)).in_bulk(ids) if ids else {}


PairKey = tuple[int, int]
"""The ids of two answers."""


@dataclass(frozen=True, slots=True)
class ChainKey:
    """A relay that may not be stored yet. `response_ids` are in the order of PHASES; `scenario_id`
    is None where they answer more than one."""

    theme: str
    run_id: int
    scenario_id: int | None
    response_ids: tuple[int, int, int, int]


def pair_ids(keys: Iterable[PairKey]) -> dict[PairKey, int]:
    """The ids of these pairs, made where they are new."""
    wanted = dict.fromkeys(keys)
    found: dict[PairKey, int] = {}
    for some in chunks(wanted):
        Pair.objects.bulk_create(
            [Pair(first_id=first, second_id=second) for first, second in some],
            ignore_conflicts=True,
        )
        stored = Pair.objects.filter(first__in={first for first, _ in some})
        rows = {(first, second): pk for pk, first, second in stored.values_list(*PAIR_COLUMNS)}
        found |= {key: rows[key] for key in some}
    return found


PAIR_COLUMNS = ("pk", "first_id", "second_id")


def chain_ids(keys: Iterable[ChainKey]) -> dict[ChainKey, int]:
    """The ids of these relays, made where they are new."""
    found: dict[ChainKey, int] = {}
    for key in dict.fromkeys(keys):
        answers = dict(zip((f"{phase}_id" for phase in PHASES), key.response_ids, strict=True))
        chain, _ = Chain.objects.get_or_create(
            **answers,
            defaults={
                "run_id": key.run_id,
                "theme": key.theme,
                "scenario_id": key.scenario_id,
            },
        )
        found[key] = chain.pk
    return found


def stored_pairs(response_ids: Iterable[int]) -> set[PairKey]:
    """The pairs in which one of these answers stands."""
    stored: set[PairKey] = set()
    for ids in chunks(response_ids, 400):
        either = Pair.objects.filter(Q(first__in=ids) | Q(second__in=ids))
        stored.update(either.values_list("first_id", "second_id"))
    return stored
