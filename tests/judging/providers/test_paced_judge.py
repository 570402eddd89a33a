"""The real SDK under the real pace, against the stand-in."""

import asyncio
import time
from typing import Any

import pytest

from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.providers.anthropic import AnthropicJudge
from judgeweb.judging.providers.breaker import Breaker
from judgeweb.judging.providers.pace import Pace, PacedAsk
from judgeweb.judging.types import Prompt, Reply
from tests.judging.providers.test_pace import MemoryLedger

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


async def asked(url: str, items: int, pace: Pace, ledger: MemoryLedger) -> list[Any]:
    async with AnthropicJudge("claude-sonnet-5-5", base_url=url) as judge:
        return await asyncio.gather(
            *(
                PacedAsk(judge.send, pace, ledger)(Prompt("s", f"item {n}", SCHEMA), (), 100)
                for n in range(items)
            ),
            return_exceptions=True,
        )


def test_items_among_refusals_all_come_through(standin: Any) -> None:
    standin.settings(latency_ms=20, fault_share=0.1, fault_headers={"retry-after": "0.2"})
    ledger = MemoryLedger()

    came = asyncio.run(asked(standin.url, 60, Pace(16), ledger))

    assert all(isinstance(one, Reply) for one in came)
    stats = standin.stats()
    assert stats["max_in_flight"] <= 16
    assert stats["requests"] == len(ledger.rows) == 60 + stats["statuses"].get("429", 0)
    assert all(came is not None for _, came in ledger.rows)


def test_items_of_a_dead_endpoint_wait_for_the_judge(standin: Any) -> None:
    standin.faults({"drop": True}, times=1000)
    pace = Pace(16, breaker=Breaker(time.monotonic, span_s=0.2))

    came = asyncio.run(asked(standin.url, 20, pace, MemoryLedger()))

    assert {type(one) for one in came} == {JudgeFault}
    assert standin.stats()["requests"] < 100


def test_item_refused_by_the_judge_is_asked_once(standin: Any) -> None:
    standin.faults({"status": 401}, times=10)
    ledger = MemoryLedger()

    (came,) = asyncio.run(asked(standin.url, 1, Pace(4), ledger))

    assert isinstance(came, JudgeFault)
    assert standin.stats()["requests"] == len(ledger.rows) == 1


@pytest.mark.parametrize("status", [429, 529, 503])
def test_item_of_a_busy_judge_is_asked_five_times(standin: Any, status: int) -> None:
    standin.faults({"status": status, "headers": {"retry-after": "0.01"}}, times=10)

    (came,) = asyncio.run(asked(standin.url, 1, Pace(4), MemoryLedger()))

    assert came.code == ("endpoint_down" if status == 503 else "attempts_used_up")
    assert standin.stats()["requests"] == 5
