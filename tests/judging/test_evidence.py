# ruff: noqa: RUF001 (typographic quotes are what is tested)
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.evidence import QuoteFinder, fold
from judgeweb.judging.types import EvidenceState

RESPONSE = "The lock is\n never released. It isn’t “safe” — see   line 40...\nThen the lock waits."

# Twenty times what it takes; a quadratic reader would need minutes.
LINEAR_S = 30


def found(quote: str, response: str = RESPONSE) -> str | None:
    span = QuoteFinder(response).find(quote)
    return response[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("lock is never released", "lock is\n never released"),
        ("  never   released. ", "never released."),
        ('isn\'t "safe" - see line 40', "isn’t “safe” — see   line 40"),
        ('"never released"', "never released"),
        ("“never released”", "never released"),
        ("The lock ... released", "The lock is\n never released"),
        ("The lock … released", "The lock is\n never released"),
        ("The [...] released", "The lock is\n never released"),
        ("... never released ...", "never released"),
        ("line 40…", "line 40..."),
        ("lock waits.", "lock waits."),
        ("lock ... waits", "lock waits"),
    ],
)
def test_quote_is_found_in_the_original(quote: str, text: str) -> None:
    assert found(quote) == text


@pytest.mark.parametrize(
    "quote", ["deadlock on line 40", "released ... lock is", "Never released", "", "...", "..", "'"]
)
def test_quote_that_is_not_there_is_not_found(quote: str) -> None:
    assert found(quote, "The lock is\n never released.") is None


def test_check_names_the_state() -> None:
    finder = QuoteFinder(RESPONSE)

    assert finder.check(" ") == (EvidenceState.NONE, None)
    assert finder.check("The lock") == (EvidenceState.VERIFIED, (0, 8))
    assert finder.check("The lamp") == (EvidenceState.NOT_FOUND, None)


def test_fold_equal_claims_are_equal() -> None:
    assert fold(" It’s  “so” –\nyes ") == fold('It\'s "so" - yes')


def test_long_piece_keeps_its_first_place() -> None:
    long = "x" * 300

    assert QuoteFinder(f"{long} {long} end").find(f"{long} ... end") == (0, 605)


def test_find_150_kb_takes_linear_time() -> None:
    response = "a" * 75_000 + " b\n " * 18_750
    finder = QuoteFinder(response)
    started = time.process_time()
    for quote in ("a" * 70_000 + "c", "a ... b ... c", "b b b b", "a…" * 2_000, "a" * 100 + "…c"):
        finder.check(quote)

    assert time.process_time() - started < LINEAR_S


LIKELY = st.text(" .…\t\n\r\xa0\u2009\u2028\x1c\x85'\"`´“—-ab<", max_size=30)


def plainly_folded(text: str) -> str:
    """As `fold`, a rule at a time."""
    for alike, plain in (("‘’‚‛′´`ʼ", "'"), ("“”„‟″«»", '"'), ("‐‑‒–—―−", "-")):
        text = re.sub(f"[{alike}]", plain, text)
    return re.sub(r"\s+", " ", re.sub(r"\.{3,}", "…", text)).strip()


@given(LIKELY)
def test_fold_is_what_its_rules_say(text: str) -> None:
    assert fold(text) == plainly_folded(text)


@given(LIKELY, LIKELY, LIKELY)
def test_every_part_of_a_response_is_found_where_it_stands(
    before: str, quote: str, after: str
) -> None:
    span = QuoteFinder(before + quote + after).find(quote)
    if not re.search(r"[^\s.…'\"`´“]", quote):
        return  # nothing but what folding changes or drops
    assert span is not None
    assert fold((before + quote + after)[slice(*span)]) in (fold(quote), fold(quote).strip("\"'"))
