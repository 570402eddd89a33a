"""What the phases and the coherence of relays came to, read for many relays in fixed queries.

A relay's phases may have been judged against several opponents and by several judges. One result
is all that was judged against one opponent by one epoch family: only those make a chain total.
Repeats count together; where something was judged again in another epoch of that family (another
rubric revision, say), the epoch judged last counts, with its repeats.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Q

from judgeweb.judging.modes import PHASE_MODES
from judgeweb.judging.relay import (
    ChainRatings,
    ChainTotal,
    Incomplete,
    PhaseTotals,
    chain_total,
)
from judgeweb.judging.repeats import majority
from verdicts_app.boards.lost_repeats import lost_repeats
from verdicts_app.boards.stored_detail import exact
from verdicts_app.models import PHASES, Chain, Verdict, VerdictContestant


@dataclass(frozen=True)
class PhaseJudged:
    """One verdict on a phase, from the side of the team."""

    own: VerdictContestant
    other: VerdictContestant

    @property
    def verdict(self) -> Verdict:
        return self.own.verdict

    @property
    def total(self) -> Fraction | None:
        return exact(self.own.total_exact)


@dataclass(frozen=True)
class PhaseResult:
    """One phase against one opponent: the valid repeats of one epoch in their order, and how many
    are unjudged beside them."""

    phase: str
    repeats: tuple[PhaseJudged, ...]
    unjudged: int

    @property
    def first(self) -> PhaseJudged:
        return self.repeats[0]

    @property
    def asked(self) -> int:
        return len(self.repeats) + self.unjudged

    @property
    def outcome(self) -> str:
        """Of the majority of the repeats; empty where there is none."""
        return majority((one.own.outcome for one in self.repeats), self.asked) or ""

    @property
    def family(self) -> str:
        return self.first.verdict.epoch.family

    @property
    def newest(self) -> int:
        return max(one.own.verdict_id for one in self.repeats)

    @property
    def totals(self) -> PhaseTotals | None:
        """None where only outcomes are known."""
        return _totals([one.own for one in self.repeats], self.family, self.unjudged)

    @property
    def total(self) -> Fraction | None:
        return self.totals.total if self.totals else None

    @property
    def other_total(self) -> Fraction | None:
        found = _totals([one.other for one in self.repeats], self.family, self.unjudged)
        return found.total if found else None


def _totals(rows: Sequence[VerdictContestant], family: str, unjudged: int) -> PhaseTotals | None:
    totals = [total for row in rows if (total := exact(row.total_exact)) is not None]
    without = tuple(exact(row.without_persona_exact) for row in rows)
    whole = len(totals) == len(rows)
    return PhaseTotals(tuple(totals), without, family, unjudged) if whole else None


@dataclass(frozen=True)
class CoherenceResult:
    """The valid repeats of one epoch in their order, and how many are unjudged beside them."""

    repeats: tuple[Verdict, ...]
    unjudged: int

    @property
    def ratings(self) -> ChainRatings:
        given = tuple(verdict.rating for verdict in self.repeats)
        return ChainRatings(given, self.repeats[0].epoch.family, self.unjudged)

    @property
    def rating(self) -> str | None:
        """Of the majority."""
        return self.ratings.rating

    @property
    def shown(self) -> Verdict:
        """The first that says what the majority says; the newest where there is none."""
        agreeing = (verdict for verdict in self.repeats if verdict.rating == self.rating)
        return next(agreeing, max(self.repeats, key=lambda verdict: verdict.pk))


@dataclass
class RelayResult:
    """`opponent` is the theme that the phases were judged against, empty where none was."""

    opponent: str
    family: str
    is_control: bool = False
    phases: dict[str, PhaseResult] = field(default_factory=dict)
    coherence: CoherenceResult | None = None

    @property
    def newest(self) -> int:
        return max((result.newest for result in self.phases.values()), default=0)

    @property
    def rating(self) -> str:
        return (self.coherence.rating if self.coherence else None) or ""

    @property
    def chain(self) -> ChainTotal | Incomplete:
        known = {
            phase: totals
            for phase, result in self.phases.items()
            if (totals := result.totals) is not None
        }
        return chain_total(known, self.coherence.ratings if self.coherence else None)


def results_of(chains: Sequence[Chain]) -> dict[int, list[RelayResult]]:
    """Chain id -> its results, the one to show first: complete before incomplete, against the
    control before others, then the newest. Four queries, whatever the number."""
    ratings = _ratings(chains)
    phases = _phase_results(chains)
    return {
        chain.pk: _results(phases.get(chain.pk, []), ratings.get(chain.pk, {})) for chain in chains
    }


def _ratings(chains: Sequence[Chain]) -> dict[int, dict[str, CoherenceResult]]:
    """By chain and family, the repeats of the epoch judged last."""
    rows = Verdict.objects.filter(chain__in=chains, on_board=True).select_related("epoch")
    epochs: dict[tuple[int, str], dict[int, list[Verdict]]] = defaultdict(dict)
    for verdict in rows.order_by("pk"):
        assert verdict.chain_id is not None
        held = epochs[verdict.chain_id, verdict.epoch.family]
        # Taken out and put back, so that the epoch judged last stands last.
        held[verdict.epoch_id] = [*held.pop(verdict.epoch_id, []), verdict]
    lost = lost_repeats(chain=[chain.pk for chain in chains])
    found: dict[int, dict[str, CoherenceResult]] = defaultdict(dict)
    for (chain_id, family), by_epoch in epochs.items():
        epoch_id, verdicts = by_epoch.popitem()
        unjudged = lost.beside((chain_id, epoch_id), (one.repeat for one in verdicts))
        found[chain_id][family] = CoherenceResult(_in_order(verdicts), unjudged)
    return found


def _in_order(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    return tuple(sorted(verdicts, key=lambda verdict: verdict.repeat))


def _phase_results(chains: Sequence[Chain]) -> dict[int, list[PhaseResult]]:
    """Of each chain, one per phase, pair and epoch; the one judged last stands last."""
    places: dict[int, list[tuple[int, str]]] = {}
    for chain in chains:
        for phase, response_id in zip(PHASES, chain.response_ids, strict=True):
            places.setdefault(response_id, []).append((chain.pk, f"phase-{phase}"))
    judged = _judged(places)
    pairs = {one.verdict.pair_id for group in judged.values() for one in group}
    lost = lost_repeats(pair=[pair_id for pair_id in pairs if pair_id is not None])
    found: dict[int, list[PhaseResult]] = defaultdict(list)
    for (chain_id, mode, pair_id, epoch_id), group in judged.items():
        unjudged = lost.beside((pair_id, epoch_id), (one.verdict.repeat for one in group))
        repeats = tuple(sorted(group, key=lambda one: one.verdict.repeat))
        found[chain_id].append(PhaseResult(mode.removeprefix("phase-"), repeats, unjudged))
    for results in found.values():
        results.sort(key=lambda result: result.newest)
    return found


Judged = dict[tuple[int, str, int, int], list[PhaseJudged]]
"""By chain, mode, pair and epoch."""


def _judged(places: Mapping[int, list[tuple[int, str]]]) -> Judged:
    rows = (
        VerdictContestant.objects.filter(
            verdict__in=VerdictContestant.objects.filter(response__in=places).values("verdict"),
            verdict__on_board=True,
            verdict__mode__in=PHASE_MODES,
        )
        .select_related("verdict__epoch", "persona")
        .defer("verdict__detail")
        .order_by("verdict", "position")
    )
    by_verdict: dict[int, list[VerdictContestant]] = defaultdict(list)
    for row in rows:
        by_verdict[row.verdict_id].append(row)
    found: Judged = defaultdict(list)
    for sides in by_verdict.values():
        for own, other in (sides, sides[::-1]) if len(sides) == 2 else ():
            verdict = own.verdict
            for chain_id, mode in places.get(own.response_id, ()):
                if verdict.mode == mode:
                    key = (chain_id, mode, verdict.pair_id or 0, verdict.epoch_id)
                    found[key].append(PhaseJudged(own, other))
    return found


def _results(
    phases: Iterable[PhaseResult], ratings: Mapping[str, CoherenceResult]
) -> list[RelayResult]:
    results: dict[tuple[str, str], RelayResult] = {}
    for one in phases:
        persona = one.first.other.persona
        opponent = persona.theme or persona.spec
        result = results.setdefault(
            (opponent, one.family),
            RelayResult(
                opponent, one.family, persona.is_control, coherence=ratings.get(one.family)
            ),
        )
        result.phases[one.phase] = one
    judged = {family for _, family in results}
    alone = [
        RelayResult("", family, coherence=coherence)
        for family, coherence in ratings.items()
        if family not in judged
    ]
    return sorted((*results.values(), *alone), key=_first, reverse=True)


def _first(result: RelayResult) -> tuple[bool, bool, int]:
    return (isinstance(result.chain, ChainTotal), result.is_control, result.newest)


def chains_of(responses: Iterable[int]) -> dict[int, int]:
    """Answer -> the relay that it stands in."""
    ids = list(responses)
    either = Q(*((f"{phase}__in", ids) for phase in PHASES), _connector=Q.OR)
    return {
        response_id: chain.pk
        for chain in Chain.objects.filter(either)
        for response_id in chain.response_ids
    }
