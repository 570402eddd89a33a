"""What people really upload, and what becomes of it: read, warned or refused, with its place."""

import gzip
import json
from typing import Any

import pytest

from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.receipts import Receipt
from verdicts_app.intake.responses import take_in
from verdicts_app.models import Response, Verdict

pytestmark = pytest.mark.django_db

DIMENSIONS = ("correctness", "depth", "quality", "persona")
ANSWER = {"run_id": "r1", "spec": "a:b", "scenario": "s", "response": "The answer."}
SECOND = {**ANSWER, "run_id": "r2"}
BOM = b"\xef\xbb\xbf"


def as_json(value: Any, **how: Any) -> bytes:
    return json.dumps(value, **how).encode()


def marks(*values: Any, **more: Any) -> dict[str, Any]:
    return {"scores": dict(zip(DIMENSIONS, values, strict=True)), **more}


def judge(words: Any, **more: Any) -> bytes:
    text = words if isinstance(words, str) else json.dumps(words)
    names = {"run_id": "j1", "spec": "a:b", "scenario": "s", "timestamp": "2026-01-02T03:04:05Z"}
    return as_json({**names, "judge_response": text, **more})


GOOD = marks(8, 7, 9, 8)  # 80
TABLE = b"judge,scenario,contestant,item_id,found\n"
TEXT = "document: plain text"

