"""What a judgement keeps over its requests must not stop the others."""

import asyncio
from typing import Any, cast

from judgeweb.judging.providers.pace import Pace
from judgeweb.judging.providers.scripted import scripted_reply
from judgeweb.judging.types import Prompt, Reply, Turn
from verdicts_app.work.judges import OpenJudge


class Book:
    async def opened(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> int:
        return 0

    async def closed(self, token: int, came: object) -> None: ...


class Client:
    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        self.sent.append(prompt.label)
        await asyncio.sleep(0)
        return scripted_reply("{}")


def judged(judgements: dict[str, int], most: int) -> list[str]:
    """The labels sent: each judgement asks its number of prompts, one after the other, and then
    has its outcome recorded."""
    client = Client()

    async def judgement(open_judge: OpenJudge, name: str, prompts: int) -> None:
        place = open_judge.place()
        ask = open_judge.ask(cast(Any, Book()), place)
        for number in range(prompts):
            await ask(Prompt("s", "u", {}, label=f"{name}{number}"), (), 100)
            await asyncio.sleep(0)
        place.leave()

    async def all_of_them() -> None:
        open_judge = OpenJudge(cast(Any, client), Pace(most), asyncio.Semaphore(most))
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            for name, prompts in judgements.items():
                group.create_task(judgement(open_judge, name, prompts))

    asyncio.run(all_of_them())
    return client.sent


def test_judgements_of_two_prompts_and_those_that_wait_behind_them_all_end() -> None:
    # Two requests in flight and, as in a drain, PLACES x 2 = 4 judgements in hand: a and b keep
    # the two places after their first prompts and need slots, while c and d come in between.
    sent = judged({"a": 2, "b": 2, "c": 1, "d": 1}, most=2)
    assert sorted(sent) == ["a0", "a1", "b0", "b1", "c0", "d0"]
    assert sent[:2] == ["a0", "b0"]
