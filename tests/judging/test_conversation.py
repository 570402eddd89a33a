import asyncio
import json
from fractions import Fraction
from typing import Any

import pytest

from judgeweb.judging.conversation import judge, validation_report
from judgeweb.judging.errors import ItemFault, JudgeFault, ProviderBusy
from judgeweb.judging.modes import mode_named
from judgeweb.judging.providers.scripted import SCRIPTED_USAGE, ScriptedAsk
from judgeweb.judging.types import Flag, Reply, Unjudged, UnjudgedReason, Usage, Verdict
from tests.judging.world import case_reply, outcome_of, solo, solo_reply, unjudged_of, verdict_of

GOOD = json.dumps(solo_reply())
SHORT = json.dumps({"scores": {"correctness": 8, "depth": 7, "quality": 9, "persona": 8}})


def reply(text: str = GOOD, **values: Any) -> Reply:
    made = {"stop_reason": "end_turn", "block_types": ("text",), "usage": SCRIPTED_USAGE}
    return Reply(text=text, model="m", **{**made, **values})


def test_case_1_fenced_verdict_takes_one_request() -> None:
    outcome, ask = outcome_of(solo(), case_reply("001_fenced.json"))

    assert isinstance(outcome, Verdict)
    assert outcome.total == 80
    assert len(ask.asked) == 1
    assert len(outcome.replies) == 1


def test_case_7_cut_off_twice_is_truncated_with_both_replies_kept() -> None:
    cut = case_reply("007_truncated.json")
    outcome, ask = outcome_of(solo(), cut, cut, max_tokens=1000)

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.TRUNCATED
    assert [asked.max_tokens for asked in ask.asked] == [1000, 2000]
    assert [one.usage.output for one in outcome.replies] == [512, 512]
    assert outcome.replies[0].stop_reason == "max_tokens"


def test_cut_off_once_is_judged_from_the_second_reply() -> None:
    verdict = verdict_of(solo(), case_reply("007_truncated.json"), GOOD)

    assert verdict.total == 80
    assert len(verdict.replies) == 2


def test_full_context_window_is_not_asked_again() -> None:
    outcome, ask = outcome_of(solo(), reply(stop_reason="model_context_window_exceeded"))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.TRUNCATED
    assert len(ask.asked) == 1


def test_case_22_refusal_takes_one_request() -> None:
    outcome, ask = outcome_of(solo(), case_reply("022_refusal.json"))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.REFUSED
    assert "cyber" in outcome.detail
    assert len(ask.asked) == 1


def test_case_22_thinking_only_is_unjudged_after_one_more_try() -> None:
    empty = case_reply("022_thinking_only.json")
    outcome, ask = outcome_of(solo(), empty, empty)

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.EMPTY_REPLY
    assert ask.asked[1].turns[0].reply_text == "(no text)"


def test_invalid_reply_is_asked_again_once_naming_the_fault() -> None:
    outcome, ask = outcome_of(solo(), solo_reply(11, 7, 9, 8), GOOD)

    assert isinstance(outcome, Verdict)
    assert outcome.total == 80
    assert outcome.flags == (Flag.REASKED,)
    [turn] = ask.asked[1].turns
    assert "correctness must lie from 1 to 10, not 11" in turn.correction
    assert json.loads(turn.reply_text)["scores"]["correctness"]["value"] == 11
    assert ask.asked[1].prompt == ask.asked[0].prompt


def test_invalid_twice_is_unjudged() -> None:
    unjudged = unjudged_of(solo(), "I give it 80.", "weighted_total: 80")

    assert unjudged.reason is UnjudgedReason.UNREADABLE
    assert [one.text for one in unjudged.replies] == ["I give it 80.", "weighted_total: 80"]


def test_cut_off_re_ask_still_gets_its_larger_budget() -> None:
    outcome, ask = outcome_of(
        solo(), "prose", case_reply("007_truncated.json"), GOOD, max_tokens=10
    )

    assert isinstance(outcome, Verdict)
    assert [(asked.max_tokens, len(asked.turns)) for asked in ask.asked] == [
        (10, 0),
        (10, 1),
        (20, 1),
    ]


