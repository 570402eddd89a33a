"""How far length goes with what the judge gives, in one run. It is shown; nothing is adjusted.

Each verdict keeps how many characters it judged. Of answers that is set beside their total, of
captured calls beside pass or fail, one figure per epoch (and call type); what was judged several
times counts once, with its mean. Of comparisons the share is given that the longer answer won.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.db.models.functions import Length

from judgeweb.judging.statistics.correlation import Correlation, NoCorrelation, pearson
from judgeweb.judging.statistics.rates import wilson
from verdicts_app.boards.comparisons import Interval
from verdicts_app.models import (
    POINT,
    ContestantOutcome,
    Epoch,
    Run,
    Verdict,
    VerdictContestant,
)


@dataclass(frozen=True)
class LengthRow:
    """`call_type` is empty for answers. `found` is the correlation or why there is none; `n` counts
    answers or calls."""

    epoch: Epoch
    call_type: str
    n: int
    found: Correlation | NoCorrelation

    @property
    def correlation(self) -> Correlation | None:
        return self.found if isinstance(self.found, Correlation) else None

    @property
    def why_none(self) -> str:
        return (
            ""
            if isinstance(self.found, Correlation)
            else WHY_NONE[self.found, bool(self.call_type)]
        )


WHY_NONE = {
    (NoCorrelation.TOO_FEW, False): "fewer than 5 answers",
    (NoCorrelation.TOO_FEW, True): "fewer than 5 calls",
    (NoCorrelation.CONSTANT_X, False): "all answers are equally long",
    (NoCorrelation.CONSTANT_X, True): "all responses are equally long",
    (NoCorrelation.CONSTANT_Y, False): "all totals are equal",
    (NoCorrelation.CONSTANT_Y, True): "all passed or all failed",
}


@dataclass(frozen=True)
class LongerWins:
    """Of the duels that one side won, `decided`, the longer answer won so many. Duels of equally
    long answers are left out."""

    epoch: Epoch
    won: int
    decided: int

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.won, self.decided) if self.decided else None

    @property
    def interval(self) -> Interval | None:
        found = wilson(self.won, self.decided)
        return Interval(found.lo, found.hi) if found else None


@dataclass(frozen=True)
class Lengths:
    run: Run
    rows: tuple[LengthRow, ...] = ()
    duels: tuple[LongerWins, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.rows or self.duels)


def lengths(run: Run) -> Lengths:
    """Of what counts on the boards. Three queries, and one for the epochs."""
    answers, calls, duels = _answers(run), _calls(run), _duels(run)
    epochs = Epoch.objects.in_bulk({pk for pk, *_ in (*answers, *calls)} | duels.keys())
    return Lengths(
        run,
        rows=tuple(
            _row(epochs[pk], call_type, subjects)
            for (pk, call_type), subjects in sorted((answers | calls).items())
        ),
        duels=tuple(_longer_wins(epochs[pk], found) for pk, found in sorted(duels.items())),
    )


class Subject:
    """One answer or call: its length, and what its repeats were given."""

    __slots__ = ("characters", "given", "repeats")

    def __init__(self) -> None:
        self.characters, self.given, self.repeats = 0, 0, 0

    def add(self, characters: int, given: int) -> None:
        self.characters = characters
        self.given += given
        self.repeats += 1


Group = tuple[int, str]
"""Epoch and call type."""
Subjects = dict[int, Subject]


def _answers(run: Run) -> dict[Group, Subjects]:
    rows = Verdict.objects.filter(
        run=run, on_board=True, response__isnull=False, total_nano__isnull=False
    ).order_by()
    columns = ("epoch_id", "response_id", "response_characters", "total_nano")
    found: dict[Group, Subjects] = defaultdict(lambda: defaultdict(Subject))
    for epoch, response, characters, total in rows.values_list(*columns).iterator():
        found[epoch, ""][response or 0].add(characters, total or 0)
    return found


def _calls(run: Run) -> dict[Group, Subjects]:
    rows = Verdict.objects.filter(
        run=run, on_board=True, capture__isnull=False, passed__isnull=False
    ).order_by()
    columns = ("epoch_id", "capture__call_type", "capture_id", "response_characters", "passed")
    found: dict[Group, Subjects] = defaultdict(lambda: defaultdict(Subject))
    for epoch, call_type, capture, characters, passed in rows.values_list(*columns).iterator():
        found[epoch, call_type][capture or 0].add(characters, POINT if passed else 0)
    return found


def _row(epoch: Epoch, call_type: str, subjects: Subjects) -> LengthRow:
    held = subjects.values()
    found = pearson(
        [one.characters for one in held], [one.given / (one.repeats * POINT) for one in held]
    )
    return LengthRow(epoch, call_type, len(held), found)


def _duels(run: Run) -> Mapping[int, list[tuple[int, int]]]:
    """Epoch -> the lengths of winner and loser of each duel that was won."""
    rows = VerdictContestant.objects.filter(
        verdict__run=run,
        verdict__on_board=True,
        outcome=ContestantOutcome.WON,
        verdict__contestants__outcome=ContestantOutcome.LOST,
    ).order_by()
    columns = ("response__text", "verdict__contestants__response__text")
    sizes = rows.values_list("verdict__epoch_id", *map(Length, columns))
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for epoch, winner, loser in sizes.iterator():
        found[epoch].append((winner, loser))
    return found


def _longer_wins(epoch: Epoch, found: Iterable[tuple[int, int]]) -> LongerWins:
    unequal = [(winner, loser) for winner, loser in found if winner != loser]
    return LongerWins(epoch, sum(winner > loser for winner, loser in unequal), len(unequal))
