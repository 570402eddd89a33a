"""Attempts at one logical call: a retry repeats the input of an earlier one, a note appended.

To find the earlier one, every input has a CRC of its UTF-8 bytes, and a later input the CRCs of
those of its own beginnings that a note could follow: at one of its last line breaks. What is found
is compared in full.
"""

from collections.abc import Iterable, Mapping
from zlib import crc32

import msgspec
from django.db import connection
from django.db.backends.utils import CursorWrapper

from judgeweb.judging.text import visible
from verdicts_app.intake.call_lines import Call
from verdicts_app.intake.prompts import Prompt
from verdicts_app.models import Capture

LINES_OF_A_NOTE = 8
FILTER_BYTES = 1024 * 1024


class Trail(msgspec.Struct, frozen=True, gc=False):
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


class Ready(msgspec.Struct, frozen=True, gc=False):
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


TABLE = Capture._meta.db_table
# Asked for every retry of a stream: the query builder would take ten times as long as the answer.
# The empty text keeps SQLite from another index, that of call types, which is no help here.
LATEST = f"""
SELECT id, user_content FROM {TABLE}
WHERE run_id = %s AND input_crc = %s AND call_type || '' = %s
AND (system_prompt_id = %s OR (system_prompt_id IS NULL AND %s))
ORDER BY id DESC LIMIT 1
"""


class Attempts:
    """The attempts of a run, those of one batch after another."""

    def __init__(self, run_pk: int, seen: SeenInputs) -> None:
        self._run_pk = run_pk
        self._seen = seen

    def repeated(self, batch: Iterable[tuple[int, Ready]]) -> list[int | None]:
        """For each new capture and its id that of the attempt that it repeats: of the longest ones
        the latest. None of them may be stored yet."""
        found: list[int | None] = []
        new: dict[tuple[int, str, int | None], tuple[int, str]] = {}
        with connection.cursor() as cursor:
            for pk, ready in batch:
                found.append(self._earlier(cursor, ready, new))
                new[_key(ready, ready.trail.whole)] = (pk, ready.call.user_content)
                self._seen.add(ready.trail.whole)
        return found

    def _earlier(
        self,
        cursor: CursorWrapper,
        ready: Ready,
        new: Mapping[tuple[int, str, int | None], tuple[int, str]],
    ) -> int | None:
        for crc in reversed(ready.trail.beginnings):
            if crc not in self._seen:
                continue
            key = _key(ready, crc)
            earlier = new.get(key)
            if earlier is None:
                cursor.execute(LATEST, [self._run_pk, *key, key[2] is None])
                earlier = cursor.fetchone()
            if earlier is not None and _is_repeated(earlier[1], ready.call.user_content):
                return earlier[0]
        return None


def _key(ready: Ready, crc: int) -> tuple[int, str, int | None]:
    return crc, ready.call.call_type, ready.prompt and ready.prompt.pk


def _is_repeated(earlier: str, later: str) -> bool:
    """Stored texts have visible escapes in them."""
    return bool(earlier.strip()) and (
        later.startswith(earlier) or visible(later)[0].startswith(visible(earlier)[0])
    )
