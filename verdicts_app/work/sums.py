"""All sums that are kept with the verdicts: in step, compared, made anew.

Whoever puts verdicts on a board, takes them off, or gives up a repeat does so inside
`kept_in_step`, so that subjects and sums are locked in one order everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.db import transaction

from verdicts_app.work import board_sums, call_sums, capture_sums
from verdicts_app.work.call_sums import NEVER


@contextmanager
def kept_in_step(
    *, responses: Iterable[int | None] = (), captures: Iterable[int | None] = ()
) -> Iterator[None]:
    """Around the writes, inside their transaction; ids of their subjects, None left out."""
    answers = [pk for pk in responses if pk is not None]
    calls = [pk for pk in captures if pk is not None]
    with ExitStack() as stack:
        if calls:
            stack.enter_context(call_sums.kept_in_step(calls))
        if answers:
            stack.enter_context(board_sums.kept_in_step(answers))
        yield


@transaction.atomic
def rebuild() -> None:
    """Make all sums anew: after a change of the time zone, whose midnights part the days."""
    board_sums.rebuild()
    call_sums.rebuild()
    capture_sums.rebuild()


def differences() -> Iterator[tuple[str, Any, Any]]:
    """Bucket, stored and computed figures, where sums are not what is stored adds up to."""
    yield from _compared("board sum", board_sums.stored_sums(), board_sums.sums_of_verdicts())
    yield from _compared("sum of calls", _settled(call_sums.stored_sums()), _counted_anew())
    yield from _compared(
        "sum of captures", capture_sums.stored_sums(), capture_sums.sums_of_captures()
    )


def _compared(what: str, stored: dict[Any, Any], computed: dict[Any, Any]) -> Iterator[Any]:
    for bucket in sorted(stored.keys() | computed.keys()):
        old, new = stored.get(bucket), computed.get(bucket)
        if old != new:
            yield f"{what} {' '.join(map(str, bucket))}", old, new


def _counted_anew() -> dict[Any, Any]:
    return _settled(call_sums.sums_of_verdicts())


def _settled(sums: dict[Any, Any]) -> dict[Any, Any]:
    """Without the newest verdicts, which may have left the board since."""
    for figures in sums.values():
        figures.newest_at, figures.newest_verdict = NEVER, 0
    return sums
