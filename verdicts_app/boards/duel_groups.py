"""The queries under the board of duels: results by pair and scenario, and the pairs unjudged."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, Sum

from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.same_model import narrowed_to
from verdicts_app.models import (
    ContestantOutcome,
    Judgement,
    JudgementState,
    Verdict,
    VerdictContestant,
)


@dataclass(frozen=True)
class Group:
    """So many duels of two personas on a scenario with one outcome, as the first one sees it."""

    one: int
    other: int
    scenario: int | None
    outcome: str
    number: int
    total: int | None
    other_total: int | None

    @property
    def margin(self) -> int | None:
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
    """`own` are the names of the judge's own model."""
    total = "total_nano" if filters.with_persona else "without_persona_nano"
    rows = (
        VerdictContestant.objects.filter(
            _narrowed(filters, "verdict__"),
            narrowed_to(filters.own, _is_own(own)),
            verdict__epoch=epoch_id,
            verdict__on_board=True,
            position=1,
            verdict__contestants__position=2,
        )
        .order_by()
        .values_list("persona", "verdict__contestants__persona", "verdict__scenario", "outcome")
        .annotate(Count("pk"), Sum(total), Sum(f"verdict__contestants__{total}"))
    )
    return (Group(*row) for row in rows)


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


def count_unjudged(filters: BoardFilters, epoch_id: int) -> int:
    """Pairs without a verdict on the board, each once; only scenario and category narrow them."""
    on_board = Verdict.objects.filter(
        pair=OuterRef("pair"), epoch=OuterRef("epoch"), repeat=OuterRef("repeat"), on_board=True
    )
    wanted = {"scenario__key": filters.scenario, "scenario__category": filters.category}
    return (
        Judgement.objects.filter(
            ~Exists(on_board),
            epoch_id=epoch_id,
            state=JudgementState.UNJUDGED,
            pair__isnull=False,
            **{name: value for name, value in wanted.items() if value},
        )
        .values("pair", "repeat")
        .distinct()
        .count()
    )
