"""Pass rates of captured calls over time: one point per call type and day, week or month.

Time is the call's own. A point is made of verdicts of one epoch alone: where a bucket holds
several, the epoch used last is shown. No line crosses a bucket without data or an epoch. What was
judged (system prompt, worker) and by which contract is followed beside it and marked where it
changes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Max, Min, QuerySet

from rubrics_app.models import Revision
from verdicts_app.boards.buckets import (
    MOST,
    bucket_range,
    bucket_start,
    last_day,
    segments_of,
)
from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.call_sums import SUMS, add_sums, sums_in_view
from verdicts_app.boards.epochs import EpochChoice, EpochOnBoard, Kind, choose, epochs_on_boards
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.rates import Rate, Tally
from verdicts_app.boards.trends import Change, epoch_difference
from verdicts_app.models import CallSum, Origin, SystemPromptText
from verdicts_app.models.board_sum import Span

MODE = "calls"


@dataclass(frozen=True, slots=True)
class Setting:
    """What the newest verdict of a bucket was about: its prompt, its worker, its contract."""

    prompt: str
    worker: str
    contract: str


@dataclass(frozen=True, slots=True)
class Point:
    start: date
    rates: Mapping[str, Rate]
    verdicts: int
    epoch: EpochOnBoard
    setting: Setting


@dataclass(frozen=True, slots=True)
class CallTypeTrend:
    """`points` has one entry per bucket, None where there is no verdict."""

    call_type: str
    points: tuple[Point | None, ...]
    changes: tuple[Change, ...]

    @property
    def verdicts(self) -> int:
        return sum(point.verdicts for point in self.points if point)

    @property
    def last(self) -> Point:
        return next(point for point in reversed(self.points) if point)

    @property
    def segments(self) -> list[list[Point]]:
        return segments_of(self.points)


@dataclass(frozen=True, slots=True)
class PassRates:
    """`trends` are in order of their verdicts, most first; `focus` is the one looked at closely.
    `is_cut`: buckets older than the first one shown found no room."""

    filters: CallFilters
    epochs: EpochChoice
    buckets: tuple[date, ...] = ()
    trends: tuple[CallTypeTrend, ...] = ()
    is_cut: bool = False

    @property
    def focus(self) -> CallTypeTrend | None:
        wanted = self.filters.call_type
        named = (trend for trend in self.trends if trend.call_type == wanted)
        return next(named, None) if wanted else next(iter(self.trends), None)

    @property
    def is_sample(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.origin == Origin.SAMPLE

    @property
    def last_day(self) -> date:
        return last_day(self.buckets, self.filters.bucket)

    @property
    def shown_epochs(self) -> set[EpochOnBoard]:
        return {point.epoch for trend in self.trends for point in trend.points if point}


def pass_rates(filters: CallFilters) -> PassRates:
    """Five queries, whatever the number of verdicts. All call types, also where one is named."""
    epochs = calls_epochs(filters)
    if epochs.chosen is None:
        return PassRates(filters, epochs)
    shown = (epochs.chosen,) if filters.epoch else _of_judge(epochs, filters)
    sums = sums_in_view(filters, Span(filters.bucket)).filter(
        epoch_id__in=[epoch.id for epoch in shown]
    )
    ends = sums.aggregate(first=Min("start"), last=Max("start"))
    if ends["first"] is None:
        return PassRates(filters, epochs)
    first, last = (bucket_start(ends[end], filters.bucket) for end in ("first", "last"))
    buckets = bucket_range(first, last, filters.bucket)
    groups = _groups(sums.filter(start__gte=buckets[0]), buckets, filters.bucket)
    points = _points(groups, buckets, {epoch.id: epoch for epoch in shown})
    by_type: dict[str, list[Point | None]] = defaultdict(lambda: [None] * len(buckets))
    for (call_type, number), point in points.items():
        by_type[call_type][number] = point
    trends = [
        CallTypeTrend(call_type, tuple(held), tuple(_changes(held)))
        for call_type, held in by_type.items()
    ]
    return PassRates(
        filters,
        epochs,
        tuple(buckets),
        tuple(sorted(trends, key=lambda trend: (-trend.verdicts, trend.call_type))),
        is_cut=len(buckets) == MOST and first < buckets[0],
    )


def calls_epochs(filters: CallFilters) -> EpochChoice:
    wanted = BoardFilters(mode=MODE, epoch=filters.epoch, judge=filters.judge)
    return choose(wanted, epochs_on_boards(Kind.CALLS))


def _of_judge(epochs: EpochChoice, filters: CallFilters) -> tuple[EpochOnBoard, ...]:
    return tuple(epoch for epoch in epochs.of_mode if filters.judge in ("", epoch.judge))


Place = tuple[str, int]
"""Call type and number of the bucket."""


@dataclass(slots=True)
class Group:
    """The verdicts of one epoch in one place; `newest` says when and about what."""

    tally: Tally = field(default_factory=Tally)
    newest: tuple[datetime, tuple[int, str, int]] | None = None


def _groups(
    sums: QuerySet[CallSum], buckets: Sequence[date], kind: str
) -> dict[Place, dict[int, Group]]:
    numbers = {start: number for number, start in enumerate(buckets)}
    found: dict[Place, dict[int, Group]] = defaultdict(lambda: defaultdict(Group))
    rows = sums.values_list(
        *("call_type", "start", "epoch_id", "system_prompt_id", "model", "contract_revision_id")
    ).annotate(**SUMS, last=Max("newest_at"))
    for call_type, start, epoch, prompt, worker, contract, *totals, last in rows:
        group = found[call_type, numbers[bucket_start(start, kind)]][epoch]
        add_sums(group.tally, totals)
        what = (last, (prompt or 0, worker, contract or 0))
        group.newest = max(group.newest, what) if group.newest else what
    return found


def _points(
    groups: Mapping[Place, Mapping[int, Group]],
    buckets: Sequence[date],
    epochs: Mapping[int, EpochOnBoard],
) -> dict[Place, Point]:
    newest = {
        place: max(by_epoch, key=lambda pk: epochs[pk].newest) for place, by_epoch in groups.items()
    }
    chosen = {place: groups[place][epoch] for place, epoch in newest.items()}
    settings = _settings(chosen.values())
    return {
        (call_type, number): Point(
            start=buckets[number],
            rates=group.tally.rates(),
            verdicts=group.tally.verdicts,
            epoch=epochs[newest[call_type, number]],
            setting=settings[group.newest[1]] if group.newest else Setting("", "", ""),
        )
        for (call_type, number), group in chosen.items()
    }


def _settings(groups: Iterable[Group]) -> dict[tuple[int, str, int], Setting]:
    wanted = {group.newest[1] for group in groups if group.newest}
    prompts = dict(
        SystemPromptText.objects.filter(pk__in={prompt for prompt, _, _ in wanted}).values_list(
            "pk", "sha256"
        )
    )
    contracts = dict(contract_names({contract for _, _, contract in wanted}))
    return {
        (prompt, worker, contract): Setting(
            prompts.get(prompt, ""), worker, contracts.get(contract, "")
        )
        for prompt, worker, contract in wanted
    }


def contract_names(ids: Iterable[int]) -> Iterable[tuple[int, str]]:
    """Revision id -> "key revision 3"."""
    found = Revision.objects.filter(pk__in=set(ids)).values_list("pk", "key", "number")
    return ((pk, f"{key} revision {number}") for pk, key, number in found)


def _changes(points: Iterable[Point | None]) -> Iterable[Change]:
    """Where something differs from the last bucket with data."""
    last: Point | None = None
    for point in points:
        if point is None:
            continue
        if last is not None:
            parts = [*_setting_difference(last.setting, point.setting)]
            if last.epoch.id != point.epoch.id:
                parts.append(epoch_difference(last.epoch, point.epoch))
            if parts:
                yield Change(point.start, last.start, ", ".join(parts))
        last = point


def _setting_difference(old: Setting, new: Setting) -> Iterable[str]:
    if old.prompt != new.prompt:
        yield f"System prompt {old.prompt[:6] or 'none'} → {new.prompt[:6] or 'none'}"
    if old.contract != new.contract:
        yield f"Contract {old.contract or 'none'} → {new.contract or 'none'}"
    if old.worker != new.worker:
        yield f"Worker {old.worker or 'none'} → {new.worker or 'none'}"
