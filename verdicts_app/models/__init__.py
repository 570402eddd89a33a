"""What came in, what was judged and what came out."""

from verdicts_app.models.board_sum import BoardSum
from verdicts_app.models.call_sum import CallSum, CaptureSum
from verdicts_app.models.capture import Capture, SystemPromptText
from verdicts_app.models.persona import Persona
from verdicts_app.models.run import Response, ResponseFlag, ResponseOutcome, Run
from verdicts_app.models.verdict import (
    POINT,
    IdempotencyKey,
    Verdict,
    VerdictCheck,
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
    "BoardSum",
    "CallSum",
    "Capture",
    "CaptureSum",
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
    "SystemPromptText",
    "Verdict",
    "VerdictCheck",
    "VerdictFinding",
    "VerdictMark",
]