def test_reply_of_less_than_200_characters_is_asked_again() -> None:
    outcome, ask = outcome_of(solo(), SHORT, SHORT)

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.REPLY_TOO_SHORT
    assert str(len(SHORT)) in outcome.detail
    assert len(ask.asked) == 2


def test_tool_reply_is_measured_by_its_input() -> None:
    assert verdict_of(solo(), case_reply("023_tool_use.json")).total == 80


@pytest.mark.parametrize("usage", [Usage(), Usage(input=900), Usage(output=300)])
def test_reply_without_token_counts_is_unjudged_at_once(usage: Usage) -> None:
    outcome, ask = outcome_of(solo(), reply(usage=usage))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.NO_USAGE
    assert len(ask.asked) == 1


def test_cached_input_counts_as_input() -> None:
    assert verdict_of(solo(), reply(usage=Usage(cache_read=900, output=1))).total == 80


def test_judge_without_usage_reports_may_leave_counts_out() -> None:
    outcome, _ = outcome_of(solo(), reply(usage=Usage()), reports_usage=False)

    assert isinstance(outcome, Verdict)


def test_provider_busy_for_good_is_unjudged() -> None:
    outcome, _ = outcome_of(solo(), "prose", ProviderBusy("529 after 5 requests"))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.PROVIDER_UNAVAILABLE
    assert outcome.detail == "529 after 5 requests"
    assert len(outcome.replies) == 1


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ItemFault("no", status=413), UnjudgedReason.TOO_LARGE),
        (ItemFault("Prompt is too long: 900000 tokens", status=400), UnjudgedReason.TOO_LARGE),
        (ItemFault("output_config: unknown key", status=400), UnjudgedReason.BAD_REQUEST),
    ],
)
def test_item_fault_is_unjudged_with_its_kind(fault: ItemFault, reason: UnjudgedReason) -> None:
    assert unjudged_of(solo(), fault).reason is reason


def test_judge_fault_decides_nothing() -> None:
    ask = ScriptedAsk([JudgeFault("401", status=401)])

    with pytest.raises(JudgeFault):
        asyncio.run(judge(mode_named("solo"), solo(), ask))


def test_flags_of_reading_and_of_the_reply_meet_in_the_verdict() -> None:
    repaired = GOOD[:-1] + ",}"
    verdict = verdict_of(solo(), reply(repaired, block_types=("text", "poem")))

    assert verdict.flags == (Flag.REPAIRED, Flag.IGNORED_BLOCKS)
    assert verdict.notes == ("Ignored blocks of type poem.",)


def test_total_outside_1_to_100_is_no_verdict() -> None:
    mode = mode_named("solo")

    class Odd(type(mode)):  # type: ignore[misc]
        def score(self, case: Any, readings: Any) -> Verdict:
            return Verdict(Fraction(1, 2), None, {}, ())

    outcome = asyncio.run(judge(Odd(), solo(), ScriptedAsk([GOOD])))
    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.INVALID
    assert outcome.detail == "score 0.5 is no number from 1 to 100"


def test_refused_case_is_unjudged_without_a_request() -> None:
    outcome, ask = outcome_of(solo(contestants=solo().contestants * 3))

    assert isinstance(outcome, Unjudged)
    assert outcome.reason is UnjudgedReason.CASE_REFUSED
    assert outcome.detail.startswith("contestants: ")
    assert ask.asked == []


def test_lone_surrogates_are_not_sent_back() -> None:
    _, ask = outcome_of(solo(), "half \ud83d", GOOD)

    assert ask.asked[1].turns[0].reply_text == r"half \ud83d"


def test_validation_report_is_the_seeds() -> None:
    report = validation_report("solo", Unjudged(UnjudgedReason.INCOMPLETE, "persona is missing"))

    assert report.splitlines() == [
        "❌ Judge validation failed: persona is missing",
        "❌ Mode: solo",
        "❌ DO NOT estimate scores",
    ]


def test_script_that_runs_out_says_so() -> None:
    with pytest.raises(AssertionError, match="asked 2 times"):
        outcome_of(solo(), "prose")
