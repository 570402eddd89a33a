"""What the API takes and gives. The wire format is a promise; the tables are not.

Money in US dollars, times in ISO-8601, totals with twelve exact decimals.
"""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from judgeweb.judging.modes import MODES
from judgeweb.problem_schema import PROBLEMS, ProblemOut
from verdicts_app.api.receipt_schemas import (
    FileOut,
    ReceiptOut,
    RefusalOut,
    RemarkOut,
)
from verdicts_app.api.several_schemas import JudgeOut, JuryOut, Number, RepeatsOut
from verdicts_app.api.verdict_schemas import (
    CheckOut,
    ContestantOut,
    FindingOut,
    MarkOut,
    MessageOut,
    PhaseAnswerOut,
    PinOut,
    PinsOut,
    RequestOut,
    StatedOut,
    StepOut,
    VerdictOut,
    VerdictPage,
)
from verdicts_app.boards.filters import DIGEST_EXPECTED, digest_of

__all__ = [
    "PROBLEMS",
    "CheckOut",
    "ContestantOut",
    "FileOut",
    "FindingOut",
    "MarkOut",
    "MessageOut",
    "PhaseAnswerOut",
    "PinOut",
    "PinsOut",
    "ProblemOut",
    "ReceiptOut",
    "RefusalOut",
    "RemarkOut",
    "RequestOut",
    "StatedOut",
    "StepOut",
    "VerdictOut",
    "VerdictPage",
]
"""What stands elsewhere and is imported from here."""

# --- judging ----------------------------------------------------------------------------------


WITHOUT_NUL = r"^[^\x00]*$"


class StrictIn(Schema):
    """A misspelt field is refused, not ignored."""

    model_config = ConfigDict(extra="forbid")


class HowToJudge(StrictIn):
    """What is left out is decided by scenario and settings. `budget` is read as `budget_usd`.
    Several `models` judge side by side. Two contestants are judged in both `orders` or in one.

    With `claims` what a response claims is extracted once, by `claims_model` (by default the first
    judge model), and matched by all judges and repeats, where a checklist is matched. With
    `shuffle` every repeat shows rubric and checklist in another order. Both are off unless asked
    for, and begin an epoch of their own."""

    rubric: str | None = Field(None, max_length=200, pattern=WITHOUT_NUL)
    model: str | None = Field(None, max_length=200, pattern=WITHOUT_NUL)
    models: list[Annotated[str, Field(max_length=200, pattern=WITHOUT_NUL)]] = Field(
        default_factory=list, max_length=5
    )
    effort: str | None = None
    orders: int = Field(2, ge=1, le=2, strict=True)
    repeats: int = Field(1, ge=1, le=5, strict=True)
    budget_usd: Decimal | None = Field(
        None, gt=0, le=1_000_000, validation_alias=AliasChoices("budget_usd", "budget")
    )
    rejudge: bool = Field(False, strict=True)
    claims: bool = Field(False, strict=True)
    claims_model: str | None = Field(None, max_length=200, pattern=WITHOUT_NUL)
    shuffle: bool = Field(False, strict=True)


class JudgementIn(HowToJudge):
    """The seed's `--mode` and `--data`. `run_id` is the run that the response is stored in."""

    mode: str
    data: dict[str, Any]
    run_id: str = "judgements"


class JudgeRunIn(HowToJudge):
    """Without `mode` and `call_type` all that the run holds is judged; `call_type` means the
    captures of that type alone, mode "calls" those of all types that judge no others.
    The modes for two contestants pair each answer with that of the `opponent`: a spec, or a theme
    in the phases; by default the control's, else the only other one. Mode "coherence" judges the
    relays of the run: every theme's answers as sm, tea, dev and reviewer.
    `dry_run` gives the price and writes nothing."""

    mode: str | None = None
    call_type: str | None = Field(None, min_length=1, max_length=200, pattern=WITHOUT_NUL)
    opponent: str | None = Field(None, min_length=1, max_length=200, pattern=WITHOUT_NUL)
    use_gold: bool = Field(True, strict=True)
    dry_run: bool = Field(False, strict=True)


class TokensOut(Schema):
    input: int
    output: int


class ChainOut(Schema):
    """A relay: the mean of its four phases against the `opponent`, and that mean by the multiplier;
    null where it is `incomplete`, which says why."""

    theme: str
    opponent: str | None
    mean: Number | None
    total: Number | None
    incomplete: list[str]


class ResultOut(Schema):
    """The seed's step 6. `scores` by spec (in the phases by theme, for known patches by category).

    Two contestants have a `decision` (win, tie, inconsistent, inconclusive), and the replies of
    both orders in `responses` where both were judged. Coherence has `rating` and `multiplier`, and
    what is known of its relay in `phases` and `chain`. Known patches have `total` and `coverage`:
    the share of the categories that can be observed. Repeats and several judges stand in `judges`;
    where fewer than half of the judges are valid, `success` is false, `reason` says so, and there
    is no score and no winner. What a mode does not have is left out."""

    success: bool
    mode: str
    timestamp: str
    scores: dict[str, Number | None]
    winner: str | None
    token_usage: TokensOut
    response_text: str
    decision: str | None = None
    responses: list[str] | None = None
    rating: str | None = None
    multiplier: Number | None = None
    phases: dict[str, Number | None] | None = None
    chain: ChainOut | None = None
    total: Number | None = None
    coverage: Number | None = None
    reason: str | None = None
    judges: list[JudgeOut] | None = None


