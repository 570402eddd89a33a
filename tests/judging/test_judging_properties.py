"""What must hold for every reply, however odd: no crash, no number without a valid verdict."""

import json
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from judgeweb.judging.evidence import QuoteFinder
from judgeweb.judging.literals import Broken, LiteralReader, same
from judgeweb.judging.prompts import neutralised
from judgeweb.judging.text import visible
from judgeweb.judging.types import Unjudged, Verdict
from tests.judging.world import (
    behaviours,
    behaviours_reply,
    checklist,
    checklist_reply,
    outcome_of,
    solo,
    solo_reply,
    verdict_of,
)

LISTED = checklist(bonus=1, critical=1, high=1, medium=1, low=1)
IDS = ["C1", "H1", "M1", "L1", "B1"]
SHOWN = behaviours(baseline=10, bonus=2)
SHOWN_IDS = [f"P{n}" for n in range(1, 11)] + ["B1", "B2"]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
marks = st.integers(1, 10) | st.decimals(1, 10, places=2).map(float)
text_bits = st.sampled_from(
    [
        *('{"scores":', '{"', "{'", "}", "[", "]", '"', "'", "”", ",", ":", "8", "\\", " "),
        *("<think>", "</think>", "```json\n", "\n```\n", "NaN", "1e999"),
        json.dumps(solo_reply(3, 3, 3, 3)),
    ]
)


@given(st.lists(text_bits | st.text(max_size=5), max_size=30).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_an_outcome_and_never_a_number_of_its_own(text: str) -> None:
    outcome, _ = outcome_of(solo(), text, text)

    # The only verdict in the alphabet is 3/3/3/3.
    assert isinstance(outcome, Unjudged) or outcome.total == 30


@given(st.integers(0, 3), json_values)
@settings(max_examples=200, deadline=None)
def test_one_wrong_mark_is_never_a_number(position: int, wrong: Any) -> None:
    values: list[Any] = [8, 7, 9, 8]
    values[position] = wrong
    reply = json.dumps(solo_reply(*values))
    outcome, _ = outcome_of(solo(), reply, reply)

    honest = type(wrong) in (int, float) and 1 <= wrong <= 10
    bare = isinstance(wrong, str) and wrong.strip().isdecimal() and 1 <= int(wrong) <= 10
    inside = isinstance(wrong, dict) and "value" in wrong
    assert isinstance(outcome, Verdict) is honest or bare or inside


@given(st.dictionaries(st.sampled_from(["scores", "quality", "baseline_findings"]), json_values))
@settings(max_examples=100, deadline=None)
def test_any_object_gives_an_outcome(payload: dict[str, Any]) -> None:
    reply = json.dumps(payload)

    assert isinstance(outcome_of(solo(), reply, reply)[0], Unjudged)
    assert isinstance(outcome_of(LISTED, reply, reply)[0], Unjudged)


@given(st.tuples(marks, marks, marks, marks))
@settings(max_examples=100, deadline=None)
def test_solo_total_is_exact(values: tuple[Any, ...]) -> None:
    verdict = verdict_of(solo(), solo_reply(*values))

    expected = Fraction(5, 2) * sum(Fraction(repr(value)) for value in values)
    assert verdict.total == expected
    assert 10 <= expected <= 100


@given(
    st.sets(st.sampled_from(IDS)),
    st.lists(st.booleans(), max_size=6),
    st.integers(0, 6),
    st.randoms(use_true_random=False),
)
@settings(max_examples=100, deadline=None)
def test_checklist_bounds_and_order(
    shown: set[str], novel: list[bool], false: int, random: Any
) -> None:
    reply = checklist_reply(
        LISTED,
        shown,
        novel_findings=[
            {"description": f"n{n}", "valid": valid, "reasoning": "r"}
            for n, valid in enumerate(novel)
        ],
        false_positives=[{"claim": f"f{n}", "why_invalid": "r"} for n in range(false)],
    )
    verdict = verdict_of(LISTED, reply)
    parts = verdict.parts
    for key in ("baseline_findings", "novel_findings", "false_positives"):
        random.shuffle(reply[key])
    shuffled = verdict_of(LISTED, reply)

    assert shuffled.parts == parts
    assert shuffled.total == verdict.total
    recall, precision, f2 = (parts[key] for key in ("recall", "precision", "f2"))
    assert recall is not None
    assert f2 is not None
    assert 0 <= recall <= 1
    assert 0 <= f2 <= 1
    assert precision is None or 0 <= precision <= 1
    assert 0 <= (parts["detection"] or 0) <= 50
    assert verdict.total == sum(parts[key] or 0 for key in ("detection", "quality", "persona"))


@given(st.sets(st.sampled_from(IDS[:4])), st.sampled_from(IDS[:4]))
@settings(max_examples=50, deadline=None)
def test_finding_one_more_never_lowers_the_total(shown: set[str], more: str) -> None:
    before = verdict_of(LISTED, checklist_reply(LISTED, shown)).total
    after = verdict_of(LISTED, checklist_reply(LISTED, shown | {more})).total

    assert before is not None
    assert after is not None
    assert after >= before


@given(st.sets(st.sampled_from(SHOWN_IDS)))
@settings(max_examples=50, deadline=None)
def test_behaviours_bounds(shown: set[str]) -> None:
    verdict = verdict_of(SHOWN, behaviours_reply(SHOWN, shown))

    assert 0 <= (verdict.parts["execution"] or 0) <= 50
    assert 0 <= (verdict.parts["uncapped_share"] or 0) <= 40
    assert verdict.total is not None
    assert verdict.total_without_persona is not None
    assert 0 <= verdict.total_without_persona <= 100


@given(json_values.map(lambda value: {"k": value}))
@settings(max_examples=200, deadline=None)
def test_literals_read_what_json_reads(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    try:
        read = LiteralReader(text).read(0)
    except Broken:
        assert "NaN" in text or "Infinity" in text or "e-" in text or "e+" in text
        return

    assert read.end == len(text)
    assert not read.repaired
    assert same(json.loads(json.dumps(read.value, default=float)), json.loads(text))


@given(st.text(max_size=200), st.integers(0, 200), st.integers(1, 50))
@settings(max_examples=200, deadline=None)
def test_every_part_of_a_response_is_found_in_it(response: str, start: int, length: int) -> None:
    quote = response[start : start + length]
    span = QuoteFinder(response).find(quote)
    if span:
        assert 0 <= span[0] < span[1] <= len(response)
    else:
        assert not quote.strip(" \n\t.…\"'[]()") or not quote.strip()


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_neutralising_only_adds_backslashes_after_brackets(text: str) -> None:
    changed = neutralised("response", text)

    assert changed == text or changed.replace("<\\", "<") == text.replace("<\\", "<")


@given(st.text(alphabet=st.characters(), max_size=50))
def test_visible_text_can_be_encoded(text: str) -> None:
    shown, escaped = visible(text)

    assert "\x00" not in shown
    shown.encode()
    assert escaped is (shown != text)
