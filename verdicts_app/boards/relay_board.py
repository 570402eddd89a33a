"""Relays by theme: the mean chain total over scenarios, ranked uncapped, in one epoch of coherence.

A relay counts where its phases and its coherence make a total (`judgeweb.judging.relay`); one that
is incomplete is counted beside it. A fixed number of queries.
"""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Q

from judgeweb.judging.relay import ChainTotal
from verdicts_app.boards.comparisons import Interval, Standing, mean_interval, standings
from verdicts_app.boards.epochs import EpochChoice
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.relay_results import RelayResult, results_of
from verdicts_app.boards.same_model import narrowed_to, own_names, own_relays
from verdicts_app.models import Chain, Origin, Verdict


@dataclass(frozen=True)
class RelayLine:
    """One relay; `total` is None while it is incomplete."""

    chain_id: int
    scenario: str
    opponent: str
    rating: str
    total: Fraction | None


@dataclass(frozen=True)
class Theme:
    """One row; `best` to `worst` is its rank range, None below the least number of scenarios."""

    key: str
    is_control: bool
    relays: tuple[RelayLine, ...]
    scenarios: int
    mean: Fraction | None
    interval: Interval | None
    best: int | None = None
    worst: int | None = None

    @property
    def incomplete(self) -> int:
        return sum(line.total is None for line in self.relays)

    @property
    def complete(self) -> int:
        return len(self.relays) - self.incomplete


@dataclass(frozen=True)
class RelayBoard:
    filters: BoardFilters
    epochs: EpochChoice
    rows: tuple[Theme, ...] = ()
    own: int = 0

    @property
    def relays(self) -> int:
        return sum(len(row.relays) for row in self.rows)

    @property
    def incomplete(self) -> int:
        return sum(row.incomplete for row in self.rows)

    @property
    def is_sample(self) -> bool:
        return self.epochs.chosen is not None and self.epochs.chosen.origin == Origin.SAMPLE


def relay_board(filters: BoardFilters, epochs: EpochChoice) -> RelayBoard:
    assert epochs.chosen is not None
    of_own = own_relays(own_names(epochs.chosen.judges))
    verdicts = _verdicts(filters, epochs.chosen.id, of_own)
    chains: dict[int, Chain] = {v.chain.pk: v.chain for v in verdicts if v.chain}
    results = results_of(list(chains.values()))
    by_theme: dict[str, list[tuple[Chain, RelayResult]]] = defaultdict(list)
    # Repeats of a coherence verdict are one relay.
    for pk, verdict in {v.chain_id: v for v in verdicts if v.chain_id}.items():
        family = verdict.epoch.family
        result = next(one for one in results[pk] if one.family == family)
        by_theme[chains[pk].theme].append((chains[pk], result))
    means = {theme: _means(held, filters) for theme, held in by_theme.items()}
    enough = {theme: found for theme, found in means.items() if len(found) >= filters.least}
    places = standings({t: {k: float(v) for k, v in m.items()} for t, m in enough.items()})
    rows = [_row(theme, held, means[theme], places.get(theme)) for theme, held in by_theme.items()]
    shown = Verdict.objects.filter(pk__in=[verdict.pk for verdict in verdicts])
    own = shown.filter(of_own).values("chain").distinct().count()
    return RelayBoard(filters, epochs, tuple(sorted(rows, key=_best_first)), own)


def _verdicts(filters: BoardFilters, epoch_id: int, of_own: Q) -> list[Verdict]:
    start, after = filters.between()
    wanted = {
        "scenario__key": filters.scenario,
        "scenario__category": filters.category,
        "chain__theme": filters.theme,
        "answered_at__gte": start,
        "answered_at__lt": after,
    }
    narrow = {name: value for name, value in wanted.items() if value}
    found = Verdict.objects.filter(
        narrowed_to(filters.own, of_own),
        epoch=epoch_id,
        on_board=True,
        chain__isnull=False,
        **narrow,
    ).select_related("epoch", "chain__scenario", "chain__sm__persona")
    return list(found.defer("detail", "chain__sm__text").order_by("pk"))


def _means(
    held: list[tuple[Chain, RelayResult]], filters: BoardFilters
) -> dict[Hashable, Fraction]:
    """Scenario -> the mean over its relays. Relays over several scenarios are each their own."""
    totals: dict[Hashable, list[Fraction]] = defaultdict(list)
    for chain, result in held:
        if (total := _total(result, filters)) is not None:
            totals[chain.scenario_id or f"relay {chain.pk}"].append(total)
    return {key: sum(values, Fraction(0)) / len(values) for key, values in totals.items()}


def _total(result: RelayResult, filters: BoardFilters) -> Fraction | None:
    chain = result.chain
    if not isinstance(chain, ChainTotal):
        return None
    return chain.total if filters.with_persona else chain.total_without_persona


def _row(
    theme: str,
    held: list[tuple[Chain, RelayResult]],
    means: dict[Hashable, Fraction],
    place: Standing | None,
) -> Theme:
    return Theme(
        key=theme,
        is_control=held[0][0].sm.persona.is_control,
        relays=tuple(_line(chain, result) for chain, result in held),
        scenarios=len(means),
        mean=sum(means.values(), Fraction(0)) / len(means) if means else None,
        interval=mean_interval([float(value) for value in means.values()]),
        best=place.best if place else None,
        worst=place.worst if place else None,
    )


def _line(chain: Chain, result: RelayResult) -> RelayLine:
    total = result.chain
    return RelayLine(
        chain_id=chain.pk,
        scenario=chain.scenario.key if chain.scenario else "several scenarios",
        opponent=result.opponent,
        rating=result.rating,
        total=total.total if isinstance(total, ChainTotal) else None,
    )


def _best_first(row: Theme) -> tuple[bool, Fraction, str]:
    """Ranked ones first, then by the mean."""
    return (row.best is None, -(row.mean or Fraction(0)), row.key)
