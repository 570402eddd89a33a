"""Every shape of results that is named (A1 to A3, J1 to J9, two contestants, findings, preferences,
themes) with the outcome of one document of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Response, Verdict

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[2] / "cases" / "verdicts"
SHAPES = json.loads((CASES / "shapes.json").read_text())

# How it is kept, the mode, the total exactly; totals are worked out in test_judged_shapes.
JUDGED = {
    "J1 wrapper": ("marks", "solo", "80"),
    "J2 evaluation": ("checklist", "checklist", "209/3"),  # 89/3 + 18.75 + 21.25
    "J2 behaviours": ("behaviours", "behaviours", "86"),
    "J3 prose": ("statement", "solo", ""),
    "J4 of 25": ("points", "solo", "69"),
    "J5 own maxima": ("points", "solo", "125/2"),  # 7.5 of 12
    "J6 own rubric": ("own_rubric", "solo", "30"),
    "J6 penalties": ("penalties", "solo", "30"),  # 45 - 15
    "J7 swebench": ("swebench", "swebench", "815/18"),  # 40.75 of 90
    "J8 ground truth": ("ground_truth", "ground-truth", "145/2"),
    "J9 pipeline": ("pipeline", "checklist", "50"),
    "two compared": ("contest", "compare", "80, 65"),  # 2.5 x 32, 2.5 x 26
    "two of step 6": ("contest", "compare", "80, 155/2"),
    "two of a phase": ("contest", "phase-sm", "79, 71"),  # 24 + 28 + 27, 24 + 20 + 27
}


def upload(content: bytes, name: str = "any", **how: str) -> Receipt:
    return take_in(
        run_id="r",
        files=[UploadedFile(name, content)],
        user=None,
        actor="test",
        how=Upload(**{"spec": "harbour:dev", "scenario": "kiosk", **how}),
    )


def test_every_case_has_its_outcome() -> None:
    assert set(SHAPES) == set(JUDGED)


@pytest.mark.parametrize("name", JUDGED)
def test_a_judges_result_is_recomputed(name: str) -> None:
    receipt = upload(json.dumps(SHAPES[name]).encode())

    assert (receipt.verdicts, receipt.accepted, receipt.refused) == (1, 0, ())
    verdict = Verdict.objects.get()
    totals = [row.total_exact for row in verdict.contestants.all()] or [verdict.total_exact]
    assert (verdict.imported.shape, verdict.mode, ", ".join(totals)) == JUDGED[name]
    assert upload(json.dumps(SHAPES[name]).encode()).duplicate == 1


A1 = {
    "type": "result",
    "is_error": False,
    "num_turns": 3,
    "duration_ms": 22807,
    "result": "The lock is never released.",
    "total_cost_usd": 0.05,
    "usage": {
        "input_tokens": 2,
        "cache_creation_input_tokens": 12006,
        "cache_read_input_tokens": 5,
        "output_tokens": 443,
    },
    "modelUsage": {"agent-7": {"outputTokens": 443}},
    "session_id": "x",
}
A2 = {
    "run_id": "c8e4",
    "theme": "harbour",
    "agent": "dev",
    "character": "Maren Holt",
    "scenario": "kiosk",
    "timestamp": "2026-01-02T03:04:05Z",
    "response": "The lock is never released.",
    "input_tokens": 2,
    "output_tokens": 443,
    "cost_usd": 0.05,
}
A3 = {"success": True, "run_id": "c8e4", "spec": "harbour:dev", "scenario": "kiosk", "score": 92.5}


@pytest.mark.parametrize(("document", "model"), [(A1, "agent-7"), (A2, "")])
def test_an_answer_keeps_its_tokens_apart(document: dict[str, Any], model: str) -> None:
    receipt = upload(json.dumps(document).encode())

    assert (receipt.accepted, receipt.verdicts, receipt.refused) == (1, 0, ())
    answer = Response.objects.select_related("persona").get()
    assert (answer.persona.spec, answer.scenario_key, answer.model) == (
        "harbour:dev",
        "kiosk",
        model,
    )
    cached = (12006, 5) if document is A1 else (None, None)
    assert (answer.input_tokens, answer.output_tokens) == (2, 443)
    assert (answer.cache_write_tokens, answer.cache_read_tokens) == cached
    assert answer.cost_nano_usd == 50_000_000


def test_a_summary_is_no_answer_and_a_failed_one_no_score() -> None:
    alone = upload(json.dumps(A3).encode())
    upload(json.dumps(A2).encode())
    beside = upload(json.dumps(A3).encode())
    failed = upload(json.dumps({**A3, "run_id": "f", "success": False, "score": 0}).encode())

    assert alone.refused[0].reason.startswith("a summary without an answer")
    assert (beside.summaries, beside.accepted) == (1, 0)
    assert (failed.accepted, failed.failed) == (1, 1)
    assert not Verdict.objects.exists()


@pytest.mark.parametrize(
    ("table", "mode", "decision"),
    [
        (
            "judge,scenario,contestant,item_id,severity,found,tp,fp\nj,kiosk,tool,A,high,1,1,0\n",
            "checklist",
            "",
        ),
        ("judge,item,candidate_a,candidate_b,order,preference\nj,q,x,y,AB,B\n", "compare", "win"),
        ("judge,item,candidate_a,candidate_b,p_b\nj,q,x,y,0.5\n", "compare", "tie"),
    ],
)
def test_rows_made_elsewhere_have_no_totals(table: str, mode: str, decision: str) -> None:
    receipt = upload(table.encode())

    assert (receipt.verdicts, receipt.files[0].rows, receipt.refused) == (1, 1, ())
    verdict = Verdict.objects.get()
    assert (verdict.mode, verdict.total_exact, verdict.decision) == (mode, "", decision)


def test_a_theme_makes_personas() -> None:
    receipt = upload((CASES / "theme.yaml").read_bytes())
    assert receipt.personas == len((CASES / "theme.yaml").read_text().split("character:")) - 1