READ: dict[str, tuple[bytes, str]] = {
    "keys in another order": (as_json(dict(reversed(ANSWER.items()))), "1 answer"),
    "a byte order mark": (BOM + as_json(ANSWER), "1 answer"),
    "CRLF, indented": (as_json(ANSWER, indent=2).replace(b"\n", b"\r\n"), "1 answer"),
    "YAML with CRLF": (
        b"spec: a:b\r\nscenario: s\r\nresponse: |\r\n  one\r\n  two\r\n",
        "1 answer",
    ),
    "YAML with a byte order mark": (BOM + b"spec: a:b\nscenario: s\nresponse: hi\n", "1 answer"),
    "a list in YAML": (
        b"- {spec: a:b, scenario: s, response: one}\n- {spec: a:b, scenario: s, response: two}\n",
        "2 answers",
    ),
    "an answer of a proof": (
        as_json({"spec": "a:b", "scenario": "s", "proof": {"agent_response_text": "Deep."}}),
        "1 answer",
    ),
    "a proof without its answer": (
        as_json({"spec": "a:b", "scenario": "s", "proof": {"agent_response_text": None}}),
        "1 answer",
    ),
    "an empty answer": (as_json({**ANSWER, "response": ""}), "1 answer"),
    "a failed envelope": (
        as_json({"type": "result", "is_error": True, "result": "boom", **ANSWER}),
        "1 answer",
    ),
    "a list": (as_json([ANSWER, SECOND]), "2 answers"),
    "gzip": (gzip.compress(as_json(ANSWER)), "1 answer"),
    "names with slashes": (as_json({**ANSWER, "spec": "a/b:c/d", "scenario": "x/y"}), "1 answer"),
    "a name of 200 characters": (as_json({**ANSWER, "spec": "x" * 200}), "1 answer"),
    "line separators in a text": (
        '{"spec":"a:b","scenario":"s","response":"x\u2028y\u0085z"}'.encode(),
        "1 answer",
    ),
    "nanoseconds and half an hour": (
        as_json({**ANSWER, "timestamp": "2026-01-02T03:04:05.123456789+05:30"}),
        "1 answer",
    ),
    "no total": (judge(GOOD), "1 verdict 80"),
    "a total before the marks": (judge({"weighted_total": 80, **GOOD}), "1 verdict 80"),
    "a draft in a thinking tag": (
        judge(f"<Think n=1>{json.dumps(marks(1, 1, 1, 1))}</Think>\n{json.dumps(GOOD)}"),
        "1 verdict 80",
    ),
    "words that are an object": (
        as_json({"spec": "a:b", "scenario": "s", "judge_response": GOOD}),
        "1 verdict 80",
    ),
    "four of 25 each": (judge(marks(20, 18, 22, 15, total=75)), "1 verdict 75"),
    "maxima under other names": (
        judge(
            {
                "criteria": [
                    {"name": "x", "earned": 3, "out_of": 4},
                    {"name": "y", "awarded": "2", "maximum": 6},
                ]
            }
        ),
        "1 verdict 50",  # 5 of 10
    ),
    "ids that YAML would reckon": (
        b"spec: a:b\nscenario: s\nfindings:\n- finding_id: 012\n  caught: yes\n- {finding_id: 1e3, "
        b"caught: off}\n",
        "1 verdict 50",
    ),
    "cells in quotes": (TABLE + b'"j, k",s,c,"A\nB",1\n', "1 verdict, 1 row"),
    "a table with CRLF": (
        BOM + (TABLE + b"j,s,c,A,1\n").replace(b"\n", b"\r\n"),
        "1 verdict, 1 row",
    ),
    "semicolons": ((TABLE + b"j,s,c,A,1\n").replace(b",", b";"), "1 verdict, 1 row"),
    "tabs": ((TABLE + b"j,s,c,A,1\n").replace(b",", b"\t"), "1 verdict, 1 row"),
    "capitals in a header": (
        b"Judge,Scenario,Contestant,Item ID,Found\nj,s,c,A,TRUE\n",
        "1 verdict, 1 row",
    ),
    "a theme": (b"theme: {name: T}\nagents: {dev: {character: X}}\n", "1 persona"),
}
WARNED: dict[str, tuple[bytes, str, str, str]] = {
    "NUL": (as_json({**ANSWER, "response": "a\0b"}), "1 answer", "", "NUL or lone surrogates"),
    "half an emoji": (
        b'{"spec":"a:b","scenario":"s","response":"x \\ud83d y"}',
        "1 answer",
        "",
        "NUL or lone surrogates",
    ),
    "a key twice in YAML": (
        b"spec: a:b\nscenario: s\nresponse: one\nresponse: two\n",
        "1 answer",
        "",
        "line 4, response: the key stands twice",
    ),
    "marks as text": (judge(marks("8", " 7 ", 9, "8")), "1 verdict 80", "", "numbers that came as"),
    "JSON with a slip": (
        judge(json.dumps(GOOD)[:-1] + ",}"),
        "1 verdict 80",
        "",
        "the judge's JSON was repaired",
    ),
    "a dimension too many": (
        judge({"scores": {**GOOD["scores"], "style": 10}}),
        "1 verdict 80",
        "",
        "dimensions that are not known",
    ),
    "a total beyond all measure": (
        judge({**GOOD, "weighted_total": 10**40}),
        "1 verdict 80",
        "",
        "states what its marks do not give",
    ),
    "a total as text": (
        judge({**GOOD, "weighted_total": "80/100"}),
        "1 verdict 80",
        "",
        "states what its marks do not give",
    ),
    "cut off": (judge(json.dumps(GOOD)[:-20], score=80), "1 verdict", "", "no total is computed"),
    "a percentage in prose": (judge("Overall score: 82%"), "1 verdict", "", "no total is computed"),
    "a decimal comma in prose": (judge("Total: 82,5"), "1 verdict", "", "no total is computed"),
    "a compact time": (
        judge(GOOD, timestamp="20260102T135203_614"),
        "1 verdict 80",
        "",
        "its time named no zone",
    ),
}
REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", ": the file is empty"),
    "white space": (b" \n\t ", ": the file is empty"),
    "a byte order mark alone": (BOM, ": the file is empty"),
    "gzip of nothing": (gzip.compress(b""), ": the file is empty"),
    "null": (b"null", TEXT),
    "a number": (b"42", TEXT),
    "a page": (b"<html><body>login</body></html>", TEXT),
    "an empty list": (b"[]", ": the list is empty"),
    "an empty object": (b"{}", "document: no answer text"),
    "a list in a list": (as_json([[ANSWER]]), "item 1 document: expected an object"),
    "UTF-16": (as_json(ANSWER).decode().encode("utf-16"), ": not JSON: UTF-16: save the file as"),
    "Latin-1": (
        '{"response":"caf\xe9"}'.encode("latin-1"),
        ": not JSON: line 1, column 17: byte 16 is not UTF-8 (0xE9)",
    ),
    "gzip that is torn": (gzip.compress(as_json(ANSWER))[:-6], ": not gzip: ends in the middle"),
    "NaN": (judge("").replace(b'""', b"NaN"), ": not JSON: NaN is not a JSON number"),
    "a number out of range": (
        b'{"scores":{"correctness":1e400}}',
        ": not JSON: the number 1e400 is out of range",
    ),
    "a key twice": (
        b'{"spec":"a:b","scenario":"s","response":"x","response":"y"}',
        ": not JSON: the key 'response' stands twice",
    ),
    "a comma too many": (b'{"spec":"a:b",}', ": not JSON: line 1, column 15"),
    "a control character": (b'{"response":"x\x01y"}', ": not JSON: line 1, column 15"),
    "a spec of 300 characters": (as_json({**ANSWER, "spec": "x" * 300}), "spec: 300 characters"),
    "an id of 300 characters": (as_json({**ANSWER, "run_id": "x" * 300}), "run_id: 300 characters"),
    "an answer in blocks": (
        as_json({**ANSWER, "response": [{"type": "text", "text": "x"}]}),
        "response: expected text",
    ),
    "success as text": (as_json({**ANSWER, "success": "false"}), "success: expected true or false"),
    "tokens below nothing": (
        as_json({**ANSWER, "input_tokens": -5}),
        "input_tokens: expected 0 to",
    ),
    "a cost beyond all measure": (as_json({**ANSWER, "cost_usd": 1e30}), "cost_usd: expected 0 to"),
    "a time in seconds": (
        as_json({**ANSWER, "timestamp": 1767362000}),
        "timestamp: expected an ISO",
    ),
    "an answer that YAML takes for true": (
        b"spec: a:b\nscenario: s\nresponse: yes\n",
        "line 3 response: expected text, not true",
    ),
    "a number that YAML does not know": (
        b"theme: 1984\nrole: dev\nscenario: s\nresponse: x\nnum_turns: 0x10\n",
        "line 5 num_turns: expected a whole number",
    ),
    "an object of Python": (
        b"spec: !!python/object/apply:os.system ['true']\n",
        "line 1 : line 1, spec: the tag",
    ),
    "a tab in YAML": (b"spec: a:b\n\tscenario: s\n", "line 2 : line 2, not YAML"),
    "two documents of YAML": (b"spec: a:b\n---\nspec: a:b\n", ": holds 2 documents"),
    "a mark with its scale": (judge(marks("8/10", 7, 9, 8)), "marks: correctness must be a number"),
    "a mark of another scale": (judge(marks(8, 70, 9, 8)), "marks: depth must lie from 1 to 10"),
    "a mark missing": (
        judge({"scores": {"correctness": 8, "depth": 7, "quality": 9}, "weighted_total": 85}),
        "marks: persona is missing",
    ),
    "no words": (judge(""), "document: the judge's prose holds no marks"),
    "found as text": (
        judge(
            {
                "baseline_findings": [{"id": "A", "found": "true"}],
                "quality": {"clear_explanations": 8, "actionable_fixes": 7},
                "persona": {"in_character": 9, "professional_tone": 8},
            }
        ),
        "marks: id A: found must be true or false",
    ),
    "a header alone": (TABLE, ": a table with a header and no row"),
    "a probability above 1": (
        b"judge,item,candidate_a,candidate_b,p_b\nj,q1,x,y,1.5\n",
        "line 2 p_b: expected 0 to 1",
    ),
}


