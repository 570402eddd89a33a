"""Prose with a score, or a result of which nothing but its total can be read: stated, no more.

Nothing is computed and no total is stored: a number that no marks give is never ranked.
"""

import re
from typing import Any

from judgeweb.judging.text import visible
from judgeweb.judging.types import Verdict
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.figures import stated_figure
from verdicts_app.intake.judged.types import Judged

NOTE = "Stated only: the document holds no marks from which a total could be computed."
_TOTAL = re.compile(
    r"\b(?:weighted[ _]total|total[ _]score|overall[ _]score|final[ _]score|total|score)\b"
    r"[\s*_`:=]{1,12}([0-9]{1,3}(?:[.,][0-9]{1,10})?(?:\s?%)?)(?![0-9.,]*[0-9])"
    r"(?:\s*(?:/|of|out of)\s*([0-9]{1,4}))?",
    re.IGNORECASE,
)


def read(text: str, totals: dict[str, Any]) -> Judged:
    """`totals` stand beside the prose. Raise FieldRefused where nothing is stated."""
    found = dict(totals)
    if not found:
        found = _in_prose(text)
    verdict = Verdict(
        total=None,
        total_without_persona=None,
        parts={},
        working=(),
        stated=tuple(stated_figure(name, value, None) for name, value in found.items()),
        notes=(NOTE,),
        assessment=visible(text)[0],
    )
    return Judged("solo", verdict, {"scale": "stated only"})


def _in_prose(text: str) -> dict[str, Any]:
    """The one total that the words name. Raise FieldRefused where they name none, or several."""
    said = {f"{match[1]}/{match[2]}" if match[2] else match[1] for match in _TOTAL.finditer(text)}
    if len(said) != 1:
        what = f"several totals ({', '.join(sorted(said)[:5])})" if said else "no total"
        raise FieldRefused(
            "document",
            f"the judge's prose holds no marks and states {what}: name one under `score`",
        )
    return {"score in prose": said.pop()}
