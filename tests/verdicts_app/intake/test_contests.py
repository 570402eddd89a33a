"""Two contestants in one document: imported comparisons with both totals and the winner, stated
and recomputed side by side."""

import json
from typing import Any

import pytest
from django.test import Client

from judgeweb.judging.documents import ChecklistItem, ScenarioDocument
from rubrics_app.scenarios import save_scenario
from tests.factories import make_scenario
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Origin, Pair, Response, Verdict, VerdictContestant

pytestmark = pytest.mark.django_db
DIMENSIONS = ("correctness", "depth", "quality", "persona")
ONE, OTHER = "harbour:dev", "control:dev"


def side(*values: Any, stated: Any = None) -> dict[str, Any]:
    marks = {
        key: {"value": value, "reasoning": f"On {key}."}
        for key, value in zip(DIMENSIONS, values, strict=True)
    }
    return {"scores": marks, "weighted_total": 2.5 * sum(values) if stated is None else stated}


# 2.5 x (8 + 7 + 9 + 8) = 80; 2.5 x (7 + 8 + 7 + 9) = 77.5
REPLY = {
    "contestants": {ONE: side(8, 7, 9, 8), OTHER: side(7, 8, 7, 9)},
    "winner": ONE,
    "justification": "One saw the lock.",
}


def upload(*documents: Any, run_id: str = "history", **how: Any) -> Receipt:
    files = [UploadedFile(f"{n}.json", json.dumps(d).encode()) for n, d in enumerate(documents, 1)]
    asked = Upload(**{"scenario": "kiosk", **how})
    return take_in(run_id=run_id, files=files, user=None, actor="test", how=asked)


def totals(verdict: Verdict) -> dict[str, tuple[str, str]]:
    return {one.label: (one.total_exact, one.outcome) for one in verdict.contestants.all()}


def stated(verdict: Verdict) -> dict[str, tuple[str, str, bool]]:
    return {
        one["name"]: (one["stated"], one["computed"], one["differs"])
        for one in json.loads(verdict.detail)["stated"]
    }


FORMS: dict[str, Any] = {
    "bare": REPLY,
    "words": {"judge_response": json.dumps(REPLY)},
    "fenced": {"evaluation": f"I read both.\n```json\n{json.dumps(REPLY)}\n```\n"},
    "envelope": {"judge_response": json.dumps({"type": "result", "result": json.dumps(REPLY)})},
    "a list": {
        **REPLY,
        "contestants": [{"spec": name, **one} for name, one in REPLY["contestants"].items()],
    },
    "step 6": {
        "success": True,
        "mode": "compare",
        "timestamp": "2026-03-01T12:00:00Z",
        "scores": {ONE: 80, OTHER: 77.5},
        "winner": ONE,
        "token_usage": {"input": 900, "output": 120},
        "response_text": json.dumps(REPLY),
    },
}


@pytest.mark.parametrize("form", list(FORMS))
def test_both_totals_are_recomputed_and_the_winner_stands_beside(form: str) -> None:
    make_scenario("kiosk")
    receipt = upload(FORMS[form])

    assert (receipt.verdicts, receipt.accepted, receipt.refused) == (1, 0, ())
    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.origin, verdict.decision) == ("compare", Origin.IMPORTED, "win")
    assert verdict.total_exact == ""
    assert totals(verdict) == {ONE: ("80", "won"), OTHER: ("155/2", "lost")}
    assert stated(verdict)["first.winner"] == (ONE, ONE, False)
    assert stated(verdict)[f"first.{OTHER}.weighted_total"] == ("77.5", "77.5", False)
    assert [mark.contestant for mark in verdict.marks.all()] == [ONE] * 4 + [OTHER] * 4
    assert verdict.marks.all()[5].reasoning == "On depth."
    assert json.loads(verdict.detail)["assessment"] == "One saw the lock."
    assert verdict.pair is not None
    assert verdict.scenario.key == "kiosk"
    pair = {verdict.pair.first.persona.spec, verdict.pair.second.persona.spec}
    assert pair == {ONE, OTHER}
    assert receipt.warnings == ()


