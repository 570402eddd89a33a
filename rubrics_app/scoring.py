"""A scenario's own rubric, as its file has it: shown to authors, never what the judge scores by.

Read are a list of categories (criteria with points, or penalties that cap or deduct), a map of
categories whose criteria is a sentence, and the legacy weights of severities.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

NUMBERS = (int, Decimal)


@dataclass(frozen=True)
class Criterion:
    """`worth` in words: "15 points", "caps at 45", "deducts 10"; "" where nothing is said."""

    name: str
    description: str
    worth: str
    points: Decimal | None


@dataclass(frozen=True)
class Category:
    """`weight` is the most that can be earned; None where nothing is said."""

    name: str
    description: str
    weight: Decimal | None
    criteria: tuple[Criterion, ...]

    @property
    def points(self) -> Decimal | None:
        """What the criteria add up to; None where one has no points."""
        known = [one.points for one in self.criteria if one.points is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(self.criteria) else None


def own_rubric(extras: str) -> tuple[Category, ...]:
    """Of a scenario's extras; empty where it has none, or none that is known."""
    document: Any = json.loads(extras, parse_float=Decimal) if extras else {}
    scoring = document.get("scoring") if isinstance(document, dict) else None
    if not isinstance(scoring, Mapping):
        return ()
    listed = scoring.get("categories")
    if isinstance(listed, list):
        return tuple(_category(row.get("name"), row) for row in listed if isinstance(row, Mapping))
    weights = scoring.get("weights")
    if isinstance(weights, Mapping):
        return (Category("weights", "legacy weights, not used", None, tuple(_weights(weights))),)
    return tuple(_category(name, row) for name, row in scoring.items() if isinstance(row, Mapping))


def _category(name: Any, row: Mapping[str, Any]) -> Category:
    criteria = row.get("criteria")
    sentence = criteria if isinstance(criteria, str) else ""
    return Category(
        name=_words(name),
        description=_words(row.get("description")) or sentence,
        weight=_number(row.get("weight")),
        criteria=tuple(_criteria(row)),
    )


def _criteria(row: Mapping[str, Any]) -> Iterator[Criterion]:
    for key in ("criteria", "penalties", "baseline"):
        listed = row.get(key)
        for one in listed if isinstance(listed, list) else ():
            yield _criterion(one)


def _criterion(row: Any) -> Criterion:
    if not isinstance(row, Mapping):
        return Criterion("", _words(row), "", None)
    points, cap, deduct = (_number(row.get(key)) for key in ("points", "cap_at", "deduct"))
    worth = ""
    if cap is not None:
        worth = f"caps at {cap}"
    elif deduct is not None:
        worth = f"deducts {deduct}"
    elif points is not None:
        worth = f"{points} points"
    return Criterion(_words(row.get("id")), _words(row.get("description")), worth, points)


def _weights(weights: Mapping[str, Any]) -> Iterator[Criterion]:
    for name, value in weights.items():
        yield Criterion(_words(name), "", _words(value), None)


def _number(value: Any) -> Decimal | None:
    is_number = isinstance(value, NUMBERS) and not isinstance(value, bool)
    return Decimal(value) if is_number else None


def _words(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def miscounts(categories: tuple[Category, ...]) -> Iterator[tuple[str, str]]:
    """Totals that the file declares and its lists do not give, each with its place.

    Criteria of which one alone is worth the category's weight are alternatives (all tests pass,
    most of them, ...) and are not added up."""
    for one in categories:
        points = one.points
        if one.weight is None or points is None or points == one.weight:
            continue
        if any(criterion.points == one.weight for criterion in one.criteria):
            continue
        yield (
            f"scoring.{one.name}",
            f"has the weight {one.weight}, but its criteria add up to {points}",
        )
    weights = [one.weight for one in categories if one.weight is not None]
    if len(weights) > 1 and len(weights) == len(categories) and sum(weights) != 100:
        yield "scoring", f"its weights add up to {sum(weights)}, not to 100"
