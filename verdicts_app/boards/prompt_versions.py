"""The versions of a call type's system prompt, and what changed from one to another."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import sqrt

from django.db.models import Count, Max, Min, Sum

from rubrics_app.differences import Row, side_by_side
from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.call_sums import SUMS, add_sums, captures_in_view, sums_in_view
from verdicts_app.boards.comparisons import Interval
from verdicts_app.boards.epochs import EpochChoice, EpochOnBoard
from verdicts_app.boards.pass_rates import calls_epochs
from verdicts_app.boards.rates import KEYS, LABELS, Rate, Tally
from verdicts_app.models import CaptureSum, SystemPromptText
from verdicts_app.models.board_sum import Span

LINES_MOST = 1000
"""Of longer prompts the first lines are compared: matching is quadratic at worst."""


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """`sha256` is empty for calls without a system prompt. `rates` None: none judged in the epoch
    shown."""

    sha256: str
    captures: int
    first_seen: datetime
    last_seen: datetime
    verdicts: int
    rates: Mapping[str, Rate] | None

    @property
    def short(self) -> str:
        return self.sha256[:12]


@dataclass(frozen=True, slots=True)
class RateChange:
    """After minus before, in shares of one; no interval where either has no verdict."""

    key: str
    label: str
    before: Rate
    after: Rate
    difference: float | None
    interval: Interval | None

    @property
    def is_clear(self) -> bool:
        return self.interval is not None and not self.interval.holds(0)


@dataclass(frozen=True, slots=True)
class Comparison:
    before: PromptVersion
    after: PromptVersion
    rates: tuple[RateChange, ...]
    lines: tuple[Row, ...]


@dataclass(frozen=True)
class PromptVersions:
    """`versions` in order of first sight, oldest first."""

    filters: CallFilters
    epochs: EpochChoice
    epoch: EpochOnBoard | None
    versions: tuple[PromptVersion, ...]
    comparison: Comparison | None
    call_types: tuple[tuple[str, int], ...]


def prompt_versions(filters: CallFilters, *, before: str = "", after: str = "") -> PromptVersions:
    """`before` and `after` are starts of hashes; without them, the last two versions in use. The
    epoch is the newest in which the versions asked for, or any two, have verdicts."""
    call_types = _call_types()
    epochs = calls_epochs(filters)
    if not filters.call_type:
        return PromptVersions(filters, epochs, epochs.chosen, (), None, call_types)
    tallies = _tallies(filters, epochs)
    epoch = _epoch(epochs, tallies, (before, after), is_fixed=bool(filters.epoch))
    versions = _versions(filters, tallies.get(epoch.id, {}) if epoch else {})
    comparison = _comparison(versions, before, after)
    return PromptVersions(filters, epochs, epoch, versions, comparison, call_types)


def _call_types() -> tuple[tuple[str, int], ...]:
    """Every call type there is with the number of its prompts."""
    rows = (
        CaptureSum.objects.order_by()
        .values_list("call_type")
        .annotate(Count("system_prompt", distinct=True))
    )
    return tuple(sorted(rows))


ByPrompt = dict[str, Tally]
"""Hash of a system prompt, "" for none -> what was counted under it."""


def _tallies(filters: CallFilters, epochs: EpochChoice) -> dict[int, ByPrompt]:
    """By epoch."""
    shown = [epoch.id for epoch in epochs.of_mode]
    sums = sums_in_view(filters, Span.ALL).filter(epoch_id__in=shown, call_type=filters.call_type)
    found: dict[int, ByPrompt] = defaultdict(lambda: defaultdict(Tally))
    rows = sums.values_list("epoch_id", "system_prompt__sha256").annotate(**SUMS)
    for epoch, sha256, *totals in rows:
        add_sums(found[epoch][sha256 or ""], totals)
    return found


def _epoch(
    epochs: EpochChoice,
    tallies: Mapping[int, ByPrompt],
    named: tuple[str, str],
    *,
    is_fixed: bool,
) -> EpochOnBoard | None:
    if is_fixed:
        return epochs.chosen
    wanted = [start for start in named if start]
    for epoch in reversed(epochs.of_mode):
        judged = tallies.get(epoch.id, {})
        has_named = all(any(sha.startswith(start) for sha in judged) for start in wanted)
        if len(judged) > 1 and has_named:
            return epoch
    return epochs.chosen


def _versions(filters: CallFilters, tallies: ByPrompt) -> tuple[PromptVersion, ...]:
    rows = (
        captures_in_view(filters)
        .values_list("system_prompt__sha256")
        .annotate(Sum("captures"), Min("first_at"), Max("last_at"))
    )
    versions = [
        _version(sha256 or "", int(captures), first, last, tallies.get(sha256 or ""))
        for sha256, captures, first, last in rows
    ]
    return tuple(sorted(versions, key=lambda version: (version.first_seen, version.sha256)))


def _version(
    sha256: str, captures: int, first: datetime, last: datetime, tally: Tally | None
) -> PromptVersion:
    verdicts = tally.verdicts if tally else 0
    return PromptVersion(sha256, captures, first, last, verdicts, tally.rates() if tally else None)


def _comparison(versions: tuple[PromptVersion, ...], before: str, after: str) -> Comparison | None:
    judged = [version for version in versions if version.verdicts]
    pool = judged if len(judged) > 1 else list(versions)
    if len(pool) < 2:
        return None
    new = _named(versions, after) or pool[-1]
    old = _named(versions, before) or next(
        (version for version in reversed(pool) if version != new), pool[0]
    )
    if old == new:
        return None
    empty = Tally().rates()
    rates = tuple(
        rate_change(key, (old.rates or empty)[key], (new.rates or empty)[key]) for key in KEYS
    )
    texts = dict(
        SystemPromptText.objects.filter(sha256__in=[old.sha256, new.sha256]).values_list(
            "sha256", "text"
        )
    )
    lines = side_by_side(_lines(texts.get(old.sha256)), _lines(texts.get(new.sha256)))
    return Comparison(old, new, rates, tuple(lines))


def _lines(text: str | None) -> list[str]:
    return (text or "").splitlines()[:LINES_MOST]


def _named(versions: tuple[PromptVersion, ...], start: str) -> PromptVersion | None:
    return next((v for v in versions if start and v.sha256.startswith(start)), None)


def rate_change(key: str, before: Rate, after: Rate) -> RateChange:
    """The interval of the difference is Newcombe's, made of the two Wilson intervals (Newcombe
    1998, method 10): it stays inside -1 to 1 and is right for few calls and rates near 0 or 1."""
    difference, interval = None, None
    if before.share is not None and after.share is not None:
        difference = float(after.share - before.share)
        old, new = before.interval, after.interval
        assert old is not None
        assert new is not None
        p_old, p_new = float(before.share), float(after.share)
        interval = Interval(
            difference - sqrt((p_new - new.low) ** 2 + (old.high - p_old) ** 2),
            difference + sqrt((new.high - p_new) ** 2 + (p_old - old.low) ** 2),
        )
    return RateChange(key, LABELS[key], before, after, difference, interval)
