"""The last eight weeks of each row, for the small lines beside a board."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Case, Count, IntegerField, Sum, Value, When

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
    week = Case(
        *(
            When(answered_at__gte=start, then=Value(n))
            for n, start in reversed([*enumerate(starts)])
        ),
        output_field=IntegerField(),
    )
    model = ("response__model",) if filters.by == "model" else ()
    rows = (
        verdicts_in_view(filters, epoch_id)
        .filter(answered_at__gte=starts[0], **{f"{column}__isnull": False})
        .annotate(week=week)
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


def week_starts(last: datetime) -> list[datetime]:
    """The last eight Mondays at local midnight; a week over a clock change is an hour off 168."""
    zone = ZoneInfo(settings.TIME_ZONE)
    today = last.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    days: list[date] = [monday - timedelta(weeks=WEEKS - 1 - n) for n in range(WEEKS)]
    return [datetime.combine(day, time.min, zone) for day in days]


def _mean(scenarios: dict[int, tuple[int, int]] | None) -> float | None:
    if not scenarios:
        return None
    return sum(total / (number * POINT) for total, number in scenarios.values()) / len(scenarios)
