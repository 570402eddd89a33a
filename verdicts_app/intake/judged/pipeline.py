"""Findings of a review pipeline: `judge_N.yaml` of one judge, `majority_vote.yaml` of several.

    score = weight of caught findings / weight of all findings, in percent
A finding's weight is its own. With votes ("2/3") it is caught where most judges say so,
n // 2 + 1 of n. Score: 0-100, in an epoch of its own.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.text import shown, visible
from judgeweb.judging.types import Finding, FindingKind, Stated, Step, Verdict
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import (
    first_of,
    number,
    stated_figure,
    totals_in,
    with_stated,
    words,
)
from verdicts_app.intake.judged.lists import Told, agreed
from verdicts_app.intake.judged.types import Given, Judged, Payload, Said

HEAVIEST = 1000
UNSAID = 1
LONGEST_ID = 200
_VOTES = re.compile(r"\s*([0-9]{1,4})\s*/\s*([0-9]{1,4})\s*")


def matches(payload: Payload) -> bool:
    rows = payload.get("findings")
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, Mapping) for row in rows)
        and any("caught" in row or "votes" in row for row in rows)
    )


def read(payload: Payload, given: Given) -> Judged:
    found = [_finding(row, number) for number, row in enumerate(payload["findings"])]
    if len({one.item_id for one in found}) < len(found):
        twice = next(
            one.item_id for one in found if [x.item_id for x in found].count(one.item_id) > 1
        )
        raise FieldRefused("findings", f"the finding {twice!r} stands twice")
    caught = sum(one.weight for one in found if one.found)
    weight = sum(one.weight for one in found)
    if not weight:
        raise FieldRefused("findings", "all weights are 0, so that nothing can be counted")
    recall = Fraction(caught, weight)
    verdict = Verdict(
        total=100 * recall,
        total_without_persona=100 * recall,
        parts={"recall": recall},
        working=(
            Step("recall", f"{caught} / {weight}", recall),
            Step("total", f"100×{plain(recall)}", 100 * recall),
        ),
        findings=tuple(found),
        notes=_notes(payload["findings"], found),
    )
    return Judged(
        "checklist",
        with_stated(verdict, _stated(payload, found, caught, weight)),
        {"scale": "weight caught in percent", **_ways(payload)},
        said=_beside_the_scenario(found, given),
    )


def _beside_the_scenario(found: list[Finding], given: Given) -> tuple[Said, ...]:
    """Every finding keeps its own weight; what the lists differ in is said."""
    told = [
        Told(f"findings[{n}]", ChecklistItem(id=one.item_id, category="", description=""))
        for n, one in enumerate(found)
    ]
    known = given.scenario.baseline_issues if given.scenario else None
    then = "its own weight counts"
    return agreed("findings", told, known, of="baseline_issues", then=then).said


def _finding(row: Mapping[str, Any], number_of: int) -> Finding:
    place = f"findings[{number_of}]"
    item_id = visible(str(first_of(row, ("finding_id", "id")) or "").strip())[0]
    if not item_id or len(item_id) > LONGEST_ID:
        raise FieldRefused(
            f"{place}.finding_id", f"expected an id of 1 to {LONGEST_ID} characters", item_id
        )
    weight = number(row.get("weight", UNSAID), f"{place}.weight", most=HEAVIEST)
    if weight.denominator != 1:
        raise FieldRefused(f"{place}.weight", "expected a whole number", row.get("weight"))
    by = words(row.get("caught_by"))
    return Finding(
        kind=FindingKind.BASELINE,
        item_id=item_id,
        category=visible(str(first_of(row, ("phase_ideal", "severity", "category")) or "general"))[
            0
        ][:100],
        description=words(first_of(row, ("title", "description"))),
        weight=int(weight),
        found=_is_caught(row, place),
        evidence="",
        reasoning=". ".join(
            part
            for part in (
                f"Caught by {by}" if by else "",
                f"{row['votes']} votes" if isinstance(row.get("votes"), str) else "",
                words(row.get("evidence")),
            )
            if part
        ),
    )


def _is_caught(row: Mapping[str, Any], place: str) -> bool:
    """By the votes where there are any, else as stated."""
    votes = _votes(row, place)
    if votes is not None:
        yes, judges = votes
        return yes >= judges // 2 + 1
    caught = row.get("caught")
    if not isinstance(caught, bool):
        said = "is missing" if caught is None else f"must be true or false, not {shown(caught)}"
        raise FieldRefused(f"{place}.caught", said, caught)
    return caught


def _votes(row: Mapping[str, Any], place: str) -> tuple[int, int] | None:
    if row.get("votes") is None:
        return None
    found = _VOTES.fullmatch(str(row["votes"]))
    if not found or int(found[2]) < 1 or int(found[1]) > int(found[2]):
        raise FieldRefused(
            f"{place}.votes",
            f'expected votes such as "2/3", not {shown(row["votes"])}',
            row["votes"],
        )
    return int(found[1]), int(found[2])


def _notes(rows: list[Any], found: list[Finding]) -> tuple[str, ...]:
    return tuple(
        f"{one.item_id}: the file says {'caught' if row['caught'] else 'missed'}, "
        f"its votes {row['votes']} say the opposite; the votes count."
        for row, one in zip(rows, found, strict=True)
        if isinstance(row.get("caught"), bool) and row["caught"] is not one.found
    )


def _stated(payload: Payload, found: list[Finding], caught: int, weight: int) -> list[Stated]:
    figures = {
        "total_caught": Fraction(sum(one.found for one in found)),
        "total_findings": Fraction(len(found)),
        "weighted_caught": Fraction(caught),
        "total_weight": Fraction(weight),
    }
    counts = [
        stated_figure(name, payload[name], value)
        for name, value in figures.items()
        if payload.get(name) is not None
    ]
    percent = 100 * Fraction(caught, weight)
    totals = [stated_figure(name, value, percent) for name, value in totals_in(payload).items()]
    single = payload.get("individual_scores")
    if isinstance(single, list):
        counts.append(stated_figure("individual_scores", single, None))
    return [*counts, *totals]


def _ways(payload: Payload) -> dict[str, str]:
    """How several judges were put together."""
    return {
        key: words(payload[key])[:100]
        for key in ("judge_method", "n_judges", "majority_threshold", "judge_version")
        if payload.get(key) is not None
    }
