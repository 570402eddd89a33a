"""The queries under the board of duels: results by pair and scenario, the pairs unjudged, and who
answered nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from judgeweb.judging.repeats import is_enough, majority
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Flag
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.same_model import narrowed_to
from verdicts_app.models import (
    ContestantOutcome,
    Judgement,
    JudgementState,
    Response,
    Verdict,
    VerdictContestant,
)


@dataclass(frozen=True)
class Group:
    """So many duels of two personas on a scenario with one outcome, as the first one sees it.
    Totals are sums in 1e-9 points."""

    one: int
    other: int
    scenario: int | None
    outcome: str
    number: int
    total: int | Fraction | None
    other_total: int | Fraction | None

    @property
    def margin(self) -> int | Fraction | None:
        known = self.total is not None and self.other_total is not None
        return (self.total or 0) - (self.other_total or 0) if known else None

    @property
    def turned(self) -> "Group":
        outcome = TURNED.get(self.outcome, self.outcome)
        return Group(
            self.other,
            self.one,
            self.scenario,
            outcome,
            self.number,
            self.other_total,
            self.total,
        )


TURNED = {
    ContestantOutcome.WON.value: ContestantOutcome.LOST.value,
    ContestantOutcome.LOST.value: ContestantOutcome.WON.value,
}


def load_groups(filters: BoardFilters, epoch_id: int, own: list[str]) -> Iterable[Group]:
    """Added up by the database; where pairs were judged several times, pair by pair. `own` are the
    names of the judge's own model."""
    repeated = Verdict.objects.filter(
        epoch=epoch_id, on_board=True, pair__isnull=False, repeat__gt=1
    )
    rows = _contestants(filters, epoch_id, own)
    total = _total(filters)
    if repeated.exists():
        return _of_pairs(rows, total, lost_of_epoch(epoch_id))
    sums = rows.values_list(*PERSONAS, "outcome").annotate(
        Count("pk"), Sum(total), Sum(f"verdict__contestants__{total}")
    )
    return (Group(*row) for row in sums)


PERSONAS = ("persona", "verdict__contestants__persona", "verdict__scenario")


def _total(filters: BoardFilters) -> str:
    return "total_nano" if filters.with_persona else "without_persona_nano"


def _contestants(
    filters: BoardFilters, epoch_id: int, own: list[str]
) -> QuerySet[VerdictContestant]:
    """The first of each verdict, joined with the second."""
    return VerdictContestant.objects.filter(
        _narrowed(filters, "verdict__"),
        narrowed_to(filters.own, _is_own(own)),
        verdict__epoch=epoch_id,
        verdict__on_board=True,
        position=1,
        verdict__contestants__position=2,
    ).order_by()


class _Repeat(NamedTuple):
    pair: int
    one: int
    other: int
    scenario: int | None
    outcome: str
    total: int | None
    other_total: int | None


def _of_pairs(
    rows: QuerySet[VerdictContestant], total: str, lost: Mapping[int, int]
) -> Iterator[Group]:
    """A pair is one duel however often it was judged: with the means of its valid repeats, and
    what their majority says. Without a majority it is inconsistent; with fewer than half of its
    repeats valid it is none."""
    columns = ("verdict__pair", *PERSONAS, "outcome", total, f"verdict__contestants__{total}")
    pairs: dict[int, list[_Repeat]] = defaultdict(list)
    for repeat in map(_Repeat._make, rows.values_list(*columns)):
        pairs[repeat.pair].append(repeat)
    for pair, repeats in pairs.items():
        asked = len(repeats) + lost.get(pair, 0)
        if is_enough(len(repeats), asked):
            first = repeats[0]
            said = majority((repeat.outcome for repeat in repeats), asked)
            yield Group(
                first.one,
                first.other,
                first.scenario,
                said or ContestantOutcome.INCONSISTENT.value,
                1,
                _mean([repeat.total for repeat in repeats]),
                _mean([repeat.other_total for repeat in repeats]),
            )


def _mean(totals: Sequence[int | None]) -> Fraction | None:
    known = [total for total in totals if total is not None]
    return Fraction(sum(known), len(known)) if known else None


