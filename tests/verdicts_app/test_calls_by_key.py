"""Seed B whole: generated captures in, judged by their answer key, the verdict file out."""

import json
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from rubrics_app.contracts import import_contracts
from tests.fixtures.answer_key import KeyJudge
from verdicts_app.models import Capture, Verdict
from verdicts_app.work.recompute import Recomputed, recompute

pytestmark = pytest.mark.django_db

DIMENSIONS = ("schema_ok", "factually_grounded", "hallucination_free")
Rows = list[dict[str, Any]]


def generated(shared: Path, folder: Path, *, seed: int, n: int, dirty: bool) -> None:
    arguments = ["--n", str(n), "--seed", str(seed), "--out", str(folder), "--defect-rate", "0.4"]
    script = shared / "samples" / "make_calls.py"
    subprocess.run(
        [sys.executable, script, *arguments, *(["--dirty"] if dirty else [])],
        check=True,
        capture_output=True,
        timeout=300,
    )


def ndjson(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def key_of(folder: Path) -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], Any]]:
    """By call_id as the generator knows it, and by material as the judge sees it."""
    by_id = {row["call_id"]: row for row in ndjson(folder / "answer-key.ndjson")}
    by_material = {}
    for capture in Capture.objects.filter(call_id__in=by_id):
        user, response = capture.original("user_content"), capture.original("response_content")
        by_material[user or "", response or ""] = by_id[capture.call_id]
    return by_id, by_material


def upload(folder: Path) -> None:
    from verdicts_app.intake import call_files, captures

    chunks = call_files.chunks_of(folder / "calls.ndjson")
    captures.take_in(run_id="generated", chunks=chunks, user=None, actor="test")


def judged(folder: Path, call_type: str) -> tuple[dict[str, Any], str]:
    out, said = folder / f"{call_type}.json", StringIO()
    call_command(
        "judge_llm_batch",
        str(folder / "calls.ndjson"),
        call_type=call_type,
        run_id="generated",
        out=str(out),
        stdout=said,
        stderr=StringIO(),
    )
    return json.loads(out.read_bytes()), said.getvalue()


@pytest.mark.shared
@pytest.mark.parametrize(("seed", "dirty"), [(7, False), (11, True), (2026, True)])
def test_every_dimension_and_aggregate_equals_the_answer_key(
    shared: Path, tmp_path: Path, key_judge: Any, seed: int, dirty: bool
) -> None:
    generated(shared, tmp_path, seed=seed, n=60, dirty=dirty)
    contracts = (shared / "samples" / "contracts" / "current.json").read_bytes()
    report = import_contracts(contracts, source="current.json", user=None, actor="test")
    assert report.outcome == "read"
    upload(tmp_path)
    by_id, by_material = key_of(tmp_path)
    judge: KeyJudge = key_judge(by_material)

    seen = Counter[str]()
    for call_type in sorted({row["call_type"] for row in by_id.values()}):
        document, line = judged(tmp_path, call_type)
        keyed = [verdict for verdict in document["verdicts"] if verdict["call_id"] in by_id]
        for verdict in keyed:
            key = by_id[verdict["call_id"]]
            assert [verdict[name] for name in DIMENSIONS] == [key[name] for name in DIMENSIONS]
            assert verdict["pass"] is key["pass"]
        seen.update(verdict["call_id"] for verdict in keyed)
        verdicts = document["verdicts"]
        assert document["aggregate"] == {
            "n": len(verdicts),
            "schema_pass": sum(v["schema_ok"] for v in verdicts),
            "factual_pass": sum(v["factually_grounded"] for v in verdicts),
            "hallucination_free_pass": sum(v["hallucination_free"] for v in verdicts),
            "overall_pass": sum(v["pass"] for v in verdicts),
        }
        assert line.startswith(f"[{call_type}] judged n={len(verdicts)} ")
    accepted = Capture.objects.filter(call_id__in=by_id).values_list("call_id", flat=True)
    assert seen == Counter(accepted)
    answered = Verdict.objects.exclude(flags__contains="empty_answer")
    assert len(judge.judged) - len(judge.unknown) == answered.count()
    assert list(recompute(Recomputed())) == []
