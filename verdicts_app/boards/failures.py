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
    run failed, with one the judge gave no valid verdict."""

    persona: int
    model: str
    number: int
    reason: str = ""


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
    return [gap for gap in unjudged + failed if _is_wanted(gap, filters, epoch)]


def _is_wanted(gap: Gap, filters: BoardFilters, epoch: EpochOnBoard) -> bool:
    return not filters.own or judges_itself(epoch.judges, gap.model) == (filters.own == "only")


def _unjudged(filters: BoardFilters, epoch_id: int) -> list[tuple[int, str, str, int]]:
    """Each subject and repeat once, and only while no verdict of it is on the board."""
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
            state=JudgementState.UNJUDGED,
        )
        .order_by()
        .values_list("response__persona_id", "response__model", "unjudged_reason")
        .annotate(number=Count(F("response_id") * 10 + F("repeat"), distinct=True))
    )


def _failed(filters: BoardFilters, *, is_sample: bool) -> list[tuple[int, int | None, str, int]]:
    return list(
        Response.objects.filter(
            narrowed(filters), outcome=ResponseOutcome.FAILED, run__is_sample=is_sample
        )
        .order_by()
        .values_list("persona_id", "scenario_id", "model")
        .annotate(Count("id"))
    )
