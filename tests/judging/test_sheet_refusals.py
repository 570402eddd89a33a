"""Empty answers, and what a sheet refuses before any request (R10)."""

import pytest

from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.sheets import ChecklistSheet, GenericSheet
from judgeweb.judging.sheets.listed import ListedSheet
from judgeweb.judging.types import (
    FindingKind,
    Flag,
    Verdict,
)
from tests.judging.world import (
    behaviours,
    case,
    checklist,
    items,
    outcome_of,
    scenario,
    solo,
)


@pytest.mark.parametrize(
    "about",
    [solo(" \n"), checklist("", critical=2), behaviours(response="\u200b")],
    ids=["solo", "checklist", "behaviours"],
)
def test_empty_answer_is_0_without_a_request(about: object) -> None:
    outcome, ask = outcome_of(about)  # type: ignore[arg-type]

    assert isinstance(outcome, Verdict)
    assert outcome.total == 0
    assert outcome.total_without_persona == 0
    assert outcome.flags == (Flag.EMPTY_ANSWER,)
    assert outcome.working[-1].note == "The response is empty; nobody was asked."
    assert not any(finding.found for finding in outcome.findings)
    assert ask.asked == []


def test_empty_answer_of_a_checklist_misses_every_item() -> None:
    outcome, _ = outcome_of(checklist("", critical=2))

    assert isinstance(outcome, Verdict)
    assert outcome.parts["recall"] == 0
    assert outcome.parts["precision"] is None
    assert [one.kind for one in outcome.findings] == [FindingKind.BASELINE] * 2


def refused(sheet: GenericSheet, mode: str, **values: object) -> CaseRefused:
    with pytest.raises(CaseRefused) as caught:
        sheet.check(case(mode, scenario(**values)))
    return caught.value


def test_doubled_item_id_is_refused_by_name() -> None:
    twice = (*items(critical=1), ChecklistItem(id="C1", category="low", description="d"))

    assert (
        "'C1' occurs twice" in refused(ChecklistSheet(), "checklist", baseline_issues=twice).message
    )


def test_id_shared_by_baseline_and_bonus_is_refused() -> None:
    one = items(critical=1)
    error = refused(ChecklistSheet(), "checklist", baseline_issues=one, bonus_issues=one)

    assert "'C1' occurs twice" in error.message


@pytest.mark.parametrize("field", ["id", "description"])
def test_empty_item_is_refused(field: str) -> None:
    item = items(critical=1)[0].model_copy(update={field: " "})

    assert refused(ChecklistSheet(), "checklist", baseline_issues=(item,)).field == "checklist"


def test_rubric_that_cannot_be_computed_is_refused() -> None:
    assert refused(GenericSheet(), "checklist").field == "rubric"
    assert refused(ChecklistSheet(), "solo", baseline_issues=items(low=1)).field == "rubric"


def test_listed_sheet_leaves_its_lists_to_its_kinds() -> None:
    with pytest.raises(NotImplementedError):
        ListedSheet().lists(scenario())
