"""Prompt out, reply in: what goes to the judge and what comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

FIRST, SECOND = "first", "second"
"""The labels of a judgement's prompts. In the second order the contestants change places."""


@dataclass(frozen=True)
class Prompt:
    """`system` is the cacheable prefix (instructions, rubric, scenario), `user` the judged
    material, `schema` the JSON Schema of the reply (provider dialect: no ranges).
    `label` tells the prompts of one judgement apart."""

    system: str
    user: str
    schema: Mapping[str, Any]
    label: str = FIRST


@dataclass(frozen=True)
class Turn:
    """An earlier exchange in one conversation, for the corrective re-ask."""

    reply_text: str
    correction: str


@dataclass(frozen=True)
class Usage:
    """Tokens of one request. The four kinds are kept apart; they are billed differently."""

    input: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0
    output: int = 0

    @property
    def input_all(self) -> int:
        return self.input + self.cache_write + self.cache_write_1h + self.cache_read

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cache_write + other.cache_write,
            self.cache_write_1h + other.cache_write_1h,
            self.cache_read + other.cache_read,
            self.output + other.output,
        )


@dataclass(frozen=True)
class Reply:
    """What the provider answered. `text` joins the text blocks in order; thinking is not in it.
    `tool_input` is the input of the one tool call, where the judge answered by tool.
    `block_types` lists every block as it came. `latency_ms` is the request's own wall time."""

    text: str
    stop_reason: str
    block_types: tuple[str, ...]
    usage: Usage
    model: str
    request_id: str = ""
    tool_input: Mapping[str, Any] | None = None
    refusal_category: str = ""
    latency_ms: int = 0


class Ask(Protocol):
    """The only way out of the core: ask the judge, get a reply or a ProviderError.

    The implementation owns retries of transient faults and the ledger; it raises
    `ProviderBusy` when its attempts for this prompt are used up, `ItemFault` when the request
    was refused, `JudgeFault` when the judge cannot be used."""

    def __call__(
        self, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int
    ) -> Awaitable[Reply]: ...
