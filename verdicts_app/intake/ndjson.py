"""NDJSON off a stream: lines cut at byte 0x0A alone, whatever the chunks and whatever the length.

U+2028, U+0085 and a lone CR may stand inside strings, so nothing else ends a line. Only the start
of the stream may carry a byte order mark. Memory stays at one line and one chunk.
"""

import zlib
from collections.abc import Generator, Iterable, Iterator
from typing import Any

import msgspec

from verdicts_app.intake.files import GZIP, NotGzip

BOM = b"\xef\xbb\xbf"
WHITE_SPACE = b" \t\r"
PIECE = 256 * 1024
SUSPICIOUS_BYTES = 64 * 1024 * 1024
LARGEST_RATIO = 400
"""Deflate reaches 1032; captures that repeat their prompts stay far below this."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """`raw` is without its line end, and empty where the line is longer than allowed. `start` is
    its offset in the (inflated) stream. Only the last line may lack its end."""

    number: int
    start: int
    raw: bytes
    is_too_long: bool = False
    has_end: bool = True

    @property
    def is_blank(self) -> bool:
        return not self.is_too_long and not self.raw.strip(WHITE_SPACE)


def lines(chunks: Iterable[bytes], *, longest: int) -> Iterator[Line]:
    """Every line, blank ones too, counted from 1. What follows the last line end is a line unless
    it is empty."""
    growing = _Growing(longest)
    for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            growing.add(piece)
            yield growing.take(has_end=True)
        growing.add(rest)
    if growing.size:
        yield growing.take(has_end=False)


class _Growing:
    """The line that is being read. What is too long is counted and not kept."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self.number = 1
        self.start = 0
        self.size = 0
        self.kept: bytes | bytearray = b""

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        if self.size > self.longest:
            self.kept = b""
        elif not self.kept:
            self.kept = piece
        elif piece:
            # A bytearray grows in place: a long line may come in very small pieces.
            self.kept = self.kept if isinstance(self.kept, bytearray) else bytearray(self.kept)
            self.kept += piece

    def take(self, *, has_end: bool) -> Line:
        raw, start = bytes(self.kept), self.start
        if self.number == 1 and raw.startswith(BOM):
            raw, start = raw[len(BOM) :], len(BOM)
        line = Line(self.number, start, raw, self.size > self.longest, has_end)
        self.number, self.start, self.size, self.kept = (
            self.number + 1,
            self.start + self.size + 1,
            0,
            b"",
        )
        return line


def inflated(chunks: Iterable[bytes], *, is_declared: bool = False) -> Iterator[bytes]:
    """The chunks with gzip undone, member by member, in pieces of bounded size; as they are where
    they do not start like gzip and are not declared to be.

    Raise NotGzip where it is damaged, ends too early or is a bomb; what came before stands."""
    source = _with_two_bytes(chunks)
    first = next(source, b"")
    stream = _chained(first, source)
    if is_declared:
        yield from inflated(_gunzip(stream)) if first else ()
    elif first.startswith(GZIP):
        yield from _gunzip(stream)
    else:
        yield from stream


def _with_two_bytes(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes; the first chunk holds two at least where there are as many."""
    start = b""
    rest = iter(chunks)
    while len(start) < len(GZIP) and (chunk := next(rest, None)) is not None:
        start += chunk
    if start:
        yield start
    yield from rest


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    members = _Members()
    for chunk in chunks:
        yield from members.feed(chunk)
    members.end()


class _Members:
    """A gzip file: members one after another, zeros behind them."""

    def __init__(self) -> None:
        self.open: Any = zlib.decompressobj(wbits=31)
        self.taken = 0
        self.given = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        self.taken += len(chunk)
        rest = chunk
        while rest:
            if self.open is None and (rest := rest.lstrip(b"\0")):
                self.open = zlib.decompressobj(wbits=31)
            if rest:
                rest = yield from self._inflate(rest)

    def _inflate(self, rest: bytes) -> Generator[bytes, None, bytes]:
        """Until nothing more comes of `rest` in this member; what is left of it."""
        piece = b"?"
        while (rest or len(piece) == PIECE) and not self.open.eof:
            try:
                piece = self.open.decompress(rest, PIECE)
            except zlib.error as error:
                raise NotGzip(str(error)) from error
            rest = self.open.unconsumed_tail
            self.given += len(piece)
            if self.given > max(SUSPICIOUS_BYTES, self.taken * LARGEST_RATIO):
                raise NotGzip(f"it grows more than {LARGEST_RATIO}-fold")
            yield piece
        if not self.open.eof:
            return b""
        rest, self.open = self.open.unused_data, None
        return rest

    def end(self) -> None:
        if self.open is not None:
            raise NotGzip("it ends in the middle")
