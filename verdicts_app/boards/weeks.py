"""The last eight weeks of each row, for the small lines beside a board."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta

from django.db.models import Sum

from verdicts_app.boards.buckets import bucket_start
from verdicts_app.boards.cells import Tally, row_key, sums_in_view
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import POINT, Persona
from verdicts_app.models.board_sum import UNIT, Span

WEEKS = 8


def load_weeks(
    filters: BoardFilters, epoch_id: int, *, personas: Mapping[int, Persona]
) -> dict[str, tuple[float | None, ...]]:
    """Row -> its mean over scenarios in each week, None where it has no verdict.

    A week starts on Monday at midnight of the installation's zone; the last one holds the
    newest answer shown.
    """
    sums = sums_in_view(filters, [epoch_id], Span.WEEK)
    newest = sums.order_by("-start").values_list("start", flat=True).first()
    if newest is None:
        return {}
    starts = week_starts(newest)
    total, runs = ("total", "runs") if filters.with_persona else ("without_persona", "bare_runs")
    model = ("model",) if filters.by == "model" else ()
    rows = (
        sums.filter(start__gte=starts[0], **{f"{runs}__gt": 0})
        .values_list("persona_id", "scenario_id", "start", *model)
        .annotate(Sum(total), Sum(runs))
    )
    key_of = row_key(filters.by)
    number_of = {start: number for number, start in enumerate(starts)}
    found: dict[tuple[str, int], dict[int, Tally]] = defaultdict(dict)
    for persona_id, scenario, start, *rest in rows:
        persona = personas.get(persona_id)
        key = key_of(persona, rest[0] if model else "") if persona else None
        if key is not None:
            week = number_of[bucket_start(start, "week")]
            tally = found[key, week].setdefault(scenario, Tally())
            tally.add(int(rest[-2]), int(rest[-1]))
    return {
        key: tuple(_mean(found.get((key, number))) for number in range(WEEKS))
        for key in {key for key, _ in found}
    }


def week_starts(newest: date) -> list[date]:
    """The last eight Mondays, up to the week of that day."""
    last = bucket_start(newest, "week")
    return [last - timedelta(weeks=WEEKS - 1 - number) for number in range(WEEKS)]


def _mean(scenarios: dict[int, Tally] | None) -> float | None:
    if not scenarios:
        return None
    means = [tally.total / (tally.runs * UNIT * POINT) for tally in scenarios.values()]
    return sum(means) / len(means)
