from dataclasses import replace
from pathlib import Path

import pytest

import judgeweb.judging.modes as modes
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import (
    MODES,
    PAIR_MODES,
    SOLO_MODES,
    mode_for,
    mode_named,
    rubric_mode,
    solo_mode_for,
)
from judgeweb.judging.types import Case, Contestant
from tests.judging.world import SECRET, behaviours, checklist, gold, items, scenario, solo


def test_registry_and_files_match() -> None:
    files = {path.stem for path in Path(modes.__file__).parent.glob("*.py")} - {"__init__"}

    assert {target.rsplit(":", 1)[0].rsplit(".", 1)[1] for target in MODES.values()} <= files
    for name in MODES:
        mode = mode_named(name)
        assert mode.name == name
        assert mode.prompt_version.startswith(name)
    for name in (*SOLO_MODES, *PAIR_MODES):
        assert mode_named(name).min_reply_characters == 200


def test_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(CaseRefused, match=r"'sole'; known are solo, ") as caught:
        mode_named("sole")
    assert caught.value.field == "mode"


def test_mode_for_follows_the_lists() -> None:
    one = items(critical=1)

    assert mode_for(scenario()) == "solo"
    assert mode_for(scenario(baseline_issues=one)) == "checklist"
    assert mode_for(scenario(baseline_criteria=one)) == "behaviours"


def test_mode_for_family_overrides() -> None:
    one = items(critical=1)

    assert mode_for(scenario(baseline_issues=one, family="generic")) == "solo"
    assert mode_for(scenario(family=" Behaviors ")) == "behaviours"
    assert mode_for(scenario(family="Ground-Truth")) == "ground-truth"
    assert mode_for(scenario(baseline_issues=one, family="swebench")) == "swebench"
    for family in ("poetry", "compare"):
        with pytest.raises(CaseRefused) as caught:
            mode_for(scenario(family=family))
        assert caught.value.field == "family"


def test_a_family_of_patches_gives_way_to_the_lists_where_a_model_judges() -> None:
    one = items(critical=1)

    assert solo_mode_for(scenario(family="swebench")) == "solo"
    assert solo_mode_for(scenario(baseline_criteria=one, family="ground-truth")) == "behaviours"
    assert solo_mode_for(scenario(baseline_issues=one, family="solo")) == "solo"
    assert rubric_mode("compare", scenario(family="swebench")) == "solo"


@pytest.mark.parametrize("family", ["", "solo"])
def test_mode_for_both_lists_is_refused(family: str) -> None:
    one = items(critical=1)

    with pytest.raises(CaseRefused, match="keep one list"):
        mode_for(scenario(baseline_issues=one, baseline_criteria=one, family=family))


BOTH = scenario(baseline_issues=items(low=1), baseline_criteria=items(low=1))


@pytest.mark.parametrize(
    ("mode", "about", "field"),
    [
        ("solo", solo(scenario=scenario(challenge=" \n")), "challenge"),
        ("solo", solo(contestants=(Contestant(" ", "C", "r"),)), "spec"),
        ("solo", solo(gold=gold(response=" ")), "gold_standard"),
        ("solo", checklist(), "rubric"),
        ("checklist", checklist(critical=0), "checklist"),
        ("behaviours", behaviours(baseline=0), "checklist"),
        ("solo", solo(scenario=BOTH), "baseline_criteria"),
    ],
)
def test_missing_value_is_refused_by_name(mode: str, about: Case, field: str) -> None:
    with pytest.raises(CaseRefused) as caught:
        mode_named(mode).check(about)
    assert caught.value.field == field


def test_values_that_look_like_placeholders_are_not_missing() -> None:
    # Looked for in the values, never in the rendered text.
    about = solo("{response}", scenario=scenario(challenge="{challenge}"))

    mode_named("solo").check(about)
    mode_named("solo").check(replace(about, secret=SECRET))
