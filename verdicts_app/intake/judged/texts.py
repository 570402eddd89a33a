"""The judge's object out of the judge's words: bare, fenced in prose, or in a CLI envelope.

The ladder is the one that live replies are read by: two objects that differ are none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgeweb.judging.replies import Found, find_verdict
from judgeweb.judging.schemas import TEXT, record, rows_of
from judgeweb.judging.strict_json import same
from judgeweb.judging.types import Flag, Reply, UnjudgedReason, Usage
from verdicts_app.intake import strict_json
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import sheet_of
from verdicts_app.intake.judged.contest import GROUPS
from verdicts_app.intake.judged.penalties import ALL, TRIGGERED
from verdicts_app.intake.strict_json import EXACT_DECODER, NotJson

_ROWS = ("baseline_findings", "baseline_behaviors", "baseline_behaviours", "findings")
_GROUPS = ("scores", "scoring", "dimensions", "ratings")
_PENALTIES = (*TRIGGERED, ALL)
_TEAMS = record(team1=record(), team2=record())
SCHEMAS = [
    *(record(**{key: form}) for key in GROUPS for form in (record(), rows_of(record()))),
    _TEAMS,
    *(record(**{key: rows_of(record())}) for key in _ROWS),
    *(record(**{key: record()}) for key in _GROUPS),
    *(record(**{key: rows_of(record())}) for key in ("scores", "scoring", "criteria")),
    *(record(**{key: form}) for key in _PENALTIES for form in (rows_of(TEXT), rows_of(record()))),
    *(record(**{key: record()}) for key in _PENALTIES),
]


@dataclass(frozen=True)
class Said:
    """`payload` is None where the words hold no object that a shape knows; `why` says what is
    wrong with the one that could not be read."""

    text: str
    payload: Mapping[str, Any] | None = None
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    why: str = ""


def said_in(text: str, field: str) -> Said:
    """Raise FieldRefused where the words hold two verdicts, or an envelope of a failed judge."""
    envelope = _envelope(text, field)
    if envelope is not None:
        text = envelope
    found: list[Found] = []
    reply = Reply(text, "end_turn", ("text",), Usage(), model="")
    why = ""
    for schema in SCHEMAS:
        one = find_verdict(reply, schema)
        if isinstance(one, Found):
            if sheet_of(one.payload) and not any(same(one.payload, x.payload) for x in found):
                found.append(one)
        elif one.reason is UnjudgedReason.AMBIGUOUS:
            raise FieldRefused(field, f"{one.detail.partition(';')[0]}: none of them is taken")
        else:
            why = one.detail
    if len(found) > 1:
        raise FieldRefused(field, f"holds {len(found)} verdicts that differ: none of them is taken")
    if not found:
        return Said(text, why=why if "{" in text else "")
    return Said(text, found[0].payload, found[0].flags, found[0].notes)


def _envelope(text: str, field: str) -> str | None:
    """The judge's words in a CLI envelope; None where `text` is none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        document = strict_json.parse(text.strip(), decoder=EXACT_DECODER)
    except NotJson:
        return None
    if not isinstance(document, dict) or not isinstance(document.get("result"), str):
        return None
    if document.get("is_error") is True:
        raise FieldRefused(field, "the judge's own run failed: there is no verdict in it")
    return str(document["result"])
