"""A captured response for reading: laid out, with what is wrong marked at its place.

All spans that come in index the response as it was captured or, from a verdict, as it is stored
(NUL and lone surrogates as visible escapes); all that go out index the layout.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judgeweb.judging.contracts import SchemaCheck, check_response
from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.grounding import Hint, ungrounded
from judgeweb.judging.strict_json import NotJson, parse
from judgeweb.judging.text import visible
from verdicts_app.boards.highlight import Quote, Segment, segments
from verdicts_app.boards.json_layout import Layout, as_it_is, laid_out
from verdicts_app.models import Capture, VerdictCheck

SHOWN_MOST = 200_000
"""Characters of a response that a page lays out; the whole stands in the capture."""


@dataclass(frozen=True, slots=True)
class ContractError:
    number: int
    path: str
    message: str

    @property
    def row_id(self) -> str:
        return f"error-{self.number}"


@dataclass(frozen=True, slots=True)
class HintRow:
    kind: str
    token: str


@dataclass(frozen=True)
class ShownResponse:
    """`text` is empty and `is_null` tells why where nothing came back. `schema` is what rules and
    contract say of it now."""

    text: tuple[Segment, ...]
    is_null: bool
    is_json: bool
    is_cut: bool
    characters: int
    schema: SchemaCheck
    errors: tuple[ContractError, ...]
    hints: tuple[HintRow, ...]
    has_offender: bool


def shown_response(
    capture: Capture,
    *,
    system_prompt: str,
    contract: ContractDocument | None,
    checks: Sequence[VerdictCheck],
) -> ShownResponse:
    """`system_prompt` is the lossless text."""
    original = capture.original("response_content")
    schema = check_response(contract, original, capture.parsed_ok)
    given = (capture.original("user_content") or "", system_prompt)
    hints = ungrounded(original or "", given)
    whole = visible(original or "")[0]
    shown = whole[:SHOWN_MOST]
    layout, is_json = _layout(original or "", shown)
    stored = _to_stored(original or "")
    errors = _errors(schema)
    offenders = list(_offenders(checks, layout))
    quotes = [
        # What is not JSON is at fault as a whole, which no mark shows.
        *(_error_quotes(schema, errors, layout, stored) if is_json else ()),
        *offenders,
        *_hint_quotes(hints, layout, stored),
    ]
    return ShownResponse(
        text=segments(layout.text, quotes),
        is_null=original is None,
        is_json=is_json,
        is_cut=len(whole) > SHOWN_MOST,
        characters=len(whole),
        schema=schema,
        errors=errors,
        hints=tuple(HintRow(hint.kind.value, visible(hint.token)[0]) for hint in hints),
        has_offender=bool(offenders),
    )


def _layout(original: str, shown: str) -> tuple[Layout, bool]:
    try:
        parse(original)
    except NotJson:
        return as_it_is(shown), False
    return laid_out(shown), True


def _to_stored(original: str) -> Callable[[int], int]:
    """Turns places in the captured text into places in the stored one, where each character that
    cannot be stored takes six."""
    has_any = visible(original)[1]
    escaped = [at for at, char in enumerate(original) if has_any and visible(char)[1]]
    return lambda place: place + 5 * bisect_left(escaped, place)


def _errors(schema: SchemaCheck) -> tuple[ContractError, ...]:
    return tuple(
        ContractError(number, error.path, error.message)
        for number, error in enumerate(schema.errors, 1)
    )


def _error_quotes(
    schema: SchemaCheck,
    errors: Iterable[ContractError],
    layout: Layout,
    stored: Callable[[int], int],
) -> Iterable[Quote]:
    for row, error in zip(errors, schema.errors, strict=True):
        start, end = layout.span(stored(error.start), stored(error.end))
        label = f"{row.path} {row.message}"
        yield Quote(row.number, row.row_id, label, start, _line_end(layout, start, end), "error")


def _line_end(layout: Layout, start: int, end: int) -> int:
    """A fault of an object or a list is marked where it opens."""
    line = layout.text.find("\n", start, end)
    return end if line < 0 else line


def _offenders(checks: Sequence[VerdictCheck], layout: Layout) -> Iterable[Quote]:
    for check in checks:
        if check.evidence_start is None or check.evidence_end is None or check.ok is not False:
            continue
        if check.decided_by == "judge":
            start, end = layout.span(check.evidence_start, check.evidence_end)
            yield Quote(check.position + 1, f"check-{check.key}", check.key, start, end)


def _hint_quotes(
    hints: Iterable[Hint], layout: Layout, stored: Callable[[int], int]
) -> Iterable[Quote]:
    for number, hint in enumerate(hints, 1):
        start, end = layout.span(stored(hint.start), stored(hint.end))
        yield Quote(number, "hints", hint.token, start, end, "hint")
