"""Why there is no verdict: never a number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judgeweb.judging.exchange import Reply


class UnjudgedReason(StrEnum):
    UNREADABLE = "unreadable"  # no verdict could be read from the reply
    AMBIGUOUS = "ambiguous"  # two different verdicts in one reply
    INVALID = "invalid"  # a mark of the wrong type or outside its scale
    INCOMPLETE = "incomplete"  # a dimension or checklist id missing or doubled
    TRUNCATED = "truncated"  # cut off by max_tokens twice
    REFUSED = "refused"  # the judge declined
    EMPTY_REPLY = "empty_reply"  # no text block
    REPLY_TOO_SHORT = "reply_too_short"
    NO_USAGE = "no_usage"  # token counts missing or zero
    TOO_LARGE = "too_large"
    BAD_REQUEST = "bad_request"
    PROVIDER_UNAVAILABLE = "provider_unavailable"  # transient faults used up all attempts
    CASE_REFUSED = "case_refused"  # R10: a required value is missing
    LOST_WORKER = "lost_worker"  # its worker died again and again
    INTERNAL_ERROR = "internal_error"  # a bug of ours; the worker's log has it


@dataclass(frozen=True)
class Unjudged:
    """No number. `detail` names the fault in words; the replies are kept."""

    reason: UnjudgedReason
    detail: str
    replies: tuple[Reply, ...] = ()


@dataclass(frozen=True)
class Fault:
    """Why a reply cannot be taken, in words that the corrective re-ask repeats to the judge."""

    reason: UnjudgedReason
    detail: str
