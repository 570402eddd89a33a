"""What the made-up judge says of an answer, and how another look at it differs.

A sheet is the JSON object that a real judge replies with about one answer. No sheet holds a total:
marks and findings go through the product's own reading and arithmetic.
"""

from collections.abc import Mapping
from copy import deepcopy
from random import Random
from typing import Any

Sheet = dict[str, Any]

LISTS = {
    "baseline_findings": "found",
    "bonus_findings": "found",
    "baseline_behaviors": "demonstrated",
    "bonus_behaviors": "demonstrated",
}
GROUPS = ("scores", "quality", "persona")
OVERLOOKED = 0.07
MOVED = 0.3
REASONS = {
    2: "Nothing to go on: the reader would have to begin again.",
    4: "Some of it is there, the rest has to be guessed.",
    6: "Clear enough for somebody who knows the place.",
    8: "Concrete, in a useful order, and said in few words.",
    10: "Ready to be acted on as it stands.",
}
"""By the highest mark that they are said of."""


def mark(rng: Random, middle: float) -> dict[str, Any]:
    """A mark of 1-10 around `middle`, with a reason that fits it."""
    return given(round(rng.gauss(middle, 0.8)))


def given(value: int) -> dict[str, Any]:
    value = min(10, max(1, value))
    reason = next(text for highest, text in REASONS.items() if value <= highest)
    return {"reasoning": f"{reason} (sample)", "value": value}


def another_look(
    sheet: Mapping[str, Any], seed: str, *, lean: int = 0, overlooked: float = OVERLOOKED
) -> Sheet:
    """The same judge at another time: a finding overlooked here, a mark one higher there.
    `lean` is added to every mark, as by a judge who prefers whoever stands first; `overlooked` is
    the chance that a finding is not seen again."""
    rng = Random(seed)
    other = deepcopy(dict(sheet))
    for name, answer in LISTS.items():
        for row in other.get(name, ()):
            if row[answer] and rng.random() < overlooked:
                row.update({answer: False, "evidence": None})
    for name in GROUPS:
        group = other.get(name, {})
        for key, one in group.items():
            step = rng.choice((-1, 1)) if rng.random() < MOVED else 0
            group[key] = given(one["value"] + step + lean)
    return other


def levelled(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[Sheet, Sheet]:
    """Both sheets of two answers between which the judge sees no difference: what either found
    alone does not count, and the marks are the first one's."""
    pair = deepcopy(dict(one)), deepcopy(dict(other))
    for name, answer in LISTS.items():
        rows = zip(*(sheet.get(name, ()) for sheet in pair), strict=True)
        for first, second in rows:
            if not (first[answer] and second[answer]):
                for row in (first, second):
                    row.update({answer: False, "evidence": None})
    for sheet in pair:
        for name in ("novel_findings", "false_positives"):
            if name in sheet:
                sheet[name] = []
        sheet.update({name: deepcopy(one[name]) for name in GROUPS if name in one})
    return pair
