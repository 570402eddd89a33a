"""A relay's total: its four phases against one opponent, and its coherence.

Every phase is judged in a pair; the opponent is the team with which most phases were, the control
before others, then the one judged last. Verdicts of other epoch families than the coherence's are
taken only where there are none of its own, and make the relay incomplete.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.relay import ChainRating, ChainTotal, Incomplete, PhaseTotal, chain_total
from verdicts_app.models import PHASES, Chain, Epoch, Persona, Verdict, VerdictContestant


@dataclass(frozen=True)
class PhaseResult:
    """What the team reached in a phase: the mean over repeats, the newest verdict of them."""

    total: Fraction
    without_persona: Fraction | None
    verdict: Verdict
    outcome: str


@dataclass(frozen=True)
class RelayResult:
    """`phases` by the names in PHASES, only what was judged. `opponent` is a theme."""

    chain: Chain
    opponent: str
    phases: dict[str, PhaseResult]
    coherence: Verdict | None
    total: ChainTotal | Incomplete


def relay_result(chain: Chain) -> RelayResult:
    coherence = (
        Verdict.objects.filter(chain=chain, on_board=True)
        .select_related("epoch")
        .order_by("-id")
        .first()
    )
    family = coherence.epoch.family if coherence else ""
    opponent, found = _opponent(_by_opponent(chain))
    phases = {phase: _result(places, family) for phase, places in found.items()}
    rating = ChainRating(coherence.rating, family) if coherence else None
    totals = {
        phase: PhaseTotal(one.total, one.without_persona, one.verdict.epoch.family)
        for phase, one in phases.items()
    }
    return RelayResult(
        chain=chain,
        opponent=opponent.theme if opponent else "",
        phases=phases,
        coherence=coherence,
        total=chain_total(totals, rating),
    )


Places = dict[str, list[VerdictContestant]]
"""The team's places in the comparisons of each phase, newest first."""


def _by_opponent(chain: Chain) -> dict[Persona, Places]:
    """By the opponent's persona of the first phase met; themes tell opponents apart."""
    places = (
        VerdictContestant.objects.filter(
            response__in=chain.response_ids, verdict__on_board=True, total_nano__isnull=False
        )
        .select_related(
            "verdict__epoch",
            "verdict__pair__first__persona",
            "verdict__pair__second__persona",
        )
        .order_by("-verdict_id")
    )
    found: dict[str, Places] = defaultdict(lambda: defaultdict(list))
    personas: dict[str, Persona] = {}
    of_phase = dict(zip(chain.response_ids, PHASES, strict=True))
    for place in places:
        phase = of_phase[place.response_id]
        pair = place.verdict.pair
        if place.verdict.mode != f"phase-{phase}" or pair is None:
            continue
        other = pair.second if place.position == 1 else pair.first
        personas.setdefault(other.persona.theme, other.persona)
        found[other.persona.theme][phase].append(place)
    return {personas[theme]: by_phase for theme, by_phase in found.items()}


def _opponent(found: dict[Persona, Places]) -> tuple[Persona | None, Places]:
    if not found:
        return None, {}

    def rank(persona: Persona) -> tuple[int, bool, int]:
        newest = max(place.verdict_id for places in found[persona].values() for place in places)
        return len(found[persona]), persona.is_control, newest

    best = max(found, key=rank)
    return best, {phase: found[best][phase] for phase in PHASES if phase in found[best]}


def _result(places: Sequence[VerdictContestant], family: str) -> PhaseResult:
    """Of the newest epoch, of this family where there is one."""
    own = [place for place in places if place.verdict.epoch.family == family] or places
    epoch: Epoch = own[0].verdict.epoch
    repeats = [place for place in own if place.verdict.epoch_id == epoch.pk]
    without = [place.without_persona_exact for place in repeats]
    return PhaseResult(
        total=_mean(place.total_exact for place in repeats),
        without_persona=_mean(without) if all(without) else None,
        verdict=repeats[0].verdict,
        outcome=repeats[0].outcome,
    )


def _mean(values: Iterable[str]) -> Fraction:
    exact = [Fraction(value) for value in values]
    return sum(exact, Fraction(0)) / len(exact)