def lost_of_epoch(epoch_id: int, **narrow: Any) -> dict[int, int]:
    """Pair -> how many of its repeats are unjudged and have no verdict on the board either."""
    on_board = Verdict.objects.filter(
        pair=OuterRef("pair"), epoch=OuterRef("epoch"), repeat=OuterRef("repeat"), on_board=True
    )
    unjudged = Judgement.objects.filter(
        ~Exists(on_board),
        epoch_id=epoch_id,
        state=JudgementState.UNJUDGED,
        pair__isnull=False,
        **narrow,
    ).order_by()
    counted = unjudged.values_list("pair").annotate(Count("repeat", distinct=True))
    return {pair: number for pair, number in counted if pair is not None}


def _is_own(own: list[str]) -> Q:
    """Contestants of duels in which either is of the judge's own model."""
    of_own = VerdictContestant.objects.filter(response__model__in=own)
    return Q(Exists(of_own.filter(verdict=OuterRef("verdict"))))


def count_own(filters: BoardFilters, epoch_id: int, own: list[str]) -> int:
    """Duels shown in which the judge judged its own model."""
    if not own or filters.own == "exclude":
        return 0
    verdicts = VerdictContestant.objects.filter(
        _narrowed(filters, "verdict__"),
        response__model__in=own,
        verdict__epoch=epoch_id,
        verdict__on_board=True,
    )
    return verdicts.values("verdict").distinct().count()


def _narrowed(filters: BoardFilters, prefix: str) -> Q:
    """Scenario, category and time of the verdict; a role or theme of either contestant."""
    start, after = filters.between()
    wanted = {
        "scenario__key": filters.scenario,
        "scenario__category": filters.category,
        "answered_at__gte": start,
        "answered_at__lt": after,
    }
    narrow = Q(**{f"{prefix}{name}": value for name, value in wanted.items() if value})
    either = {
        name: value
        for name, value in (("persona__role", filters.role), ("persona__theme", filters.theme))
        if value
    }
    if either:
        contestants = VerdictContestant.objects.filter(verdict=OuterRef(f"{prefix}pk"), **either)
        narrow &= Q(Exists(contestants))
    return narrow


def count_empty(filters: BoardFilters, epoch_id: int, own: list[str]) -> Mapping[int, int]:
    """Persona -> in how many of the duels shown it answered nothing. The flag says that one of the
    two did; which, its text."""
    flagged = _contestants(filters, epoch_id, own).filter(
        verdict__flags__contains=Flag.EMPTY_ANSWER
    )
    both = VerdictContestant.objects.filter(verdict__in=flagged.values("verdict")).order_by()
    sides = list(both.values_list("verdict__pair", "persona", "response").annotate(Count("pk")))
    empty: Counter[int] = Counter()
    if not sides:
        return empty
    answers = Response.objects.filter(pk__in=both.values("response")).order_by()
    texts = answers.values_list("pk", "text").iterator()
    silent = {pk for pk, text in texts if is_blank(text)}
    lost = lost_of_epoch(epoch_id)
    for pair, persona, response, valid in sides:
        if response in silent and is_enough(valid, valid + lost.get(pair or 0, 0)):
            empty[persona] += 1
    return empty


def count_unjudged(filters: BoardFilters, epoch_id: int) -> int:
    """Pairs of which fewer than half the repeats are valid, each once; only scenario and category
    narrow them."""
    wanted = {"scenario__key": filters.scenario, "scenario__category": filters.category}
    lost = lost_of_epoch(epoch_id, **{name: value for name, value in wanted.items() if value})
    if not lost:
        return 0
    of_pairs = Verdict.objects.filter(
        epoch=epoch_id,
        on_board=True,
        pair__in=Judgement.objects.filter(
            epoch=epoch_id, state=JudgementState.UNJUDGED, pair__isnull=False
        ).values("pair"),
    ).order_by()
    valid = dict(of_pairs.values_list("pair").annotate(Count("pk")))
    return sum(
        not is_enough(valid.get(pair, 0), valid.get(pair, 0) + number)
        for pair, number in lost.items()
    )
