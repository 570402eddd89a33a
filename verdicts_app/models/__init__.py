"""What came in, what was judged and what came out."""

from verdicts_app.models.persona import Persona
from verdicts_app.models.run import Response, ResponseFlag, ResponseOutcome, Run
from verdicts_app.models.verdict import (
    POINT,
    IdempotencyKey,
    Verdict,
    VerdictFinding,
    VerdictMark,
)
from verdicts_app.models.work import (
    OPEN_STATES,
    Epoch,
    Job,
    JobEvent,
    JobState,
    Judgement,
    JudgementState,
    LedgerEntry,
    LedgerState,
    Origin,
    PromptText,
)

__all__ = [
    "OPEN_STATES",
    "POINT",
    "Epoch",
    "IdempotencyKey",
    "Job",
    "JobEvent",
    "JobState",
    "Judgement",
    "JudgementState",
    "LedgerEntry",
    "LedgerState",
    "Origin",
    "Persona",
    "PromptText",
    "Response",
    "ResponseFlag",
    "ResponseOutcome",
    "Run",
    "Verdict",
    "VerdictFinding",
    "VerdictMark",
]
