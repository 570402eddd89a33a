"""The seed's step 6: one judgement as its caller wants it, for command and API alike."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Sum

from judgeweb.judging.types import FIRST, SECOND
from verdicts_app.exports.scores import scores_of
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
    """The result of a judgement, or of its repeats and several judges: then the mean of the valid
    ones, of which there must be at least half. Raise NotJudged where there is none."""
    verdicts = [verdict for judgement in judgements if (verdict := verdict_of(judgement))]
    if not verdicts or 2 * len(verdicts) < len(judgements):
        raise NotJudged(why_not(judgements))
    judged = verdicts[0].judgement
    replies = _replies(judged) if judged else {}
    return {
        "success": True,
        "mode": mode,
        "timestamp": iso(max(verdict.judged_at for verdict in verdicts)),
        **scores_of(verdicts),
        "token_usage": _tokens(judgements),
        "response_text": replies.get(FIRST, ""),
        **({"responses": [replies[FIRST], replies[SECOND]]} if SECOND in replies else {}),
    }


def verdict_of(judgement: Judgement) -> Verdict | None:
    related = ("persona", "judgement", "epoch__rubric_revision", "chain")
    return Verdict.objects.select_related(*related).filter(judgement=judgement).first()


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


def _replies(judgement: Judgement) -> dict[str, str]:
    """By prompt, the reply that was read, as it came: the last one. Empty where no judge was
    asked."""
    answered = _requests([judgement]).filter(state=LedgerState.ANSWERED).order_by("id")
    return {entry.prompt: _text(entry) for entry in answered}


def _text(entry: LedgerEntry) -> str:
    reply = reply_in(entry)
    if reply is None:
        return ""
    if reply.get("tool_input") is not None:
        return json.dumps(reply["tool_input"])
    return str(reply.get("text", ""))
