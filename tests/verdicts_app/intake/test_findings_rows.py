"""Findings made elsewhere: tables of rows into checklist verdicts with detection only."""

import json
from fractions import Fraction
from typing import Any

import pytest

from verdicts_app.intake import tables
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Response, Verdict

HEADER = "judge,pr,tool,gid,severity,found"
ITEMS = f"""{HEADER}
j1,pr-1,lint,0,Critical,1
j1,pr-1,lint,1,High,0
j1,pr-1,lint,2,Low,yes
j1,pr-1,grep,0,Critical,false
j1,pr-1,grep,1,High,False
j1,pr-1,grep,2,Low,0
j2,pr-1,lint,0,Critical,true
j2,pr-1,lint,1,High,TRUE
j2,pr-1,lint,2,Low,no
"""
COUNTS = """judge,pr,tool,skipped,tp,fp,fn
j1,pr-1,lint,0,2,2,1
j1,pr-1,grep,0,0,0,3
"""


def upload(*texts: str, name: str = "t{}.csv", **how: Any) -> Receipt:
    files = [UploadedFile(name.format(n), text.encode()) for n, text in enumerate(texts, 1)]
    return take_in(run_id="bench", files=files, user=None, actor="test", how=Upload(**how))


def parts(judge: str, tool: str) -> dict[str, Any]:
    verdict = Verdict.objects.get(epoch__requested_model=judge, persona__spec=tool)
    assert verdict.total_nano is None
    assert verdict.total_exact == ""
    stored: dict[str, Any] = json.loads(verdict.detail)["parts"]
    return stored


@pytest.mark.django_db
def test_rows_of_a_review_make_one_verdict_with_detection_only() -> None:
    receipt = upload(ITEMS, COUNTS)
    assert (receipt.verdicts, receipt.refused) == (3, ())
    assert [(file.outcome, file.rows) for file in receipt.files] == [("read", 9), ("read", 2)]
    # found 15 + 2 of 15 + 10 + 2; 2 found, 2 false: p = 1/2, r = 17/27
    assert parts("j1", "lint") == {
        "recall": "17/27",
        "precision": "1/2",
        "f1": str(Fraction(2 * 17, 27 * 2) / (Fraction(1, 2) + Fraction(17, 27))),
        "f2": str(5 * Fraction(17, 54) / (2 + Fraction(17, 27))),
        "detection": str(30 * Fraction(17, 27) + 5),
    }
    # Nothing claimed: precision is undefined, the rest is 0.
    assert parts("j1", "grep") == {
        "recall": "0",
        "precision": None,
        "f1": "0",
        "f2": "0",
        "detection": "0",
    }
    # j2's false positives were not counted: what they would give is not known.
    unknown = dict.fromkeys(("precision", "f1", "f2", "detection"))
    assert parts("j2", "lint") == {"recall": "25/27", **unknown}


@pytest.mark.django_db
def test_judges_share_the_answer_and_not_the_epoch() -> None:
    upload(ITEMS)
    assert Response.objects.count() == 2
    assert {v.scenario for v in Verdict.objects.all()} == {None}
    assert Verdict.objects.values("epoch").distinct().count() == 2
    assert Verdict.objects.filter(on_board=True).count() == 3


@pytest.mark.django_db
def test_rows_again_in_another_order_change_nothing() -> None:
    upload(ITEMS, COUNTS)
    lines = ITEMS.splitlines()
    again = upload("\n".join([lines[0], *reversed(lines[1:])]), COUNTS)
    assert (again.verdicts, again.duplicate) == (0, 3)
    changed = upload(ITEMS.replace("lint,1,High,0", "lint,1,High,1"), COUNTS)
    assert (changed.verdicts, changed.duplicate) == (0, 2)
    assert "another verdict of j1" in changed.refused[0].reason


@pytest.mark.django_db
def test_lines_of_json_are_rows_too() -> None:
    rows = [
        {"judge": "j", "scenario": "s", "contestant": "a:dev", "item_id": "X", "found": True},
        {"judge": "j", "scenario": "s", "contestant": "a:dev", "item_id": "Y", "found": False},
    ]
    receipt = upload("\n".join(map(json.dumps, rows)), name="t{}.jsonl")
    assert receipt.verdicts == 1
    # Two items of no severity: 5 of 10
    assert parts("j", "a:dev")["recall"] == "1/2"


@pytest.mark.django_db
def test_a_review_with_a_faulty_row_is_left_out_as_a_whole() -> None:
    receipt = upload(ITEMS.replace("j1,pr-1,lint,1,High,0", "j1,pr-1,lint,1,High,maybe"))
    assert receipt.verdicts == 2
    (refusal,) = receipt.refused
    assert (refusal.place, refusal.field) == ("line 3", "found")
    assert refusal.reason == (
        'expected true or false, not "maybe"; what the row belongs to is left out'
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (f"{HEADER}\nj,p,t,0,Low,1\nj,p,t,0,Low,0\n", "line 3", "stands twice in one review"),
        (f"{HEADER}\n,p,t,0,Low,1\n", "line 2", "missing: every row names it"),
        (f"{HEADER}\nj,p,t,0,Low\nj,p,t,0,Low,0\n", "line 2", "has 5 cells; the header has 6"),
        (COUNTS, "", "2 reviews with counts and no items"),
        ("i,j,wins\n1,2,3\n", "line 1", "a table with the columns i, j, wins"),
        (f"{HEADER},fp\nj,p,t,0,Low,1,-2\n", "line 2", "expected 0 to 100000"),
        (f'{HEADER}\nj,p,t,0,Low,"1\n', "line 2", "not a row of a table"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text: str, place: str, said: str) -> None:
    receipt = upload(text)
    refusal = receipt.refused[0]
    assert refusal.place == place
    assert said in refusal.reason
    assert receipt.files[0].outcome == ("warned" if receipt.verdicts else "refused")


@pytest.mark.django_db
def test_a_judge_may_be_named_with_the_upload() -> None:
    upload("scenario,contestant,item_id,found\ns,a:dev,X,1\n", judge="nightly-judge")
    assert parts("nightly-judge", "a:dev")["recall"] == "1"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("\ufeffa, b\r\n1,2\r\n", ["a", "b"]),
        (",b\n1,2\n", ["", "b"]),
        ("a,b\n", ["a", "b"]),
        ("a\n1\n", []),
        ("name: a, b\nother: c, d\n", []),
        ("- a, b\n- c, d\n", []),
        ("a,a\n1,2\n", []),
    ],
)
def test_a_table_is_known_by_its_first_lines(text: str, columns: list[str]) -> None:
    assert tables.columns_of(text) == columns
