"""Head to head: who beat whom in one mode and epoch of comparisons.

A win counts 1, a tie one half; the share is over decided duels and ties. Where the two orders
named different winners there is no result: those flips are counted beside the share, never in it.
Totals are means over scenarios of the mean over duels. A pair is one duel, however often it was
judged. A fixed number of queries.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from judgeweb.judging.statistics.rates import wilson
from verdicts_app.boards.comparisons import Interval, mean_interval
from verdicts_app.boards.duel_groups import (
    count_empty,
    count_own,
    count_unjudged,
    load_groups,
)
from verdicts_app.boards.epochs import EpochChoice
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.same_model import own_names
from verdicts_app.models import (
    POINT,
    ContestantOutcome,
    Origin,
    Persona,
)

HALF = Fraction(1, 2)


@dataclass
class Record:
    """Results from one side's view."""

    won: int = 0
    tied: int = 0
    lost: int = 0
    flips: int = 0

    def add(self, outcome: str, number: int) -> None:
        if outcome == ContestantOutcome.WON:
            self.won += number
        elif outcome == ContestantOutcome.LOST:
            self.lost += number
        elif outcome == ContestantOutcome.TIED:
            self.tied += number
        else:
            self.flips += number

    @property
    def duels(self) -> int:
        return self.won + self.tied + self.lost + self.flips

    @property
    def share(self) -> Fraction | None:
        decided = self.won + self.tied + self.lost
        return (self.won + HALF * self.tied) / decided if decided else None

    @property
    def interval(self) -> Interval | None:
        found = wilson(self.won + self.tied / 2, self.won + self.tied + self.lost)
        return Interval(found.lo, found.hi) if found else None


@dataclass(frozen=True)
class Contestant:
    """One row. `mean` is None where only outcomes are known. In `empty` of its duels it answered
    nothing, which counts as a total of 0."""

    key: str
    character: str
    is_control: bool
    record: Record
    scenarios: int
    mean: Fraction | None
    empty: int = 0


@dataclass(frozen=True)
class Pairing:
    """Two that met, the one with the larger share first. `margin` is one minus other."""

    one: str
    other: str
    record: Record
    scenarios: int
    margin: Fraction | None
    interval: Interval | None


@dataclass(frozen=True)
class DuelBoard:
    filters: BoardFilters
    epochs: EpochChoice
    rows: tuple[Contestant, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    duels: int = 0
    flips: int = 0
    unjudged: int = 0
    scenarios: int = 0
    own: int = 0

    @property
    def empty(self) -> int:
        return sum(row.empty for row in self.rows)

    @property
    def by(self) -> str:
        return "theme" if self.filters.by == "theme" else "persona"

    @property
    def is_sample(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.origin == Origin.SAMPLE


@dataclass
class _Sum:
    """Totals of one scenario in 1e-9 points, as far as they are known."""

    total: int | Fraction = 0
    number: int = 0

    def add(self, total: int | Fraction | None, number: int) -> None:
        if total is not None:
            self.total += total
            self.number += number

    @property
    def mean(self) -> Fraction | None:
        return Fraction(self.total, self.number * POINT) if self.number else None


@dataclass
class _Tally:
    record: Record = field(default_factory=Record)
    empty: int = 0
    sums: dict[int | None, _Sum] = field(default_factory=lambda: defaultdict(_Sum))

    @property
    def means(self) -> list[Fraction]:
        return [mean for one in self.sums.values() if (mean := one.mean) is not None]

    @property
    def mean(self) -> Fraction | None:
        means = self.means
        return sum(means, Fraction(0)) / len(means) if means else None


def duel_board(filters: BoardFilters, epochs: EpochChoice) -> DuelBoard:
    assert epochs.chosen is not None
    own_model = own_names(epochs.chosen.judges)
    groups = list(load_groups(filters, epochs.chosen.id, own_model))
    ids = {pk for group in groups for pk in (group.one, group.other)}
    personas = Persona.objects.in_bulk(ids)
    key_of = {pk: _key(persona, filters.by) for pk, persona in personas.items()}
    own: dict[str, _Tally] = defaultdict(_Tally)
    between: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    for group in groups:
        one, other = key_of[group.one], key_of[group.other]
        for key, side in ((one, group), (other, group.turned)):
            own[key].record.add(side.outcome, side.number)
            own[key].sums[side.scenario].add(side.total, side.number)
        side = group if one <= other else group.turned
        pair = between[min(one, other), max(one, other)]
        pair.record.add(side.outcome, side.number)
        pair.sums[side.scenario].add(side.margin, side.number)
    for persona, number in count_empty(filters, epochs.chosen.id, own_model).items():
        own[key_of[persona]].empty += number
    members = _members(personas.values(), filters.by)
    rows = [_row(key, tally, members[key]) for key, tally in own.items()]
    return DuelBoard(
        filters,
        epochs,
        rows=tuple(sorted(rows, key=_best_first)),
        pairings=tuple(sorted(map(_pairing, between.items()), key=_most_first)),
        duels=sum(group.number for group in groups),
        flips=sum(g.number for g in groups if g.outcome == ContestantOutcome.INCONSISTENT),
        unjudged=count_unjudged(filters, epochs.chosen.id),
        scenarios=len({group.scenario for group in groups}),
        own=count_own(filters, epochs.chosen.id, own_model),
    )


def _key(persona: Persona, by: str) -> str:
    return (persona.theme or persona.spec) if by == "theme" else persona.spec


def _members(personas: Iterable[Persona], by: str) -> Mapping[str, list[Persona]]:
    members: dict[str, list[Persona]] = defaultdict(list)
    for persona in personas:
        members[_key(persona, by)].append(persona)
    return members


def _row(key: str, tally: _Tally, members: list[Persona]) -> Contestant:
    return Contestant(
        key=key,
        character=members[0].character if len(members) == 1 else "",
        is_control=all(persona.is_control for persona in members),
        record=tally.record,
        scenarios=len(tally.sums),
        mean=tally.mean,
        empty=tally.empty,
    )


def _pairing(item: tuple[tuple[str, str], _Tally]) -> Pairing:
    """Turned so that the one ahead stands first."""
    (one, other), tally = item
    record, margin = tally.record, tally.mean
    margins = [float(mean) for mean in tally.means]
    if (record.lost, -(margin or 0)) > (record.won, margin or 0):
        one, other = other, one
        record = Record(record.lost, record.tied, record.won, record.flips)
        margin = None if margin is None else -margin
        margins = [-value for value in margins]
    return Pairing(one, other, record, len(tally.sums), margin, mean_interval(margins))


def _best_first(row: Contestant) -> tuple[Fraction, str]:
    share = row.record.share
    return (Fraction(1) if share is None else -share, row.key)


def _most_first(pairing: Pairing) -> tuple[int, str, str]:
    return (-pairing.record.duels, pairing.one, pairing.other)