class UnlinkedOut(Schema):
    scenario: str
    responses: int


class NotJudgeableOut(Schema):
    scenario: str
    field: str
    message: str
    responses: int


class PriceOut(Schema):
    """Null where the model's price is not known. A budget below `first_request_usd` sends
    nothing. `needs_a_judge` is false where nobody has to be asked. `taken` judgements cost nothing:
    an earlier verdict on the same prompt, under another contract, says what the judge decides.
    `extractions` responses have their claims extracted first, once each, by `extractors`; that is
    in the estimate."""

    model: str
    judgements: int
    taken: int
    extractions: int
    extractors: str
    estimate_usd: Number | None
    first_request_usd: Number | None
    already_judged: int
    already_planned: int
    failed_runs: int
    unlinked: list[UnlinkedOut]
    refused: list[NotJudgeableOut]
    judge_is_configured: bool
    needs_a_judge: bool


class EventOut(Schema):
    at: datetime
    text: str


class JobOut(Schema):
    """`waiting` are planned, `in_hand` with a worker. `repeated_items` were marked by two valid
    repeats or more, `flipped_items` of them not always the same: null while the job is open, where
    nothing was repeated, and beyond 2,000 verdicts."""

    id: str
    url: str
    state: str
    state_detail: str
    retry_at: datetime | None
    total: int
    waiting: int
    in_hand: int
    judged: int
    unjudged: int
    cancelled: int
    unjudged_reasons: dict[str, int]
    requests: int
    lost_requests: int
    spent_usd: Number | None
    on_the_way_usd: Number | None
    budget_usd: Number | None
    estimate_usd: Number | None
    per_minute: float
    eta_s: int | None
    repeated_items: int | None
    flipped_items: int | None
    events: list[EventOut]


class PlannedOut(Schema):
    """What a request to judge a run came to."""

    job: JobOut
    planned: int
    already_judged: int
    already_planned: int
    failed_runs: int
    unlinked: list[UnlinkedOut]
    refused: list[NotJudgeableOut]


class BudgetIn(StrictIn):
    budget_usd: Decimal = Field(gt=0, le=1_000_000)


class RunOut(Schema):
    run_id: str
    created_at: datetime
    is_sample: bool
    responses: int
    answered: int
    failed: int
    judged: int
    unlinked: list[UnlinkedOut]
    jobs: list[str]


# --- verdicts ---------------------------------------------------------------------------------


class ImportedOut(Schema):
    """What an imported verdict was read from. `document` is its JSON text, as it came."""

    shape: str
    file: str
    place: str
    document: str


class RulingOut(Schema):
    """How a claim was ruled on: listed (it matches `items`), valid, invalid or no_finding. `order`
    as in marks."""

    order: str
    ruling: str
    items: list[str]
    reasoning: str


class ClaimOut(Schema):
    """`quote_at` is where the quote stands in the response, null where it does not."""

    number: int
    text: str
    quote: str
    quote_state: str
    quote_at: list[int] | None
    rulings: list[RulingOut]


class ClaimsOut(Schema):
    """What a response claims, extracted once by `model` under `judgement` (whose requests hold the
    exact prompt and the raw reply). `contestant` is a label in comparisons, else empty."""

    contestant: str
    model: str
    returned_model: str
    prompt_version: str
    judgement: int
    claims: list[ClaimOut]
    requests: list[RequestOut]


class JudgeOffOut(Schema):
    """A gold standard that the judge is off by more than the tolerance."""

    judge: str
    scenario: str
    gold_score: Number
    mean: Number
    deviation: Number
    tolerance: Number


class WholeVerdictOut(VerdictOut):
    """`contestants` of a comparison; `answers` of a relay, by phase (sm, tea, dev, reviewer).
    `extra` is what only one mode has, such as the matched places of a patch. `claims` are there
    where the judge went by claims; `seed` where the order of what it was shown was shuffled.
    `repeats` and `jury` are null where there is one repeat, or one judge."""

    contestants: list[ContestantOut]
    answers: dict[str, PhaseAnswerOut]
    response_id: int | None
    response_text: str
    character: str
    job: str | None
    taken_from: int | None
    parts: dict[str, Number | None]
    marks: list[MarkOut]
    findings: list[FindingOut]
    checks: list[CheckOut]
    working: list[StepOut]
    stated: list[StatedOut]
    notes: list[str]
    assessment: str
    extra: dict[str, Any]
    claims: list[ClaimsOut]
    seed: str
    pins: PinsOut
    judge_off: list[JudgeOffOut]
    imported: ImportedOut | None
    requests: list[RequestOut]
    repeats: RepeatsOut | None
    jury: JuryOut | None


Action = Literal["pause", "resume", "cancel", "retry"]


def _mode(name: str) -> str:
    if name and name not in MODES:
        raise PydanticCustomError("mode", "one of {known}", {"known": ", ".join(MODES)})
    return name


def _epoch(digits: str) -> str:
    if digits and digest_of(digits) is None:
        raise PydanticCustomError("epoch", DIGEST_EXPECTED)
    return digits


ModeName = Annotated[str, AfterValidator(_mode), WithJsonSchema({"enum": ["", *MODES]})]
"""Of a query: one that is none would only give an empty list."""
EpochStart = Annotated[
    str,
    AfterValidator(_epoch),
    WithJsonSchema({"type": "string", "description": "A digest or its start"}),
]
Liveness = Literal["true", "false", "any"]
Dialect = Literal["seed", "index", "camel"]
