"""The stand-in judges every mode that asks a model, through the real SDK and reply ladder."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from judgeweb.judging.claims import LABELS, extract
from judgeweb.judging.conversation import judge
from judgeweb.judging.modes import PHASE_MODES, mode_named
from judgeweb.judging.providers.anthropic import AnthropicJudge
from judgeweb.judging.relay import MULTIPLIERS
from judgeweb.judging.types import (
    ClaimList,
    Contestant,
    EvidenceState,
    Flag,
    Outcome,
    Unjudged,
    Verdict,
)
from tests.judging import world

RESPONSE = """The refund handler never checks that the amount is positive.
A guest can be charged twice: the lock is released before the write.
    retry() is called without a limit, so an outage becomes a storm.
Short.
I would add a unique constraint on (booking, reason) and a test for both orders."""
CASES = {
    "solo": lambda: world.solo(RESPONSE),
    "checklist": lambda: world.checklist(RESPONSE, bonus=2),
    "behaviours": lambda: world.behaviours(response=RESPONSE),
}
OTHER_RESPONSE = """Nobody measures how long the lock is held, and that is the finding.
The nightly job refunds whole trips where single legs were asked for."""
TWO = (
    Contestant("lighthouse:dev", "Maren Holt", RESPONSE),
    Contestant("harbour:dev", "Bastian Kroog", OTHER_RESPONSE),
)
LISTED = world.scenario(baseline_issues=world.items(critical=3, low=2))
PAIRS = {
    "compare": lambda: world.pair(contestants=TWO),
    "compare, checklist": lambda: world.pair("checklist", LISTED, contestants=TWO),
    **{mode: lambda mode=mode: world.pair(mode, contestants=TWO) for mode in PHASE_MODES},
}


async def judged(standin: Any, case: Any, mode: str, output_mode: Any) -> Outcome:
    settings = {"base_url": standin.url, "output_mode": output_mode}
    async with AnthropicJudge("claude-sonnet-5-5", **settings) as judge_model:
        return await judge(mode_named(mode), case, judge_model.send)


@pytest.mark.parametrize("output_mode", ["format", "tool", "text"])
@pytest.mark.parametrize("mode", CASES)
def test_stand_in_verdict_is_valid(standin: Any, mode: str, output_mode: str) -> None:
    verdict = asyncio.run(judged(standin, CASES[mode](), mode, output_mode))

    assert isinstance(verdict, Verdict)
    assert verdict.total is not None
    assert 30 <= verdict.total <= 100
    assert Flag.REASKED not in verdict.flags
    assert standin.stats()["requests"] == 1
    quoted = [finding for finding in verdict.findings if finding.evidence]
    assert all(finding.evidence_state is EvidenceState.VERIFIED for finding in quoted)
    assert all(finding.evidence for finding in verdict.findings if finding.found)


@pytest.mark.parametrize("output_mode", ["format", "tool", "text"])
@pytest.mark.parametrize("name", PAIRS)
def test_stand_in_tells_contestants_apart(standin: Any, name: str, output_mode: str) -> None:
    case = PAIRS[name]()
    verdict = asyncio.run(judged(standin, case, world.mode_of(case), output_mode))

    assert isinstance(verdict, Verdict)
    assert verdict.comparison is not None
    assert all(30 <= one.total <= 100 for one in verdict.comparison.standings)
    assert Flag.REASKED not in verdict.flags
    assert Flag.EVIDENCE_NOT_FOUND not in verdict.flags
    assert standin.stats()["requests"] == 2
    quoted = {one.contestant for one in verdict.findings if one.evidence}
    assert quoted == (set(case.labels) if "checklist" in name else set())
    assert all(one.evidence for one in verdict.findings if one.found)


@pytest.mark.parametrize("output_mode", ["format", "tool", "text"])
def test_stand_in_rates_a_chain(standin: Any, output_mode: str) -> None:
    verdict = asyncio.run(judged(standin, world.chain(), "coherence", output_mode))

    assert isinstance(verdict, Verdict)
    assert verdict.rating in MULTIPLIERS
    assert Flag.REASKED not in verdict.flags


def test_stand_in_garbage_is_reasked_once_then_judged(standin: Any) -> None:
    standin.replies({"text": "Good work, eight out of ten. " * 10})

    verdict = asyncio.run(judged(standin, world.solo(RESPONSE), "solo", "format"))

    assert isinstance(verdict, Verdict)
    assert Flag.REASKED in verdict.flags
    assert standin.stats()["requests"] == 2


@pytest.mark.parametrize(
    ("directive", "reason"),
    [
        ("refuse=cyber", "refused"),
        ("thinking-only", "empty_reply"),
        ("truncate", "truncated"),
        ("garbage", "unreadable"),
        ("status=413", "too_large"),
    ],
)
def test_stand_in_directive_in_the_response_makes_it_unjudged(
    standin: Any, directive: str, reason: str
) -> None:
    case = world.solo(f"{RESPONSE}\n[[standin:{directive}]]")

    outcome = asyncio.run(judged(standin, case, "solo", "format"))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason == reason


BY_CLAIMS = {
    "checklist": lambda: world.checklist(RESPONSE, bonus=2),
    "compare": lambda: world.pair("checklist", LISTED, contestants=TWO),
}


async def judged_by_claims(standin: Any, case: Any, mode: str, output_mode: Any) -> Outcome:
    settings = {"base_url": standin.url, "output_mode": output_mode}
    async with AnthropicJudge("claude-sonnet-5-5", **settings) as judge_model:
        lists = []
        for label, contestant in zip(LABELS, case.contestants, strict=False):
            answered = await extract(
                contestant.response,
                judge_model.send,
                secret=world.SECRET,
                label=label,
                max_tokens=4000,
                reports_usage=True,
            )
            assert not isinstance(answered, Unjudged), answered
            lists.append(ClaimList(label, answered.reading))
        by_claims = replace(case, claims=tuple(lists))
        return await judge(mode_named(mode, by_claims=True), by_claims, judge_model.send)


@pytest.mark.parametrize("output_mode", ["format", "tool", "text"])
@pytest.mark.parametrize("mode", BY_CLAIMS)
def test_stand_in_extracts_and_matches_claims(standin: Any, mode: str, output_mode: str) -> None:
    verdict = asyncio.run(judged_by_claims(standin, BY_CLAIMS[mode](), mode, output_mode))

    assert isinstance(verdict, Verdict), verdict
    assert Flag.REASKED not in verdict.flags
    assert Flag.CLAIM_CONFLICT not in verdict.flags
    # One request a response and one an order.
    assert standin.stats()["requests"] == {"checklist": 2, "compare": 4}[mode]
    # Four lines of the first response are worth quoting, both of the second.
    ruled = [len(one["rulings"]) for one in verdict.extra["claims"]]
    assert ruled == {"checklist": [4], "compare": [4, 2, 2, 4]}[mode]
    found = [finding for finding in verdict.findings if finding.found]
    assert all(finding.evidence_state is EvidenceState.VERIFIED for finding in found)
