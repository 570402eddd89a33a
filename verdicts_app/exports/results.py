"""The seed's step 6: one judgement as its caller wants it, for command and API alike."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, Sum

from judgeweb.judging.repeats import is_enough
from judgeweb.judging.types import FIRST, SECOND
from verdicts_app.exports.judges import Judge, judges_in_words, judges_of, why_unjudged
from verdicts_app.exports.scores import first_verdict, no_scores, scores_of
from verdicts_app.models import Judgement, JudgementState, LedgerEntry, LedgerState
from verdicts_app.work.ledger import reply_in

PROBE = "probe"


class NotJudged(Exception):
    """There is no result to report. The text is the seed's {reason}."""


def step6(judgements: Sequence[Judgement], *, mode: str = "solo") -> dict[str, Any]:
    """The result of a judgement, or of its repeats and several judges.

    A judge counts where at least half of its repeats are valid. Where fewer than half of the
    judges asked count, `success` is false: what they said stands in `judges`, and no figure and no
    winner is made of it. Raise NotJudged where none counts."""
    judges = judges_of(judgements)
    valid = [judge for judge in judges if judge.is_valid]
    if not valid:
        raise NotJudged(why_not(judgements))
    enough = is_enough(len(valid), len(judges))
    shown = first_verdict(valid)
    replies = _replies(shown.judgement) if shown.judgement else {}
    return {
        "success": enough,
        "mode": mode,
        "timestamp": iso(max(_times(judges))),
        **(scores_of(judges) if enough else no_scores(judges)),
        **({} if enough else {"reason": too_few(len(valid), len(judges))}),
        **({"judges": judges_in_words(judges)} if len(judgements) > 1 else {}),
        "token_usage": _tokens(judgements),
        "response_text": replies.get(FIRST, ""),
        **({"responses": [replies[FIRST], replies[SECOND]]} if SECOND in replies else {}),
    }


def _times(judges: Sequence[Judge]) -> Iterator[datetime]:
    for judge in judges:
        yield from (repeat.verdict.judged_at for repeat in judge.repeats if repeat.verdict)


def too_few(valid: int, asked: int) -> str:
    return f"inconclusive: {valid} of {asked} judges gave a valid verdict, fewer than half"


def why_not(judgements: Sequence[Judgement]) -> str:
    """In words, the first reason there is; of several, how many are valid."""
    order = {JudgementState.UNJUDGED: 0, JudgementState.CANCELLED: 2, JudgementState.JUDGED: 3}
    ranked = sorted(judgements, key=lambda one: order.get(JudgementState(one.state), 1))
    if not ranked:
        return "nothing was judged"
    valid = sum(one.state == JudgementState.JUDGED for one in judgements)
    share = f"{valid} of {len(ranked)} are valid, fewer than half; " if valid else ""
    return f"{share}{why_unjudged(ranked[0])}"


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
