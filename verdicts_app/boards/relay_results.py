"""What the phases and the coherence of relays came to, read for many relays in fixed queries.

A relay's phases may have been judged against several opponents and by several judges. One result
is all that was judged against one opponent by one epoch family: only those make a chain total.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.db.models import Q

from judgeweb.judging.modes import PHASE_MODES
from judgeweb.judging.relay import (
    ChainRating,
    ChainTotal,
    Incomplete,
    PhaseTotal,
    chain_total,
)
from verdicts_app.boards.stored_detail import exact
from verdicts_app.models import PHASES, Chain, Verdict, VerdictContestant


@dataclass(frozen=True)
class PhaseResult:
    """One phase against one opponent; the newest where it was judged again."""

    phase: str
    own: VerdictContestant
    other: VerdictContestant
    family: str

    @property
    def total(self) -> Fraction | None:
        return exact(self.own.total_exact)


@dataclass
class RelayResult:
    """`opponent` is the theme that the phases were judged against, empty where none was."""

    opponent: str
    family: str
    is_control: bool = False
    phases: dict[str, PhaseResult] = field(default_factory=dict)
    coherence: Verdict | None = None

    @property
    def newest(self) -> int:
        return max((result.own.verdict_id for result in self.phases.values()), default=0)

    @property
    def chain(self) -> ChainTotal | Incomplete:
        totals = {
            phase: PhaseTotal(total, exact(result.own.without_persona_exact), result.family)
            for phase, result in self.phases.items()
            if (total := result.total) is not None
        }
        rating = ChainRating(self.coherence.rating, self.family) if self.coherence else None
        return chain_total(totals, rating)


def results_of(chains: Sequence[Chain]) -> dict[int, list[RelayResult]]:
    """Chain id -> its results, the one to show first: complete before incomplete, against the
    control before others, then the newest. Three queries, whatever the number."""
    ratings = _ratings(chains)
    phases = _phase_results(chains)
    return {
        chain.pk: _results(phases.get(chain.pk, []), ratings.get(chain.pk, {})) for chain in chains
    }


def _ratings(chains: Sequence[Chain]) -> dict[int, dict[str, Verdict]]:
    """By chain and family, the newest."""
    found: dict[int, dict[str, Verdict]] = {}
    rows = Verdict.objects.filter(chain__in=chains, on_board=True).select_related("epoch")
    for verdict in rows.order_by("pk"):
        assert verdict.chain_id is not None
        found.setdefault(verdict.chain_id, {})[verdict.epoch.family] = verdict
    return found


def _phase_results(chains: Sequence[Chain]) -> dict[int, list[PhaseResult]]:
    """Oldest first."""
    places: dict[int, list[tuple[int, str]]] = {}
    for chain in chains:
        for phase, response_id in zip(PHASES, chain.response_ids, strict=True):
            places.setdefault(response_id, []).append((chain.pk, f"phase-{phase}"))
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
    by_verdict: dict[int, list[VerdictContestant]] = {}
    for row in rows:
        by_verdict.setdefault(row.verdict_id, []).append(row)
    found: dict[int, list[PhaseResult]] = {}
    for sides in by_verdict.values():
        for own, other in (sides, sides[::-1]) if len(sides) == 2 else ():
            for chain_id, mode in places.get(own.response_id, ()):
                if own.verdict.mode == mode:
                    phase = mode.removeprefix("phase-")
                    result = PhaseResult(phase, own, other, own.verdict.epoch.family)
                    found.setdefault(chain_id, []).append(result)
    return found


def _results(phases: Iterable[PhaseResult], ratings: Mapping[str, Verdict]) -> list[RelayResult]:
    results: dict[tuple[str, str], RelayResult] = {}
    for one in phases:
        persona = one.other.persona
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
        RelayResult("", family, coherence=verdict)
        for family, verdict in ratings.items()
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