def test_a_winner_that_the_marks_do_not_give_is_kept_beside_theirs() -> None:
    receipt = upload({**REPLY, "winner": OTHER})

    verdict = Verdict.objects.get()
    assert totals(verdict)[ONE] == ("80", "won")
    assert stated(verdict)["first.winner"] == (OTHER, ONE, True)
    assert "stated_differs" in verdict.flags
    assert [one.text for one in receipt.warnings] == [
        f"states what its marks do not give: first.winner {OTHER} (computed: {ONE}); both are kept"
    ]


@pytest.mark.parametrize(
    ("said", "differs"),
    [("tie", False), (None, False), ("draw", False), (ONE, True), ("somebody", True)],
)
def test_equal_totals_are_a_tie(said: Any, differs: bool) -> None:
    even = {"contestants": {ONE: side(8, 8, 8, 8), OTHER: side(8, 8, 7, 9)}, "winner": said}
    upload(even)

    verdict = Verdict.objects.get()
    assert (verdict.decision, set(totals(verdict).values())) == ("tie", {("80", "tied")})
    assert stated(verdict)["first.winner"][1:] == ("tie", differs)


def test_totals_alone_are_as_stated_and_say_so() -> None:
    receipt = upload({"scores": {ONE: 77.5, OTHER: "80"}, "winner": ONE})

    verdict = Verdict.objects.get()
    assert totals(verdict) == {ONE: ("155/2", "lost"), OTHER: ("80", "won")}
    assert "totals as stated" in verdict.epoch.parameters
    assert stated(verdict)["first.winner"] == (ONE, OTHER, True)
    assert [one.text for one in receipt.warnings] == [
        f"states what its marks do not give: first.winner {ONE} (computed: {OTHER}); both are kept",
        f"{ONE}: its totals are as stated: it holds no marks from which they could be computed",
        f"{OTHER}: its totals are as stated: it holds no marks from which they could be computed",
    ]


def test_marks_may_stand_beside_their_total() -> None:
    bare = {
        name: {key: mark["value"] for key, mark in sheet["scores"].items()} | {"total": 80}
        for name, sheet in REPLY["contestants"].items()
    }
    upload({"scores": bare, "winner": ONE})
    assert totals(Verdict.objects.get()) == {ONE: ("80", "won"), OTHER: ("155/2", "lost")}


def test_an_answer_with_scores_and_a_winner_is_an_answer() -> None:
    played = {"run_id": "1", "spec": ONE, "response": "I won.", "scores": {"a": 1, "b": 2}}
    receipt = upload({**played, "winner": "b"})
    assert (receipt.accepted, receipt.verdicts) == (1, 0)


def test_points_by_category_of_a_patch_are_no_contestants() -> None:
    """A result of this installation's own patch modes comes back as what it is."""
    scores = {
        "file_identification": 20,
        "location_identification": 10,
        "fix_logic_match": 30,
        "completeness": 10,
    }
    result = step6("", mode="ground-truth", scores=scores, winner=None, total=70, spec=ONE)
    assert upload(result).accepted == 0
    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.total_exact, verdict.persona.spec) == ("ground-truth", "70", ONE)


def seated(first: Any, second: Any, winner: str = "A") -> str:
    contestants = {"A": first, "B": second}
    return json.dumps({"contestants": contestants, "justification": "So.", "winner": winner})


def step6(*texts: str, mode: str = "compare", scores: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "success": True,
        "mode": mode,
        "timestamp": "2026-03-01T12:00:00Z",
        "scores": scores or {ONE: 80, OTHER: 77.5},
        "winner": ONE,
        "token_usage": {"input": 900, "output": 120},
        "response_text": texts[0] if texts else "",
        **({"responses": list(texts)} if len(texts) > 1 else {}),
        **more,
    }


