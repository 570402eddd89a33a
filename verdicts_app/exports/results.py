"""The seed's step 6: one judgement as its caller wants it, for command and API alike."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from django.db.models import F, Sum

from verdicts_app.exports.numbers import number
from verdicts_app.models import (
    OPEN_STATES,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Verdict,
)
from verdicts_app.work.ledger import reply_in

PROBE = "probe"


class NotJudged(Exception):
    """There is no result to report. The text is the seed's {reason}."""


def step6(judgements: Sequence[Judgement], *, mode: str = "solo") -> dict[str, Any]:
    """The result of a judgement, or of its repeats: then the mean of the valid ones, of which
    there must be at least half. Raise NotJudged where there is none."""
    verdicts = [verdict for judgement in judgements if (verdict := verdict_of(judgement))]
    if not verdicts or 2 * len(verdicts) < len(judgements):
        raise NotJudged(why_not(judgements))
    totals = [Fraction(verdict.total_exact) for verdict in verdicts if verdict.total_exact]
    total = sum(totals, Fraction(0)) / len(totals) if totals else None
    spec = verdicts[0].persona.spec if verdicts[0].persona else ""
    judged = [verdict.judgement for verdict in verdicts if verdict.judgement]
    return {
        "success": True,
        "mode": mode,
        "timestamp": iso(max(verdict.judged_at for verdict in verdicts)),
        "scores": {spec: number(total)},
        "winner": None,
        "token_usage": _tokens(judgements),
        "response_text": _reply_text(judged[0]) if judged else "",
    }


def verdict_of(judgement: Judgement) -> Verdict | None:
    return (
        Verdict.objects.select_related("persona", "judgement").filter(judgement=judgement).first()
    )


def why_not(judgements: Sequence[Judgement]) -> str:
    """In words, the first reason there is."""
    for judgement in judgements:
        if judgement.state == JudgementState.UNJUDGED:
            return f"{judgement.unjudged_reason}: {judgement.unjudged_detail}".rstrip(": ")
    if any(judgement.state in OPEN_STATES for judgement in judgements):
        return "it is not finished"
    return "it was cancelled" if judgements else "nothing was judged"


def iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _requests(judgements: Sequence[Judgement]) -> Any:
    return LedgerEntry.objects.filter(judgement__in=judgements).exclude(prompt=PROBE)


def _tokens(judgements: Sequence[Judgement]) -> dict[str, int]:
    """Of all their requests, input of every kind together."""
    read = F("input_tokens") + F("cache_write_tokens") + F("cache_write_1h_tokens")
    sums = _requests(judgements).aggregate(
        input=Sum(read + F("cache_read_tokens")), output=Sum("output_tokens")
    )
    return {"input": sums["input"] or 0, "output": sums["output"] or 0}


def _reply_text(judgement: Judgement) -> str:
    """The reply that the verdict was read from, as it came: the judgement's last. "" where no
    judge was asked."""
    answered = _requests([judgement]).filter(state=LedgerState.ANSWERED)
    last = answered.order_by("-id").first()
    reply = reply_in(last) if last else None
    if reply is None:
        return ""
    if reply.get("tool_input") is not None:
        return json.dumps(reply["tool_input"])
    return str(reply.get("text", ""))
