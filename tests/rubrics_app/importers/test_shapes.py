"""Each shape of a scenario file, read from a small file of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from judgeweb.judging.modes import mode_for
from rubrics_app.importers import FileRefused, scenario_from
from rubrics_app.importers.categories import category_of
from rubrics_app.importers.lists import FORMATS

CASES = Path(__file__).parents[2] / "cases" / "scenarios"


def reading(name: str) -> Any:
    return scenario_from((CASES / name).read_bytes())


def extras(name: str) -> dict[str, Any]:
    return json.loads(reading(name).document.extras or "{}")


def ids(items: Any) -> list[tuple[str, str]]:
    return [(item.category, item.id) for item in items]


def test_issues_by_severity_keep_order_and_details() -> None:
    document = reading("kiosk-review.yaml").document
    assert ids(document.baseline_issues) == [
        ("high", "divides-by-age"),
        ("high", "age-zero"),
        ("medium", "floats-for-money"),
    ]
    # A location is text however it was written.
    assert document.baseline_issues[0].details == (("location", "2"), ("impact", "money"))
    assert document.baseline_issues[2].details == (("expected_fix", "Count cents"),)
    assert mode_for(document) == "checklist"


def test_code_keeps_language_name_and_indent() -> None:
    (file,) = reading("kiosk-review.yaml").document.files
    assert (file.role, file.language, file.filename) == ("code", "python", "kiosk.py")
    assert file.content == "def price(age):\n    return 0 if age < 6 else 12 / age\n"


def test_yaml_guesses_are_not_taken_over() -> None:
    """1.10 stays 1.10, a time stays a text, and only whole values are numbers."""
    assert reading("kiosk-review.yaml").document.version == "1.10"
    assert extras("kiosk-review.yaml") == {
        "category": "reviewer",
        "certainty": "0 (uncertainty)",
        "closes": "12:30",
        "opened": "2026-03-01 10:00:00",
        "theme": 1984,
    }


def test_extras_are_canonical_json() -> None:
    text = reading("kiosk-review.yaml").document.extras
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


def test_unknown_keys_are_said_with_their_line() -> None:
    assert [str(note) for note in reading("kiosk-review.yaml").notes] == [
        "line 8, theme: is no key of a scenario; kept as it is",
        "line 9, opened: is no key of a scenario; kept as it is",
        "line 10, closes: is no key of a scenario; kept as it is",
        "line 11, certainty: is no key of a scenario; kept as it is",
    ]


def test_issues_by_category_stand_beside_severities() -> None:
    document = reading("exit-codes.yaml").document
    assert ids(document.baseline_issues) == [
        ("happy_path", "COPIES_ONE"),
        ("exit_codes", "EXIT_1"),
        ("exit_codes", "EXIT_2"),
        ("critical", "KEEPS_TARGET"),
    ]
    assert ids(document.bonus_issues) == [("concurrency", "TWO_AT_ONCE")]


def test_constraints_are_part_of_the_challenge() -> None:
    assert reading("exit-codes.yaml").document.challenge == (
        "List the tests that the copy command below needs.\n"
        "\n"
        "Constraints:\n"
        "- No mocks\n"
        "- At most ten tests"
    )


def test_code_as_plain_text_is_a_file_without_a_name() -> None:
    (file,) = reading("exit-codes.yaml").document.files
    assert (file.role, file.language, file.content) == ("code", "", "cp --all source target\n")


def test_scoring_is_kept_whatever_its_shape() -> None:
    assert extras("exit-codes.yaml")["scoring"]["coverage"] == {
        "weight": 60,
        "criteria": "How many tests are named",
    }
    assert extras("plain.yaml")["scoring"]["categories"][0]["penalties"][0]["cap_at"] == 45


def test_criteria_give_nested_bonus_lists_and_keep_scalars() -> None:
    document = reading("retro.yaml").document
    assert ids(document.baseline_criteria) == [
        ("facilitation", "HEARS_ALL"),
        ("facilitation", "NO_BLAME"),
    ]
    assert ids(document.bonus_criteria) == [("bonus_moves", "HUMOUR")]
    assert extras("retro.yaml")["baseline_criteria"] == {"total_behaviours": 2}
    assert mode_for(document) == "behaviours"


def test_nested_context_reads_as_it_was_written() -> None:
    assert reading("retro.yaml").document.context == (
        "team_size: 5\n"
        "people:\n"
        "  - name: Ada\n"
        "    wish: fewer meetings\n"
        "  - name: Ben\n"
        "    wish:\n"
        "      more tests\n"
        "      and a quiet room"
    )


def test_json_file_gives_tests_and_stub_instead_of_code() -> None:
    document = reading("cart.json").document
    assert [(f.role, f.filename) for f in document.files] == [
        ("tests", "cart_test.go"),
        ("stub", "cart.go"),
    ]
    assert document.baseline_criteria[0].details == (("tests", "5"),)


def test_flat_bonus_list_keeps_points_and_names_what_has_no_id() -> None:
    found = reading("cart.json")
    assert ids(found.document.bonus_criteria) == [("bonus", "LEAN"), ("bonus", "bonus-2")]
    assert found.document.bonus_criteria[0].details == (("points", "2"),)
    assert [str(note) for note in found.notes] == ["bonus_criteria[1]: has no id, called 'bonus-2'"]


def test_flat_baseline_takes_the_severity_that_an_item_states() -> None:
    source = b"""