def test_both_orders_of_a_result_of_step_6() -> None:
    """In the second order the two changed seats: B is the first."""
    one, other = side(8, 7, 9, 8), side(7, 8, 7, 9)
    again = side(9, 9, 9, 9)  # 90
    upload(step6(seated(one, other), seated(other, again, winner="B"), scores={ONE: 85, OTHER: 70}))

    verdict = Verdict.objects.get()
    # One: the mean of 80 and 90. Other: 77.5 in both orders.
    assert totals(verdict) == {ONE: ("85", "won"), OTHER: ("155/2", "lost")}
    orders = [json.loads(row.order_totals) for row in verdict.contestants.all()]
    assert orders == [["80", "90"], ["155/2", "155/2"]]
    assert stated(verdict)[f"scores.{OTHER}"] == ("70", "77.5", True)
    assert stated(verdict)["winner"] == (ONE, ONE, False)
    assert (verdict.input_tokens, verdict.output_tokens) == (900, 120)


def test_two_orders_that_disagree_are_inconsistent() -> None:
    one, other = side(8, 7, 9, 8), side(7, 8, 7, 9)
    upload(step6(seated(one, other), seated(one, other), winner=None))

    verdict = Verdict.objects.get()
    assert (verdict.decision, stated(verdict)["winner"]) == (
        "inconsistent",
        ("none", "inconsistent", False),
    )


def test_a_result_of_step_6_without_its_reply_is_stated() -> None:
    upload(step6("It was close."))
    verdict = Verdict.objects.get()
    assert totals(verdict) == {ONE: ("80", "won"), OTHER: ("155/2", "lost")}
    assert stated(verdict)["winner"] == (ONE, ONE, False)


def test_a_solo_result_of_step_6_is_a_verdict_and_no_answer() -> None:
    reply = json.dumps({"scores": REPLY["contestants"][ONE]["scores"]})
    receipt = upload(step6(reply, mode="solo", scores={ONE: 82}, winner=None))

    assert (receipt.accepted, receipt.verdicts) == (0, 1)
    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.total_exact, verdict.persona.spec) == ("solo", "80", ONE)
    assert stated(verdict)["score"] == ("82", "80", True)
    upload(step6("", mode="solo", scores={ONE: 82}), run_id="stated")
    assert Verdict.objects.get(run__run_id="stated").total_exact == ""


PHASE = {
    "team1": {"theme": "harbour", "scores": {"clarity": 8, "handoff": 7, "completeness": 9}},
    "team2": {"theme": "control", "scores": {"clarity": 8, "handoff": 9, "completeness": 9}},
}


@pytest.mark.parametrize(
    "document",
    [
        {**PHASE, "winner": "control"},
        {**PHASE, "mode": "phase-sm", "winner": "control"},
        {
            "teams": {one["theme"]: {"scores": one["scores"]} for one in PHASE.values()},
            "winner": "control",
        },
        step6(
            seated(*({"scores": one["scores"]} for one in PHASE.values()), winner="B"),
            mode="phase-sm",
            scores={"harbour": 79, "control": 87},
            winner="control",
        ),
    ],
)
def test_a_phase_is_of_two_teams_by_its_own_rubric(document: Any) -> None:
    upload(document)

    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.decision) == ("phase-sm", "win")
    # Of 30, 40 and 30 points: 24, 28 and 27 against 24, 36 and 27.
    assert totals(verdict) == {"harbour": ("79", "lost"), "control": ("87", "won")}
    assert set(Response.objects.values_list("persona__spec", flat=True)) == {
        "harbour:sm",
        "control:sm",
    }


def test_checklists_of_both_are_held_against_the_scenario() -> None:
    issue = ChecklistItem(id="A", category="critical", description="The lock.")
    save_scenario(
        ScenarioDocument(name="kiosk", challenge="Review.", baseline_issues=(issue,)), user=None
    )
    sheets = {
        name: {
            "baseline_findings": [
                {"id": "A", "severity": "low", "found": found, "evidence": "is held"}
            ],
            "novel_findings": [],
            "false_positives": [],
            "quality": {"clear_explanations": 8, "actionable_fixes": 8},
            "persona": {"in_character": 8, "professional_tone": 8},
        }
        for name, found in ((ONE, True), (OTHER, False))
    }
    receipt = upload({"contestants": sheets, "winner": ONE})

    verdict = Verdict.objects.get()
    # 30 + 10 + 20 + 20; 0 + 0 + 20 + 20
    assert totals(verdict) == {ONE: ("80", "won"), OTHER: ("40", "lost")}
    assert [(one.contestant, one.weight) for one in verdict.findings.all()] == [
        (ONE, 15),
        (OTHER, 15),
    ]
    assert sum("baseline_findings[0].severity" in one.text for one in receipt.warnings) == 2


