"""One judgement from case to outcome: ask, read, ask again at most once, score (R1, R5, R12).

Per prompt: one request; one more with twice the budget where the reply was cut off; one more
that names the fault where the reply was invalid. Everything that came back is kept.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Generic, TypeVar

from judgeweb.judging.errors import CaseRefused, ItemFault, ProviderBusy
from judgeweb.judging.replies import find_verdict
from judgeweb.judging.text import visible
from judgeweb.judging.types import (
    Ask,
    Fault,
    Flag,
    Mode,
    Outcome,
    Prompt,
    Reading,
    Reply,
    Turn,
    Unjudged,
    UnjudgedReason,
    Verdict,
)

C = TypeVar("C")
R = TypeVar("R")

Prepare = Callable[[C], Awaitable[C | Unjudged]]

MAX_TOKENS = 8192
_TOO_LARGE = ("too long", "too large", "too many tokens", "context window", "context length")
# Asking again changes nothing about these.
_FINAL = {UnjudgedReason.REFUSED, UnjudgedReason.NO_USAGE}


async def judge(
    mode: Mode[C],
    case: C,
    ask: Ask,
    *,
    max_tokens: int = MAX_TOKENS,
    reports_usage: bool = True,
    prepare: Prepare[C] | None = None,
) -> Outcome:
    """Judge one case. `reports_usage` is False for a judge model that sends no token counts.
    `prepare` completes a case about which somebody has to be asked.

    Raise JudgeFault: the judge cannot be used, nothing is decided. Every other failure is an
    Unjudged with its reason.
    """
    try:
        mode.check(case)
        if (verdict := mode.without_request(case)) is not None:
            return verdict
        prepared = await prepare(case) if prepare else case
        if isinstance(prepared, Unjudged):
            return prepared
        prompts = mode.prompts(prepared)
    except CaseRefused as refused:
        return Unjudged(UnjudgedReason.CASE_REFUSED, f"{refused.field}: {refused.message}")
    talk = _Conversation(
        lambda payload, label: mode.read(prepared, payload, label),
        mode.min_reply_characters,
        ask,
        max_tokens,
        reports_usage,
    )
    readings: list[Reading] = []
    for prompt in prompts:
        reading = await talk.hold(prompt)
        if isinstance(reading, Unjudged):
            if len(prompts) == 1:
                return reading
            return replace(reading, detail=f"{prompt.label} order: {reading.detail}")
        readings.append(reading)
    return _checked(mode.score(prepared, tuple(readings)), talk)


def _checked(verdict: Verdict, talk: _Conversation[Reading]) -> Verdict | Unjudged:
    """The verdict with all that was said, or why its total is none (R12)."""
    for total in _marked_totals(verdict):
        if not 1 <= total <= 100:
            detail = f"score {float(total):g} is no number from 1 to 100"
            return Unjudged(UnjudgedReason.INVALID, detail, tuple(talk.replies))
    flags = tuple(dict.fromkeys((*verdict.flags, *talk.flags)))
    return replace(
        verdict,
        flags=flags,
        notes=(*verdict.notes, *talk.notes),
        replies=tuple(talk.replies),
    )


def _marked_totals(verdict: Verdict) -> list[Fraction]:
    """The totals that a judge's marks give (R12). A contestant without marks answered nothing."""
    totals = [] if verdict.total is None else [verdict.total]
    marked = {mark.contestant for mark in verdict.marks}
    for standing in verdict.comparison.standings if verdict.comparison else ():
        totals += standing.totals if standing.label in marked else ()
    return totals


@dataclass(frozen=True)
class Answered(Generic[R]):
    """What was read from the replies to one prompt, and what there is to know about them."""

    reading: R
    replies: tuple[Reply, ...]
    flags: tuple[Flag, ...]


async def hold_for(
    prompt: Prompt,
    read: Callable[[Mapping[str, Any]], R | Fault],
    ask: Ask,
    *,
    max_tokens: int = MAX_TOKENS,
    reports_usage: bool = True,
) -> Answered[R] | Unjudged:
    """What `read` makes of the reply to one prompt that judges nothing, asked as in `judge`."""
    talk = _Conversation(lambda payload, _: read(payload), 0, ask, max_tokens, reports_usage)
    reading = await talk.hold(prompt)
    if isinstance(reading, Unjudged):
        return reading
    return Answered(reading, tuple(talk.replies), tuple(talk.flags))


