"""Whatever is done to a valid file: it never crashes, and what is not taken has a reason."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubrics_app.importers import FileRefused, scenario_from
from verdicts_app.intake import files, themes
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.judged import document
from verdicts_app.intake.judged.types import Given
from verdicts_app.intake.responses import Upload, take_in
from verdicts_app.models import Verdict

MOST = 10**6
CASES = Path(__file__).parents[2] / "cases"
VERDICTS = json.loads((CASES / "verdicts" / "shapes.json").read_text())
YAMLS = [
    *(path.read_bytes() for path in sorted((CASES / "scenarios").glob("*.yaml"))),
    (CASES / "verdicts" / "vote.yaml").read_bytes(),
    (CASES / "verdicts" / "theme.yaml").read_bytes(),
]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 11, 10**30, 0.1, "", " ", "8", "8/10", "nan", "1e999"),
    *("a\x00b", "\ud83d", "x" * 3000, [], {}, [[]], {"value": {}}, [1, "a", None]),
]


def mutated(value: Any, rng: random.Random, chance: float = 0.08) -> Any:
    """A copy in which some values are replaced, dropped, doubled or renamed."""
    if rng.random() < chance / 3:
        return rng.choice(ODD)
    if isinstance(value, dict):
        found = {}
        for key, inner in value.items():
            draw = rng.random()
            if draw < chance / 3:
                continue
            name = f"{key}x" if draw < chance / 2 else key
            found[name] = mutated(inner, rng, chance)
        return found
    if isinstance(value, list):
        rows = [mutated(inner, rng, chance) for inner in value if rng.random() > chance / 3]
        return rows + rows[:1] if rng.random() < chance else rows
    return rng.choice(ODD) if rng.random() < chance else value


def read_all(content: bytes, *, is_verdict: bool) -> None:
    """Read every document of a file. Nothing but FieldRefused with a reason may come out."""
    for piece in files.pieces(UploadedFile("any", content), most=MOST):
        if piece.fault:
            assert piece.fault.strip()
            continue
        value = piece.document
        try:
            if themes.is_theme(value):
                themes.read(value)
            elif document.is_judged(value, is_verdict=is_verdict):
                _, judged = document.read(value, Given("x"), is_verdict=is_verdict)
                assert judged.verdict.total is None or 0 <= judged.verdict.total <= 100
        except FieldRefused as error:
            refused = error
        else:
            continue
        assert refused.message.strip()
        assert refused.field
        piece.place_of(refused.field)


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(VERDICTS)), inner=st.booleans())
def test_mutated_results_give_a_total_in_range_or_a_reason(
    seed: int, name: str, inner: bool
) -> None:
    rng = random.Random(seed)
    value = mutated(VERDICTS[name], rng)
    if inner:
        value = {"spec": "a:b", "scenario": "s", "judge_response": json.dumps(value), "score": 5}
    read_all(json.dumps(value).encode(), is_verdict=rng.random() < 0.5)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), source=st.sampled_from(YAMLS))
def test_bytes_changed_anywhere_never_crash_a_reader(data: st.DataObject, source: bytes) -> None:
    content = bytearray(source)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(
            st.sampled_from([b"", b":", b"- ", b"\t", b"[", b"*a", b"\n", b"\xff", b"!!x "])
        )
        content[at : at + data.draw(st.integers(0, 3))] = piece
    read_all(bytes(content), is_verdict=True)
    try:
        note = scenario_from(bytes(content)).notes
    except FileRefused as error:
        note = (error.note,)
    assert all(one.message.strip() for one in note)


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode()))
def test_any_bytes_at_all(content: bytes) -> None:
    read_all(content, is_verdict=False)


@pytest.mark.django_db
def test_mutated_files_are_stored_or_refused_each_with_its_reason() -> None:
    rng = random.Random(20260301)
    uploads = [
        UploadedFile(f"{name}-{n}", json.dumps(mutated(VERDICTS[name], rng)).encode())
        for name in sorted(VERDICTS)
        for n in range(12)
    ]
    receipt = take_in(
        run_id="fuzz",
        files=uploads,
        how=Upload(spec="a:b", scenario="s", is_verdict=True),
        user=None,
        actor="test",
    )
    refused = {line.file for line in receipt.refused}
    assert all(line.reason.strip() for line in receipt.refused)
    assert receipt.verdicts == Verdict.objects.count() > 20
    for file in receipt.files:
        assert file.taken or file.file in refused


@pytest.mark.parametrize("alias", ["*a, " * 9])
def test_an_alias_bomb_is_refused_as_a_result(alias: str) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for above, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{alias.replace('*a', f'*{above}').rstrip(', ')}]")
    (piece,) = files.pieces(UploadedFile("bomb", "\n".join(lines).encode()), most=MOST)
    assert "more than 100000 values, aliases counted in" in piece.fault


def test_files_over_the_limit_are_refused_unread() -> None:
    (piece,) = files.pieces(UploadedFile("large", b"a: " + b"x" * MOST), most=MOST)
    assert piece.fault == f"larger than {MOST} bytes"
    deep = b'{"scores": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    (piece,) = files.pieces(UploadedFile("deep", deep), most=MOST)
    assert "nested" in piece.fault
