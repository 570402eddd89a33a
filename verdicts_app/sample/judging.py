"""The made-up judge of the sample data: real conversation, invented replies."""

from dataclasses import dataclass
from random import Random

from judgeweb.judging.conversation import judge
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import Case, Outcome, Prompt, Reply, Turn, Usage

MODEL = "sample-judge"
CUT_OFF = 1 / 70
"""One reply in so many is cut off twice, so that the boards show unjudged answers."""


@dataclass(frozen=True)
class Judged:
    """An outcome with the requests that led to it."""

    outcome: Outcome
    requests: tuple[tuple[Prompt, Reply], ...]


async def judged(mode: str, case: Case, said: str) -> Judged:
    """The outcome where the judge of `case` says `said`, or twice only its beginning."""
    rng = Random(case.contestant.response)
    is_cut = rng.random() < CUT_OFF
    requests: list[tuple[Prompt, Reply]] = []

    async def ask(prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
        reply = _reply(said[:90], rng, "max_tokens") if is_cut else _reply(said, rng, "end_turn")
        requests.append((prompt, reply))
        return reply

    outcome = await judge(mode_named(mode), case, ask)
    return Judged(outcome, tuple(requests))


def _reply(text: str, rng: Random, stop_reason: str) -> Reply:
    usage = Usage(
        input=rng.randint(500, 1500), cache_read=rng.randint(2000, 4000), output=len(text) // 4
    )
    return Reply(
        text=text,
        stop_reason=stop_reason,
        block_types=("text",),
        usage=usage,
        model=MODEL,
        request_id=f"sample_{rng.getrandbits(48):012x}",
        latency_ms=rng.randint(4000, 16000),
    )
