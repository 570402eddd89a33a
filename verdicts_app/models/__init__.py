"""What came in, what was judged and what came out."""

from verdicts_app.models.board_sum import BoardSum
from verdicts_app.models.call_sum import CallSum, CaptureSum
from verdicts_app.models.capture import JUDGING_TYPES, Capture, SystemPromptText
from verdicts_app.models.contestant import ContestantOutcome, VerdictContestant
from verdicts_app.models.drafting import Drafting, DraftingRequest, DraftingState
from verdicts_app.models.extraction import Extraction, ExtractionState
from verdicts_app.models.imported import ImportedDocument
from verdicts_app.models.ledger import LedgerEntry, LedgerState, PromptText, RequestRow
from verdicts_app.models.persona import Persona, Theme
from verdicts_app.models.run import (
    PLAYGROUND_RUN,
    Response,
    ResponseFlag,
    ResponseOutcome,
    Run,
)
from verdicts_app.models.subject import SUBJECTS
from verdicts_app.models.together import PHASES, Chain, Pair
from verdicts_app.models.verdict import (
    POINT,
    Decision,
    IdempotencyKey,
    Rating,
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
    Origin,
)

__all__ = [
    "JUDGING_TYPES",
    "OPEN_STATES",
    "PHASES",
    "PLAYGROUND_RUN",
    "POINT",
    "SUBJECTS",
    "BoardSum",
    "CallSum",
    "Capture",
    "CaptureSum",
    "Chain",
    "ContestantOutcome",
    "Decision",
    "Drafting",
    "DraftingRequest",
    "DraftingState",
    "Epoch",
    "Extraction",
    "ExtractionState",
    "IdempotencyKey",
    "ImportedDocument",
    "Job",
    "JobEvent",
    "JobState",
    "Judgement",
    "JudgementState",
    "LedgerEntry",
    "LedgerState",
    "Origin",
    "Pair",
    "Persona",
    "PromptText",
    "Rating",
    "RequestRow",
    "Response",
    "ResponseFlag",
    "ResponseOutcome",
    "Run",
    "SystemPromptText",
    "Theme",
    "Verdict",
    "VerdictCheck",
    "VerdictContestant",
    "VerdictFinding",
    "VerdictMark",
]
