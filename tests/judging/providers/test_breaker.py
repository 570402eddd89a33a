"""Closed, open, half-open, closed again."""

import pytest

from judgeweb.judging.errors import JudgeFault, ProviderBusy
from judgeweb.judging.providers.breaker import Breaker, is_outage


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def opened() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = Breaker(clock, failures=3, span_s=1, open_s=10)
    for clock.now in (0.0, 0.5, 1.0):
        breaker.failed()
    return breaker, clock


@pytest.mark.parametrize(
    ("status", "expected"),
    [(None, True), (500, True), (503, True), (529, False), (429, False), (408, False)],
)
def test_is_outage_tells_down_from_busy(status: int | None, expected: bool) -> None:
    assert is_outage(ProviderBusy("x", status=status)) is expected


def test_failed_often_enough_opens() -> None:
    breaker, clock = opened()

    clock.now = 4.0
    with pytest.raises(JudgeFault, match="endpoint is down: 3 failures") as caught:
        breaker.admit()

    assert caught.value.retry_after_s == 7  # open from 1 to 11


def test_failed_all_at_one_instant_stays_closed() -> None:
    breaker = Breaker(Clock(), failures=3, span_s=1)

    for _ in range(50):
        breaker.failed()

    assert not breaker.is_open
    breaker.admit()


def test_failed_last_attempt_opens_without_a_span() -> None:
    breaker = Breaker(Clock(), failures=3, span_s=1)
    for _ in range(2):
        breaker.failed(last_attempt=True)
    assert not breaker.is_open

    breaker.failed(last_attempt=True)

    assert breaker.is_open


def test_answered_in_between_starts_the_count_anew() -> None:
    clock = Clock()
    breaker = Breaker(clock, failures=3, span_s=1)
    for clock.now in range(10):
        breaker.failed()
        breaker.failed()
        breaker.answered()

    assert not breaker.is_open


def test_admit_half_open_lets_one_trial_pass_at_a_time() -> None:
    breaker, clock = opened()

    clock.now = 11.0
    breaker.admit()
    with pytest.raises(JudgeFault):
        breaker.admit()

    clock.now = 21.0  # the trial was lost without an outcome
    breaker.admit()


def test_failed_trial_keeps_it_open() -> None:
    breaker, clock = opened()
    clock.now = 11.0
    breaker.admit()

    clock.now = 12.0
    breaker.failed()

    clock.now = 21.5
    with pytest.raises(JudgeFault):
        breaker.admit()
    clock.now = 22.0
    breaker.admit()


def test_answered_trial_closes_it() -> None:
    breaker, clock = opened()
    clock.now = 11.0
    breaker.admit()

    breaker.answered()

    assert not breaker.is_open
    breaker.admit()
    breaker.admit()
