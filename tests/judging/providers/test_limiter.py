"""One cut per window, back within seconds, never more in flight than allowed."""

import asyncio

import pytest

from judgeweb.judging.providers.limiter import InFlight


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def limiter(most: int = 100, *, busy: int = 0) -> tuple[InFlight, Clock]:
    """A limiter with `busy` requests in flight."""
    clock = Clock()
    limit = InFlight(most, clock)
    limit.in_flight = busy
    return limit, clock


def shut(limit: InFlight, clock: Clock, seconds: int) -> None:
    """Refuse everything, a hundred requests a second."""
    for _ in range(100 * seconds):
        clock.now += 0.01
        limit.refused()


def test_refused_many_in_one_window_is_one_cut() -> None:
    limit, clock = limiter(busy=50)

    for _ in range(1000):
        limit.refused()

    assert limit.limit == 25  # the deepest cut of one window: three quarters
    shut(limit, clock, 2)
    assert limit.limit < 10


def test_refused_one_in_twenty_costs_little() -> None:
    limit, clock = limiter(busy=100)

    lows = []
    for n in range(2000):  # 500 requests a second for 4 s
        clock.now += 0.002
        if n % 20:
            limit.accepted()
        else:
            limit.refused()
        lows.append(limit.limit)

    # the first of a window counts as 1 of 11; the share of 5 % comes out of the next ones
    assert min(lows) >= 85
    assert sum(lows) / len(lows) > 92


def test_refused_without_end_falls_to_the_floor_and_no_lower() -> None:
    limit, clock = limiter(busy=50)

    shut(limit, clock, 20)

    assert limit.limit == 5
    assert limiter(1)[0].limit == 1


def test_limit_recovers_within_seconds_of_the_last_refusal() -> None:
    limit, clock = limiter(busy=1)
    shut(limit, clock, 20)

    clock.now += 7.0  # 5 to 100 is 4.3 doublings
    limit.accepted()

    assert limit.limit == 100


def test_limit_does_not_grow_while_nothing_is_in_flight() -> None:
    limit, clock = limiter(busy=1)
    shut(limit, clock, 20)
    limit.leave()

    clock.now += 600.0
    limit.accepted()

    assert limit.limit == 5


def test_enter_beyond_the_limit_waits_in_order() -> None:
    async def scene() -> list[int]:
        limit, _ = limiter(2)
        entered: list[int] = []

        async def item(number: int) -> None:
            await limit.enter()
            entered.append(number)

        tasks = [asyncio.create_task(item(n)) for n in range(4)]
        await asyncio.sleep(0.01)
        assert (entered, limit.in_flight) == ([0, 1], 2)
        limit.leave()
        await asyncio.sleep(0.01)
        assert (entered, limit.in_flight) == ([0, 1, 2], 2)
        limit.leave()
        await asyncio.gather(*tasks)
        return entered

    assert asyncio.run(scene()) == [0, 1, 2, 3]


def test_enter_cancelled_gives_its_slot_on() -> None:
    async def scene() -> int:
        limit, _ = limiter(1)
        await limit.enter()
        waiting = [asyncio.create_task(limit.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limit.leave()  # goes to the second, which is cancelled before it wakes
        waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert not waiting[2].cancelled()
        return limit.in_flight

    assert asyncio.run(scene()) == 1


def test_turn_away_raises_in_all_that_wait() -> None:
    async def scene() -> list[object]:
        limit, _ = limiter(1)
        await limit.enter()
        waiting = [asyncio.create_task(limit.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limit.turn_away(lambda: OSError("down"))
        return list(await asyncio.gather(*waiting, return_exceptions=True))

    first, *others = asyncio.run(scene())

    assert isinstance(first, asyncio.CancelledError)
    assert [str(other) for other in others] == ["down", "down"]


def test_limiter_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        InFlight(0, lambda: 0.0)
