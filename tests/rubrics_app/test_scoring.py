"""A scenario's own rubric: every variant is shown, and what does not add up is said."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.importers import scenario_from
from rubrics_app.lint import lint
from rubrics_app.models import Scenario
from rubrics_app.scenarios import save_scenario
from rubrics_app.scoring import miscounts, own_rubric

LISTED = {
    "categories": [
        {
            "name": "cause",
            "weight": 60,
            "description": "Names it",
            "criteria": [
                {"id": "FILE", "description": "the file", "points": 40},
                {"id": "WHY", "description": "the reason", "points": 12.5},
            ],
        },
        {
            "name": "tests",
            "weight": 30,
            "criteria": [{"id": "ALL", "points": 30}, {"id": "MOST", "points": 20}],
        },
    ]
}
PENALTIES = {
    "categories": [
        {
            "name": "fatal",
            "description": "Caps",
            "penalties": [{"id": "CLAIMS_ALL", "description": "pleases all", "cap_at": 45}],
        },
        {"name": "minor", "penalties": [{"id": "VAGUE", "description": "vague", "deduct": 5}]},
        {"name": "expected", "baseline": ["Names a risk"]},
    ]
}
SENTENCES = {
    "detection": {"weight": 60, "criteria": "Finds all seven"},
    "fix": {"weight": 40, "criteria": "Uses parameters"},
}
LEGACY = {"weights": {"critical": 3, "high": 2, "medium": 1, "low": 0.5}}


def extras(scoring: Any) -> str:
    return json.dumps({"scoring": scoring})


def rows(scoring: Any) -> list[tuple[Any, ...]]:
    return [
        (one.name, one.weight, [(c.name or c.description, c.worth) for c in one.criteria])
        for one in own_rubric(extras(scoring))
    ]


def test_categories_with_criteria() -> None:
    assert rows(LISTED) == [
        ("cause", 60, [("FILE", "40 points"), ("WHY", "12.5 points")]),
        ("tests", 30, [("ALL", "30 points"), ("MOST", "20 points")]),
    ]
    assert own_rubric(extras(LISTED))[0].points == Decimal("52.5")


def test_penalties_cap_and_deduct() -> None:
    assert rows(PENALTIES) == [
        ("fatal", None, [("CLAIMS_ALL", "caps at 45")]),
        ("minor", None, [("VAGUE", "deducts 5")]),
        ("expected", None, [("Names a risk", "")]),
    ]


def test_sentences_and_legacy_weights() -> None:
    assert [(c.name, c.weight, c.description) for c in own_rubric(extras(SENTENCES))] == [
        ("detection", 60, "Finds all seven"),
        ("fix", 40, "Uses parameters"),
    ]
    assert rows(LEGACY) == [
        ("weights", None, [("critical", "3"), ("high", "2"), ("medium", "1"), ("low", "0.5")])
    ]


@pytest.mark.parametrize("scoring", [None, "by feel", [], 7, {"categories": "two"}, {"a": 1}])
def test_what_is_no_rubric_is_none(scoring: Any) -> None:
    assert own_rubric(extras(scoring)) == ()
    assert own_rubric("") == ()


def test_what_does_not_add_up_is_said_and_alternatives_are_not_added() -> None:
    assert list(miscounts(own_rubric(extras(LISTED)))) == [
        ("scoring.cause", "has the weight 60, but its criteria add up to 52.5"),
        ("scoring", "its weights add up to 90, not to 100"),
    ]
    assert list(miscounts(own_rubric(extras(SENTENCES)))) == []
    document = ScenarioDocument(name="s", challenge="Do it.", extras=extras(LISTED))
    assert [problem.place for problem in lint(document)] == ["scoring.cause", "scoring"]


@pytest.mark.django_db
def test_authors_see_it_escaped(client: Any, make_user: Any) -> None:
    hostile = {"categories": [{"name": "<b>x</b>", "penalties": [{"id": "A", "cap_at": 45}]}]}
    source = json.dumps({"name": "s", "prompt": "p", "scoring": hostile}).encode()
    save_scenario(scenario_from(source).document, user=None, actor="test", publish=False, note="")
    author = make_user("author")
    author.is_staff = True
    author.save()
    client.force_login(author)
    url = reverse("admin:rubrics_app_scenario_change", args=[Scenario.objects.get().pk])
    page = client.get(url).content.decode()
    assert "caps at 45" in page
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
