"""Attempts at one logical call: a retry repeats the input of an earlier one, a note appended.

To find the earlier one, every input has a CRC of its UTF-8 bytes, and a later input the CRCs of
those of its own beginnings that a note could follow: at one of its last line breaks. What is found
is compared in full.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from django.db import connection
from django.db.backends.utils import CursorWrapper

from judgeweb.judging.text import visible
from verdicts_app.intake.call_lines import Call
from verdicts_app.intake.prompts import Prompt
from verdicts_app.models import Capture

LINES_OF_A_NOTE = 8
FILTER_BYTES = 1024 * 1024


class Trail(NamedTuple):
    """The CRC of a whole input, and those of the beginnings that it may have been before."""

    whole: int
    beginnings: tuple[int, ...]


def trail_of(sent: bytes) -> Trail:
    places: list[int] = []
    at = len(sent)
    for _ in range(LINES_OF_A_NOTE):
        at = sent.rfind(b"\n", 0, at)
        if at < 1:
            break
        places.append(at)
    crc = start = 0
    crcs: list[int] = []
    for place in reversed(places):
        crc, start = crc32(sent[start:place], crc), place
        crcs.append(crc)
    return Trail(crc32(sent[start:], crc), tuple(crcs))


class Ready(NamedTuple):
    """A call with all that is computed from it."""

    call: Call
    prompt: Prompt | None
    content_hash: str
    trail: Trail


class SeenInputs:
    """Which CRCs a run may hold: never wrongly denied, and of one size whatever the run."""

    def __init__(self, crcs: Iterable[int] = ()) -> None:
        self._bits = bytearray(FILTER_BYTES)
        for crc in crcs:
            self.add(crc)

    def add(self, crc: int) -> None:
        bit = crc % (8 * FILTER_BYTES)
        self._bits[bit >> 3] |= 1 << (bit & 7)

    def __contains__(self, crc: int) -> bool:
        bit = crc % (8 * FILTER_BYTES)
        return bool(self._bits[bit >> 3] & (1 << (bit & 7)))


def link(rows: Sequence[Ready], *, run_pk: int, seen: SeenInputs) -> None:
    """Link new captures to the attempts that they repeat. The latest of the longest counts."""
    suspects = []
    for ready in rows:
        known = [crc for crc in ready.trail.beginnings if crc in seen]
        seen.add(ready.trail.whole)
        if known:
            suspects.append((ready, known))
    if not suspects:
        return
    call_ids = [ready.call.call_id for ready, _ in suspects]
    stored = Capture.objects.filter(run_id=run_pk, call_id__in=call_ids).order_by()
    numbers = dict(stored.values_list("call_id", "pk"))
    with connection.cursor() as cursor:
        links = []
        for ready, known in suspects:
            pk = numbers[ready.call.call_id]
            earlier = _repeated(cursor, ready, known, run_pk=run_pk, pk=pk)
            if earlier is not None:
                links.append((earlier, pk))
        cursor.executemany(f"UPDATE {TABLE} SET retry_of_id = %s WHERE id = %s", links)


TABLE = Capture._meta.db_table
# Asked for every retry of a stream: the query builder would take ten times as long as the answer.
LATEST = f"""
SELECT id, user_content FROM {TABLE}
WHERE run_id = %s AND input_crc = %s AND id < %s AND call_type = %s
AND (system_prompt_id = %s OR (system_prompt_id IS NULL AND %s))
ORDER BY id DESC LIMIT 1
"""


def _repeated(
    cursor: CursorWrapper, ready: Ready, known: Sequence[int], *, run_pk: int, pk: int
) -> int | None:
    sent = visible(ready.call.user_content)[0]
    prompt = ready.prompt
    for crc in reversed(known):
        prompt_pk = prompt and prompt.pk
        cursor.execute(
            LATEST, [run_pk, crc, pk, ready.call.call_type, prompt_pk, prompt_pk is None]
        )
        found = cursor.fetchone()
        if found and found[1].strip() and len(sent) > len(found[1]) and sent.startswith(found[1]):
            return int(found[0])
    return None