async def ask_for(
    prompt: Prompt,
    read: Callable[[Mapping[str, Any]], R | Fault],
    ask: Ask,
    *,
    max_tokens: int = MAX_TOKENS,
    reports_usage: bool = True,
) -> R | Unjudged:
    """As `hold_for`, without the replies."""
    answered = await hold_for(prompt, read, ask, max_tokens=max_tokens, reports_usage=reports_usage)
    return answered if isinstance(answered, Unjudged) else answered.reading


def decided_before(mode: Mode[C], case: C, reading: Reading) -> Outcome:
    """The verdict on a case whose one prompt was asked and read before: nobody is asked."""
    try:
        mode.check(case)
    except CaseRefused as refused:
        return Unjudged(UnjudgedReason.CASE_REFUSED, f"{refused.field}: {refused.message}")
    verdict = mode.score(case, (reading,))
    return replace(verdict, flags=(*verdict.flags, Flag.REUSED))


def validation_report(mode: str, unjudged: Unjudged) -> str:
    """An unjudged outcome in the seed's words, for the command line and the API."""
    return (
        f"❌ Judge validation failed: {unjudged.detail}\n❌ Mode: {mode}\n❌ DO NOT estimate scores"
    )


@dataclass
class _Conversation(Generic[R]):
    read: Callable[[Mapping[str, Any], str], R | Fault]
    least_characters: int
    ask: Ask
    max_tokens: int
    reports_usage: bool
    replies: list[Reply] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    async def hold(self, prompt: Prompt) -> R | Unjudged:
        """Ask one prompt until there is a reading or no further request is allowed."""
        budget, turns = self.max_tokens, tuple[Turn, ...]()
        while True:
            reply = await self._request(prompt, turns, budget)
            if isinstance(reply, Unjudged):
                return reply
            read = self._read(prompt, reply)
            if not isinstance(read, Fault):
                return read
            if read.reason is UnjudgedReason.TRUNCATED:
                if budget > self.max_tokens or reply.stop_reason != "max_tokens":
                    return self._unjudged(read)
                budget *= 2
            elif turns or read.reason in _FINAL:
                return self._unjudged(read)
            else:
                turns = (Turn(_said(reply), correction(read)),)
                self.flags.append(Flag.REASKED)

    async def _request(
        self, prompt: Prompt, turns: tuple[Turn, ...], budget: int
    ) -> Reply | Unjudged:
        try:
            reply = await self.ask(prompt, turns, budget)
        except ProviderBusy as busy:
            return self._unjudged(Fault(UnjudgedReason.PROVIDER_UNAVAILABLE, busy.message))
        except ItemFault as fault:
            large = fault.status == 413 or any(
                words in fault.message.lower() for words in _TOO_LARGE
            )
            reason = UnjudgedReason.TOO_LARGE if large else UnjudgedReason.BAD_REQUEST
            return self._unjudged(Fault(reason, fault.message))
        self.replies.append(reply)
        return reply

    def _read(self, prompt: Prompt, reply: Reply) -> R | Fault:
        """Find the object in a reply, have it read, validate the reply itself (R12)."""
        found = find_verdict(reply, prompt.schema)
        if isinstance(found, Fault):
            return found
        reading = self.read(found.payload, prompt.label)
        if isinstance(reading, Fault):
            return reading
        length = len(_said(reply))
        if length < self.least_characters:
            return Fault(
                UnjudgedReason.REPLY_TOO_SHORT,
                f"the reply has {length} characters, fewer than "
                f"{self.least_characters}; give the reasons for the marks",
            )
        if self.reports_usage and not (reply.usage.input_all > 0 and reply.usage.output > 0):
            return Fault(
                UnjudgedReason.NO_USAGE,
                f"{reply.usage.input_all} input and {reply.usage.output} output tokens reported",
            )
        self.flags += found.flags
        self.notes += found.notes
        return reading

    def _unjudged(self, fault: Fault) -> Unjudged:
        return Unjudged(fault.reason, fault.detail, tuple(self.replies))


def correction(fault: Fault) -> str:
    """The corrective re-ask: it names the fault and nothing of what the marks should be."""
    return (
        "Your reply could not be taken: "
        + visible(fault.detail)[0]
        + ". Judge by the same instructions and send the whole JSON object again, complete and "
        "alone, with no other text."
    )


def _said(reply: Reply) -> str:
    """What the judge said, fit to be sent back to it: never empty, no lone surrogates."""
    if reply.tool_input is not None:
        return json.dumps(dict(reply.tool_input), default=str)
    return visible(reply.text)[0] if reply.text.strip() else "(no text)"
