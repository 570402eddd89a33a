"""The sums under a board: per row and scenario, in whole numbers, grouped by the database.

A cell is one scenario of one row. Its mean is the mean over runs of the mean over the repeats of
a run, so each sum is kept in units that every number of repeats divides.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from math import lcm
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum

from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import POINT, Persona, Verdict


@dataclass(slots=True)
class Tally:
    """`total` is the sum over runs in 1e-9 points times the board's `unit`."""

    total: int = 0
    runs: int = 0

    def add(self, total: int, runs: int) -> None:
        self.total += total
        self.runs += runs


@dataclass(slots=True)
class RowCells:
    """What one row has: a tally per scenario for each of the two totals, and its money."""

    whole: dict[int, Tally] = field(default_factory=dict)
    bare: dict[int, Tally] = field(default_factory=dict)  # without persona
    verdicts: int = 0
    cost_nano_usd: int = 0
    verdicts_with_cost: int = 0


@dataclass(frozen=True, slots=True)
class Cells:
    rows: dict[str, RowCells]
    unit: int

    def means(self, tallies: dict[int, Tally]) -> dict[Hashable, float]:
        """Scenario -> its mean in points, for tests and intervals."""
        return {key: t.total / (t.runs * self.unit * POINT) for key, t in tallies.items() if t.runs}

    def mean(self, tallies: dict[int, Tally]) -> Fraction | None:
        """The mean over scenarios, each counting once, exactly."""
        held = [tally for tally in tallies.values() if tally.runs]
        if not held:
            return None
        common = lcm(*{tally.runs for tally in held})
        total = sum(tally.total * (common // tally.runs) for tally in held)
        return Fraction(total, common * len(held) * self.unit * POINT)


RowKey = Callable[[Persona, str], str | None]
"""(persona, the model that answered) -> the row it counts in; None: in none."""


def row_key(by: str) -> RowKey:
    """Controls make rows by persona and theme; by role and model they are the reference."""
    if by == "persona":
        return lambda persona, _: persona.spec
    if by == "theme":
        return lambda persona, _: persona.theme or persona.spec
    if by == "role":
        return lambda persona, _: f"{CONTROL}{persona.role}" if persona.is_control else persona.role
    return lambda persona, model: f"{CONTROL}{model}" if persona.is_control else model


CONTROL = "\0control\0"
"""Marks the hidden rows that hold the controls of a role or model."""


def narrowed(filters: BoardFilters, prefix: str = "") -> Q:
    """The filters on scenario, persona and time, for verdicts, or for responses under a prefix.

    A theme keeps the controls beside it: they are what it is compared with.
    """
    start, after = filters.between()
    wanted = {
        "scenario__key": filters.scenario,
        "scenario__category": filters.category,
        "persona__role": filters.role,
        "answered_at__gte": start,
        "answered_at__lt": after,
    }
    narrow = Q(**{f"{prefix}{name}": value for name, value in wanted.items() if value})
    if filters.theme:
        theme = Q(**{f"{prefix}persona__theme": filters.theme})
        narrow &= theme | Q(**{f"{prefix}persona__is_control": True})
    return narrow


def verdicts_in_view(filters: BoardFilters, epoch_id: int) -> QuerySet[Verdict]:
    return Verdict.objects.filter(
        narrowed(filters),
        epoch_id=epoch_id,
        on_board=True,
        total_nano__isnull=False,
        persona__isnull=False,
        scenario__isnull=False,
    ).order_by()


@dataclass(frozen=True, slots=True)
class Group:
    """One group of the query; the sums are null where nothing was summed."""

    persona: int
    scenario: int
    model: str | None
    verdicts: int
    whole: int
    bare_runs: int
    bare: int | None
    costed: int
    cost: int | None
    repeat: int
    last: datetime


def load_groups(filters: BoardFilters, epoch_id: int) -> list[Group]:
    model = ("response__model",) if filters.by == "model" else ()
    rows = (
        verdicts_in_view(filters, epoch_id)
        .values_list("persona_id", "scenario_id", *model)
        .annotate(
            Count("id"),
            Sum("total_nano"),
            Count("without_persona_nano"),
            Sum("without_persona_nano"),
            Count("cost_nano_usd"),
            Sum("cost_nano_usd"),
            Max("repeat"),
            Max("answered_at"),
        )
    )
    if model:
        return [Group(*row) for row in rows]
    return [Group(row[0], row[1], "", *row[2:]) for row in rows]


def gather(
    groups: list[Group],
    *,
    filters: BoardFilters,
    epoch_id: int,
    personas: Mapping[int, Persona],
) -> Cells:
    """The groups as rows of the board; groups of personas not given are left out."""
    most_repeats = max((group.repeat for group in groups), default=1)
    cells = Cells(rows={}, unit=lcm(*range(1, most_repeats + 1)))
    key_of = row_key(filters.by)
    _add_groups(cells, groups, personas, key_of)
    if most_repeats > 1:
        _fold_repeats(cells, verdicts_in_view(filters, epoch_id), personas, key_of)
    return cells


def _add_groups(
    cells: Cells, groups: list[Group], personas: Mapping[int, Persona], key_of: RowKey
) -> None:
    for group in groups:
        persona = personas.get(group.persona)
        key = key_of(persona, group.model or "") if persona else None
        if key is None:
            continue
        row = cells.rows.setdefault(key, RowCells())
        row.verdicts += group.verdicts
        row.cost_nano_usd += group.cost or 0
        row.verdicts_with_cost += group.costed
        whole = row.whole.setdefault(group.scenario, Tally())
        whole.add(group.whole * cells.unit, group.verdicts)
        if group.bare_runs:
            bare = row.bare.setdefault(group.scenario, Tally())
            bare.add((group.bare or 0) * cells.unit, group.bare_runs)


def _fold_repeats(
    cells: Cells,
    verdicts: QuerySet[Verdict],
    personas: Mapping[int, Persona],
    key_of: RowKey,
) -> None:
    """Let a run that was judged several times count once, with the mean of its repeats."""
    for group in _repeated_runs(verdicts):
        persona = personas.get(group["persona_id"])
        key = key_of(persona, group["response__model"] or "") if persona else None
        if key is None:
            continue
        row, scenario = cells.rows[key], group["scenario_id"]
        judged, bare_judged = group["judged"], group["bare_judged"]
        row.whole[scenario].add(_surplus(group["whole"], judged, cells.unit), 1 - judged)
        if bare_judged > 1:
            surplus = _surplus(group["bare"], bare_judged, cells.unit)
            row.bare[scenario].add(surplus, 1 - bare_judged)


def _surplus(total: int, judged: int, unit: int) -> int:
    """What turns a run's sum over repeats into its mean."""
    return total * (unit // judged) - total * unit


def _repeated_runs(verdicts: QuerySet[Verdict]) -> Iterable[Mapping[str, Any]]:
    return (
        verdicts.filter(response__isnull=False)
        .values("persona_id", "scenario_id", "response__model", "response_id")
        .annotate(
            judged=Count("id"),
            whole=Sum("total_nano"),
            bare_judged=Count("without_persona_nano"),
            bare=Sum("without_persona_nano"),
        )
        .filter(judged__gt=1)
    )
