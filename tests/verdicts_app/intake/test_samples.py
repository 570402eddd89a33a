"""Every file of the shared samples: what becomes of it by its own door."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from rubrics_app.importing import Importer
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Persona, Verdict

pytestmark = [pytest.mark.shared, pytest.mark.django_db]

SCENARIOS = {
    "flask-5014-tea.yaml": "read",
    "flask-5014.yaml": "read",
    "legacy-modernization.yaml": "read",
    "null-pointer.yaml": "read",
    "payment-processor-tests.yaml": "warned",  # declares 20 tests and lists 19
    "security-review.yaml": "read",
    "sprint-planning-conflict.yaml": "read",
    "sql-injection.yaml": "read",
    "tdd-shopping-cart.yaml": "read",
}
RESULTS = {
    "results/jobfair-run_1.json": "refused: a summary without an answer",
    "results/judge_10.json": "read: verdicts 1",
    "results/judge_20260102T135203_614.json": "warned: verdicts 1",  # a time without a zone
    "results/judge_3.json": "warned: verdicts 1",  # quotes that cannot be looked up
    "results/majority_vote.yaml": "warned: verdicts 1",  # states 37 points, lists 36
    "results/order-service-summary.yaml": "refused: a summary of statistics",
    "results/run_4.json": "read: accepted 1",
    "results/swebench_judge_20260102T140404_737.json": "read: verdicts 1",
    "contracts/current.json": "refused: contracts of captured calls",
    "contracts/seed-era.json": "refused: contracts of captured calls",
    "make_calls.py": "refused: plain text",
    "README.md": "refused: plain text",
    "science/INDEX.md": "refused: plain text",
    "science/alpacaeval2/evaluators_published.csv": "refused: a table with the columns",
    "science/alpacaeval2/instruction_difficulty_recovered.csv": "refused: a table with the columns",
    "science/alpacaeval2/lc_weights_published.csv": "refused: a table with the columns",
    "science/alpacaeval2/leaderboard_published.csv": "refused: a table with the columns",
    "science/classic/baseball_1987.csv": "refused: a table with the columns",
    "science/classic/pudding_davidson1970.csv": "refused: a table with the columns",
    "science/code_review_bench/golden_issues.csv.gz": "refused: a table with the columns",
    "science/code_review_bench/item_verdicts.csv.gz": "read: verdicts 1800, rows 4932",
    "science/code_review_bench/published_dashboard_totals.csv": "refused: a table with the columns",
    "science/code_review_bench/review_counts.csv.gz": "refused: 1800 reviews with counts",
    "science/stats_fixtures.json": "refused: no answer text",
    "swebench/aider_gpt4o_opus.jsonl.gz": "read: accepted 300",
    "swebench/devin.jsonl.gz": "read: accepted 82",
    "swebench/function_index.json.gz": "refused: no answer text",
    "swebench/instances.jsonl.gz": "refused: an instance of SWE-bench",
}
ELSEWHERE = {
    "science/alpacaeval2/preferences.csv.gz",  # test_preferences
}


def test_no_sample_is_left_out(shared: Path) -> None:
    samples = shared / "samples"
    found = {str(f.relative_to(samples)) for f in samples.rglob("*") if f.is_file()}
    assert found == {*(f"scenarios/{name}" for name in SCENARIOS), *RESULTS, *ELSEWHERE}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_is_imported_with_its_report(shared: Path, name: str) -> None:
    importer = Importer(user=None, actor="test")
    report = importer.take_file(shared / "samples" / "scenarios" / name, {})
    assert (report.outcome, report.change, report.revision) == (SCENARIOS[name], "created", 1)
    again = importer.take_file(shared / "samples" / "scenarios" / name, {})
    assert (again.change, again.revision) == ("unchanged", 1)


@pytest.mark.parametrize("name", RESULTS)
def test_file_is_taken_or_refused_with_its_reason(shared: Path, name: str) -> None:
    content = (shared / "samples" / name).read_bytes()
    how = Upload(spec="control:sm", scenario="dependency-deadlock")
    receipt = take_in(
        run_id="samples",
        files=[UploadedFile("any-name", content)]
        if not name.endswith(".jsonl.gz")
        else [UploadedFile("any-name.jsonl.gz", content)],
        how=how,
        user=None,
        actor="test",
    )
    (file,) = receipt.files
    outcome, _, words = RESULTS[name].partition(": ")
    assert file.outcome == outcome
    if outcome == "refused":
        assert all(refusal.reason.startswith(words) for refusal in receipt.refused)
        assert receipt.refused
        return
    counts = {key: getattr(file, key) for key in ("accepted", "verdicts", "rows")}
    assert ", ".join(f"{key} {number}" for key, number in counts.items() if number) == words


TOTALS = {
    "judge_10.json": "165/2",  # 2.5 x (9 + 8 + 9 + 7)
    "judge_20260102T135203_614.json": "69",  # 15 + 18 + 16 + 20
    # 18 of 21 items of 5 points, no false claim, 2 novel: 30 x 6/7 + 10 + 6,
    # + 1.25 x 13 + 1.25 x 16
    "judge_3.json": "2183/28",
    "majority_vote.yaml": "275/3",  # 33 of 36 points, where the file says 37
    "swebench_judge_20260102T140404_737.json": "235/4",  # 21.75 + 17 + 14 + 6
}


@pytest.mark.parametrize("name", TOTALS)
def test_total_is_recomputed(shared: Path, name: str) -> None:
    content = (shared / "samples" / "results" / name).read_bytes()
    how = Upload(spec="control:sm", scenario="dependency-deadlock")
    take_in(run_id="r", files=[UploadedFile("x", content)], how=how, user=None, actor="test")
    assert Verdict.objects.get().total_exact == TOTALS[name]


def test_summary_is_kept_with_its_answer(shared: Path) -> None:
    answer = (
        b'{"run_id": "c8e424d3", "spec": "the-matrix:dev", "scenario": "tdd-shopping-cart",'
        b' "response": "Done."}'
    )
    summary = (shared / "samples/results/jobfair-run_1.json").read_bytes()
    receipt = take_in(
        run_id="r",
        files=[UploadedFile("b", summary), UploadedFile("a", answer)],
        user=None,
        actor="test",
    )
    assert (receipt.accepted, receipt.summaries, receipt.refused) == (1, 1, ())


def test_findings_and_counts_reproduce_the_published_totals(shared: Path) -> None:
    """tp, fp and fn by judge and tool, summed over the stored verdicts."""
    folder = shared / "samples/science/code_review_bench"
    names = ("item_verdicts.csv.gz", "review_counts.csv.gz")
    receipt = take_in(
        run_id="bench",
        files=[UploadedFile(name, (folder / name).read_bytes()) for name in names],
        user=None,
        actor="test",
    )
    assert (receipt.verdicts, receipt.refused) == (1800, ())
    assert Persona.objects.count() == 12
    sums: dict[tuple[str, str], Counter[str]] = {}
    for verdict in Verdict.objects.prefetch_related("findings").select_related("persona", "epoch"):
        key = (verdict.epoch.requested_model, verdict.persona.spec)
        found = sum(one.found for one in verdict.findings.all())
        sums.setdefault(key, Counter()).update(
            tp=found,
            fn=len(verdict.findings.all()) - found,
            fp=json.loads(verdict.detail)["extra"]["false_positives"],
        )
    with (folder / "published_dashboard_totals.csv").open() as published:
        rows = list(csv.DictReader(published))
    assert len(rows) == 24
    for row in rows:
        total = sums[row["judge"], row["tool"]]
        assert [total["tp"], total["fp"], total["fn"]] == [
            int(row[key]) for key in ("tp", "fp", "fn")
        ]
