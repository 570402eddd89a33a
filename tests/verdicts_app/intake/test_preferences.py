"""Pairwise preferences made elsewhere: rows into comparisons without totals."""

import csv
import gzip
import json
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.factories import make_scenario
from verdicts_app.intake import linking
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Pair, Response, ResponseOutcome, Verdict, VerdictContestant

pytestmark = pytest.mark.django_db
HEADER = "judge,item,candidate_a,candidate_b,order,preference"


def upload(text: str, *, name: str = "any", **how: Any) -> Receipt:
    file = UploadedFile(name, text.encode())
    return take_in(run_id="arena", files=[file], user=None, actor="test", how=Upload(**how))


def table(*rows: str, header: str = HEADER) -> str:
    return "\n".join([header, *rows, ""])


def outcomes() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Item -> decision and (label, outcome) of first and second."""
    return {
        verdict.pair.first.scenario_key: (
            verdict.decision,
            [(one.label, one.outcome) for one in verdict.contestants.all()],
        )
        for verdict in Verdict.objects.select_related("pair__first")
    }


def test_rows_in_one_order() -> None:
    receipt = upload(
        table("j,i1,x:dev,y:dev,AB,A", "j,i2,x:dev,y:dev,BA,A", "j,i3,x:dev,y:dev,,tie")
    )
    assert (receipt.verdicts, receipt.refused) == (3, ())
    # In i2 the second candidate was shown first.
    assert outcomes() == {
        "i1": ("win", [("x:dev", "won"), ("y:dev", "lost")]),
        "i2": ("win", [("y:dev", "lost"), ("x:dev", "won")]),
        "i3": ("tie", [("x:dev", "tied"), ("y:dev", "tied")]),
    }
    assert set(Response.objects.values_list("outcome", flat=True)) == {ResponseOutcome.ABSENT}
    verdict = Verdict.objects.first()
    assert verdict is not None
    assert (verdict.mode, verdict.total_nano, verdict.response) == ("compare", None, None)
    assert json.loads(verdict.epoch.parameters) == {"orders": 1, "scale": "preference"}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("A", "A", ("win", "won", "lost")),
        ("A", "B", ("inconsistent", "inconsistent", "inconsistent")),
        ("tie", "B", ("tie", "tied", "tied")),
        ("B", "B", ("win", "lost", "won")),
    ],
)
def test_two_orders_are_one_comparison(
    first: str, second: str, expected: tuple[str, str, str]
) -> None:
    upload(table(f"j,i,x,y,AB,{first}", f"j,i,x,y,BA,{second}"))
    decision, *reached = expected
    verdict = Verdict.objects.get()
    assert verdict.decision == decision
    assert [one.outcome for one in verdict.contestants.all()] == reached
    assert json.loads(verdict.epoch.parameters)["orders"] == 2


def test_second_order_may_be_written_with_candidates_swapped() -> None:
    rows = ["j,i,y,x,,B", "j,i,x,y,,A"]
    receipt = upload(table(*rows))
    assert receipt.verdicts == 1
    assert outcomes() == {"i": ("win", [("x", "won"), ("y", "lost")])}
    assert upload(table(*reversed(rows))).duplicate == 1
    changed = upload(table("j,i,x,y,,B", rows[0]))
    assert "another verdict of j" in changed.refused[0].reason


def test_probability_of_b_is_kept_exactly() -> None:
    header = "judge,item,candidate_a,candidate_b,order,p_b"
    upload(
        table(
            "j,i1,x,y,,0.73283239620000007",
            "j,i2,x,y,,0.5",
            "j,i3,x,y,AB,0.9",
            "j,i3,x,y,BA,0.4",
            header=header,
        )
    )
    found = {verdict.pair.first.scenario_key: verdict for verdict in Verdict.objects.all()}
    parts = {item: json.loads(one.detail)["parts"]["preference"] for item, one in found.items()}
    assert parts == {
        "i1": str(Fraction("0.73283239620000007")),
        "i2": "1/2",
        "i3": "13/20",  # (0.9 + 0.4) / 2
    }
    decisions = {item: one.decision for item, one in found.items()}
    assert decisions == {"i1": "win", "i2": "tie", "i3": "inconsistent"}


def test_lines_of_json() -> None:
    row = {"judge": "j", "item": "i", "model_a": "x", "model_b": "y", "winner": "model_b"}
    assert upload(json.dumps(row) + "\n", name="a.jsonl").verdicts == 1
    assert outcomes() == {"i": ("win", [("x", "lost"), ("y", "won")])}
    number = {**row, "item": "k", "winner": 0.25}
    assert upload(json.dumps(number) + "\n", name="a.jsonl").verdicts == 1
    assert outcomes()["k"] == ("win", [("x", "won"), ("y", "lost")])


def test_comparisons_are_linked_to_their_scenario_later() -> None:
    upload(table("j,i,x,y,AB,A"))
    assert Verdict.objects.get().scenario is None
    scenario = make_scenario("i")
    assert linking.link_unlinked() == 2
    assert Verdict.objects.get().scenario == scenario


def test_judges_share_the_pair() -> None:
    upload(table("j1,i,x,y,AB,A", "j2,i,x,y,AB,B"))
    assert (Pair.objects.count(), Verdict.objects.count()) == (1, 2)
    assert Verdict.objects.filter(on_board=True).count() == 2


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        (table("j,i,x,x,AB,A"), "candidate_b", 'both candidates are called "x"'),
        (table("j,i,x,y,AB,C"), "preference", "expected A, B, tie or a probability of B"),
        (table("j,i,x,y,AB,1.5"), "preference", "expected 0 to 1, not"),
        (table("j,i,x,y,up,A"), "order", 'expected AB or BA, not "up"'),
        (table("j,i,x,y,AB,A", "j,i,x,y,AB,A"), "order", "stands twice in one order"),
        (table("j,,x,y,AB,A"), "item", "missing: every row names it"),
        (table(",i,x,y,AB,A"), "judge", "missing: every row names it"),
        (
            "judge,model,prompt,p_win\nj,x,1,0.5\nj,x,2,0.5\n",
            "candidate_a",
            "name its opponent; what the row belongs to is left out (and so in 1 more)",
        ),
    ],
)
def test_faults_name_line_and_column(text: str, field: str, said: str) -> None:
    (refusal,) = upload(text).refused
    assert refusal.field == field
    assert refusal.place.startswith("line ")
    assert said in refusal.reason
    assert not Verdict.objects.exists()


@pytest.mark.shared
def test_published_win_rates_are_reproduced(shared: Path) -> None:
    """The mean preference of a model over its comparisons is its published win rate."""
    folder = shared / "samples/science/alpacaeval2"
    with gzip.open(folder / "preferences.csv.gz", "rt") as stream:
        header, *rows = stream.read().splitlines()
    models = ("FuseChat-Gemma-2-9B-Instruct", "claude-2")
    text = "\n".join(
        [header, *(row for row in rows if row.startswith(tuple(f"{m}," for m in models)))]
    )
    assert "missing: the rows name one candidate" in upload(text, judge="gpt4").refused[0].reason
    receipt = upload(text, judge="gpt4_turbo", opponent="gpt4_1106_preview")
    assert (receipt.verdicts, receipt.refused) == (2 * 805, ())
    published = csv.DictReader(StringIO((folder / "leaderboard_published.csv").read_text()))
    rates = {row[""]: row["win_rate"] for row in published}
    for model in models:
        found = VerdictContestant.objects.filter(persona__spec=model, position=2)
        details = found.values_list("verdict__detail", flat=True)
        preferences = [Fraction(json.loads(one)["parts"]["preference"]) for one in details]
        assert len(preferences) == 805
        mean = 100 * sum(preferences, Fraction(0)) / 805
        assert float(mean) == pytest.approx(float(rates[model]), abs=1e-6)
