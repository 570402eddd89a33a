"""One team's relay on a page: four phases against an opponent, coherence, multiplier, total."""

from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.arithmetic import plain, round_half_up
from judgeweb.judging.relay import MULTIPLIERS, ChainTotal, Incomplete
from judgeweb.judging.text import is_blank
from verdicts_app.boards.calibration import Calibration, Judge, judge_off
from verdicts_app.boards.relay_results import (
    CoherenceResult,
    PhaseResult,
    RelayResult,
    chains_of,
    results_of,
)
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.same_model import own_of
from verdicts_app.boards.stored_detail import StoredDetail, stored_detail
from verdicts_app.boards.subjects import PHASE_NAMES
from verdicts_app.boards.verdict_page import OtherVerdict, outcomes_on
from verdicts_app.models import PHASES, Chain, Epoch, Origin, Response, Verdict


@dataclass(frozen=True)
class PhaseRow:
    """One phase; `result` is None where it was not judged against this opponent."""

    phase: str
    name: str
    response: Response
    result: PhaseResult | None

    @property
    def total(self) -> Fraction | None:
        return self.result.total if self.result else None

    @property
    def other_total(self) -> Fraction | None:
        return self.result.other_total if self.result else None

    @property
    def is_empty(self) -> bool:
        return is_blank(self.response.text)


@dataclass(frozen=True)
class OtherResult:
    """Another opponent or judge of the same relay."""

    opponent: str
    judge: str
    family: str
    total: Fraction | None


@dataclass(frozen=True)
class RelayPage:
    """`chain` holds the total or why there is none; `opponent_chain` the opponent's relay;
    `verdict` the coherence verdict whose words are shown, one of the repeats or a superseded one.
    """

    relay: Chain
    result: RelayResult | None
    chain: ChainTotal | Incomplete
    phases: tuple[PhaseRow, ...]
    opponent_chain: int | None
    coherence: CoherenceResult | None
    verdict: Verdict | None
    detail: StoredDetail
    sentence: str
    requests: tuple[RequestMade, ...]
    others: tuple[OtherVerdict, ...]
    results: tuple[OtherResult, ...]
    outside: tuple[Calibration, ...]
    own: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        return isinstance(self.chain, ChainTotal)

    @property
    def multiplier(self) -> Fraction | None:
        return MULTIPLIERS[self.rating] if self.rating else None

    @property
    def rating(self) -> str:
        """Of the majority of the repeats; empty where there is none."""
        return self.result.rating if self.result else ""

    @property
    def is_repeated(self) -> bool:
        return any(row.result and row.result.asked > 1 for row in self.phases)

    @property
    def is_silent(self) -> bool:
        return any(row.is_empty for row in self.phases)

    @property
    def where(self) -> str:
        return self.relay.scenario.key if self.relay.scenario else ""

    @property
    def opponent(self) -> str:
        return self.result.opponent if self.result else ""


def relay_page(
    chain_id: int, *, against: str = "", family: str = "", verdict_id: int | None = None
) -> RelayPage | None:
    """None where there is no such relay. `against` and `family` choose among its results;
    `verdict_id` one of its coherence verdicts, and with it the judge."""
    related = [f"{phase}__persona" for phase in PHASES]
    chain = Chain.objects.select_related("run", "scenario", *related).filter(pk=chain_id).first()
    if chain is None:
        return None
    results = results_of([chain])[chain.pk]
    result = _trial(chain, verdict_id) or _chosen(results, against, family, verdict_id)
    phases = _phase_rows(chain, result)
    others = [row.result.first.other.response_id for row in phases if row.result]
    total = result.chain if result else Incomplete(("nothing is judged yet",))
    coherence = result.coherence if result else None
    verdict = _verdict_shown(coherence, verdict_id)
    return RelayPage(
        relay=chain,
        result=result,
        chain=total,
        phases=phases,
        opponent_chain=next(iter(chains_of(others).values()), None) if others else None,
        coherence=coherence,
        verdict=verdict,
        detail=stored_detail(verdict.detail if verdict else "{}"),
        sentence=_sentence(chain, total, phases),
        requests=requests_made(verdict.judgement_id if verdict else None),
        others=outcomes_on({"chain": chain}, this_verdict=verdict.pk if verdict else None),
        results=tuple(_other(one) for one in results if one is not result),
        outside=judge_off(*map(Judge.of, _epochs(result))) if result else (),
        own=own_of(verdict, (answer.model for answer in chain.responses)) if verdict else (),
    )


def _epochs(result: RelayResult) -> set[Epoch]:
    """Of the coherence and of the phases: one family, yet each in a mode of its own."""
    coherence = result.coherence.repeats if result.coherence else ()
    phases = (phase.first.verdict for phase in result.phases.values())
    return {verdict.epoch for verdict in (*phases, *coherence)}


def _trial(chain: Chain, verdict_id: int | None) -> RelayResult | None:
    """A coherence verdict that stands on no board, where it is the one asked for."""
    trials = Verdict.objects.filter(chain=chain, origin=Origin.TRIAL).select_related("epoch")
    verdict = trials.filter(pk=verdict_id).first() if verdict_id is not None else None
    if verdict is None:
        return None
    return RelayResult("", verdict.epoch.family, coherence=CoherenceResult((verdict,), 0))


def _verdict_shown(coherence: CoherenceResult | None, verdict_id: int | None) -> Verdict | None:
    """The one asked for, where it is one of the repeats, else one that says what counts."""
    if coherence is None:
        return None
    named = (verdict for verdict in coherence.repeats if verdict.pk == verdict_id)
    return next(named, coherence.shown)


def _chosen(
    results: list[RelayResult], against: str, family: str, verdict_id: int | None
) -> RelayResult | None:
    fitting = [
        one
        for one in results
        if against in ("", one.opponent)
        and one.family.startswith(family)
        and (verdict_id is None or _holds(one.coherence, verdict_id))
    ]
    return next(iter(fitting or results), None)


def _holds(coherence: CoherenceResult | None, verdict_id: int) -> bool:
    repeats = coherence.repeats if coherence else ()
    return any(verdict.pk == verdict_id for verdict in repeats)


def _phase_rows(chain: Chain, result: RelayResult | None) -> tuple[PhaseRow, ...]:
    return tuple(
        PhaseRow(phase, PHASE_NAMES[phase], response, result.phases.get(phase) if result else None)
        for phase, response in zip(PHASES, chain.responses, strict=True)
    )


def _other(result: RelayResult) -> OtherResult:
    chain = result.chain
    phase = next(iter(result.phases.values()), None)
    verdict = phase.first.verdict if phase else result.coherence and result.coherence.shown
    return OtherResult(
        opponent=result.opponent,
        judge=verdict.epoch.judge if verdict else "",
        family=result.family[:12],
        total=chain.total if isinstance(chain, ChainTotal) else None,
    )


def _sentence(chain: Chain, total: ChainTotal | Incomplete, phases: tuple[PhaseRow, ...]) -> str:
    if isinstance(total, ChainTotal):
        return (
            f"{chain.theme} reaches {round_half_up(total.total, 1)}: its phases average "
            f"{plain(total.mean, 2)}, and the chain holds together {_HOW[total.rating]}, "
            f"which counts × {plain(total.multiplier)}."
        )
    silent = [row.name for row in phases if row.is_empty]
    gap = f" {' and '.join(silent)} answered nothing." if silent else ""
    return f"Incomplete and in no ranking: {', '.join(total.reasons)}.{gap}"


_HOW = {"excellent": "excellently", "good": "well", "poor": "poorly"}
