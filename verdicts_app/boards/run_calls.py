"""The captured calls of a run by call type: what passes, what it cost, how the calls went."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from django.db.models import Max, Subquery, Sum

from verdicts_app.boards.call_sums import SUMS, add_sums
from verdicts_app.boards.rates import Rate, Tally
from verdicts_app.boards.runs_page import calls_of_runs, pending_calls
from verdicts_app.models import (
    OPEN_STATES,
    CallSum,
    Capture,
    CaptureSum,
    DraftingRequest,
    Epoch,
    LedgerEntry,
    Run,
)
from verdicts_app.models.board_sum import Span

PERCENTILES = (50, 95)
KINDS_SHOWN = 3
MODE = "calls"
LOOKED_UP_AT_ONCE = 500
"""Below the number of columns that a statement may have."""


@dataclass(frozen=True, slots=True)
class CallTypeRow:
    """`rates` are of the epoch judged last for this call type, None while nothing is judged;
    `other_epochs` counts verdicts of other epochs, which are in no figure here. Latencies are
    the calls' own, by nearest rank. `kinds` lists the failures the producer named, most first.
    The cost is None where no price of its requests is known."""

    call_type: str
    captures: int
    judged: int
    unjudged: int
    waiting: int
    undecided: int
    rates: Mapping[str, Rate] | None
    epoch: str
    origin: str
    other_epochs: int
    cost_nano_usd: int | None
    median_ms: int | None
    p95_ms: int | None
    failures: int
    kinds: tuple[tuple[str, int], ...]

    @property
    def to_judge(self) -> int:
        return max(self.captures - self.judged - self.waiting, 0)


@dataclass(frozen=True)
class RunCalls:
    rows: tuple[CallTypeRow, ...]

    @property
    def captures(self) -> int:
        return sum(row.captures for row in self.rows)

    @property
    def judged(self) -> int:
        return sum(row.judged for row in self.rows)

    @property
    def epochs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.epoch for row in self.rows if row.epoch))

    @property
    def origins(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.origin for row in self.rows if row.origin))


def run_calls(run: Run) -> RunCalls:
    """Nine queries, whatever the size of the run."""
    held = _held(run)
    if not held:
        return RunCalls(())
    judged = _judged(run)
    work = _work(run)
    costs = _costs(run)
    latencies = _latencies(run, {call_type: one.timed for call_type, one in held.items()})
    epochs = {epoch.pk: epoch for epoch in Epoch.objects.filter(mode=MODE).defer("parameters")}
    return RunCalls(
        tuple(
            _row(
                call_type,
                one,
                judged=judged.get(call_type, {}),
                epochs=epochs,
                work=work.get(call_type, Counter()),
                cost=costs.get(call_type, 0),
                latency=latencies.get(call_type, {}),
            )
            for call_type, one in sorted(held.items())
        )
    )


@dataclass(slots=True)
class _Held:
    """The captures of a call type. `kinds` counts those that the producer says failed, by the kind
    it names."""

    captures: int = 0
    timed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Judged:
    tally: Tally
    newest: int


def _row(
    call_type: str,
    held: _Held,
    *,
    judged: Mapping[int, _Judged],
    epochs: Mapping[int, Epoch],
    work: Counter[str],
    cost: int | None,
    latency: Mapping[int, float],
) -> CallTypeRow:
    newest = max(judged, key=lambda pk: judged[pk].newest, default=None)
    tally = judged[newest].tally if newest is not None else Tally()
    epoch = epochs[newest] if newest is not None else None
    return CallTypeRow(
        call_type=call_type,
        captures=held.captures,
        judged=tally.verdicts,
        unjudged=work["unjudged"],
        waiting=work["waiting"],
        undecided=tally.undecided,
        rates=tally.rates() if epoch else None,
        epoch=epoch.short if epoch else "",
        origin=epoch.origin if epoch else "",
        other_epochs=sum(j.tally.verdicts for pk, j in judged.items() if pk != newest),
        cost_nano_usd=cost,
        median_ms=_whole(latency.get(PERCENTILES[0])),
        p95_ms=_whole(latency.get(PERCENTILES[1])),
        failures=held.kinds.total(),
        kinds=tuple(held.kinds.most_common(KINDS_SHOWN)),
    )


def _whole(milliseconds: float | None) -> int | None:
    return None if milliseconds is None else round(milliseconds)


def _held(run: Run) -> dict[str, _Held]:
    rows = (
        CaptureSum.objects.filter(run=run)
        .order_by("call_type", "failure_kind")
        .values_list("call_type", "is_failure", "failure_kind")
        .annotate(Sum("captures"), Sum("timed"))
    )
    found: dict[str, _Held] = defaultdict(_Held)
    for call_type, is_failure, kind, captures, timed in rows:
        one = found[call_type]
        one.captures += int(captures)
        one.timed += int(timed)
        if is_failure:
            one.kinds[kind or "no kind given"] += int(captures)
    return found


def _judged(run: Run) -> dict[str, dict[int, _Judged]]:
    """Call type -> epoch -> its verdicts; of repeats the first counts."""
    sums = CallSum.objects.filter(run=run, span=Span.ALL, verdicts__gt=0).order_by()
    rows = sums.values_list("call_type", "epoch_id").annotate(**SUMS, newest=Max("newest_verdict"))
    found: dict[str, dict[int, _Judged]] = defaultdict(dict)
    for call_type, epoch, *totals, newest in rows:
        found[call_type][epoch] = _Judged(Tally(), newest)
        add_sums(found[call_type][epoch].tally, totals)
    return found


def _work(run: Run) -> dict[str, Counter[str]]:
    """Call type -> how many are unjudged and waiting."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for _, call_type, state, number in pending_calls([run.pk]):
        found[call_type]["waiting" if state in OPEN_STATES else "unjudged"] += number
    return found


