"""The made-up judge of the sample data: real conversation, invented replies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from judgeweb.judging.conversation import judge
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import SECOND, Outcome, Prompt, Reply, Turn, Usage
from verdicts_app.sample.looks import Sheet, another_look, levelled
from verdicts_app.work.items import Item, case_of

MODEL = "sample-judge"
CUT_OFF = 1 / 70
"""One reply in so many is cut off twice, so that the boards show unjudged answers."""
OVERLOOKED_OF_GOLD = 0.02
TIED, FIRST_SEAT = 0.08, 0.06
"""How often two answers are alike to the judge, and how often it prefers whoever stands first."""

APART = (
    "Sample data, no judge was asked. The two differ in how much they find and in how directly a "
    "reader could act on it."
)
ALIKE = (
    "Sample data, no judge was asked. Both say the same in other words; nothing that counts "
    "stands in one of them alone."
)


@dataclass(frozen=True)
class Judged:
    """An outcome with the requests that led to it."""

    outcome: Outcome
    requests: tuple[tuple[Prompt, Reply], ...]


@dataclass(frozen=True)
class MadeUpJudge:
    """`sheets` says what it thinks of an answer, by its text; `checks` of a captured call, by its
    call id; `ratings` of a relay, by its theme: the chances of excellent and of good."""

    sheets: dict[str, Sheet] = field(default_factory=dict)
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    ratings: dict[str, tuple[float, float]] = field(default_factory=dict)

    async def judged(self, item: Item, sitting: int) -> Judged:
        """The outcome, which another sitting may see differently; now and then twice only the
        beginning of its reply comes."""
        rng = Random(item.identity)
        is_cut = item.response_id is not None and rng.random() < CUT_OFF
        requests: list[tuple[Prompt, Reply]] = []

        async def ask(prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> Reply:
            said = json.dumps(fitting(self._said(item, prompt, sitting), prompt.schema))
            reply = (
                _reply(said[:90], rng, "max_tokens") if is_cut else _reply(said, rng, "end_turn")
            )
            requests.append((prompt, reply))
            return reply

        outcome = await judge(mode_named(item.mode), case_of(item), ask)
        return Judged(outcome, tuple(requests))

    def _said(self, item: Item, prompt: Prompt, sitting: int) -> Mapping[str, Any]:
        if item.capture is not None:
            return self.checks[item.capture.call_id]
        if item.chain is not None:
            return _rating(item.identity, *self.ratings[item.chain.theme])
        if item.pair is not None:
            return self._said_of_two(item, prompt)
        sheet = self.sheets[item.text]
        seed = f"{item.identity}/{sitting}"
        if item.gold_answer is not None:
            return another_look(sheet, seed, overlooked=OVERLOOKED_OF_GOLD)
        return sheet if item.repeat == 1 else another_look(sheet, seed)

    def _said_of_two(self, item: Item, prompt: Prompt) -> Mapping[str, Any]:
        assert item.pair is not None
        one, other = (self.sheets[answer.text] for answer in (item.pair.first, item.pair.second))
        mood = Random(item.identity).random()
        if mood < TIED:
            seated = levelled(one, other)
        else:
            lean = 2 if mood > 1 - FIRST_SEAT else 0
            leans = (-lean, lean) if prompt.label == SECOND else (lean, -lean)
            seed = f"{item.identity}/{prompt.label}"
            seated = (
                another_look(one, f"{seed}/1", lean=leans[0]),
                another_look(other, f"{seed}/2", lean=leans[1]),
            )
        sheets = seated[::-1] if prompt.label == SECOND else seated
        apart = ALIKE if mood < TIED else APART
        return {"contestants": dict(zip("AB", sheets, strict=True)), "justification": apart}


def fitting(said: Any, schema: Mapping[str, Any]) -> Any:
    """What is asked for of all that there is to say."""
    if schema.get("type") != "object":
        return said
    parts = schema["properties"].items()
    return {key: fitting(said[key], part) for key, part in parts if key in said}


def _rating(seed: str, excellent: float, good: float) -> Mapping[str, Any]:
    at = Random(seed).random()
    rating = "excellent" if at < excellent else "good" if at < excellent + good else "poor"
    reasons = {
        "excellent": "Each answer takes up what the one before handed over, by its own words.",
        "good": "The thread holds; one handover is taken up in part.",
        "poor": "The reviewer looks at something that the developer was never asked to do.",
    }
    return {"reasoning": f"Sample data, no judge was asked. {reasons[rating]}", "rating": rating}


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
