"""Small patches of one small file for the tests of the patch judges.

1 def area(w, h):
2     return w + h
3
4
5 def perimeter(w, h):
6     return 2 * (w + h)
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from judgeweb.judging.documents import RubricDocument, load_document
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import FunctionSpan, PatchCase, Verdict

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "cases"
SHAPE = "src/pkg/shape.py"
OLD = "def area(w, h):\n    return w + h\n\n\ndef perimeter(w, h):\n    return 2 * (w + h)\n"
FUNCTIONS = {SHAPE: (FunctionSpan("f", "area", 1, 2), FunctionSpan("f", "perimeter", 5, 6))}
RUBRICS = {
    document["mode"]: load_document(RubricDocument, document)
    for document in json.loads(
        (ROOT / "rubrics_app" / "seed" / "patches.json").read_text(encoding="utf-8")
    )
}
MODES = tuple(RUBRICS)


def text_of(name: str) -> str:
    """A file of `tests/cases`, its line ends as they are."""
    return (CASES / name).read_bytes().decode("utf-8")


GOLD = text_of("094_good.diff")


def changed(first: int, removed: str, added: str, path: str = SHAPE) -> str:
    """A patch that replaces lines; either side may be empty. `first` is the first old line, or
    the line before what is only added."""
    minus = [f"-{line}" for line in removed.split("\n")] if removed else []
    plus = [f"+{line}" for line in added.split("\n")] if added else []
    header = f"@@ -{first},{len(minus)} +{first},{len(plus)} @@"
    return "\n".join([f"--- a/{path}", f"+++ b/{path}", header, *minus, *plus]) + "\n"


def patch_case(mode: str, response: str, **values: Any) -> PatchCase:
    defaults: dict[str, Any] = {"gold_patch": GOLD, "functions": FUNCTIONS}
    return PatchCase(
        rubric=RUBRICS[mode], scenario="shape", response=response, **{**defaults, **values}
    )


def judged(mode: str, response: str, **values: Any) -> Verdict:
    judge, case = mode_named(mode), patch_case(mode, response, **values)
    judge.check(case)
    verdict = judge.without_request(case)
    assert verdict is not None
    return verdict


def total(mode: str, response: str, **values: Any) -> Fraction:
    found = judged(mode, response, **values).total
    assert found is not None
    return found