def _costs(run: Run) -> dict[str, int | None]:
    """Of judging, and of contracts that were drafted from here. None: no price is known."""
    asked = LedgerEntry.objects.exclude(judgement__call_type="").order_by()
    judged = [
        rows.values_list("judgement__call_type").annotate(Sum("cost_nano_usd"))
        for rows in calls_of_runs(asked, [run.pk], "judgement__")
    ]
    drafts = DraftingRequest.objects.filter(drafting__run=run).order_by()
    drafted = drafts.values_list("drafting__call_type").annotate(Sum("cost_nano_usd"))
    costs: dict[str, int | None] = {}
    for call_type, cost in chain(*judged, drafted):
        known = [one for one in (costs.get(call_type), cost) if one is not None]
        costs[call_type] = sum(known) if known else None
    return costs


def _latencies(run: Run, timed: Mapping[str, int]) -> dict[str, dict[int, float]]:
    """Call type -> percentile -> latency: the smallest one that so many per cent do not exceed.
    Each is looked up by its rank, from the nearer end of an index."""
    wanted = [
        (call_type, percentile, _ranked(run, call_type, -(-number * percentile // 100), number))
        for call_type, number in timed.items()
        for percentile in PERCENTILES
        if number
    ]
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for start in range(0, len(wanted), LOOKED_UP_AT_ONCE):
        part = wanted[start : start + LOOKED_UP_AT_ONCE]
        latencies = Run.objects.filter(pk=run.pk).values_list(*(one[2] for one in part)).get()
        for (call_type, percentile, _), latency in zip(part, latencies, strict=True):
            if latency is not None:
                found[call_type][percentile] = latency
    return found


def _ranked(run: Run, call_type: str, rank: int, of: int) -> Subquery:
    captures = Capture.objects.filter(run=run, call_type=call_type, latency_ms__isnull=False)
    is_low = 2 * rank <= of
    place = rank - 1 if is_low else of - rank
    ordered = captures.order_by("latency_ms" if is_low else "-latency_ms")
    return Subquery(ordered.values("latency_ms")[place : place + 1])