name: flat
prompt: Find them.
baseline_issues:
  - {id: a, severity: High, description: One}
  - {id: b, description: Two}
"""
    document = scenario_from(source).document
    assert ids(document.baseline_issues) == [("high", "a"), ("general", "b")]


def test_neither_list_is_the_generic_mode() -> None:
    document = reading("plain.yaml").document
    assert mode_for(document) == "solo"
    assert document.category == "architecture"
    assert extras("plain.yaml")["category"] == "architect"


@pytest.mark.parametrize(
    ("written", "filed"),
    [
        ("architect", "architecture"),
        ("architecture", "architecture"),
        ("reviewer", "code-review"),
        (" Dev ", "Dev"),
        ("debugging", "debugging"),
    ],
)
def test_category_has_one_spelling(written: str, filed: str) -> None:
    assert category_of(written) == filed


def test_family_overrides_the_lists() -> None:
    source = b"name: f\nprompt: p\nfamily: solo\nbaseline_issues: {high: [{id: a, description: b}]}"
    assert mode_for(scenario_from(source).document) == "solo"


def test_every_format_is_one_file_and_one_line() -> None:
    folder = Path(__file__).parents[3] / "rubrics_app" / "importers"
    names = {name.replace(" ", "_") for name in FORMATS}
    assert {f.stem for f in folder.glob("*.py")} >= names
    assert [FORMATS[name].__name__.rpartition(".")[2] for name in FORMATS] == [  # type: ignore[attr-defined]
        name.replace(" ", "_") for name in FORMATS
    ]


# --- gold standards ---------------------------------------------------------------------------


def test_planned_gold_shape_is_read_as_the_short_one() -> None:
    gold = reading("retro.yaml").gold
    assert gold.scenario == "retro"
    assert str(gold.score) == "91.5"
    assert gold.graded_by == "Grace Miller"
    assert gold.notes == "Everybody is heard before anything is decided."
    assert extras("retro.yaml")["gold_standard"] == {
        "version": 2,
        "key_elements": ["round", "decision"],
    }


def gold_source(**values: Any) -> bytes:
    gold = {"response": "Good.", "score": 88, "graded_by": "Ana Ruiz", **values}
    return json.dumps({"name": "g", "prompt": "p", "gold_standard": gold}).encode()


def test_null_gold_is_none() -> None:
    assert reading("cart.json").gold is None


def test_short_gold_shape() -> None:
    gold = scenario_from(gold_source(notes="Terse.")).gold
    assert gold is not None
    assert (gold.response, gold.score, gold.notes, gold.show_score) == ("Good.", 88, "Terse.", True)


@pytest.mark.parametrize(
    "grader", ["ai", "AI", "auto", "Auto-graded", "claude", "Claude 4", "agent", "the_agent", ""]
)
def test_gold_graded_by_no_person_is_refused(grader: str) -> None:
    with pytest.raises(FileRefused, match=r"gold_standard\.graded_by: must name"):
        scenario_from(gold_source(graded_by=grader))


@pytest.mark.parametrize("grader", ["Aino Mair", "Claudette", "Autumn", "R. Agenter"])
def test_gold_grader_whose_name_only_begins_so_is_a_person(grader: str) -> None:
    gold = scenario_from(gold_source(graded_by=grader)).gold
    assert gold is not None
    assert gold.graded_by == grader


@pytest.mark.parametrize("score", [0, 100.5, "many", True, None])
def test_gold_score_outside_the_scale_is_refused(score: Any) -> None:
    with pytest.raises(FileRefused, match=r"gold_standard\.score"):
        scenario_from(gold_source(score=score))
