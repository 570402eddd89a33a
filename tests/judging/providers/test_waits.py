"""Case 68, and that waits are spread."""

from random import Random

import pytest

from judgeweb.judging.providers.waits import backoff_s, retry_after_seconds, wait_s

# 2026-11-30 12:00:00 GMT
NOON = 1_796_040_000.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 12:00:30 -0000", 30.0),
        ("Mon, 30 Nov 2026 11:59:30 GMT", None),
        ("Mon, 30 Nov 2099 11:59:30 GMT", 600.0),
        ("Fri, 31 Dec 0000 00:00:00 GMT", None),
        ("-1", None),
        ("0", None),
        ("NaN", None),
        ("inf", 600.0),
        ("999999999", 600.0),
        ("soon", None),
        ("Mon, 30 Nov 9999 23:59:59 -2359", 600.0),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_seconds_reads_seconds_and_dates(
    value: str | None, expected: float | None
) -> None:
    assert retry_after_seconds(value, NOON) == expected


# base 0.5 s doubling: 0.5, 1, 2, 4, 8, 16, then the cap of 30 s
@pytest.mark.parametrize(("failures", "ceiling"), [(1, 0.5), (2, 1), (6, 16), (7, 30), (999, 30)])
def test_backoff_s_is_full_jitter_under_its_ceiling(failures: int, ceiling: float) -> None:
    assert backoff_s(failures, lambda: 0.0) == 0
    assert backoff_s(failures, lambda: 0.5) == ceiling / 2


def test_wait_s_never_falls_below_retry_after_and_is_spread() -> None:
    waits = [wait_s(5, 1, Random(seed).random) for seed in range(20)]

    assert min(waits) >= 5
    assert max(waits) <= 6
    assert len(set(waits)) == 20


def test_wait_s_without_retry_after_is_the_own_backoff() -> None:
    assert wait_s(None, 3, lambda: 0.25) == 0.5
