"""Comparisons and relays as rows: judged by the core from scripted replies, stored as work does."""

import json
from typing import Any

import pytest

from judgeweb.judging.conversation import judge
from judgeweb.judging.documents import ScenarioDocument, canonical_json
from judgeweb.judging.modes import mode_named
from judgeweb.judging.providers.scripted import ScriptedAsk
from judgeweb.judging.types import Case, Comparison, Contestant
from judgeweb.judging.types import Verdict as Outcome
from rubrics_app.models import Revision
from tests import factories
from tests.judging import world
from tests.judging.test_phases import sheet
from verdicts_app.models import Chain, Epoch, Pair, Response, Verdict, VerdictContestant
from verdicts_app.work.verdict_parts import insert_findings, insert_marks, outcome_of
from verdicts_app.work.verdict_rows import detail_of, exact, scaled

MAREN = "The lock is never released. A refund of minus ten charges the guest. Hold it shorter."
BASTIAN = "Retries are unbounded. The lock is never released. Nobody signs the webhook."
SCENARIO = world.scenario(
    name="ticket-kiosk", baseline_issues=world.items(critical=2, low=1), title="Refunds of a kiosk"
)


def make_duel(
    *replies: dict[str, Any],
    rubric: str = "solo",
    mode: str = "compare",
    about: ScenarioDocument = SCENARIO,
    pair: Pair | None = None,
    orders: int = 2,
    **fields: Any,
) -> Verdict:
    """A live verdict on a pair, from the replies of a judge, one per order."""
    subject = pair or make_kiosk_pair()
    outcome = _judged(
        mode if rubric == mode else "compare", _case(subject, rubric, about, orders), *replies
    )
    assert outcome.comparison is not None
    epoch = rubric_epoch(rubric, mode, orders)
    document = canonical_json(about)
    revision = factories.make_revision(about.name, 1, "scenario", document)
    judgement = factories.make_judgement(
        subject.first, epoch=epoch, scenario_revision=revision, repeat=fields.pop("serial", 1)
    )
    verdict = factories._subject_verdict(
        epoch,
        mode,
        subject.first,
        pair=subject,
        decision=str(outcome.comparison.decision),
        detail=detail_of(outcome),
        flags=",".join(outcome.flags),
        judgement=judgement,
        **fields,
    )
    insert_marks([(verdict.pk, outcome)])
    insert_findings([(verdict.pk, outcome)])
    _add_contestants(verdict, outcome.comparison, (subject.first, subject.second))
    return verdict


def _judged(mode: str, case: Any, *replies: dict[str, Any]) -> Outcome:
    """Without an event loop, for browser tests have one already; a scripted judge never waits."""
    talk = judge(mode_named(mode), case, ScriptedAsk([json.dumps(reply) for reply in replies]))
    with pytest.raises(StopIteration) as done:
        talk.send(None)
    outcome = done.value.value
    assert isinstance(outcome, Outcome), outcome
    return outcome


def make_kiosk_pair(first: str = MAREN, second: str = BASTIAN) -> Pair:
    maren = factories.make_persona("lighthouse:reviewer", character="Maren Holt, night keeper")
    bastian = factories.make_persona("harbour:reviewer", character="Bastian Kroog, pilot")
    return factories.make_pair(
        factories.make_response(maren, text=first), factories.make_response(bastian, text=second)
    )


def _case(pair: Pair, rubric: str, about: ScenarioDocument, orders: int) -> Case:
    return world.pair(
        rubric,
        about,
        orders=orders,
        contestants=tuple(
            Contestant(one.persona.spec, one.persona.character, one.text)
            for one in (pair.first, pair.second)
        ),
    )


def rubric_epoch(rubric: str, mode: str, orders: int = 2) -> Epoch:
    return factories.make_epoch(
        f"{mode} {rubric} {orders}",
        mode=mode,
        rubric_revision=Revision.objects.filter(kind="rubric", key=rubric).first(),
        parameters=json.dumps({"orders": orders, "output_mode": "format"}),
    )


def _add_contestants(
    verdict: Verdict, result: Comparison, responses: tuple[Response, Response]
) -> None:
    for place, standing in enumerate(result.standings):
        VerdictContestant.objects.create(
            verdict=verdict,
            position=place + 1,
            label=standing.label,
            response=responses[place],
            persona=responses[place].persona,
            total_nano=scaled(standing.total),
            total_exact=exact(standing.total),
            without_persona_nano=scaled(standing.total_without_persona),
            without_persona_exact=exact(standing.total_without_persona) or "",
            order_totals=json.dumps([str(total) for total in standing.totals]),
            outcome=outcome_of(result, standing),
        )


GOLDEN = {
    "sm": (8, 7, 9),  # 79
    "tea": (6, 8, 7),  # 70
    "dev": (9, 7, 6),  # 75
    "reviewer": (8, 6, 9),  # 77
}


def make_relay(
    rating: str | None = "excellent",
    *,
    phases: tuple[str, ...] = tuple(GOLDEN),
    marks: dict[str, tuple[int, ...]] = GOLDEN,
    theme: str = "lighthouse",
    opponent: str = "control",
    key: str = "ticket-kiosk",
) -> Chain:
    """A relay with its golden marks against fives in every phase, and its coherence."""
    chain = factories.make_chain(theme, key)
    other = factories.make_chain(opponent, key)
    for phase in phases:
        mode = f"phase-{phase}"
        ours, theirs = sheet(mode, *marks[phase]), sheet(mode, 5, 5, 5)
        pair = Pair.objects.create(first=getattr(chain, phase), second=getattr(other, phase))
        replies = (world.pair_reply(ours, theirs), world.pair_reply(theirs, ours))
        make_duel(*replies, rubric=mode, mode=mode, about=world.scenario(name=key), pair=pair)
    if rating:
        reply = {"reasoning": "Each phase takes up the one before.", "rating": rating}
        outcome = _judged("coherence", world.chain(), reply)
        factories.make_coherence(
            chain,
            rating=rating,
            epoch=rubric_epoch("coherence", "coherence", 1),
            detail=detail_of(outcome),
        )
    return chain