def upload(content: bytes, name: str = "file.dat") -> Receipt:
    return take_in(run_id="r", files=[UploadedFile(name, content)], user=None, actor="test")


def counted(receipt: Receipt) -> str:
    """As "2 answers", "1 verdict 80", "1 verdict, 1 row"."""
    (file,) = receipt.files
    parts = [
        f"{number} {word}{'s' if number > 1 else ''}"
        for word, number in (
            ("answer", file.accepted),
            ("verdict", file.verdicts),
            ("row", file.rows),
            ("persona", file.personas),
        )
        if number
    ]
    totals = Verdict.objects.exclude(total_exact="").values_list("total_exact", flat=True)
    return " ".join([", ".join(parts), *totals])


@pytest.mark.parametrize("name", READ)
def test_it_is_read(name: str) -> None:
    content, expected = READ[name]
    receipt = upload(content)
    assert (counted(receipt), receipt.refused, receipt.warnings) == (expected, (), ())
    assert receipt.files[0].outcome == "read"


@pytest.mark.parametrize("name", WARNED)
def test_it_is_read_with_something_to_know(name: str) -> None:
    content, expected, place, words = WARNED[name]
    receipt = upload(content)
    assert (counted(receipt), receipt.refused) == (expected, ())
    assert receipt.files[0].outcome == "warned"
    assert any(one.place == place and one.text.startswith(words) for one in receipt.warnings)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_its_place(name: str) -> None:
    content, expected = REFUSED[name]
    receipt = upload(content)
    assert receipt.files[0].outcome == "refused"
    (refusal,) = receipt.refused
    where = f"{refusal.place} {refusal.field}".lstrip()
    assert f"{where}: {refusal.reason}".startswith(expected)
    assert not Response.objects.exists()
    assert not Verdict.objects.exists()


