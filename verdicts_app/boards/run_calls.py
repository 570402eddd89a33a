"""The captured calls of a run by call type: what passes, what it cost, how the calls went."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Max, Q, QuerySet, Sum, Window
from django.db.models.functions import Coalesce, RowNumber

from verdicts_app.boards.rates import COUNTS, Rate, Tally
from verdicts_app.boards.runs_page import replaced
from verdicts_app.models import (
    OPEN_STATES,
    Capture,
    DraftingRequest,
    Epoch,
    Judgement,
    JudgementState,
    LedgerEntry,
    Run,
    Verdict,
    VerdictCheck,
)

PERCENTILES = (50, 95)
KINDS_SHOWN = 3
MODE = "calls"


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
    captures = Capture.objects.filter(run=run).order_by()
    counts = dict(captures.values_list("call_type").annotate(Count("pk")))
    if not counts:
        return RunCalls(())
    judged = _judged(run)
    work = _work(run)
    costs = _costs(run)
    latencies = _latencies(captures)
    kinds = _kinds(captures)
    epochs = {epoch.pk: epoch for epoch in Epoch.objects.filter(mode=MODE).defer("parameters")}
    return RunCalls(
        tuple(
            _row(
                call_type,
                number,
                judged=judged.get(call_type, {}),
                epochs=epochs,
                work=work.get(call_type, (0, 0)),
                cost=costs.get(call_type, 0),
                latency=latencies.get(call_type, {}),
                kinds=kinds.get(call_type, Counter()),
            )
            for call_type, number in sorted(counts.items())
        )
    )


@dataclass(slots=True)
class _Judged:
    tally: Tally
    newest: int


def _row(
    call_type: str,
    captures: int,
    *,
    judged: Mapping[int, _Judged],
    epochs: Mapping[int, Epoch],
    work: tuple[int, int],
    cost: int | None,
    latency: Mapping[int, float],
    kinds: Counter[str],
) -> CallTypeRow:
    newest = max(judged, key=lambda pk: judged[pk].newest, default=None)
    tally = judged[newest].tally if newest is not None else Tally()
    epoch = epochs[newest] if newest is not None else None
    return CallTypeRow(
        call_type=call_type,
        captures=captures,
        judged=tally.verdicts,
        unjudged=work[0],
        waiting=work[1],
        undecided=tally.undecided,
        rates=tally.rates() if epoch else None,
        epoch=epoch.short if epoch else "",
        origin=epoch.origin if epoch else "",
        other_epochs=sum(j.tally.verdicts for pk, j in judged.items() if pk != newest),
        cost_nano_usd=cost,
        median_ms=_whole(latency.get(PERCENTILES[0])),
        p95_ms=_whole(latency.get(PERCENTILES[1])),
        failures=sum(kinds.values()),
        kinds=tuple(kinds.most_common(KINDS_SHOWN)),
    )


def _whole(milliseconds: float | None) -> int | None:
    return None if milliseconds is None else round(milliseconds)


def _judged(run: Run) -> dict[str, dict[int, _Judged]]:
    """Call type -> epoch -> its verdicts; of repeats the first counts."""
    verdicts = Verdict.objects.filter(
        run=run, capture__isnull=False, mode=MODE, on_board=True, repeat=1
    ).order_by()
    found: dict[str, dict[int, _Judged]] = defaultdict(dict)
    rows = verdicts.values_list("capture__call_type", "epoch_id").annotate(
        **COUNTS, newest=Max("pk")
    )
    for call_type, epoch, *counts, newest in rows:
        found[call_type][epoch] = _Judged(Tally(), newest)
        found[call_type][epoch].tally.add_verdicts(*counts)
    checks = VerdictCheck.objects.filter(verdict__in=verdicts).exclude(ok=True).order_by()
    groups = checks.values_list("verdict__capture__call_type", "verdict__epoch_id", "key", "ok")
    for call_type, epoch, key, ok, number in groups.annotate(Count("pk")):
        found[call_type][epoch].tally.add_checks(key, ok, number)
    return found


def _work(run: Run) -> dict[str, tuple[int, int]]:
    """Call type -> unjudged, waiting."""
    rows = (
        Judgement.objects.filter(capture__run=run)
        .order_by()
        .values_list("capture__call_type")
        .annotate(
            unjudged=Count("pk", filter=Q(~replaced(), state=JudgementState.UNJUDGED)),
            waiting=Count("pk", filter=Q(state__in=OPEN_STATES)),
        )
    )
    return {call_type: (unjudged, waiting) for call_type, unjudged, waiting in rows}


def _costs(run: Run) -> dict[str, int | None]:
    """Of judging, and of contracts that were drafted from here. None: no price is known."""
    asked = LedgerEntry.objects.filter(judgement__capture__run=run).order_by()
    judged = asked.values_list("judgement__capture__call_type").annotate(Sum("cost_nano_usd"))
    drafts = DraftingRequest.objects.filter(drafting__run=run).order_by()
    drafted = drafts.values_list("drafting__call_type").annotate(Sum("cost_nano_usd"))
    costs: dict[str, int | None] = {}
    for call_type, cost in [*judged, *drafted]:
        known = [one for one in (costs.get(call_type), cost) if one is not None]
        costs[call_type] = sum(known) if known else None
    return costs


def _latencies(captures: QuerySet[Capture]) -> dict[str, dict[int, float]]:
    """Call type -> percentile -> latency: the smallest one that so many per cent do not exceed."""
    by_type = [F("call_type")]
    ranked = captures.filter(latency_ms__isnull=False).annotate(
        latency=Coalesce("latency_ms", 0.0),
        rank=Window(RowNumber(), partition_by=by_type, order_by=F("latency_ms").asc()),
        of=Window(Count("pk"), partition_by=by_type),
    )
    # rank = ceil(of * percentile / 100), in whole numbers.
    above = {percentile: F("rank") * 100 - F("of") * percentile for percentile in PERCENTILES}
    places = ranked.annotate(**{f"p{percentile}": value for percentile, value in above.items()})
    wanted = Q()
    for percentile in PERCENTILES:
        wanted |= Q(**{f"p{percentile}__gte": 0, f"p{percentile}__lt": 100})
    rows = places.filter(wanted).values_list("call_type", "latency", "p50", "p95")
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for call_type, latency, *ranks in rows:
        for percentile, rank in zip(PERCENTILES, ranks, strict=True):
            if 0 <= rank < 100:
                found[call_type][percentile] = latency
    return found


def _kinds(captures: QuerySet[Capture]) -> dict[str, Counter[str]]:
    """Calls that the producer says failed, by the kind it names."""
    failed = captures.filter(~Q(failure_kind="") | Q(success=False))
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for call_type, kind, number in _grouped(failed):
        found[call_type][kind or "no kind given"] += number
    return found


def _grouped(failed: QuerySet[Capture]) -> Iterable[tuple[str, str, int]]:
    return failed.values_list("call_type", "failure_kind").annotate(Count("pk"))
