"""The behaviours sheet through whole judgements."""

from decimal import Decimal

from tests.judging.world import (
    behaviours,
    behaviours_reply,
    case,
    unjudged_of,
    verdict_of,
)


def all_ids(about: object) -> set[str]:
    listed = about.scenario  # type: ignore[attr-defined]
    return {item.id for item in listed.baseline_criteria + listed.bonus_criteria}


def test_behaviours_golden() -> None:
    # min(5x8, 40) + min(3x2, 10) = 46; 1.25 x 15 = 18.75; 1.25 x 17 = 21.25
    about = behaviours()
    verdict = verdict_of(
        about,
        behaviours_reply(
            about,
            all_ids(about),
            execution={"baseline_count": 8, "bonus_count": 2, "subtotal": 46},
            weighted_total=86.0,
        ),
    )

    assert verdict.total == 86
    assert verdict.working[0].expression == "min(5×8, 40) + min(3×2, 10) = 40 + 6"
    assert [one.differs for one in verdict.stated] == [False] * 4
    assert verdict.flags == ()


def test_behaviours_beyond_the_cap_show_the_uncapped_share() -> None:
    about = behaviours(baseline=12, bonus=0)
    shown = {f"P{n}" for n in range(1, 10)}
    verdict = verdict_of(about, behaviours_reply(about, shown))
    step = verdict.working[0]

    # 9 of 12 shown: 5 x 9 = 45, capped at 40; uncapped 40 x 9 / 12 = 30
    assert verdict.parts["execution"] == 40
    assert verdict.parts["uncapped_share"] == 30
    assert step.note == "shown only: 8 of 12 reach the cap"


def test_behaviours_bonus_is_capped_and_weight_scales() -> None:
    about = behaviours(baseline=2, bonus=4)
    dimensions = tuple(
        one.model_copy(update={"weight": Decimal(weight)})
        for one, weight in zip(about.rubric.dimensions, ("40", "30", "30"), strict=True)
    )
    scaled = case(
        "behaviours",
        about.scenario,
        rubric=about.rubric.model_copy(update={"dimensions": dimensions}),
    )
    verdict = verdict_of(scaled, behaviours_reply(scaled, all_ids(scaled)))

    # 40/50 x (10 + 10) = 16
    assert verdict.parts["execution"] == 16
    assert verdict.working[0].expression.startswith("40/50 × (min(5×2, 40)")


def test_behaviours_without_bonus_need_no_bonus_list() -> None:
    about = behaviours(baseline=1, bonus=0)
    reply = behaviours_reply(about, {"P1"})
    del reply["bonus_behaviors"]

    assert verdict_of(about, reply).parts["execution"] == 5


def test_behaviours_with_bonus_need_their_list() -> None:
    about = behaviours(baseline=1, bonus=1)
    reply = behaviours_reply(about, {"P1"})
    del reply["bonus_behaviors"]

    detail = unjudged_of(about, reply, reply).detail
    assert "bonus_behaviors is missing" in detail
    assert "id B1 is missing from bonus_behaviors" in detail


def test_list_may_name_its_boolean_as_the_other_list_does() -> None:
    about = behaviours(baseline=1, bonus=0)
    reply = behaviours_reply(about, {"P1"})
    reply["baseline_behaviors"][0]["found"] = reply["baseline_behaviors"][0].pop("demonstrated")

    assert verdict_of(about, reply).parts["execution"] == 5
