"""Attempts at one logical call: a retry repeats the input of an earlier one, a note appended.

To find the earlier one, every input has a CRC of its UTF-8 bytes, and a later input the CRCs of
those of its own beginnings that a note could follow: at one of its last line breaks. What is found
is compared in full.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from zlib import crc32

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


def link(trails: Mapping[str, Trail], *, run_pk: int, seen: SeenInputs) -> None:
    """Link new captures, by call_id, to the attempts that they repeat."""
    suspects: dict[str, tuple[int, ...]] = {}
    for call_id, trail in trails.items():
        if known := tuple(crc for crc in trail.beginnings if crc in seen):
            suspects[call_id] = known
        seen.add(trail.whole)
    captures = Capture.objects.filter(run_id=run_pk)
    later = captures.filter(call_id__in=suspects).order_by("id")
    for capture in later.only("call_id", "call_type", "system_prompt_id", "user_content"):
        earlier = captures.filter(
            call_type=capture.call_type, system_prompt=capture.system_prompt_id, id__lt=capture.pk
        )
        for crc in reversed(suspects[capture.call_id]):
            found = earlier.filter(input_crc=crc).only("user_content").last()
            if found and found.user_content and is_retry(capture.user_content, found.user_content):
                captures.filter(pk=capture.pk).update(retry_of=found)
                break


def is_retry(later: str, earlier: str) -> bool:
    return len(later) > len(earlier) and later.startswith(earlier)