def test_it_stands_on_the_answers_of_the_run_and_quotes_are_looked_up() -> None:
    answers = [
        {"run_id": str(n), "spec": name, "scenario": "kiosk", "response": f"Answer of {name}."}
        for n, name in enumerate((ONE, OTHER))
    ]
    receipt = upload(*answers, REPLY)

    assert (receipt.accepted, receipt.verdicts) == (2, 1)
    pair = Pair.objects.get()
    assert (pair.first.text, pair.second.text) == (f"Answer of {ONE}.", f"Answer of {OTHER}.")


def test_importing_again_changes_nothing_and_other_judgings_are_kept() -> None:
    other = {**REPLY, "justification": "Again."}
    first = upload(REPLY, other, FORMS["step 6"])
    rows = list(Verdict.objects.values())
    again = upload(FORMS["step 6"], REPLY, other)

    assert (first.verdicts, again.verdicts, again.duplicate) == (3, 0, 3)
    assert list(Verdict.objects.values()) == rows
    assert Pair.objects.count() == 1


def test_two_runs_of_one_spec_are_two_contestants() -> None:
    names = (f"{ONE}#1", f"{ONE}#2")
    upload({**REPLY, "contestants": dict(zip(names, REPLY["contestants"].values(), strict=True))})

    verdict = Verdict.objects.get()
    assert [row.label for row in verdict.contestants.all()] == list(names)
    assert verdict.pair.first_id != verdict.pair.second_id
    assert {one.persona.spec for one in (verdict.pair.first, verdict.pair.second)} == {ONE}


@pytest.mark.parametrize(
    ("document", "field", "said"),
    [
        ({"contestants": {ONE: side(8, 7, 9, 8)}}, "contestants", "expected two, not 1"),
        (
            {"contestants": {**REPLY["contestants"], "x:y": side(1, 1, 1, 1)}},
            "contestants",
            "expected two, not 3",
        ),
        ({"contestants": {ONE: side(8, 7, 9, 8), OTHER: {}}}, OTHER, "neither marks nor a total"),
        (
            {"contestants": {ONE: side(8, 11, 9, 8), OTHER: side(7, 8, 7, 9)}},
            f"{ONE}.marks",
            "depth must lie from 1 to 10",
        ),
        (json.loads(seated(side(8, 7, 9, 8), side(7, 8, 7, 9))), "contestants", "the seats A and"),
        ({"scores": {ONE: 101, OTHER: 5}, "winner": ONE}, ONE, "expected 0 to 100, not 101"),
        (
            {"contestants": {ONE: side(8, 7, 9, 8), OTHER: 70}, "winner": ONE},
            "document",
            "no answer text",
        ),
        (step6(mode="compare", scores={ONE: 80}), "scores", "expected the totals of 2 by name"),
        ({**step6(mode="compare"), "success": False}, "success", "the judging failed"),
        (
            {**step6(mode="coherence"), "rating": "good", "multiplier": 1.0},
            "mode",
            "a relay stands on four answers",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_by_key(document: Any, field: str, said: str) -> None:
    receipt = upload(document, spec="a:b")
    (refusal,) = receipt.refused
    assert refusal.field == field
    assert said in refusal.reason
    assert not Verdict.objects.exists()


def test_pages_and_api_show_both(make_user: Any) -> None:
    make_scenario("kiosk")
    upload({**REPLY, "winner": OTHER})
    verdict = Verdict.objects.get()
    client = Client()
    client.force_login(make_user("viewer"))
    page = client.get(f"/verdicts/{verdict.pk}/").content.decode()
    for words in ("80.0", "77.5", "One saw the lock.", ONE, OTHER, "not stored here", "not named"):
        assert words in page
    assert "The answer is empty" not in page
    board = client.get(f"/?mode=compare&epoch={verdict.epoch.digest}")
    assert board.status_code == 200
    assert ONE in board.content.decode()
    assert VerdictContestant.objects.count() == 2
