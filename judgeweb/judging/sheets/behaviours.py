"""The behaviours sheet: which expected behaviours did the response show? (SM scenarios)

    execution = min(5 x baseline shown, 40) + min(3 x bonus shown, 10), of 50
Score: 0-50 scaled to the dimension's weight. With more than 8 baseline items full marks come
before all are shown, so that the uncapped share 40 x shown / all stands beside it.
Source: the seed's behaviour checklist.
"""

from fractions import Fraction
from typing import ClassVar

from judgeweb.judging.arithmetic import plain, weight_of
from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.findings import BONUS_POINTS, ItemList
from judgeweb.judging.sheets.listed import ListedSheet, by_category, item_lines
from judgeweb.judging.types import Case, Finding, FindingKind, Step

BASELINE_POINTS, BASELINE_CAP, BONUS_CAP, POINTS = 5, 40, 10, 50


class BehaviourSheet(ListedSheet):
    computed: ClassVar[str] = "execution"
    task: ClassVar[str] = (
        "Answer every id of the list exactly once: demonstrated is true only where the response "
        "itself shows that behaviour. Copy the words that show it into evidence, verbatim; null "
        "where not shown."
    )

    def lists(self, scenario: ScenarioDocument) -> tuple[ItemList, ItemList]:
        return (
            ItemList(
                "baseline_behaviors",
                "demonstrated",
                FindingKind.BASELINE,
                scenario.baseline_criteria,
                BASELINE_POINTS,
            ),
            ItemList(
                "bonus_behaviors",
                "demonstrated",
                FindingKind.BONUS,
                scenario.bonus_criteria,
                BONUS_POINTS,
            ),
        )

    def checklist(self, scenario: ScenarioDocument) -> str:
        lines: list[str] = []
        for name, item_list in zip(("BASELINE", "BONUS"), self.lists(scenario), strict=True):
            lines.append(f"{name} CRITERIA ({item_list.flat_weight} points each):")
            for category, items in by_category(item_list.items).items():
                lines.append(f"{category}:")
                lines += [line for item in items for line in item_lines(item)]
            if not item_list.items:
                lines.append("None specified")
        return "\n".join(lines)

    def stated_names(self, case: Case) -> tuple[str, ...]:
        return (
            *super().stated_names(case),
            "execution.baseline_count",
            "execution.bonus_count",
        )

    def figures(
        self, case: Case, findings: tuple[Finding, ...]
    ) -> tuple[list[Step], dict[str, Fraction | None]]:
        baseline = [one for one in findings if one.kind is FindingKind.BASELINE]
        shown = sum(one.found for one in baseline)
        bonus = sum(one.found for one in findings if one.kind is FindingKind.BONUS)
        weight = next(weight_of(one) for one in case.rubric.dimensions if one.key == self.computed)
        steps = [_uncapped(shown, len(baseline))] * (
            len(baseline) > BASELINE_CAP // BASELINE_POINTS
        )
        figures: dict[str, Fraction | None] = {
            "execution.baseline_count": Fraction(shown),
            "execution.bonus_count": Fraction(bonus),
        }
        return [*steps, _execution(shown, bonus, weight)], figures


def _uncapped(shown: int, items: int) -> Step:
    reach = BASELINE_CAP // BASELINE_POINTS
    return Step(
        "uncapped_share",
        f"{BASELINE_CAP}×{shown} / {items}",
        Fraction(BASELINE_CAP * shown, items),
        f"shown only: {reach} of {items} reach the cap",
    )


def _execution(shown: int, bonus: int, weight: Fraction) -> Step:
    terms = (min(BASELINE_POINTS * shown, BASELINE_CAP), min(BONUS_POINTS * bonus, BONUS_CAP))
    formula = (
        f"min({BASELINE_POINTS}×{shown}, {BASELINE_CAP}) + min({BONUS_POINTS}×{bonus}, {BONUS_CAP})"
    )
    numbers = f"{terms[0]} + {terms[1]}"
    if weight != POINTS:
        formula = f"{plain(weight)}/{POINTS} × ({formula})"
        numbers = f"{plain(weight)}/{POINTS} × ({numbers})"
    return Step("execution", f"{formula} = {numbers}", weight * sum(terms) / POINTS)
