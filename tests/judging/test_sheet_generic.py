"""The generic sheet through whole judgements. Case numbers are those of the bug reports."""

from decimal import Decimal
from fractions import Fraction

from judgeweb.judging.types import (
    Flag,
    UnjudgedReason,
)
from tests.judging.world import (
    case,
    case_reply,
    outcome_of,
    rubric,
    scenario,
    solo,
    solo_reply,
    unjudged_of,
    verdict_of,
)


def test_solo_golden() -> None:
    # 2.5 x (8 + 7 + 9 + 8) = 80; without persona (20 + 17.5 + 22.5) x 100 / 75 = 80
    verdict = verdict_of(solo(), solo_reply(8, 7, 9, 8, weighted_total=80.0))

    assert verdict.total == 80
    assert verdict.total_without_persona == 80
    assert verdict.parts == {
        "correctness": 20,
        "depth": Fraction(35, 2),
        "quality": Fraction(45, 2),
        "persona": 20,
    }
    assert [step.expression for step in verdict.working][-1] == "20 + 17.5 + 22.5 + 20"
    assert [mark.band for mark in verdict.marks] == ["7-8", "7-8", "9-10", "7-8"]
    assert verdict.flags == ()
    assert verdict.assessment == "Sound, with gaps."


def test_solo_uneven_weights_and_decimals_are_exact() -> None:
    weights = ("40", "20", "20", "20")
    about = rubric("solo")
    dimensions = tuple(
        one.model_copy(update={"weight": Decimal(weight)})
        for one, weight in zip(about.dimensions, weights, strict=True)
    )
    made = case("solo", scenario(), rubric=about.model_copy(update={"dimensions": dimensions}))

    # 40 x .75 + 20 x (.7 + .9 + .8) = 30 + 48
    assert verdict_of(made, solo_reply(7.5, 7, 9, 8)).total == 78


def test_case_17_true_is_no_mark() -> None:
    reply = case_reply("017_bool_score.json")

    assert unjudged_of(solo(), reply, reply).reason is UnjudgedReason.INVALID


def test_case_19_missing_dimension_is_unjudged_whatever_the_total() -> None:
    reply = case_reply("019_missing_dim.json")
    unjudged = unjudged_of(solo(), reply, reply)

    assert unjudged.reason is UnjudgedReason.INCOMPLETE
    assert unjudged.detail == "persona is missing"


def test_case_20_extra_dimension_is_noted_and_never_counted() -> None:
    verdict = verdict_of(solo(), case_reply("020_extra_dim.json"))

    assert verdict.total == 80
    assert Flag.UNKNOWN_DIMENSION in verdict.flags
    assert any("style" in note for note in verdict.notes)
    # It also stated 84.
    assert Flag.STATED_DIFFERS in verdict.flags


def test_case_20_total_may_be_absent() -> None:
    verdict = verdict_of(solo(), case_reply("020_no_total.json"))

    assert verdict.total == 80
    assert verdict.stated == ()


def test_case_25_lone_surrogate_is_shown_and_flagged() -> None:
    verdict = verdict_of(solo(), case_reply("025_surrogate.json"))

    assert verdict.total == 80
    assert verdict.marks[0].reasoning == r"good \ud83d end 🍸"
    assert verdict.flags == (Flag.ESCAPED_TEXT,)
    # The reply itself is kept as it came.
    assert verdict.replies[0].text == case_reply("025_surrogate.json").text


def test_case_26_nul_is_shown_and_flagged() -> None:
    verdict = verdict_of(solo(), case_reply("026_nul.json"))

    assert verdict.total == 80
    assert verdict.assessment == r"a\u0000b"
    assert verdict.flags == (Flag.ESCAPED_TEXT,)


def test_solo_whole_numbers_rubric_refuses_decimals() -> None:
    strict = rubric("solo").model_copy(update={"whole_numbers": True})
    about = solo(rubric=strict)
    decimal = solo_reply(7.5, 7, 9, 8)

    outcome, ask = outcome_of(about, decimal, decimal)
    assert getattr(outcome, "reason", None) is UnjudgedReason.INVALID
    assert "whole number" in ask.asked[1].turns[0].correction
    assert ask.asked[0].prompt.schema["properties"]["scores"]["properties"]["depth"]["properties"][
        "value"
    ]["enum"] == list(range(1, 11))


def test_case_37_equal_marks_in_any_order_are_exactly_equal() -> None:
    # Ten dimensions of weight 10, all 10: exactly 100.
    first = rubric("solo").dimensions[0]
    ten = tuple(
        first.model_copy(
            update={
                "key": f"d{n}",
                "weight": Decimal(10),
                "marks": (first.marks[0].model_copy(update={"key": f"d{n}"}),),
            }
        )
        for n in range(10)
    )
    for dimensions in (ten, ten[::-1]):
        about = solo(rubric=rubric("solo").model_copy(update={"dimensions": dimensions}))
        scores = {one.key: {"reasoning": "r" * 30, "value": 10} for one in dimensions}
        assert verdict_of(about, {"scores": scores}).total == 100
