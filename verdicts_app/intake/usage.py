"""Tokens, cost and model of an answer. The four kinds of tokens are kept apart: `input_tokens` is
often 2, because the rest was read from a cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgeweb.judging.text import shown
from verdicts_app.intake import fields
from verdicts_app.intake.fields import ABSENT, FieldRefused

PER_MODEL = ("modelUsage", "model_usage", "agent_model_usage")


@dataclass(frozen=True)
class Usage:
    """Of one answer; None where the document does not say."""

    input_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_read_tokens: int | None = None
    output_tokens: int | None = None
    cost_nano_usd: int | None = None


def usage_of(document: Mapping[str, Any]) -> Usage:
    """From the `usage` block, else the sum over the models, else the document's own two fields, or
    those of its `token_usage`."""
    cost = fields.nano_usd(document, "total_cost_usd", "cost_usd")
    models = _per_model(document)
    if isinstance(document.get("usage"), Mapping):
        return Usage(
            fields.whole(document, "usage.input_tokens"),
            fields.whole(document, "usage.cache_creation_input_tokens"),
            fields.whole(document, "usage.cache_read_input_tokens"),
            fields.whole(document, "usage.output_tokens"),
            cost,
        )
    if models:
        return Usage(
            _sum(models, "inputTokens"),
            _sum(models, "cacheCreationInputTokens"),
            _sum(models, "cacheReadInputTokens"),
            _sum(models, "outputTokens"),
            cost,
        )
    return Usage(
        input_tokens=fields.whole(
            document, "input_tokens", "token_usage.input_tokens", "token_usage.input"
        ),
        output_tokens=fields.whole(
            document, "output_tokens", "token_usage.output_tokens", "token_usage.output"
        ),
        cost_nano_usd=cost,
    )


def model_of(document: Mapping[str, Any]) -> str:
    """The model named, else the one that wrote most; "" where none is known."""
    named = fields.text(document, "model", most=200)
    if named:
        return named
    written = {
        name: fields.whole(row, "outputTokens") or 0 for name, row in _per_model(document).items()
    }
    busiest = max(written, key=lambda name: written[name], default="")
    return fields.text({"model": busiest}, "model", most=200)


def _per_model(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    path, value = fields.first(document, *PER_MODEL)
    if value is ABSENT or value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(r, Mapping) for r in value.values()):
        raise FieldRefused(path, f"expected an object per model, not {shown(value)}")
    return dict(value)


def _sum(models: Mapping[str, Mapping[str, Any]], key: str) -> int | None:
    counts = [fields.whole(row, key) for row in models.values()]
    known = [count for count in counts if count is not None]
    return fields.whole({key: sum(known)}, key) if known else None
