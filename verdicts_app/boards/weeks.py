"""The last eight weeks of each row, for the small lines beside a board."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from django.db.models import Count, Sum

from verdicts_app.boards.buckets import bucket_number, bucket_of, midnight
from verdicts_app.boards.cells import row_key, verdicts_in_view
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import POINT, Persona

WEEKS = 8


def load_weeks(
    filters: BoardFilters,
    epoch_id: int,
    *,
    personas: Mapping[int, Persona],
    last_answer: datetime,
) -> dict[str, tuple[float | None, ...]]:
    """Row -> its mean over scenarios in each week, None where it has no verdict.

    A week starts on Monday at midnight of the installation's zone; the last one holds the
    newest answer shown.
    """
    starts = week_starts(last_answer)
    key_of = row_key(filters.by)
    column = "total_nano" if filters.with_persona else "without_persona_nano"
    model = ("response__model",) if filters.by == "model" else ()
    rows = (
        verdicts_in_view(filters, epoch_id)
        .filter(answered_at__gte=midnight(starts[0]), **{f"{column}__isnull": False})
        .annotate(week=bucket_number(starts))
        .values_list("persona_id", "scenario_id", "week", *model)
        .annotate(Sum(column), Count("id"))
    )
    sums: dict[tuple[str, int], dict[int, tuple[int, int]]] = defaultdict(dict)
    for persona_id, scenario, number, *rest in rows:
        persona = personas.get(persona_id)
        key = key_of(persona, rest[0] if model else "") if persona else None
        if key is None:
            continue
        held = sums[key, number].get(scenario, (0, 0))
        sums[key, number][scenario] = (held[0] + rest[-2], held[1] + rest[-1])
    return {
        key: tuple(_mean(sums.get((key, number))) for number in range(WEEKS))
        for key in {key for key, _ in sums}
    }


def week_starts(last: datetime) -> list[date]:
    """The last eight Mondays."""
    newest = bucket_of(last, "week")
    return [newest - timedelta(weeks=WEEKS - 1 - number) for number in range(WEEKS)]


def _mean(scenarios: dict[int, tuple[int, int]] | None) -> float | None:
    if not scenarios:
        return None
    return sum(total / (number * POINT) for total, number in scenarios.values()) / len(scenarios)
