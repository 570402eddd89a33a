"""What was tried and gave no verdict. It is counted beside a mean, never in it."""

from collections.abc import Set
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef

from judgeweb.judging.model_names import judges_itself
from verdicts_app.boards.cells import narrowed
from verdicts_app.boards.epochs import EpochOnBoard
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import (
    Judgement,
    JudgementState,
    Origin,
    Response,
    ResponseOutcome,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Gap:
    """So many of a persona's answers are missing from its mean; without a reason the agent's own
    run failed, with one the judge gave no valid verdict. `is_unscored`: there is a verdict, but no
    total comes of it."""

    persona: int
    model: str
    number: int
    reason: str = ""
    is_unscored: bool = False

    @property
    def kind(self) -> str:
        """As the row that counts it calls it."""
        if self.is_unscored:
            return "unscored"
        return "unjudged" if self.reason else "failed"


def load_gaps(filters: BoardFilters, epoch: EpochOnBoard, scenarios: Set[int]) -> list[Gap]:
    """Failed runs have no judgement and so no epoch: those on the board's scenarios are taken,
    of the sample's runs on a board of the sample and of no others elsewhere."""
    unjudged = [
        Gap(persona, model, number, reason)
        for persona, model, reason, number in _unjudged(filters, epoch.id)
    ]
    failed = [
        Gap(persona, model, number)
        for persona, scenario, model, number in _failed(
            filters, is_sample=epoch.origin == Origin.SAMPLE
        )
        if scenario in scenarios
    ]
    gaps = unjudged + failed + _unscored(filters, epoch)
    return [gap for gap in gaps if _is_wanted(gap, filters, epoch)]


def _is_wanted(gap: Gap, filters: BoardFilters, epoch: EpochOnBoard) -> bool:
    return not filters.own or judges_itself(epoch.judges, gap.model) == (filters.own == "only")


def _unjudged(filters: BoardFilters, epoch_id: int) -> list[tuple[int, str, str, int]]:
    """Each answer and repeat once, and only while no verdict of it is on the board. Answers of
    gold standards, which calibrate a judge, are on none."""
    on_board = Verdict.objects.filter(
        response=OuterRef("response"),
        epoch=OuterRef("epoch"),
        repeat=OuterRef("repeat"),
        on_board=True,
    )
    return list(
        Judgement.objects.filter(
            ~Exists(on_board),
            narrowed(filters, "response__"),
            epoch_id=epoch_id,
            response__isnull=False,
            state=JudgementState.UNJUDGED,
        )
        .order_by()
        .values_list("response__persona_id", "response__model", "unjudged_reason")
        .annotate(number=Count(F("response_id") * 10 + F("repeat"), distinct=True))
    )


def _unscored(filters: BoardFilters, epoch: EpochOnBoard) -> list[Gap]:
    """Documents of other tools may hold neither marks nor findings; ours always give a total."""
    if epoch.origin != Origin.IMPORTED:
        return []
    verdicts = Verdict.objects.filter(
        narrowed(filters),
        epoch=epoch.id,
        on_board=True,
        total_nano=None,
        response__isnull=False,
        persona__isnull=False,
    ).order_by()
    counted = verdicts.values_list("persona_id", "response__model").annotate(Count("id"))
    return [
        Gap(persona, model, number, is_unscored=True)
        for persona, model, number in counted
        if persona is not None
    ]


def _failed(filters: BoardFilters, *, is_sample: bool) -> list[tuple[int, int | None, str, int]]:
    return list(
        Response.objects.filter(
            narrowed(filters), outcome=ResponseOutcome.FAILED, run__is_sample=is_sample
        )
        .order_by()
        .values_list("persona_id", "scenario_id", "model")
        .annotate(Count("id"))
    )
