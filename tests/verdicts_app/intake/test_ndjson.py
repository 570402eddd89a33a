"""Lines off a stream, whatever its chunks; gzip undone in bounded pieces."""

import gzip
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verdicts_app.intake import ndjson
from verdicts_app.intake.files import NotGzip
from verdicts_app.intake.ndjson import Line, inflated, lines

PIECES = st.sampled_from(
    [b"\n", b"\r", b"\xef\xbb\xbf", b"a", b"{}", "\u2028\u0085é".encode(), b"x" * 9, b"\0", b" "]
)


def drain(pieces: Iterator[bytes], into: bytearray) -> None:
    for piece in pieces:
        assert len(piece) <= ndjson.PIECE
        into += piece


def cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    start = 0
    for place in sorted(place % (len(data) + 1) for place in places):
        yield data[start:place]
        start = place
    yield data[start:]


@given(st.lists(PIECES, max_size=40).map(b"".join), st.lists(st.integers(0, 400), max_size=20))
def test_any_chunking_gives_the_same_lines(data: bytes, places: list[int]) -> None:
    found = list(lines(cut(data, places), longest=12))
    assert found == list(lines([data], longest=12))
    parts = data.split(b"\n")
    if not parts[-1]:
        parts.pop()
    assert len(found) == len(parts)
    for number, (line, part) in enumerate(zip(found, parts, strict=True), 1):
        content = part.removeprefix(ndjson.BOM) if number == 1 else part
        assert line.number == number
        assert line.is_too_long == (len(part) > 12)
        assert line.raw == (b"" if line.is_too_long else content)
        assert line.has_end == (number < len(data.split(b"\n")))
        assert data[line.start :].startswith(line.raw)


def test_numbers_places_and_ends() -> None:
    data = b"\xef\xbb\xbfone\r\n\n" + b"x" * 50 + b"\nlast"
    assert list(lines([data], longest=20)) == [
        Line(1, 3, b"one\r"),
        Line(2, 8, b""),
        Line(3, 9, b"", is_too_long=True),
        Line(4, 60, b"last", has_end=False),
    ]
    assert list(lines([], longest=20)) == []
    assert list(lines([b"", b"\n"], longest=20)) == [Line(1, 0, b"")]


def test_only_line_feeds_end_a_line() -> None:
    text = '{"a":"\u2028\u2029\u0085\x0b\x0c\r"}'
    assert [line.raw.decode() for line in lines([text.encode() + b"\n"], longest=99)] == [text]


def test_a_line_without_end_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        (line,) = lines((b"x" * 65536 for _ in range(2000)), longest=100_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert line.is_too_long
    assert peak < 1_000_000


@pytest.mark.parametrize("step", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("is_declared", [True, False])
def test_gzip_is_undone_member_by_member(step: int, is_declared: bool) -> None:
    plain = b"\xef\xbb\xbf{}\n" * 50
    content = gzip.compress(plain) + b"\0\0" + gzip.compress(b"more") + b"\0"
    chunks = [content[at : at + step] for at in range(0, len(content), step)]
    assert b"".join(inflated(chunks, is_declared=is_declared)) == plain + b"more"


def test_gzip_inside_declared_gzip_is_a_gzip_file_sent_compressed() -> None:
    twice = gzip.compress(gzip.compress(b"{}\n"))
    assert b"".join(inflated([twice], is_declared=True)) == b"{}\n"


@pytest.mark.parametrize("size", [-1, 0, 1, 3 * ndjson.PIECE, 4 * ndjson.PIECE - 1])
def test_nothing_is_lost_where_a_piece_is_full(size: int) -> None:
    plain = b"a" * (ndjson.PIECE + size)
    assert b"".join(inflated([gzip.compress(plain)])) == plain


def test_what_is_no_gzip_passes_unless_it_is_declared() -> None:
    assert b"".join(inflated([b"{", b"", b"}\n"])) == b"{}\n"
    assert list(inflated([])) == []
    with pytest.raises(NotGzip):
        list(inflated([b"{}"], is_declared=True))


@pytest.mark.parametrize("damage", ["cut", "crc", "garbage behind"])
def test_damaged_gzip_gives_what_came_before(damage: str) -> None:
    plain = b"".join(b"line %d\n" % number for number in range(100_000))
    content = gzip.compress(plain)
    broken = {
        "cut": content[:-20],
        "crc": content[:-8] + b"\0" * 8,
        "garbage behind": content + b"garbage",
    }[damage]
    got = bytearray()
    with pytest.raises(NotGzip):
        drain(inflated([broken]), got)
    assert plain.startswith(got)
    assert len(got) > len(plain) // 2


def test_a_bomb_is_stopped() -> None:
    bomb = gzip.compress(b"\0" * 100_000_000)
    got = bytearray()
    with pytest.raises(NotGzip, match="grows more than 400-fold"):
        drain(inflated([bomb]), got)
    assert len(got) <= ndjson.SUSPICIOUS_BYTES
