"""The relay chain's arithmetic. Case 38: an excellent chain may pass 100."""

from dataclasses import replace
from fractions import Fraction

import pytest

from judgeweb.judging.relay import (
    PHASES,
    ChainRatings,
    ChainTotal,
    Incomplete,
    PhaseTotals,
    chain_total,
    epoch_family,
)


def phases(*totals: int, family: str = "f") -> dict[str, PhaseTotals]:
    return {
        phase: PhaseTotals((Fraction(total),), (Fraction(total),), family)
        for phase, total in zip(PHASES, totals, strict=False)
    }


@pytest.mark.parametrize(
    ("rating", "total"),
    # mean (79 + 70 + 75 + 77) / 4 = 75.25; x 1.2 = 90.3; x 0.8 = 60.2
    [("excellent", "90.3"), ("good", "75.25"), ("poor", "60.2")],
)
def test_chain_golden(rating: str, total: str) -> None:
    chain = chain_total(phases(79, 70, 75, 77), ChainRatings((rating,), "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.mean == Fraction("75.25")
    assert chain.total == Fraction(total)
    assert [step.name for step in chain.working] == ["mean", "multiplier", "total"]
    assert chain.working[0].expression == "(79 + 70 + 75 + 77) / 4"
    assert chain.working[-1].value == chain.total


def test_case_38_an_excellent_chain_is_not_capped() -> None:
    chain = chain_total(phases(90, 90, 90, 90), ChainRatings(("excellent",), "f"))

    assert isinstance(chain, ChainTotal)
    assert (chain.mean, chain.multiplier, chain.total) == (90, Fraction(6, 5), 108)
    assert chain.working[-1].expression == "90 × 1.2"


def test_case_38_a_poor_chain_loses_a_fifth() -> None:
    chain = chain_total(phases(75, 75, 75, 75), ChainRatings(("poor",), "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.total == 60


def test_without_persona_differs_in_the_reviewer_alone() -> None:
    legs = phases(79, 70, 75, 77)
    legs["reviewer"] = replace(legs["reviewer"], without_persona=(Fraction(500, 7),))
    chain = chain_total(legs, ChainRatings(("good",), "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.total_without_persona == (79 + 70 + 75 + Fraction(500, 7)) / 4
    legs["reviewer"] = replace(legs["reviewer"], without_persona=(None,))
    without = chain_total(legs, ChainRatings(("good",), "f"))
    assert isinstance(without, ChainTotal)
    assert without.total_without_persona is None


def test_missing_judgements_are_named() -> None:
    legs = phases(79, 70, 75, 77)
    del legs["tea"]

    assert chain_total(legs, None) == Incomplete(("tea is not judged", "coherence is not judged"))


def test_two_epoch_families_make_no_chain() -> None:
    assert chain_total(phases(79, 70, 75, 77), ChainRatings(("good",), "g")) == Incomplete(
        ("its judgements are of 2 epoch families",)
    )
    legs = phases(79, 70, 75, 77) | {"dev": PhaseTotals((Fraction(1),), (None,), "g")}
    assert isinstance(chain_total(legs, ChainRatings(("good",), "f")), Incomplete)


def test_family_is_the_judge_and_nothing_else() -> None:
    family = epoch_family("judged", ["m"], {"effort": "low", "orders": 2})

    assert family == epoch_family("judged", ["m"], {"effort": "low", "orders": 1})
    others = [
        epoch_family("stand_in", ["m"], {"effort": "low"}),
        epoch_family("judged", ["n"], {"effort": "low"}),
        epoch_family("judged", ["m", "n"], {"effort": "low"}),
        epoch_family("judged", ["m"], {"effort": "high"}),
        epoch_family("judged", ["m"], {"effort": "low", "output_mode": "tool"}),
        epoch_family("judged", ["m"], {"effort": "low", "claim_step": True}),
    ]
    assert len({family, *others}) == 7


# --- repeats ------------------------------------------------------------------------------------


def test_repeats_of_a_phase_count_with_their_mean() -> None:
    # sm: (82 + 76) / 2 = 79; then (79 + 70 + 75 + 77) / 4 = 75.25 and x 1.2 = 90.3
    legs = phases(79, 70, 75, 77)
    legs["sm"] = PhaseTotals((Fraction(82), Fraction(76)), (Fraction(82), Fraction(76)), "f")
    chain = chain_total(legs, ChainRatings(("excellent", "good", "excellent"), "f"))

    assert isinstance(chain, ChainTotal)
    assert (chain.mean, chain.total) == (Fraction("75.25"), Fraction("90.3"))
    assert chain.total_without_persona == Fraction("90.3")
    assert [(step.name, step.expression, step.note) for step in chain.working[:3]] == [
        ("sm", "(82 + 76) / 2", "mean of 2 repeats"),
        ("mean", "(79 + 70 + 75 + 77) / 4", ""),
        ("multiplier", "excellent (2 of 3 repeats)", ""),
    ]


@pytest.mark.parametrize(
    ("unjudged", "total"),
    # 1 of 2 is half, 1 of 3 is not.
    [(1, Fraction("75.25")), (2, None)],
)
def test_a_phase_needs_half_of_its_repeats(unjudged: int, total: Fraction | None) -> None:
    legs = phases(79, 70, 75, 77)
    legs["dev"] = replace(legs["dev"], unjudged=unjudged)
    chain = chain_total(legs, ChainRatings(("good",), "f"))

    if total is None:
        assert chain == Incomplete(("dev is unjudged: 1 of 3 repeats are valid",))
    else:
        assert isinstance(chain, ChainTotal)
        assert chain.total == total
        assert chain.working[0].note == "mean of 1 of 2 repeats"


@pytest.mark.parametrize(
    ("ratings", "unjudged", "rating"),
    [
        (("good", "poor", "good"), 0, "good"),
        (("good", "good"), 1, "good"),  # 2 of the 3 asked
        (("good", "poor"), 0, None),
        (("good", "poor", "excellent"), 0, None),
        (("good",), 1, None),  # 1 of 2 is no majority
    ],
)
def test_coherence_is_what_most_repeats_say(
    ratings: tuple[str, ...], unjudged: int, rating: str | None
) -> None:
    coherence = ChainRatings(ratings, "f", unjudged)
    chain = chain_total(phases(79, 70, 75, 77), coherence)

    assert coherence.rating == rating
    if rating is None:
        assert chain == Incomplete(
            (
                f"no majority of the {coherence.asked} coherence repeats agrees: "
                f"{', '.join(ratings)}",
            )
        )
    else:
        assert isinstance(chain, ChainTotal)
        assert chain.rating == rating
