"""The leaderboard: one mode and one epoch, one row per persona (or theme, role, model).

Mean = mean over scenarios of the mean over runs. A fixed number of queries, sums made by the
database, exact from whole numbers; intervals and tests are floats on the scenario means.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from judgeweb.judging.modes import PATCH_MODES
from verdicts_app.boards.cells import (
    CONTROL,
    Cells,
    RowCells,
    gather,
    load_groups,
    row_key,
)
from verdicts_app.boards.comparisons import Interval, Paired, mean_interval, paired, standings
from verdicts_app.boards.epochs import EpochChoice, choose, epochs_on_boards
from verdicts_app.boards.failures import Gap, load_gaps
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.weeks import load_weeks
from verdicts_app.models import Origin, Persona

NO_FIGURES = RowCells()


@dataclass(frozen=True, slots=True)
class Row:
    """One contestant. `mean` is exact; `best` to `worst` is its rank range, None while unranked.

    `own` of the valid are on answers of the judge's own model. `unjudged`, `unscored` (a verdict
    without a total) and `failed` are in no mean. `other_mean` is the total without persona, or with
    it where the board itself is without. `repeat_sd` is the mean over `repeated` answers of the
    standard deviation of their repeats' totals (with persona). `empty` of the `answers` in the mean
    are empty and count there with 0; an answer counts once, however often it was judged.
    """

    key: str
    character: str
    persona_id: int | None
    role: str
    is_control: bool
    scenarios: int
    valid: int
    own: int
    unjudged: int
    failed: int
    unscored: int
    mean: Fraction | None
    other_mean: Fraction | None
    interval: Interval | None
    cost_nano_usd: int | None
    repeated: int = 0
    repeat_sd: Fraction | None = None
    answers: int = 0
    empty: int = 0
    weeks: tuple[float | None, ...] = ()
    reference: str = ""
    versus: Paired | None = None
    best: int | None = None
    worst: int | None = None
    group: int | None = None

    @property
    def tried(self) -> int:
        """Answers given to a judge; failed runs never got that far."""
        return self.valid + self.unjudged + self.unscored

    @property
    def is_reference(self) -> bool:
        return self.is_control and self.reference in ("", self.key)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """`ranked` is in order of the mean unless the view sorts otherwise; unranked rows follow."""

    filters: BoardFilters
    epochs: EpochChoice
    ranked: tuple[Row, ...] = ()
    unranked: tuple[Row, ...] = ()
    scenarios: int = 0
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.ranked + self.unranked

    @property
    def valid(self) -> int:
        return sum(row.valid for row in self.rows)

    @property
    def own(self) -> int:
        return sum(row.own for row in self.rows)

    @property
    def tried(self) -> int:
        return sum(row.tried for row in self.rows)

    @property
    def unjudged(self) -> int:
        return sum(row.unjudged for row in self.rows)

    @property
    def failed(self) -> int:
        return sum(row.failed for row in self.rows)

    @property
    def has_repeats(self) -> bool:
        return any(row.repeated for row in self.rows)

    @property
    def empty(self) -> int:
        return sum(row.empty for row in self.rows)

    @property
    def is_of_patches(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.mode in PATCH_MODES

    @property
    def is_sample(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.origin == Origin.SAMPLE

    @property
    def is_by_mean(self) -> bool:
        """Tie groups are runs of neighbours in order of the mean, so only there they are drawn."""
        return self.filters.sort == "-mean"

    @property
    def tie_groups(self) -> int:
        return max((row.group or 0 for row in self.ranked), default=0)

    @property
    def control(self) -> Row | None:
        """The one control that every other row is compared with, if there is only one."""
        names = {row.reference for row in self.rows if row.reference}
        return next((row for row in self.rows if names == {row.key}), None)


def leaderboard(filters: BoardFilters, choice: EpochChoice | None = None) -> Leaderboard:
    epochs = choice or choose(filters, epochs_on_boards())
    if epochs.chosen is None:
        return Leaderboard(filters, epochs)
    epoch_id = epochs.chosen.id
    groups = load_groups(filters, epoch_id)
    scenarios = {group.scenario for group in groups}
    gaps = load_gaps(filters, epochs.chosen, scenarios)
    personas = _personas({group.persona for group in groups} | {gap.persona for gap in gaps})
    judges = epochs.chosen.judges
    cells = gather(groups, by=filters.by, personas=personas, judges=judges)
    weeks = load_weeks(filters, epoch_id, personas=personas)
    rows = _rows(filters, cells, gaps, personas)
    ranked, unranked = _ranked(_compared(rows, cells, filters), cells, filters)
    shown = [
        replace(row, weeks=weeks.get(row.key, ()))
        for row in (*ranked, *unranked)
        if not row.key.startswith(CONTROL)
    ]
    return Leaderboard(
        filters,
        epochs,
        ranked=_sorted((row for row in shown if row.best), filters.sort),
        unranked=_sorted((row for row in shown if not row.best), filters.sort),
        scenarios=len(scenarios),
        reasons=_reasons(gaps, personas),
    )


def _personas(ids: Iterable[int]) -> dict[int, Persona]:
    found = Persona.objects.filter(pk__in=set(ids), is_archived=False)
    return {persona.pk: persona for persona in found}


def _reasons(gaps: Sequence[Gap], personas: Mapping[int, Persona]) -> tuple[tuple[str, int], ...]:
    reasons: Counter[str] = Counter()
    for gap in gaps:
        if gap.reason and gap.persona in personas:
            reasons[gap.reason] += gap.number
    return tuple(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))


def _rows(
    filters: BoardFilters,
    cells: Cells,
    gaps: Sequence[Gap],
    personas: Mapping[int, Persona],
) -> list[Row]:
    key_of = row_key(filters.by)
    missing: dict[str, Counter[str]] = defaultdict(Counter)
    for gap in gaps:
        persona = personas.get(gap.persona)
        key = key_of(persona, gap.model) if persona else None
        if key is not None:
            missing[key][gap.kind] += gap.number
    members = _members(filters.by, personas)
    return [
        _row(key, filters, cells, members.get(key, []), missing[key])
        for key in sorted({*cells.rows, *missing})
    ]


def _members(by: str, personas: Mapping[int, Persona]) -> dict[str, list[Persona]]:
    """Row -> its personas, where the row is made of personas alone."""
    members: dict[str, list[Persona]] = {}
    if by in ("persona", "theme"):
        key_of = row_key(by)
        for persona in personas.values():
            members.setdefault(key_of(persona, "") or "", []).append(persona)
    return members


def _row(
    key: str,
    filters: BoardFilters,
    cells: Cells,
    members: list[Persona],
    missing: Counter[str],
) -> Row:
    found = cells.rows.get(key, NO_FIGURES)
    shown, other = (found.whole, found.bare)[:: 1 if filters.with_persona else -1]
    means = cells.means(shown)
    one = members[0] if len(members) == 1 and filters.by == "persona" else None
    return Row(
        key=key,
        character=one.character if one else "",
        persona_id=one.pk if one else None,
        role=one.role if one else "",
        is_control=bool(members) and all(persona.is_control for persona in members),
        scenarios=len(means),
        valid=found.verdicts,
        own=found.own,
        unjudged=missing["unjudged"],
        failed=missing["failed"],
        unscored=missing["unscored"],
        mean=cells.mean(shown),
        other_mean=cells.mean(other),
        interval=mean_interval(list(means.values())),
        cost_nano_usd=(
            round(Fraction(found.cost_nano_usd, found.verdicts_with_cost))
            if found.verdicts_with_cost
            else None
        ),
        repeated=found.repeated_runs,
        repeat_sd=found.repeat_sd,
        answers=sum(tally.runs for tally in found.whole.values()),
        empty=found.empty_runs,
    )


def _compared(rows: list[Row], cells: Cells, filters: BoardFilters) -> list[Row]:
    """Each row with its difference to its control, on the scenarios they share."""
    controls = [row for row in rows if row.is_control]
    by_key = {row.key: row for row in rows}
    compared = []
    for row in rows:
        control = _control_of(row, controls, by_key)
        if control is None or control.mean is None:
            compared.append(row)
            continue
        versus = (
            None
            if control.key == row.key
            else paired(_means(row, cells, filters), _means(control, cells, filters))
        )
        compared.append(replace(row, reference=control.key, versus=versus))
    return compared


def _control_of(row: Row, controls: list[Row], by_key: Mapping[str, Row]) -> Row | None:
    """The control of the same role, else the only control there is."""
    if row.is_control:
        return row
    hidden = by_key.get(f"{CONTROL}{row.key}")
    if hidden is not None or not controls:
        return hidden
    same_role = [control for control in controls if row.role and control.role == row.role]
    fitting = same_role or controls
    return fitting[0] if len(fitting) == 1 else None


def _means(row: Row, cells: Cells, filters: BoardFilters) -> dict[Hashable, float]:
    found = cells.rows.get(row.key, NO_FIGURES)
    return cells.means(found.whole if filters.with_persona else found.bare)


def _ranked(rows: list[Row], cells: Cells, filters: BoardFilters) -> tuple[list[Row], list[Row]]:
    """Rows on enough scenarios, each with its standing, and the others."""
    enough = [
        row for row in rows if row.scenarios >= filters.least and not row.key.startswith(CONTROL)
    ]
    places = standings({row.key: _means(row, cells, filters) for row in enough})
    ranked = [
        replace(row, best=place.best, worst=place.worst, group=place.group)
        for row in enough
        if (place := places.get(row.key))
    ]
    held = {row.key for row in ranked}
    return ranked, [row for row in rows if row.key not in held]


_SORT_VALUES = {
    "name": lambda row: row.key.casefold(),
    "mean": lambda row: row.mean,
    "control": lambda row: row.versus.mean if row.versus else None,
    "other": lambda row: row.other_mean,
    "valid": lambda row: row.valid,
    "cost": lambda row: row.cost_nano_usd,
}


def _sorted(rows: Iterable[Row], sort: str) -> tuple[Row, ...]:
    """Missing values come last in both directions; equal ones keep the order of the names."""
    value_of = _SORT_VALUES[sort.removeprefix("-")]
    named = sorted(rows, key=lambda row: row.key)
    known = [row for row in named if value_of(row) is not None]
    missing = [row for row in named if value_of(row) is None]
    known.sort(key=value_of, reverse=sort.startswith("-"))
    return (*known, *missing)
