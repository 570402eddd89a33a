"""The linter: errors keep a document from being published, warnings are only said."""

from decimal import Decimal
from typing import Any

import pytest

from judgeweb.judging.documents import (
    AnchorSetDocument,
    Band,
    ChecklistItem,
    CodeFile,
    Dimension,
    GoldDocument,
    MarkSpec,
    RubricDocument,
    ScenarioDocument,
)
from judgeweb.judging.modes import RUBRIC_MODES
from rubrics_app.lint import errors_of, lint

BANDS = tuple(Band(low=low, high=low + 1, text=f"Marks {low}") for low in (1, 3, 5, 7, 9))


def item(item_id: str, **changes: Any) -> ChecklistItem:
    return ChecklistItem(**{"id": item_id, "category": "high", "description": "d", **changes})


def scenario(**changes: Any) -> ScenarioDocument:
    return ScenarioDocument(**{"name": "s", "challenge": "Do it.", **changes})


def said(document: Any) -> list[str]:
    return [f"{p.severity} {p.place}: {p.message}" for p in lint(document)]


def dimension(**changes: Any) -> Dimension:
    defaults = {
        "key": "depth",
        "label": "Depth",
        "weight": Decimal(100),
        "anchors": "Depth",
        "bands": BANDS,
        "marks": (MarkSpec(key="depth", label="Depth"),),
    }
    return Dimension(**{**defaults, **changes})


def rubric(*dimensions: Dimension, mode: str = "solo") -> RubricDocument:
    return RubricDocument(name="R", mode=mode, dimensions=dimensions)


@pytest.mark.parametrize(
    "document",
    [
        scenario(),
        scenario(baseline_issues=(item("a"),), bonus_issues=(item("b"),)),
        scenario(challenge="Review this code.", files=(CodeFile(content="x"),)),
        scenario(challenge="Review this code:\n```\nx\n```"),
        scenario(challenge="Use {braces} and ${shell}."),
        scenario(family="generic"),
        rubric(dimension()),
        AnchorSetDocument(name="Depth", bands=BANDS),
        GoldDocument(scenario="s", response="r", score=80, graded_by="Ana Ruiz"),
    ],
)
def test_sound_document_has_no_problem(document: Any) -> None:
    assert said(document) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"challenge": "\u200b \n"}, "error challenge: the challenge is empty"),
        (
            {"baseline_issues": (item("a"),), "bonus_issues": (item("a"),)},
            "error bonus_issues.a: the id 'a' stands 2 times (baseline_issues, bonus_issues)",
        ),
        (
            {"baseline_issues": (item("a", description=" "),)},
            "error baseline_issues.a: the description is empty",
        ),
        (
            {"baseline_issues": (item(" "),)},
            "error baseline_issues: an item has no id: 'd'",
        ),
        (
            {"baseline_issues": (item("a", category=""),)},
            "error baseline_issues.a: the item stands in no list or severity",
        ),
        (
            {"family": "checklist"},
            "error baseline_issues: the checklist is empty, so there is nothing to find",
        ),
        (
            {"family": "behaviours"},
            "error baseline_criteria: the list of behaviours is empty",
        ),
        (
            {"files": (CodeFile(role="stub", filename="a.go", content="\n"),)},
            "error files.a.go: the stub is empty",
        ),
        (
            {"bonus_issues": (item("a"),)},
            "warning bonus_issues: bonus items without a baseline are never judged",
        ),
        (
            {"challenge": "Review the following Python module."},
            "warning files: the challenge speaks of 'following Python module', "
            "but no code comes with it",
        ),
        (
            {"challenge": "Write to {{ name }}."},
            "warning challenge: '{{ name }}' looks like a placeholder that nobody filled",
        ),
        (
            {"challenge": "Judge {response}."},
            "warning challenge: '{response}' looks like a placeholder that nobody filled",
        ),
        (
            {"context": "TODO"},
            "warning context: 'TODO' looks like a placeholder that nobody filled",
        ),
        (
            {"baseline_issues": (item("a"),), "extras": '{"scoring":{"total_baseline_tests":2}}'},
            "warning scoring.total_baseline_tests: declares 2, but 1 are listed",
        ),
        (
            {
                "baseline_criteria": (item("a", details=(("tests", "5"),)),),
                "extras": '{"baseline_criteria":{"total_tests":6}}',
            },
            "warning baseline_criteria.total_tests: declares 6, but 1 are listed",
        ),
        (
            {"challenge": "There are 7 known issues.", "baseline_issues": (item("a"),)},
            "warning challenge: announces '7 known issues', but 1 and 0 bonus items are listed",
        ),
    ],
)
def test_scenario_problem_is_named_by_place(changes: dict[str, Any], problem: str) -> None:
    assert said(scenario(**changes)) == [problem]


def test_both_lists_and_unknown_family_are_errors() -> None:
    both = scenario(baseline_issues=(item("a"),), baseline_criteria=(item("b"),))
    assert [p.place for p in errors_of(lint(both))] == ["baseline_criteria"]
    assert [p.place for p in errors_of(lint(scenario(family="haiku")))] == ["family"]


@pytest.mark.parametrize("declared", [1, 5])
def test_declared_total_may_count_items_or_their_tests(declared: int) -> None:
    document = scenario(
        baseline_criteria=(item("a", details=(("tests", "5"),)),),
        extras=f'{{"baseline_criteria":{{"total_tests":{declared}}}}}',
    )
    assert said(document) == []


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (rubric(), "error dimensions: there are none"),
        (rubric(dimension(weight=Decimal(99))), "error weights: sum to 99, not to 100"),
        (
            rubric(dimension(bands=(), anchors="")),
            "error dimension depth: has 0 anchor bands, not 5",
        ),
        (
            rubric(dimension(bands=())),
            "error dimension depth: its anchor set 'Depth' is not published: publish that first",
        ),
        (
            rubric(dimension(criteria="<insert criteria>")),
            "warning dimension depth: '<insert criteria>' looks like a placeholder "
            "that nobody filled",
        ),
        (
            rubric(dimension(), mode="haiku"),
            "error mode: 'haiku' is no judge mode; known are " + ", ".join(RUBRIC_MODES),
        ),
        (
            AnchorSetDocument(name="D", bands=BANDS[:4]),
            "error bands: has 4 anchor bands, not 5",
        ),
        (
            AnchorSetDocument(name="D", bands=(*BANDS[:4], Band(low=9, high=10, text="TBD"))),
            "warning bands.9-10: 'TBD' looks like a placeholder that nobody filled",
        ),
        (
            GoldDocument(scenario="s", response=" ", score=80, graded_by="Ana Ruiz"),
            "error response: the expert's answer is empty",
        ),
    ],
)
def test_rubric_problem_is_named_by_place(document: Any, problem: str) -> None:
    assert problem in said(document)


def test_errors_stand_before_warnings() -> None:
    document = scenario(challenge="TODO", family="checklist")
    assert [p.severity for p in lint(document)] == ["error", "warning"]
