"""The checklist sheet: which known issues did the response find? (precision/recall v2)

Weights: critical 15, high 10, medium 5, low 2, any other category 5.
    recall    = weight of found items / weight of all items
    precision = found items / (found items + false claims); 0/0 is undefined and scores 0
    detection = 30 recall + 10 precision + min(3 (valid novel + bonus found), 10), of 50
False claims are false positives and novel findings marked invalid; one quote counts once.
Score: 0-50 scaled to the dimension's weight; F2 = 5pr / (4p + r) is shown only.
Source: the seed's checklist rubric v2. Differs from it: its sample figures contradict its own
formula and are not copied (spec/judging.md 3.1); its severity in the reply is not read.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from judgeweb.judging.arithmetic import plain, weight_of
from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.evidence import fold
from judgeweb.judging.findings import (
    BONUS_POINTS,
    FALSE_SCHEMA,
    NOVEL_SCHEMA,
    SEVERITY_WEIGHTS,
    FindingReader,
    ItemList,
)
from judgeweb.judging.schemas import Schema
from judgeweb.judging.sheets.listed import ListedSheet, by_category, item_lines
from judgeweb.judging.types import Case, Finding, FindingKind, Step

RECALL_POINTS, PRECISION_POINTS, NOVEL_CAP, POINTS = 30, 10, 10, 50
_ADVICE = {
    "critical": "must find",
    "high": "should find",
    "medium": "good to find",
    "low": "minor",
}


class ChecklistSheet(ListedSheet):
    computed: ClassVar[str] = "detection"
    task: ClassVar[str] = (
        "Answer every id of the list exactly once: found is true only where the response itself "
        "identifies that issue. Copy the words that show it into evidence, verbatim; null where "
        "not found.\n"
        "Put findings of the response that are not on the list into novel_findings and rule "
        "whether each is valid. Put claims of the response that are wrong into false_positives. "
        "Name each claim once, and none that matches an item of the list."
    )

    def lists(self, scenario: ScenarioDocument) -> tuple[ItemList, ItemList]:
        issues, bonus = scenario.baseline_issues, scenario.bonus_issues
        return (
            ItemList("baseline_findings", "found", FindingKind.BASELINE, issues),
            ItemList("bonus_findings", "found", FindingKind.BONUS, bonus, BONUS_POINTS),
        )

    def claim_schemas(self) -> dict[str, Schema]:
        return {"novel_findings": NOVEL_SCHEMA, "false_positives": FALSE_SCHEMA}

    def checklist(self, scenario: ScenarioDocument) -> str:
        baseline, bonus = self.lists(scenario)
        lines: list[str] = []
        for category, items in by_category(baseline.items, tuple(SEVERITY_WEIGHTS)).items():
            advice = f" ({_ADVICE[category]})" if category in _ADVICE else ""
            lines.append(f"{category.upper()}: weight {baseline.weight(items[0])}{advice}")
            lines += [line for item in items for line in item_lines(item)]
        if bonus.items:
            lines.append(f"BONUS: {BONUS_POINTS} points each, answered in bonus_findings")
            lines += [line for item in bonus.items for line in item_lines(item)]
        return "\n".join(lines)

    def read_findings(
        self, reader: FindingReader, case: Case, payload: Mapping[str, Any]
    ) -> tuple[Finding, ...]:
        return super().read_findings(reader, case, payload) + reader.claims(payload)

    def stated_names(self, case: Case) -> tuple[str, ...]:
        categories = by_category(case.scenario.baseline_issues, tuple(SEVERITY_WEIGHTS))
        counts = [
            f"detection.by_severity.{category}.{count}"
            for category in categories
            for count in ("found", "total")
            if "." not in category
        ]
        return (*super().stated_names(case), *counts, *_STATED)

    def figures(
        self, case: Case, findings: tuple[Finding, ...]
    ) -> tuple[list[Step], dict[str, Fraction | None]]:
        baseline = [one for one in findings if one.kind is FindingKind.BASELINE]
        found = sum(one.found for one in baseline)
        false = false_claims(findings)
        novel = sum(one.found for one in findings if one.kind is FindingKind.NOVEL)
        bonus = sum(one.found for one in findings if one.kind is FindingKind.BONUS)
        recall, precision = _recall(baseline), _precision(found, false)
        f2 = _f2(precision.value or Fraction(0), recall.value or Fraction(0))
        weight = next(weight_of(one) for one in case.rubric.dimensions if one.key == self.computed)
        points = _detection(recall.value, precision.value, novel + bonus, weight)
        figures = _counts(baseline) | {
            "detection.novel_valid": Fraction(novel),
            "detection.false_positive_count": Fraction(false),
            "detection.metrics.recall": recall.value,
            "detection.metrics.precision": precision.value,
            "detection.metrics.f2_score": f2.value,
            "detection.components.recall_score": (recall.value or 0) * Fraction(RECALL_POINTS),
            "detection.components.precision_score": (precision.value or 0)
            * Fraction(PRECISION_POINTS),
            "detection.components.novel_bonus": Fraction(min(BONUS_POINTS * novel, NOVEL_CAP)),
        }
        return [recall, precision, f2, points], figures


_STATED = (
    "detection.novel_valid",
    "detection.false_positive_count",
    "detection.metrics.weighted_found",
    "detection.metrics.weighted_total",
    "detection.metrics.recall",
    "detection.metrics.precision",
    "detection.metrics.f2_score",
    "detection.components.recall_score",
    "detection.components.precision_score",
    "detection.components.novel_bonus",
)


def false_claims(findings: tuple[Finding, ...]) -> int:
    """Wrong claims of the response, those with the same quoted text counted once."""
    false = [
        one
        for one in findings
        if one.kind is FindingKind.FALSE_POSITIVE
        or (one.kind is FindingKind.NOVEL and not one.found)
    ]
    quotes = [fold(one.evidence or one.description) for one in false]
    return len({quote for quote in quotes if quote}) + quotes.count("")


def _recall(baseline: list[Finding]) -> Step:
    found = [one for one in baseline if one.found]
    top, bottom = sum(one.weight for one in found), sum(one.weight for one in baseline)
    shown = f"({_weighed(found)}) / ({_weighed(baseline)}) = {top} / {bottom}"
    return Step("recall", shown, Fraction(top, bottom) if bottom else None)


def _weighed(findings: list[Finding]) -> str:
    """Counts by weight, heaviest first: "5×15 + 4×10"."""
    weights = [one.weight for one in findings]
    return " + ".join(f"{weights.count(one)}×{one}" for one in sorted(set(weights))[::-1]) or "0"


def _precision(found: int, false: int) -> Step:
    claims = f"{false} false positive{'' if false == 1 else 's'}"
    shown = f"{found} / ({found} + {claims}) = {found} / {found + false}"
    if not found + false:
        return Step("precision", shown, None, "undefined without a claim; scores 0")
    return Step("precision", shown, Fraction(found, found + false))


def _f2(p: Fraction, r: Fraction) -> Step:
    top = 5 * p.numerator * r.numerator
    bottom = 4 * p.numerator * r.denominator + r.numerator * p.denominator
    value = Fraction(top, bottom) if bottom else Fraction(0)
    return Step("f2", "5×p×r / (4×p + r)", value, "shown only")


def _detection(
    recall: Fraction | None, precision: Fraction | None, extras: int, weight: Fraction
) -> Step:
    r, p = recall or Fraction(0), precision or Fraction(0)
    terms = [RECALL_POINTS * r, PRECISION_POINTS * p]
    terms.append(Fraction(min(BONUS_POINTS * extras, NOVEL_CAP)))
    formula = (
        f"{RECALL_POINTS}×{plain(r)} + {PRECISION_POINTS}×{plain(p)}"
        f" + min({BONUS_POINTS}×{extras}, {NOVEL_CAP})"
    )
    numbers = " + ".join(map(plain, terms))
    if weight != POINTS:
        formula = f"{plain(weight)}/{POINTS} × ({formula})"
        numbers = f"{plain(weight)}/{POINTS} × ({numbers})"
    return Step("detection", f"{formula} = {numbers}", weight * sum(terms) / POINTS)


def _counts(baseline: list[Finding]) -> dict[str, Fraction | None]:
    found, total = Counter[str](), Counter[str]()
    for one in baseline:
        place = one.category.lower() if one.category.lower() in SEVERITY_WEIGHTS else one.category
        found[place] += one.found
        total[place] += 1
    counts = {
        "detection.metrics.weighted_found": sum(one.weight for one in baseline if one.found),
        "detection.metrics.weighted_total": sum(one.weight for one in baseline),
    }
    for place in total:
        counts[f"detection.by_severity.{place}.found"] = found[place]
        counts[f"detection.by_severity.{place}.total"] = total[place]
    return {name: Fraction(count) for name, count in counts.items()}