@pytest.mark.parametrize(
    ("lines", "accepted", "places"),
    [
        ([as_json(ANSWER), as_json(SECOND)], 2, []),
        ([as_json(ANSWER), b"{oops", as_json(SECOND)], 2, ["line 2"]),
        ([as_json(ANSWER), as_json(SECOND)[:-5]], 1, ["line 2"]),
        ([as_json(ANSWER), b"", b"5", b"null", as_json(SECOND)], 2, ["line 3", "line 4"]),
        ([as_json(ANSWER) + as_json(SECOND)], 0, ["line 1"]),
        ([BOM + as_json(ANSWER), BOM + as_json(SECOND)], 1, ["line 2"]),
        ([judge(GOOD), judge(GOOD, run_id="j2"), as_json(ANSWER)], 1, []),
    ],
)
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_of_lines_each_stands_for_itself(
    lines: list[bytes], accepted: int, places: list[str], ends: bytes, is_packed: bool
) -> None:
    content = ends.join(lines)
    name = "results.ndjson.gz" if is_packed else "results.jsonl"
    receipt = upload(gzip.compress(content) if is_packed else content, name)
    assert receipt.accepted == accepted
    assert [refusal.place for refusal in receipt.refused] == places
    assert all(refusal.reason for refusal in receipt.refused)


def test_a_list_keeps_what_is_good_and_names_what_is_not() -> None:
    receipt = upload(as_json([ANSWER, 5, None, "x", SECOND]))
    assert receipt.accepted == 2
    assert [refusal.place for refusal in receipt.refused] == ["item 2", "item 3", "item 4"]
    assert receipt.files[0].outcome == "warned"


def test_a_ragged_row_is_named_and_the_others_count() -> None:
    receipt = upload(TABLE + b"j,s,c,A,1\nj,s,c\nj,s,c,B,0\n")
    assert (receipt.verdicts, receipt.files[0].rows) == (1, 2)
    assert [(one.place, one.reason) for one in receipt.refused] == [
        ("line 3", "has 3 cells; the header has 5")
    ]


def test_what_prose_states_is_kept_as_it_is_written() -> None:
    upload(judge("Total: 82,5", run_id="1"))
    upload(judge("Overall score: 82%", run_id="2"))
    details = Verdict.objects.order_by("pk").values_list("detail", flat=True)
    assert [json.loads(detail)["stated"][0]["stated"] for detail in details] == [
        '"82,5"',
        '"82%"',
    ]


@pytest.mark.parametrize("name", [*READ, *WARNED])
def test_importing_again_changes_nothing(name: str) -> None:
    content = (READ.get(name) or WARNED[name])[0]
    upload(content)
    rows = list(Response.objects.values()), list(Verdict.objects.values())
    receipt = upload(content)
    assert (receipt.accepted, receipt.verdicts, receipt.refused) == (0, 0, ())
    assert (list(Response.objects.values()), list(Verdict.objects.values())) == rows
