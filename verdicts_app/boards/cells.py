"""The sums under a board: per row and scenario, in whole numbers.

A cell is one scenario of one row. Its mean is the mean over runs of the mean over the repeats of
a run. The sums are kept with the verdicts (`BoardSum`); here they are added to rows.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from django.db.models import Q, QuerySet, Sum

from judgeweb.judging.model_names import judges_itself
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.same_model import sums_of
from verdicts_app.models import POINT, BoardSum, Persona
from verdicts_app.models.board_sum import UNIT, Span


@dataclass(slots=True)
class Tally:
    """`total` is the sum over runs in 1/60 of 1e-9 points."""

    total: int = 0
    runs: int = 0

    def add(self, total: int, runs: int) -> None:
        self.total += total
        self.runs += runs


@dataclass(slots=True)
class RowCells:
    """What one row has: a tally per scenario for each of the two totals, its money, and how far the
    repeats of an answer lie apart (`spread` sums standard deviations in 1e-9 points). `own` counts
    the verdicts on answers of the judge's own model, `empty_runs` the answers that are empty."""

    whole: dict[int, Tally] = field(default_factory=dict)
    bare: dict[int, Tally] = field(default_factory=dict)  # without persona
    verdicts: int = 0
    own: int = 0
    cost_nano_usd: int = 0
    verdicts_with_cost: int = 0
    repeated_runs: int = 0
    spread: int = 0
    empty_runs: int = 0

    @property
    def repeat_sd(self) -> Fraction | None:
        """The mean over repeated answers of the standard deviation of their totals, in points."""
        if not self.repeated_runs:
            return None
        return Fraction(self.spread, self.repeated_runs * POINT)


@dataclass(frozen=True, slots=True)
class Cells:
    rows: dict[str, RowCells]

    def means(self, tallies: dict[int, Tally]) -> dict[Hashable, float]:
        """Scenario -> its mean in points, for tests and intervals."""
        return {key: t.total / (t.runs * UNIT * POINT) for key, t in tallies.items() if t.runs}

    def mean(self, tallies: dict[int, Tally]) -> Fraction | None:
        """The mean over scenarios, each counting once, exactly."""
        held = [tally for tally in tallies.values() if tally.runs]
        if not held:
            return None
        common = lcm(*{tally.runs for tally in held})
        total = sum(tally.total * (common // tally.runs) for tally in held)
        return Fraction(total, common * len(held) * UNIT * POINT)


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
    """The filters on scenario, persona and time, for verdicts, or for responses under a prefix."""
    start, after = filters.between()
    times = {"answered_at__gte": start, "answered_at__lt": after}
    narrow = Q(**{f"{prefix}{name}": value for name, value in times.items() if value})
    return _about(filters, prefix) & narrow


def _about(filters: BoardFilters, prefix: str = "") -> Q:
    """A theme keeps the controls beside it: they are what it is compared with."""
    wanted = {
        "scenario__key": filters.scenario,
        "scenario__category": filters.category,
        "persona__role": filters.role,
    }
    narrow = Q(**{f"{prefix}{name}": value for name, value in wanted.items() if value})
    if filters.theme:
        theme = Q(**{f"{prefix}persona__theme": filters.theme})
        narrow &= theme | Q(**{f"{prefix}persona__is_control": True})
    return narrow


def sums_in_view(filters: BoardFilters, epoch_ids: Iterable[int], span: Span) -> QuerySet[BoardSum]:
    """Sums by bucket of the span, or by day where days are cut off."""
    days = {"start__gte": filters.start, "start__lte": filters.end}
    cut = {name: day for name, day in days.items() if day}
    ids = list(epoch_ids)
    found = BoardSum.objects.filter(
        _about(filters), epoch_id__in=ids, span=Span.DAY if cut else span, runs__gt=0
    )
    return found.filter(sums_of(filters.own, ids), **cut).order_by()


@dataclass(frozen=True, slots=True)
class Group:
    """One group of the query. Sums are in 1/60 of 1e-9 points, `spread` in 1e-9 points."""

    persona: int
    scenario: int
    model: str
    verdicts: int
    runs: int
    whole: int
    bare_runs: int
    bare: int
    costed: int
    cost: int
    repeated_runs: int
    spread: int
    empty_runs: int


def load_groups(filters: BoardFilters, epoch_id: int) -> list[Group]:
    rows = (
        sums_in_view(filters, [epoch_id], Span.ALL)
        .values_list("persona_id", "scenario_id", "model")
        .annotate(
            Sum("verdicts"),
            Sum("runs"),
            Sum("total"),
            Sum("bare_runs"),
            Sum("without_persona"),
            Sum("costed"),
            Sum("cost_nano_usd"),
            Sum("repeated_runs"),
            Sum("spread"),
            Sum("empty_runs"),
        )
    )
    return [Group(*row[:3], *map(int, row[3:])) for row in rows]


def gather(
    groups: list[Group], *, by: str, personas: Mapping[int, Persona], judges: Sequence[str] = ()
) -> Cells:
    """The groups as rows of the board; groups of personas not given are left out. `judges` are
    the names of the judge."""
    cells = Cells(rows={})
    key_of = row_key(by)
    for group in groups:
        persona = personas.get(group.persona)
        key = key_of(persona, group.model) if persona else None
        if key is not None:
            row = cells.rows.setdefault(key, RowCells())
            _add(row, group)
            row.own += group.verdicts if judges_itself(judges, group.model) else 0
    return cells


def _add(row: RowCells, group: Group) -> None:
    row.verdicts += group.verdicts
    row.cost_nano_usd += group.cost
    row.verdicts_with_cost += group.costed
    row.repeated_runs += group.repeated_runs
    row.spread += group.spread
    row.empty_runs += group.empty_runs
    row.whole.setdefault(group.scenario, Tally()).add(group.whole, group.runs)
    if group.bare_runs:
        row.bare.setdefault(group.scenario, Tally()).add(group.bare, group.bare_runs)
