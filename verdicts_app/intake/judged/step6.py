"""The seed's step 6, `{success, mode, scores, winner, token_usage, response_text}`, as a document:
a judge's reply with the totals that were read from it, by the names of those who were judged.

The reply is read anew where it is there (`responses` are those of two orders); else the totals are
what is stated.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judgeweb.judging.modes import MODES, PAIR_MODES, PATCH_MODES
from judgeweb.judging.text import is_blank, shown
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import contest, sheet_of, statement
from verdicts_app.intake.judged.contest import Names, winner_beside
from verdicts_app.intake.judged.figures import stated_figure, totals_in, with_stated
from verdicts_app.intake.judged.texts import Said, said_in
from verdicts_app.intake.judged.types import Given, Judged

MARKERS = {"success", "winner", "token_usage"}
RELAY = (
    "the result of a relay stands on four answers: upload them, and judge the relay here, or "
    "import the results of its phases"
)


def is_result(document: Mapping[str, Any]) -> bool:
    """A result of step 6 in any mode: what stands under `response_text` is a judge's, not an
    agent's, whose answer names no mode of judging."""
    mode = document.get("mode")
    return (
        isinstance(mode, str)
        and mode in MODES
        and bool(document.keys() & MARKERS)
        and (isinstance(document.get("scores"), Mapping) or "rating" in document)
        and "response_text" in document
    )


def is_step6(document: Mapping[str, Any]) -> bool:
    """One with totals by name; the points by category of patches are a sheet of their own."""
    return is_result(document) and document["mode"] not in PATCH_MODES


def names_in(document: Mapping[str, Any]) -> list[str]:
    """Who was judged. Raise FieldRefused where a result is of none that can be imported."""
    if document["mode"] not in PAIR_MODES and "rating" in document:
        raise FieldRefused("mode", RELAY, document["mode"])
    if document.get("success") is False:
        raise FieldRefused("success", "the judging failed: there is no verdict in it", False)
    scores = document.get("scores")
    names = [str(name) for name in scores] if isinstance(scores, Mapping) else []
    expected = 2 if document["mode"] in PAIR_MODES else 1
    if len(names) != expected:
        words = f"expected the totals of {expected} by name, not {shown(scores)}"
        raise FieldRefused("scores", words, scores)
    return names


def read(document: Mapping[str, Any], given: Given) -> tuple[str, Judged]:
    """The name of the shape, and the verdict recomputed. Raise FieldRefused."""
    names = names_in(document)
    replies = [said_in(text, "response_text") for text in _texts(document)]
    if document["mode"] in PAIR_MODES:
        return _of_two(document, (names[0], names[1]), replies, given)
    total = {"score": document["scores"][names[0]]}
    payload = replies[0].payload if replies else None
    name = sheet_of(payload) if payload is not None else ""
    if payload is None or not name:
        return "statement", statement.read(replies[0].text if replies else "", total)
    judged = _sheet(name).read(payload, given)
    figures = {**totals_in(payload), **total}
    stated = [stated_figure(key, one, judged.verdict.total) for key, one in figures.items()]
    return name, replace(judged, verdict=with_stated(judged.verdict, stated))


def _sheet(name: str) -> Any:
    from verdicts_app.intake.judged import SHEETS

    return SHEETS[name]


def _texts(document: Mapping[str, Any]) -> list[str]:
    """The replies, order by order; empty where none is there."""
    both = document.get("responses")
    texts = both if isinstance(both, list) and len(both) == 2 else [document.get("response_text")]
    return [text for text in texts if isinstance(text, str) and not is_blank(text)]


def _of_two(
    document: Mapping[str, Any], names: Names, replies: list[Said], given: Given
) -> tuple[str, Judged]:
    mode, scores = document["mode"], document["scores"]
    orders = [
        contest.contest_in(one.payload, mode=mode, named=names if place == 0 else names[::-1])
        for place, one in enumerate(replies)
        if one.payload is not None and contest.matches(one.payload)
    ]
    if not orders or len(orders) < len(replies):
        sides = (scores[names[0]], scores[names[1]])
        orders = [contest.Contest(names, sides, mode)]
    judged = contest.judged(orders, given, names)
    assert judged.verdict.comparison is not None
    standings = {one.label: one.total for one in judged.verdict.comparison.standings}
    figures = [stated_figure(f"scores.{name}", scores[name], standings.get(name)) for name in names]
    if "winner" in document:
        figures.append(winner_beside(document["winner"], judged.verdict.comparison))
    return "contest", replace(judged, verdict=with_stated(judged.verdict, figures))
