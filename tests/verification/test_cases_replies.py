"""Whole judgements of bug reports that others look at piece by piece: reply in, total out."""

import json
from typing import Any

import pytest

from judgeweb.judging.types import Flag, Reply, UnjudgedReason, Verdict
from tests.judging.world import (
    case_reply,
    case_text,
    checklist,
    checklist_reply,
    outcome_of,
    solo,
    solo_reply,
    unjudged_of,
    verdict_of,
)

THINKING = "<thinking>8 or 9? " + json.dumps(solo_reply(9, 9, 9, 9))


def judged_at_once(reply: Reply) -> Verdict:
    outcome, ask = outcome_of(solo(), reply)
    assert isinstance(outcome, Verdict), outcome
    assert len(ask.asked) == 1
    return outcome


def test_case_4_braces_in_prose_are_no_verdict() -> None:
    verdict = judged_at_once(case_reply("004_prose_braces.json"))

    assert (verdict.total, verdict.flags) == (80, ())


def test_case_5_a_draft_inside_a_thinking_tag_is_not_the_verdict() -> None:
    assert judged_at_once(case_reply("005_think.json")).total == 40


def test_case_5_a_thinking_tag_without_an_end_holds_no_verdict() -> None:
    assert unjudged_of(solo(), THINKING, THINKING).reason is UnjudgedReason.UNREADABLE


def test_case_10_trailing_comma_is_repaired_and_no_string_is_touched() -> None:
    verdict = judged_at_once(case_reply("010_trailing_comma.json"))

    assert (verdict.total, verdict.flags) == (80, (Flag.REPAIRED,))
    assert verdict.assessment == "ends with ,} here"


@pytest.mark.parametrize(
    ("name", "assessment"),
    [
        ("011_single_quotes.json", "It isn't wrong, it's late"),
        ("011_curly_quotes.json", "Sound, with gaps."),
    ],
)
def test_case_11_other_quotes_are_read_without_loss(name: str, assessment: str) -> None:
    verdict = judged_at_once(case_reply(name))

    assert (verdict.total, verdict.assessment) == (80, assessment)
    assert [mark.value for mark in verdict.marks] == [8, 7, 9, 8]


def test_case_11_an_apostrophe_that_could_end_the_string_is_never_guessed_at() -> None:
    scores = repr({key: {"value": 8} for key in ("correctness", "depth", "quality", "persona")})
    torn = f"{{'scores': {scores}, 'assessment': 'It is wrong, it's late'}}"

    assert unjudged_of(solo(), torn, torn).reason is UnjudgedReason.UNREADABLE


@pytest.mark.parametrize("name", ["023_two_blocks.json", "023_tool_use.json"])
def test_case_23_blocks_and_tool_calls_give_the_same_total(name: str) -> None:
    assert judged_at_once(case_reply(name)).total == 80


@pytest.mark.parametrize("value", [True, 11, "8/10"])
def test_case_23_a_tool_call_passes_the_checks_of_text(value: Any) -> None:
    message = json.loads(case_text("023_tool_use.json"))
    given = message["content"][0]["input"]
    given["scores"]["depth"]["value"] = value
    reply = case_reply("023_tool_use.json")
    bad = Reply(reply.text, reply.stop_reason, reply.block_types, reply.usage, "m", "", given)

    assert unjudged_of(solo(), bad, bad).reason is UnjudgedReason.INVALID


def test_case_43_a_checklist_of_critical_items_alone_is_scored_on_them() -> None:
    about = checklist(critical=3)

    verdict = verdict_of(about, checklist_reply(about, {"C1"}))

    # recall 1/3, precision 1: 30/3 + 10 = 20; quality 18.75; persona 21.25
    assert (verdict.parts["recall"], verdict.total) == (pytest.approx(1 / 3), 60)
    assert [step.name for step in verdict.working][:2] == ["recall", "precision"]
    assert verdict.working[0].expression == "(1×15) / (3×15) = 15 / 45"
