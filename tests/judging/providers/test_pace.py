"""R6 from end to end, in virtual time, against a scripted `send`."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from judgeweb.judging.errors import ItemFault, JudgeFault, ProviderBusy, ProviderError
from judgeweb.judging.providers.pace import Pace, PacedAsk
from judgeweb.judging.providers.scripted import scripted_reply
from judgeweb.judging.types import Prompt, Reply, Turn
from tests.judging.providers.virtual_time import VirtualTime

PROMPT = Prompt("system", "user", {}, label="first")
REPLY = scripted_reply("{}")
LIMITED = ProviderBusy("429", status=429, retry_after_s=5)
BROKEN = ProviderBusy("no connection", code="connection")


class MemoryLedger:
    """Rows in memory: [label, outcome or None]."""

    def __init__(self, forbidden: Exception | None = None) -> None:
        self.rows: list[list[Any]] = []
        self._forbidden = forbidden

    async def opened(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> int:
        if self._forbidden:
            raise self._forbidden
        self.rows.append([prompt.label, None])
        return len(self.rows) - 1

    async def closed(self, token: int, came: Reply | ProviderError) -> None:
        assert self.rows[token][1] is None
        self.rows[token][1] = came


class World:
    """One worker loop. `answer` gives the outcome of the n-th request (from 1) at a time."""

    def __init__(
        self,
        answer: Callable[[int, float], Reply | ProviderError],
        *,
        most: int = 10,
        latency_s: float = 0.1,
        **settings: Any,
    ) -> None:
        self.time = VirtualTime()
        self.pace = Pace(
            most,
            clock=self.time.clock,
            sleep=self.time.sleep,
            chance=Random(7).random,
            **settings,
        )
        self.ledger = MemoryLedger()
        self.sent_at: list[float] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._answer = answer
        self._latency_s = latency_s

    async def send(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        self.sent_at.append(self.time.now)
        number = len(self.sent_at)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        await self.time.sleep(self._latency_s)
        self.time.slept.remove(self._latency_s)  # only waits are of interest
        self._in_flight -= 1
        came = self._answer(number, self.sent_at[number - 1])
        if isinstance(came, ProviderError):
            raise came
        return came

    def ask(self, **settings: Any) -> PacedAsk:
        return PacedAsk(self.send, self.pace, self.ledger, **settings)

    def judge(self, items: int = 1) -> list[Any]:
        """One request per item; what came of each."""
        return self.time.run(*(self.ask()(PROMPT, (), 100) for _ in range(items)))


def script(*lines: Reply | ProviderError) -> Callable[[int, float], Reply | ProviderError]:
    return lambda number, at: lines[min(number, len(lines)) - 1]


# --- one prompt -------------------------------------------------------------------------------


def test_ask_good_reply_is_one_request_with_its_row() -> None:
    world = World(script(REPLY))

    assert world.judge() == [REPLY]
    assert world.ledger.rows == [["first", REPLY]]
    assert world.time.slept == []


@pytest.mark.parametrize(
    "busy", [BROKEN, LIMITED, ProviderBusy("500", status=500), ProviderBusy("409", status=409)]
)
def test_ask_transient_fault_is_asked_again(busy: ProviderBusy) -> None:
    world = World(script(busy, busy, REPLY))

    assert world.judge() == [REPLY]
    assert [row[1] for row in world.ledger.rows] == [busy, busy, REPLY]


@pytest.mark.parametrize("fault", [ItemFault("400", status=400), JudgeFault("401", status=401)])
def test_ask_other_fault_is_one_request(fault: ProviderError) -> None:
    world = World(script(fault))

    assert world.judge() == [fault]
    assert world.ledger.rows == [["first", fault]]


def test_ask_busy_without_end_stops_at_five_requests() -> None:
    world = World(script(ProviderBusy("429 rate_limit_error: slow down", status=429)))

    (came,) = world.judge()

    assert isinstance(came, ProviderBusy)
    assert "5 requests were made" in came.message
    assert "slow down" in came.message
    assert len(world.ledger.rows) == 5


def test_ask_counts_reasks_of_the_prompt_and_no_other() -> None:
    world = World(script(REPLY))
    ask = world.ask(max_attempts=2, spent={"second": 1})
    second = Prompt("system", "user", {}, label="second")

    async def talk() -> None:
        await ask(PROMPT, (), 100)
        await ask(PROMPT, (Turn("x", "y"),), 100)
        assert (ask.left("first"), ask.left("second")) == (0, 1)
        await ask(second, (), 100)
        with pytest.raises(ProviderBusy, match="2 requests were made for the prompt 'first'"):
            await ask(PROMPT, (), 100)

    world.time.run(talk())

    assert [row[0] for row in world.ledger.rows] == ["first", "first", "second"]


def test_ask_forbidden_by_the_ledger_sends_nothing() -> None:
    world = World(script(REPLY))
    world.ledger = MemoryLedger(forbidden=PermissionError("budget"))

    (came,) = world.judge()

    assert isinstance(came, PermissionError)
    assert world.sent_at == []


def test_ask_cancelled_leaves_its_row_open_and_frees_the_slot() -> None:
    world = World(script(REPLY))

    async def scene() -> None:
        task = asyncio.create_task(world.ask()(PROMPT, (), 100))
        for _ in range(10):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scene())

    assert world.ledger.rows == [["first", None]]
    assert world.pace.in_flight.in_flight == 0


# --- many items -------------------------------------------------------------------------------


def test_items_all_told_to_wait_come_back_spread_and_late_enough() -> None:  # case 67
    world = World(lambda number, at: LIMITED if number <= 20 else REPLY, most=20)

    assert world.judge(20) == [REPLY] * 20

    assert min(world.time.slept[:20]) >= 5
    assert len(set(world.time.slept[:20])) == 20
    assert len({round(at, 6) for at in world.sent_at[20:]}) > 10
    assert min(world.sent_at[20:]) >= 5
    assert world.most_in_flight <= 20


def test_items_beyond_the_limit_wait_their_turn() -> None:
    world = World(script(REPLY), most=4)

    assert world.judge(40) == [REPLY] * 40

    assert world.most_in_flight == 4
    assert world.time.now == pytest.approx(40 / 4 * 0.1)


def test_items_five_in_a_hundred_refused_all_come_through_in_time() -> None:
    limited = ProviderBusy("429", status=429, retry_after_s=1)
    world = World(
        lambda number, at: limited if number % 20 == 0 and number <= 500 else REPLY,
        most=100,
        latency_s=0.2,
    )

    assert world.judge(500) == [REPLY] * 500

    # 500 items at 100 in flight are 5 rounds of 0.2 s. The last refusal may come at the end of
    # the fifth, or of a sixth for what the cuts delay; then 1 s, up to 0.2 s of spread, 0.2 s.
    assert world.time.now <= 1.0 + 0.2 + 1.2 + 0.2


def test_items_at_a_door_that_is_shut_hold_back() -> None:
    """A judge that takes 10 requests a second and refuses all others: nobody is given up."""
    taken: list[float] = []

    def answer(number: int, at: float) -> Reply | ProviderError:
        if len([t for t in taken if t > at - 1]) >= 10:
            return ProviderBusy("429", status=429, retry_after_s=1)
        taken.append(at)
        return REPLY

    world = World(answer, most=50, latency_s=0.2)

    assert world.judge(150) == [REPLY] * 150

    assert len(world.sent_at) <= 2.5 * 150
    assert world.time.now <= 20  # 15 s at the very best


def test_items_huge_retry_after_is_the_jobs_wait() -> None:  # case 68
    world = World(script(ProviderBusy("429", status=429, retry_after_s=600)))

    (came,) = world.judge()

    assert isinstance(came, JudgeFault)
    assert came.retry_after_s == 600
    assert len(world.sent_at) == 1


def test_hold_is_shown_while_all_are_refused() -> None:
    world = World(lambda number, at: LIMITED if number <= 20 else REPLY, most=20)
    holds: list[float] = []

    async def watch() -> None:
        await world.time.sleep(1.0)
        holds.append(world.pace.hold_s)

    world.time.run(*(world.ask()(PROMPT, (), 100) for _ in range(20)), watch())

    # refused at 0.1 s and told 5 s
    assert holds == [pytest.approx(4.1)]
    assert world.pace.hold_s == 0


# --- the endpoint is down ---------------------------------------------------------------------


@pytest.mark.parametrize("items", [1, 100])
def test_endpoint_down_is_a_judge_fault_for_every_item(items: int) -> None:
    world = World(script(BROKEN), most=50)

    came = world.judge(items)

    assert {type(one) for one in came} == {JudgeFault}
    assert all("endpoint is down" in one.message for one in came)
    assert all(row[1] is not None for row in world.ledger.rows)


def test_endpoint_down_asks_no_more_while_open_then_tries_once() -> None:
    world = World(lambda number, at: BROKEN if at < 30 else REPLY, most=5)
    world.judge(5)
    made = len(world.sent_at)

    assert {type(one) for one in world.judge(20)} == {JudgeFault}
    assert len(world.sent_at) == made

    world.time.now = 29.0  # half-open: one trial fails, the others are told at once
    assert {type(one) for one in world.judge(20)} == {JudgeFault}
    assert len(world.sent_at) == made + 1

    world.time.now = 60.0
    assert world.judge(1) == [REPLY]
    assert world.judge(20) == [REPLY] * 20


def test_endpoint_restart_of_half_a_second_is_not_down() -> None:
    world = World(lambda number, at: BROKEN if at < 0.5 else REPLY, most=100)

    assert world.judge(100) == [REPLY] * 100


def test_fault_that_was_never_sent_says_nothing_of_the_endpoint() -> None:
    world = World(script(ItemFault("a lone surrogate", code="unsendable_text")))
    for _ in range(5):
        world.pace.breaker.failed(last_attempt=True)
    world.time.now = 20.0  # half-open

    world.judge()

    assert world.pace.breaker.is_open
