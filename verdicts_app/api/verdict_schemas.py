"""What the API says of a verdict: its figures, and all that hangs on it."""

from datetime import datetime
from typing import Any

from ninja import Schema

from verdicts_app.api.several_schemas import Number


class VerdictOut(Schema):
    """On an answer (`persona`, `scenario`, a total), on two (`decision`: win, tie, inconsistent),
    on a relay (`theme`, `rating`: excellent, good, poor) or on a captured call (`call_id`,
    `call_type`, `passed`: null where a dimension is undecidable). One that `calibrates` a judge is
    on the answer of a gold standard and on no board. `same_model`: the judge's own
    model answered. `response_characters` is the length of what was judged."""

    id: int
    run: str | None
    persona: str | None
    scenario: str | None
    call_id: str | None
    call_type: str | None
    mode: str
    epoch: str
    origin: str
    repeat: int
    live: bool
    on_board: bool
    total: Number | None
    total_exact: str
    without_persona: Number | None
    passed: bool | None
    decision: str | None
    rating: str | None
    theme: str | None
    calibrates: bool
    same_model: bool
    flags: list[str]
    response_characters: int
    answered_at: datetime
    judged_at: datetime
    cost_usd: Number | None
    input_tokens: int
    output_tokens: int
    latency_ms: int | None


class VerdictPage(Schema):
    """`next` is the `after` of the next page, null on the last."""

    items: list[VerdictOut]
    next: int | None


class ContestantOut(Schema):
    """One of the two contestants of a comparison. `label` names it in marks, findings and scores;
    `order_totals` are its totals in the orders judged, `total` their mean. `outcome` is won, lost,
    tied or inconsistent."""

    label: str
    persona: str
    character: str
    response_id: int
    response_text: str
    total: Number | None
    total_exact: str
    without_persona: Number | None
    order_totals: list[Number]
    outcome: str


class PhaseAnswerOut(Schema):
    response_id: int
    response_text: str


class MarkOut(Schema):
    """In comparisons `contestant` is a label and `order` the order it was given in: "first" or
    "second"; else both are empty."""

    contestant: str
    order: str
    dimension: str
    key: str
    label: str
    value: Number
    band: str
    coerced: bool
    reasoning: str


class FindingOut(Schema):
    """`contestant` and `order` as in marks."""

    contestant: str
    order: str
    kind: str
    id: str
    category: str
    description: str
    weight: int
    found: bool
    evidence: str
    evidence_state: str
    evidence_at: list[int] | None
    reasoning: str


class CheckOut(Schema):
    """`ok` null: undecidable. `decided_by` is rule, contract or judge."""

    key: str
    ok: bool | None
    rationale: str
    worst_offender: str
    decided_by: str
    evidence_state: str
    evidence_at: list[int] | None


class StepOut(Schema):
    name: str
    expression: str
    value: Number | None
    note: str


class StatedOut(Schema):
    name: str
    stated: str
    computed: str
    differs: bool


class PinOut(Schema):
    key: str
    revision: int
    sha256: str


class PinsOut(Schema):
    epoch: str
    mode: str
    rubric: PinOut | None
    scenario: PinOut | None
    gold: PinOut | None
    contract: PinOut | None
    prompt_version: str
    requested_model: str
    returned_model: str
    parameters: dict[str, Any]


class MessageOut(Schema):
    role: str
    text: str


class RequestOut(Schema):
    """One request to the judge, with the exact prompt and the raw reply."""

    prompt: str
    attempt: int
    state: str
    what_happened: str
    opened_at: datetime
    latency_ms: int | None
    input_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    output_tokens: int
    max_tokens: int
    cost_usd: Number | None
    returned_model: str
    request_id: str
    stop_reason: str
    system: str
    messages: list[MessageOut]
    reply: str
