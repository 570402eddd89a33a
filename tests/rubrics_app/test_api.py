"""Rubrics, scenarios and gold standards over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from judgeweb.access import tokens
from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.models import AnchorSet, Revision, RevisionKind, Rubric, Scenario
from rubrics_app.scenarios import save_scenario
from rubrics_app.selectors import newest_revision

CASES = Path(__file__).parents[1] / "cases" / "scenarios"
YAML = "application/yaml"

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(make_user: Any, django_user_model: Any) -> Any:
    """api("read") -> a client whose token has that scope."""

    def client(*scopes: str) -> Client:
        user = django_user_model.objects.filter(username="ada").first() or make_user(
            "author", "ada"
        )
        _, secret = tokens.create_token(
            user=user, name="test", scopes=scopes, expires_at=None, actor="test"
        )
        return Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)

    return client


def save(*names: str, **fields: Any) -> None:
    for name in names:
        save_scenario(
            ScenarioDocument(name=name, challenge="Do it.", **fields), user=None, actor="test"
        )


# --- reading ----------------------------------------------------------------------------------


def test_rubrics_are_listed_with_their_newest_revision(api: Any) -> None:
    answer = api("read").get("/api/v1/rubrics").json()
    found = [(r["key"], r["number"], r["mode"]) for r in answer["items"]]
    assert found == [
        ("behaviours", 1, "behaviours"),
        ("calls", 1, "calls"),
        ("checklist", 1, "checklist"),
        ("coherence", 1, "coherence"),
        ("ground-truth", 1, "ground-truth"),
        ("phase-dev", 1, "phase-dev"),
        ("phase-reviewer", 1, "phase-reviewer"),
        ("phase-sm", 1, "phase-sm"),
        ("phase-tea", 1, "phase-tea"),
        ("solo", 1, "solo"),
        ("swebench", 1, "swebench"),
    ]
    assert answer["next"] is None
    assert answer["items"][0]["document"] is None


def test_rubric_comes_with_its_document(api: Any) -> None:
    answer = api("read").get("/api/v1/rubrics/solo").json()
    revision = newest_revision(RevisionKind.RUBRIC, "solo")
    assert revision is not None
    assert answer["document"] == json.loads(revision.document)
    assert answer["sha256"] == revision.sha256
    assert answer["published_by"] is None


def test_unknown_key_and_number_are_404(api: Any) -> None:
    client = api("read")
    missing = client.get("/api/v1/rubrics/haiku")
    assert (missing.status_code, missing.json()["detail"]) == (404, "There is no rubric haiku.")
    missing = client.get("/api/v1/rubrics/solo?revision=9")
    assert missing.json()["detail"] == "There is no rubric solo, revision 9."


def test_scenarios_are_paged_by_key(api: Any) -> None:
    save("a", "b", "c")
    client = api("read")
    first = client.get("/api/v1/scenarios?limit=2").json()
    assert ([s["key"] for s in first["items"]], first["next"]) == (["a", "b"], "b")
    second = client.get("/api/v1/scenarios?limit=2&after=b").json()
    assert ([s["key"] for s in second["items"]], second["next"]) == (["c"], None)


def test_scenarios_leave_out_archived_and_inline(api: Any) -> None:
    save("a", category="sm")
    save("b", category="dev")
    save("old")
    Scenario.objects.filter(key="old").update(is_archived=True)
    save_scenario(
        ScenarioDocument(name="inline-1", challenge="x"), user=None, actor="test", is_inline=True
    )
    client = api("read")
    keys = [s["key"] for s in client.get("/api/v1/scenarios").json()["items"]]
    assert keys == ["a", "b"]
    keys = [s["key"] for s in client.get("/api/v1/scenarios?category=sm").json()["items"]]
    assert keys == ["a"]
    keys = [s["key"] for s in client.get("/api/v1/scenarios?inline=true").json()["items"]]
    assert keys == ["a", "b", "inline-1"]


@pytest.mark.parametrize("limit", ["0", "201", "many"])
def test_limit_outside_its_range_is_422(api: Any, limit: str) -> None:
    answer = api("read").get(f"/api/v1/scenarios?limit={limit}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "limit"


# --- who may ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["rubrics", "scenarios", "gold-standards", "rubrics/solo"])
def test_reading_needs_a_token(path: str) -> None:
    assert Client().get(f"/api/v1/{path}").status_code == 401


@pytest.mark.parametrize("path", ["rubrics", "scenarios", "gold-standards"])
def test_importing_needs_the_scope_author(api: Any, path: str) -> None:
    body = {"scenario": "a", "response": "r", "score": 80, "graded_by": "Ana Ruiz"}
    answer = api("read").post(f"/api/v1/{path}", body, content_type="application/json")
    assert answer.status_code == 403
    assert not Scenario.objects.exists()


# --- importing --------------------------------------------------------------------------------


def test_scenario_file_is_imported_once(api: Any) -> None:
    client, source = api("author"), (CASES / "retro.yaml").read_bytes()
    first = client.post("/api/v1/scenarios", source, content_type=YAML)
    assert (first.status_code, first.json()) == (
        201,
        {
            "outcome": "read",
            "scenario": "retro",
            "change": "created",
            "revision": 1,
            "gold_standard": "created",
            "warnings": [],
        },
    )
    second = client.post("/api/v1/scenarios", source, content_type=YAML)
    assert (second.status_code, second.json()["change"]) == (200, "unchanged")
    assert Revision.objects.filter(key="retro").count() == 2  # scenario and gold standard


def test_import_names_token_and_owner(api: Any) -> None:
    api("author").post("/api/v1/scenarios", b"name: a\nprompt: p\n", content_type=YAML)
    entry = AuditEntry.objects.filter(action="publish scenario").get()
    assert entry.actor.startswith("token jw_")
    assert entry.actor.endswith(" of ada")
    revision = newest_revision(RevisionKind.SCENARIO, "a")
    assert revision is not None
    assert revision.published_by.get_username() == "ada"  # type: ignore[union-attr]


def test_json_scenario_is_imported_with_its_warnings(api: Any) -> None:
    answer = api("author").post(
        "/api/v1/scenarios",
        (CASES / "cart.json").read_bytes(),
        content_type="application/json",
    )
    assert answer.json()["outcome"] == "warned"
    assert answer.json()["warnings"] == [
        {"place": "bonus_criteria[1]", "line": None, "message": "has no id, called 'bonus-2'"}
    ]


def test_dry_run_and_draft(api: Any) -> None:
    client = api("author")
    source = b"name: a\nprompt: p\n"
    answer = client.post("/api/v1/scenarios?dry_run=true", source, content_type=YAML)
    assert (answer.status_code, answer.json()["change"]) == (200, "created")
    assert not Scenario.objects.exists()
    answer = client.post("/api/v1/scenarios?publish=false", source, content_type=YAML)
    assert (answer.status_code, answer.json()["revision"]) == (201, None)


@pytest.mark.parametrize(
    ("source", "field", "said"),
    [
        (b"name: a\nprompt: [p]\n", "prompt, line 2", "must be text, but is a list"),
        (b"name: a\nprompt: p\nfamily: haiku\n", "family", "Unknown family 'haiku'"),
        (b"name: a: b\n", "line 1", "not YAML"),
    ],
)
def test_refused_scenario_is_a_problem_by_key_and_line(
    api: Any, source: bytes, field: str, said: str
) -> None:
    answer = api("author").post("/api/v1/scenarios", source, content_type=YAML)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    (fault,) = answer.json()["errors"]
    assert fault["field"] == field
    assert said in fault["expected"]
    assert not Scenario.objects.exists()


def test_empty_body_is_no_success(api: Any) -> None:
    answer = api("author").post("/api/v1/scenarios", b"", content_type=YAML)
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:judgeweb:problem:nothing-read")


# --- gold standards ---------------------------------------------------------------------------


def post_gold(client: Client, **changes: Any) -> Any:
    body = {"scenario": "a", "response": "All.", "score": 91.5, "graded_by": "Ana Ruiz", **changes}
    return client.post("/api/v1/gold-standards", body, content_type="application/json")


def test_gold_is_saved_and_read(api: Any) -> None:
    save("a")
    answer = post_gold(api("author"))
    assert (answer.status_code, answer.json()) == (
        201,
        {"key": "a", "change": "created", "revision": 1},
    )
    document = api("read").get("/api/v1/gold-standards/a").json()["document"]
    assert (document["score"], document["graded_by"]) == ("91.5", "Ana Ruiz")
    assert [g["key"] for g in api("read").get("/api/v1/gold-standards").json()["items"]] == ["a"]
    assert post_gold(api("author")).json()["change"] == "unchanged"


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"graded_by": "AI"}, "graded_by", "must name a person; 'AI' is none"),
        ({"graded_by": "gpt auto"}, "graded_by", "must name a person; 'auto' is none"),
        ({"score": 0}, "score", "greater than or equal to 1"),
        ({"score": 101}, "score", "less than or equal to 100"),
        ({"response": "  "}, "response", "the expert's answer is empty"),
        ({"scenario": "unknown"}, "scenario", "no scenario 'unknown' is known"),
    ],
)
def test_gold_is_refused_by_the_rule_of_the_document(
    api: Any, changes: dict[str, Any], field: str, said: str
) -> None:
    save("a")
    answer = post_gold(api("author"), **changes)
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["field"] == field
    assert said in fault["expected"]
    known = field != "response"  # the linter says what is wrong, not what stood there
    assert fault["value"] == (str(changes[field]) if known else None)
    assert newest_revision(RevisionKind.GOLD, "a") is None


# --- rubrics ----------------------------------------------------------------------------------


def exported(key: str = "solo") -> dict[str, Any]:
    """A rubric as the API gives it, under a new key."""
    revision = newest_revision(RevisionKind.RUBRIC, key)
    assert revision is not None
    return {"key": "strict", **json.loads(revision.document)}


def weighed(*weights: Any) -> dict[str, Any]:
    """Of the shipped mode checklist, with its three dimensions."""
    rubric = exported("checklist")
    for dimension, weight in zip(rubric["dimensions"], weights, strict=True):
        dimension["weight"] = weight
    return rubric


def post_rubric(client: Client, rubric: dict[str, Any], query: str = "") -> Any:
    return client.post(f"/api/v1/rubrics{query}", rubric, content_type="application/json")


def test_exported_rubric_is_imported_and_gives_the_same_document(api: Any) -> None:
    answer = post_rubric(api("author"), exported())
    assert (answer.status_code, answer.json()) == (
        201,
        {"key": "strict", "change": "created", "revision": 1},
    )
    client = api("read")
    strict = client.get("/api/v1/rubrics/strict").json()
    assert strict["sha256"] == client.get("/api/v1/rubrics/solo").json()["sha256"]
    assert strict["published_by"] == "ada"
    actions = AuditEntry.objects.filter(target__startswith="strict").values_list("action", "actor")
    assert {action for action, _ in actions} == {"create rubric", "publish rubric"}
    assert all(actor.endswith(" of ada") for _, actor in actions)


def test_rubric_sent_again_changes_nothing_and_another_makes_a_revision(api: Any) -> None:
    client = api("author")
    post_rubric(client, exported())
    again = post_rubric(client, exported())
    assert (again.status_code, again.json()["change"], again.json()["revision"]) == (
        200,
        "unchanged",
        1,
    )
    rubric = exported() | {"description": "Stricter.", "whole_numbers": True}
    del rubric["dimensions"][0]["bands"]  # those of its anchor set are meant
    changed = post_rubric(client, rubric)
    assert changed.json() == {"key": "strict", "change": "changed", "revision": 2}
    revision = newest_revision(RevisionKind.RUBRIC, "strict")
    assert revision is not None
    document = json.loads(revision.document)
    assert (document["description"], document["whole_numbers"]) == ("Stricter.", True)
    assert document["dimensions"] == exported()["dimensions"]


def test_rubric_draft_is_not_published(api: Any) -> None:
    answer = post_rubric(api("author"), exported(), "?publish=false")
    assert (answer.status_code, answer.json()["revision"]) == (201, None)
    assert Rubric.objects.get(key="strict").dimensions.count() == 4
    assert newest_revision(RevisionKind.RUBRIC, "strict") is None


@pytest.mark.parametrize(
    ("weights", "field", "said", "value"),
    [
        ((30, 40, 29), "weights", "sum to 99, not to 100", "30 + 40 + 29"),
        ((33.33, 33.33, 33.33), "weights", "sum to 99.99, not to 100", "33.33 + 33.33 + 33.33"),
        (("0.3", "0.4", "0.29"), "weights", "sum to 0.99, not to 100", "0.3 + 0.4 + 0.29"),
        ((50, 60, -10), "dimensions.persona.weight", "a positive number, not -10", "-10"),
        (("1e999", 40, 30), "Detection.weight", "no more than 7 digits", "1E+999"),
        (("NaN", 40, 30), "dimensions.0.weight", "finite number", "NaN"),
    ],
)
@pytest.mark.parametrize("query", ["", "?publish=false"])
def test_case_35_weights_that_miss_100_are_refused(
    api: Any, weights: Any, field: str, said: str, value: str, query: str
) -> None:
    answer = post_rubric(api("author"), weighed(*weights), query)
    assert answer.status_code == 422
    fault = answer.json()["errors"][0]
    assert (fault["field"], fault["value"]) == (field, value)
    assert said in fault["expected"]
    assert not Rubric.objects.filter(key="strict").exists()


@pytest.mark.parametrize("weights", [(0.1, 0.2, 0.7), ("0.1", "0.2", "0.7"), (10, 20, 70)])
def test_case_35_shares_of_one_are_read_as_percent(api: Any, weights: Any) -> None:
    assert post_rubric(api("author"), weighed(*weights)).status_code == 201
    document = api("read").get("/api/v1/rubrics/strict").json()["document"]
    assert [d["weight"] for d in document["dimensions"]] == ["10", "20", "70"]
    assert [d.weight for d in Rubric.objects.get(key="strict").dimensions.all()] == [10, 20, 70]


def test_unknown_anchor_set_comes_with_its_bands(api: Any) -> None:
    rubric = exported()
    for dimension in rubric["dimensions"][:2]:
        dimension["anchors"], dimension["bands"] = "Ours", bands("Ours: ")
    assert post_rubric(api("author"), rubric).status_code == 201
    ours = newest_revision(RevisionKind.ANCHOR_SET, "Ours")
    assert ours is not None
    assert json.loads(ours.document)["bands"] == bands("Ours: ")
    document = api("read").get("/api/v1/rubrics/strict").json()["document"]
    assert document["dimensions"][1]["bands"] == bands("Ours: ")


def bands(text: str) -> list[dict[str, Any]]:
    return [{"low": low, "high": low + 1, "text": f"{text}{low}"} for low in (1, 3, 5, 7, 9)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bands": bands("Other: ")}, "not those of the anchor set 'Correctness'"),
        ({"anchors": ""}, "its bands need a name, under anchors"),
        ({"anchors": "Nowhere", "bands": []}, "its anchor set 'Nowhere' is not published"),
        ({"anchors": "New", "bands": bands("")[:4]}, "has 4 anchor bands, not 5"),
    ],
)
def test_bands_that_cannot_be_kept_are_refused(api: Any, change: dict[str, Any], said: str) -> None:
    rubric = exported()
    rubric["dimensions"][0] |= change
    answer = post_rubric(api("author"), rubric)
    assert answer.status_code == 422
    assert said in " ".join(fault["expected"] for fault in answer.json()["errors"])
    assert not Rubric.objects.filter(key="strict").exists()
    assert AnchorSet.objects.count() == 6


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"key": "a/b"}, "key", "without a slash"),
        ({"key": " "}, "key", "1 to 200 printable characters"),
        ({"key": "x" * 201}, "key", "at most 200 characters"),
        ({"name": ""}, "name", "cannot be blank"),
        ({"mode": "haiku"}, "mode", "'haiku' is no judge mode; known are solo, checklist"),
        ({"wieghts": [1]}, "wieghts", "one of the fields description, dimensions, key"),
        ({"dimensions": []}, "dimensions", "there are none"),
    ],
)
def test_rubric_is_refused_by_field(
    api: Any, change: dict[str, Any], field: str, said: str
) -> None:
    answer = post_rubric(api("author"), exported() | change)
    assert answer.status_code == 422
    found = {fault["field"]: fault["expected"] for fault in answer.json()["errors"]}
    assert said in found[field]
