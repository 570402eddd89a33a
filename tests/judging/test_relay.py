"""The relay chain's arithmetic. Case 38: an excellent chain may pass 100."""

from dataclasses import replace
from fractions import Fraction

import pytest

from judgeweb.judging.relay import (
    PHASES,
    ChainRating,
    ChainTotal,
    Incomplete,
    PhaseTotal,
    chain_total,
    epoch_family,
)


def phases(*totals: int, family: str = "f") -> dict[str, PhaseTotal]:
    return {
        phase: PhaseTotal(Fraction(total), Fraction(total), family)
        for phase, total in zip(PHASES, totals, strict=False)
    }


@pytest.mark.parametrize(
    ("rating", "total"),
    # mean (79 + 70 + 75 + 77) / 4 = 75.25; x 1.2 = 90.3; x 0.8 = 60.2
    [("excellent", "90.3"), ("good", "75.25"), ("poor", "60.2")],
)
def test_chain_golden(rating: str, total: str) -> None:
    chain = chain_total(phases(79, 70, 75, 77), ChainRating(rating, "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.mean == Fraction("75.25")
    assert chain.total == Fraction(total)
    assert [step.name for step in chain.working] == ["mean", "multiplier", "total"]
    assert chain.working[0].expression == "(79 + 70 + 75 + 77) / 4"
    assert chain.working[-1].value == chain.total


def test_case_38_an_excellent_chain_is_not_capped() -> None:
    chain = chain_total(phases(90, 90, 90, 90), ChainRating("excellent", "f"))

    assert isinstance(chain, ChainTotal)
    assert (chain.mean, chain.multiplier, chain.total) == (90, Fraction(6, 5), 108)
    assert chain.working[-1].expression == "90 × 1.2"


def test_case_38_a_poor_chain_loses_a_fifth() -> None:
    chain = chain_total(phases(75, 75, 75, 75), ChainRating("poor", "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.total == 60


def test_without_persona_differs_in_the_reviewer_alone() -> None:
    legs = phases(79, 70, 75, 77)
    legs["reviewer"] = replace(legs["reviewer"], without_persona=Fraction(500, 7))
    chain = chain_total(legs, ChainRating("good", "f"))

    assert isinstance(chain, ChainTotal)
    assert chain.total_without_persona == (79 + 70 + 75 + Fraction(500, 7)) / 4
    legs["reviewer"] = replace(legs["reviewer"], without_persona=None)
    without = chain_total(legs, ChainRating("good", "f"))
    assert isinstance(without, ChainTotal)
    assert without.total_without_persona is None


def test_missing_judgements_are_named() -> None:
    legs = phases(79, 70, 75, 77)
    del legs["tea"]

    assert chain_total(legs, None) == Incomplete(("tea is not judged", "coherence is not judged"))


def test_two_epoch_families_make_no_chain() -> None:
    assert chain_total(phases(79, 70, 75, 77), ChainRating("good", "g")) == Incomplete(
        ("its judgements are of 2 epoch families",)
    )
    legs = phases(79, 70, 75, 77) | {"dev": PhaseTotal(Fraction(1), None, "g")}
    assert isinstance(chain_total(legs, ChainRating("good", "f")), Incomplete)


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
