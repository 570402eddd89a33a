"""Findings made elsewhere: one row a checklist item of a review, found or not.

The rows of one judge on one contestant's answer to one scenario are one checklist verdict with
detection only:
    recall    = weight of found items / weight of all items, weights by severity as in `checklist`
    precision = found / (found + false positives), only where false positives were counted
    detection = 30 recall + 10 precision; F1 and F2 of the two
There are no marks, so there is no total.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.sheets.checklist import PRECISION_POINTS, RECALL_POINTS
from judgeweb.judging.text import one_line
from judgeweb.judging.types import Finding, FindingKind, Stated, Step, Verdict
from verdicts_app.intake import exact
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import stated_figure, with_stated
from verdicts_app.intake.judged.lists import Agreed, Told, agreed, least_recall, weight_of
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.rows.types import (
    CONTESTANT,
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    FOUND,
    ITEM,
    JUDGE,
    SCENARIO,
    SEVERITY,
    TRUE_POSITIVES,
    Row,
    column_of,
    has_all,
)

EXPECTED = "judge, scenario, contestant, item_id, found [severity, tp, fp]"
NOTE = "Findings without marks: detection is computed, a total is not."
UNCOUNTED = "False positives were not counted: precision, detection and F are not known."
Key = tuple[str, str, str]


def matches(columns: Collection[str]) -> bool:
    return has_all(columns, SCENARIO, CONTESTANT, ITEM, FOUND)


@dataclass
class Review:
    """The rows of one judge on one answer. `fault` is the first that is wrong with any."""

    rows: list[Row]
    judge: str
    scenario: str
    contestant: str
    items: dict[str, tuple[str, bool]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    fault: tuple[Row, FieldRefused] | None = None
    has_severities: bool = False

    @property
    def first(self) -> Row:
        return self.rows[0]

    @property
    def document(self) -> str:
        """What was said, whatever the order of the rows."""
        return exact.canonical(
            {
                "judge": self.judge,
                "scenario": self.scenario,
                "contestant": self.contestant,
                "counts": self.counts,
                "items": [
                    {"id": key, "severity": severity, "found": found}
                    for key, (severity, found) in sorted(self.items.items())
                ],
            }
        )


def reviews(items: Iterable[Row], counts: Iterable[Row], *, judge: str) -> list[Review]:
    """The rows put together, in the order of their first rows. `judge` is for rows without one.

    What is wrong with a row stands in its review's `fault`: a review that lacks one is none."""
    found: dict[Key, Review] = {}
    for row in items:
        _add(found, row, judge, _add_item)
    for row in counts:
        _add(found, row, judge, _add_counts)
    return list(found.values())


def _add(
    found: dict[Key, Review], row: Row, judge: str, add: Callable[[Review, Row], None]
) -> None:
    key = ("", row.file, row.place)
    review = Review([], "", "", "")
    try:
        key = (row.name(JUDGE, default=judge), row.name(SCENARIO), row.name(CONTESTANT))
        review = found.setdefault(key, Review([], *key))
        review.rows.append(row)
        add(review, row)
    except FieldRefused as refused:
        found.setdefault(key, review)
        review.rows = review.rows or [row]
        review.fault = review.fault or (row, refused)


def _add_item(review: Review, row: Row) -> None:
    item = row.name(ITEM)
    if item in review.items:
        raise FieldRefused("item_id", f"{item!r} stands twice in one review")
    has_severity = column_of(row.cells, SEVERITY) is not None
    review.has_severities = has_severity
    severity = row.name(SEVERITY) if has_severity else "general"
    review.items[item] = (one_line(severity)[:100], row.truth(FOUND))
    _add_counts(review, row)


def _add_counts(review: Review, row: Row) -> None:
    for name, columns in (
        ("tp", TRUE_POSITIVES),
        ("fp", FALSE_POSITIVES),
        ("fn", FALSE_NEGATIVES),
    ):
        count = row.count(columns)
        if count is not None and review.counts.setdefault(name, count) != count:
            raise FieldRefused(columns[0], f"{count} here, {review.counts[name]} in another row")
    if column_of(row.cells, ("skipped",)) and row.truth(("skipped",)):
        raise FieldRefused("skipped", "the contestant gave no review: there is nothing to judge")


def judged(review: Review, given: Given) -> Judged:
    """The verdict on a review with at least one item."""
    known = given.scenario.baseline_issues if given.scenario else None
    baseline = agreed("item_id", _told(review), known, of="baseline_issues")
    findings = tuple(
        Finding(
            kind=FindingKind.BASELINE,
            item_id=item.id,
            category=item.category,
            description=item.description,
            weight=weight_of(item.category),
            found=review.items[item.id][1],
        )
        for item in baseline.items
    )
    false = review.counts.get("fp")
    steps = _steps(findings, false)
    verdict = Verdict(
        total=None,
        total_without_persona=None,
        parts={step.name: step.value for step in steps},
        working=tuple(step for step in steps if step.value is not None or step.note),
        findings=findings,
        notes=_notes(findings, baseline, false),
        extra={
            **({"false_positives": false} if false is not None else {}),
            **({"scenario_revision": given.revision} if given.revision else {}),
        },
    )
    verdict = with_stated(verdict, _stated(review))
    return Judged("checklist", verdict, {"scale": "detection only"}, said=baseline.said)


def _told(review: Review) -> list[Told]:
    return [
        Told(
            f"item_id {item}",
            ChecklistItem(id=item, category=severity, description=""),
            severity if review.has_severities else "",
        )
        for item, (severity, _) in review.items.items()
    ]


def _notes(findings: Sequence[Finding], baseline: Agreed, false: int | None) -> tuple[str, ...]:
    counted = (NOTE,) if false is not None else (NOTE, UNCOUNTED)
    left_out = (least_recall(findings, baseline.missing),) if baseline.missing else ()
    return (*counted, *left_out)


def _steps(findings: Sequence[Finding], false: int | None) -> list[Step]:
    found = [one for one in findings if one.found]
    top, bottom = sum(one.weight for one in found), sum(one.weight for one in findings)
    recall = Fraction(top, bottom)
    claims = len(found) + false if false is not None else 0
    precision = Fraction(len(found), claims) if claims else None
    steps = [Step("recall", f"{top} / {bottom}", recall)]
    if false is None:
        return [*steps, *(Step(name, "", None) for name in ("precision", "f1", "f2", "detection"))]
    note = "" if claims else "undefined without a claim; scores 0"
    p = precision or Fraction(0)
    return [
        *steps,
        Step("precision", f"{len(found)} / ({len(found)} + {false})", precision, note),
        Step(
            "f1", "2×p×r / (p + r)", 2 * p * recall / (p + recall) if p or recall else Fraction(0)
        ),
        Step(
            "f2",
            "5×p×r / (4×p + r)",
            5 * p * recall / (4 * p + recall) if p or recall else Fraction(0),
        ),
        Step(
            "detection",
            f"{RECALL_POINTS}×r + {PRECISION_POINTS}×p",
            RECALL_POINTS * recall + PRECISION_POINTS * p,
        ),
    ]


def _stated(review: Review) -> list[Stated]:
    found = sum(found for _, found in review.items.values())
    computed = {"tp": Fraction(found), "fn": Fraction(len(review.items) - found)}
    return [
        stated_figure(name, review.counts[name], value)
        for name, value in computed.items()
        if name in review.counts
    ]
