"""A seed permutes what the judge is shown. Nothing that is read or computed depends on it."""

import json
import re
from dataclasses import replace

import pytest

from judgeweb.judging.modes import mode_named
from judgeweb.judging.shuffling import as_shown
from judgeweb.judging.types import Case
from tests.judging.world import (
    behaviours,
    checklist,
    checklist_reply,
    items,
    mode_of,
    pair,
    scenario,
    solo,
    solo_reply,
    verdict_of,
)

CASES = {
    "solo": solo(),
    "checklist": checklist(bonus=3),
    "behaviours": behaviours(8, 4),
    "compare": pair("checklist", scenario(baseline_issues=items(critical=4, low=4))),
    "phase-dev": pair("phase-dev", scenario(challenge="", context="So far.")),
}


def system_of(about: Case) -> str:
    return mode_named(mode_of(about)).prompts(about)[0].system


def sorted_lines(text: str) -> list[str]:
    """Without the marks, which depend on the whole, and the commas, which depend on the place."""
    return sorted(line.rstrip(",") for line in re.sub(r"\b[0-9a-f]{24}\b", "", text).splitlines())


def headings(text: str) -> list[str]:
    return re.findall(r"^### (\w+)", text, re.MULTILINE)


@pytest.mark.parametrize("about", CASES.values(), ids=CASES)
def test_a_seed_changes_the_order_and_no_line(about: Case) -> None:
    plain = system_of(about)
    systems = [system_of(replace(about, seed=seed)) for seed in ("a", "b", "c", "d")]

    assert len({plain, *systems}) > 3
    assert all(sorted_lines(one) == sorted_lines(plain) for one in systems)
    assert system_of(replace(about, seed="a")) == systems[0]
    assert system_of(about) == plain


def test_without_a_seed_the_case_is_the_same_object() -> None:
    about = checklist()

    assert as_shown(about) is about


def test_dimensions_marks_bands_and_items_are_permuted_each() -> None:
    about = checklist(critical=8)
    shown = [as_shown(replace(about, seed=str(n))) for n in range(12)]

    dimensions = {tuple(d.key for d in one.rubric.dimensions) for one in shown}
    quality = [next(d for d in one.rubric.dimensions if d.key == "quality") for one in shown]
    assert len(dimensions) > 1
    assert len({tuple(mark.key for mark in one.marks) for one in quality}) == 2
    assert len({tuple(band.low for band in one.bands) for one in quality}) > 3
    assert len({tuple(i.id for i in one.scenario.baseline_issues) for one in shown}) > 6


def test_the_order_of_a_seed_is_for_good() -> None:
    """Another order under the same seed would be another instrument. Worked out with sha256sum
    of seed, "dimension" and key, a line each: 1688 persona, 1c59 correctness, 9925 quality, f7b3
    depth."""
    [prompt] = mode_named("solo").prompts(replace(solo(), seed="0011223344556677"))

    assert headings(prompt.system) == ["Persona", "Correctness", "Quality", "Depth"]
    asked_for = json.dumps(list(prompt.schema["properties"]["scores"]["properties"]))
    assert asked_for == '["persona", "correctness", "quality", "depth"]'


def test_severities_keep_their_order_and_weights() -> None:
    system = system_of(replace(checklist(), seed="z"))
    at = [system.index(word) for word in ("CRITICAL: weight 15", "HIGH: weight 10", "LOW: weight")]

    assert at == sorted(at)


def test_the_same_reply_gives_the_same_verdict_in_any_order() -> None:
    about = checklist()
    reply = checklist_reply(about, {"C1", "H2", "L1"})
    plain, shuffled = (verdict_of(one, reply) for one in (about, replace(about, seed="q")))

    assert shuffled.total == plain.total
    assert shuffled.findings == plain.findings
    assert shuffled.marks == plain.marks
    assert verdict_of(replace(solo(), seed="q"), solo_reply()).total == 80
