"""The filter bar of the boards: chips for what is on, choices for what can be added."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from rubrics_app.models import Scenario
from verdicts_app.boards.epochs import EpochChoice
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import PLAYGROUND_RUN, Persona, Response

SCENARIOS_MOST = 500
"""A longer list is no help in a select; the URL takes any key."""


CLEARED = (
    *("mode", "epoch", "scenario", "category", "role", "theme", "judge"),
    *("own", "start", "end", "minimum", "lines"),
)
"""What *Clear all* takes off; how a view is arranged stays."""


OWN = {"exclude": "left out", "only": "alone"}
"""What a filter on the judge's own model leaves."""


@dataclass(frozen=True)
class Chip:
    """A filter that is on. `off` is the query without it, None where the board chose it itself."""

    label: str
    value: str
    off: str | None
    is_code: bool = False


@dataclass(frozen=True)
class Switch:
    """One view of a few; `query` leads to it."""

    label: str
    query: str
    is_current: bool


@dataclass(frozen=True)
class Choices:
    """What the form offers."""

    modes: Sequence[str]
    epochs: Sequence[tuple[str, str]]
    judges: Sequence[str]
    scenarios: Sequence[str]
    categories: Sequence[str]
    roles: Sequence[str]
    themes: Sequence[str]
    specs: Sequence[str]


def chips(filters: BoardFilters, epochs: EpochChoice) -> list[Chip]:
    chosen = epochs.chosen
    mode = filters.mode or (chosen.mode if chosen else "")
    epoch = chosen.short if chosen else filters.epoch[:6]
    found = [
        Chip("mode", mode, filters.without("mode") if filters.mode else None),
        Chip("scenario", filters.scenario, filters.without("scenario")),
        Chip("category", filters.category, filters.without("category")),
        Chip("role", filters.role, filters.without("role")),
        Chip("theme", filters.theme, filters.without("theme")),
        Chip("judge", filters.judge, filters.without("judge")),
        Chip("own model", OWN.get(filters.own, ""), filters.without("own")),
        Chip("epoch", epoch, filters.without("epoch") if filters.epoch else None, is_code=True),
        Chip("from", _day(filters.start), filters.without("start")),
        Chip("to", _day(filters.end), filters.without("end")),
        Chip("min n", str(filters.minimum or ""), filters.without("minimum")),
    ]
    return [chip for chip in found if chip.value]


def by_switch(filters: BoardFilters) -> list[Switch]:
    return [
        Switch(by.capitalize(), filters.to_query(by=by), filters.by == by)
        for by in ("persona", "theme", "role", "model")
    ]


def persona_switch(filters: BoardFilters) -> list[Switch]:
    return [
        Switch("With persona", filters.to_query(with_persona=True), filters.with_persona),
        Switch("Without", filters.to_query(with_persona=False), not filters.with_persona),
    ]


def bucket_switch(filters: BoardFilters) -> list[Switch]:
    return [
        Switch(bucket.capitalize(), filters.to_query(bucket=bucket), filters.bucket == bucket)
        for bucket in ("day", "week", "month")
    ]


def choices(epochs: EpochChoice) -> Choices:
    scenarios = list(
        Scenario.objects.filter(is_archived=False, is_inline=False)
        .order_by("key")
        .values_list("key", "category")[:SCENARIOS_MOST]
    )
    personas = list(_personas().values_list("spec", "theme", "role"))
    return Choices(
        modes=epochs.modes,
        epochs=[(epoch.digest[:12], f"{epoch.short}: {epoch.label}") for epoch in epochs.of_mode],
        judges=epochs.judges,
        scenarios=[key for key, _ in scenarios],
        categories=sorted({category for _, category in scenarios if category}),
        roles=sorted({role for _, _, role in personas if role}),
        themes=sorted({theme for _, theme, _ in personas if theme}),
        specs=[spec for spec, _, _ in personas],
    )


def _day(value: object) -> str:
    return f"{value:%d %b %Y}".lstrip("0") if value else ""


def _personas() -> QuerySet[Persona]:
    """All but those that answered in the playground alone."""
    answers = Response.objects.filter(persona=OuterRef("pk"))
    tried = Exists(answers.filter(run__run_id=PLAYGROUND_RUN))
    elsewhere = Exists(answers.exclude(run__run_id=PLAYGROUND_RUN))
    return Persona.objects.filter(~tried | elsewhere, is_archived=False)
