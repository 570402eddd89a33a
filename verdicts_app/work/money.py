"""What requests cost, and what they could cost at most."""

from __future__ import annotations

from judgeweb.judging.errors import ProviderError
from judgeweb.judging.providers.messages_request import dumps
from judgeweb.judging.providers.prices import cost_nano_usd
from judgeweb.judging.types import Prompt, Reply, Turn, Usage

LARGEST_CONTEXT = 1_000_000
"""Tokens. No judge takes a longer prompt: it refuses it, at no cost."""
OVERHEAD_TOKENS = 1_000
"""The frame around messages, schema and tools; vendors name a few hundred."""
CHARACTERS_A_TOKEN = 3.5
"""English prose and code as current tokenisers cut them; only for estimates."""


def cost_of(model: str, usage: Usage) -> int | None:
    """Nano-USD, or None where the price of the model is not known."""
    return cost_nano_usd(model, usage)


def worst_cost(model: str, prompt: Prompt, turns: tuple[Turn, ...], max_tokens: int) -> int | None:
    """What the request can cost at most: a token has at least one byte, everything in front of
    the answer is written to the cache, and the answer takes all it may."""
    texts = [prompt.system, prompt.user]
    for turn in turns:
        texts += [turn.reply_text, turn.correction]
    sent = OVERHEAD_TOKENS + len(dumps(prompt.schema)) + sum(_bytes(text) for text in texts)
    return cost_of(model, Usage(cache_write=min(sent, LARGEST_CONTEXT), output=max_tokens))


def cost_of_outcome(
    model: str, came: Reply | ProviderError, worst_nano_usd: int | None
) -> int | None:
    """An error costs nothing; a request that ran into the timeout may have been billed in full."""
    if isinstance(came, Reply):
        return cost_of(model, came.usage)
    if worst_nano_usd is None or came.code == "timeout":
        return worst_nano_usd
    return 0


def tokens_in(characters: int) -> int:
    return round(characters / CHARACTERS_A_TOKEN)


def _bytes(text: str) -> int:
    # Without the copy that encoding makes; four is the most that UTF-8 takes.
    return len(text) if text.isascii() else 4 * len(text)
