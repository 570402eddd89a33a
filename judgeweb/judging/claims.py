"""The claim step: what a response claims is extracted once, and every judge matches the same list.

The extracting judge sees the response and nothing else: no checklist, no persona, no gold
standard, so that the list cannot lean towards what will be looked for. Its prompt is a function of
the text alone, so that equal texts share one extraction.
"""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.conversation import Answered, hold_for
from judgeweb.judging.evidence import QuoteFinder, fold
from judgeweb.judging.prompts import Message
from judgeweb.judging.schemas import TEXT, Schema, picture, record, rows_of
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.text import is_blank, one_line, shown, visible
from judgeweb.judging.types import Ask, Claim, EvidenceState, Fault, Prompt, Unjudged

PROMPT_VERSION = "claims 1"
CLAIM_STEP = "claim_step"
"""The parameter of an epoch: which model extracts, by which prompt."""
LABELS = ("claims", "claims_2")
"""Of the prompts that extract, by the contestant's place."""
REPLY: Schema = record(
    claims=rows_of(
        record(
            quote={**TEXT, "description": "words copied from the answer"},
            claim={**TEXT, "description": "the claim in one line"},
        )
    )
)
TASK = (
    "An AI agent answered a task. List what its answer claims: every statement that can be true or "
    "false by itself and points something out, such as a fault, a risk, a gap, a cause or an "
    "effect. A test, a fix or a change that the answer proposes or makes claims that the case it "
    "is for exists.\n"
    "One entry for each claim, in the order of the answer. Split what claims two things; list once "
    "what is said twice. Leave out greetings, praise, headings and whatever claims nothing.\n"
    "In quote copy the fewest words of the answer that make the claim, exactly; leave words out "
    "with ... if you must. In claim say it in one line that can be understood without the answer. "
    "Add nothing and correct nothing: whether a claim is right is not asked of you.\n"
    "An answer that claims nothing has an empty list."
)


def extraction_prompt(response: str, secret: bytes, label: str = LABELS[0]) -> Prompt:
    """Ask what a response claims. Its words are equal for equal responses, whatever the label."""
    system = Message()
    system.heading("Instructions")
    system.prose(TASK)
    system.heading("Reply")
    system.prose("Reply with one JSON object only. Its shape, with a description of each value:")
    system.prose(picture(REPLY))
    user = Message()
    user.frame()
    user.heading("The answer")
    user.data("response", response)
    return Prompt(system.render(secret), user.render(secret), REPLY, label)


def read_claims(payload: Mapping[str, Any], response: str) -> tuple[Claim, ...] | Fault:
    """The claims in their order, numbered from 1, or everything that is wrong with the list.

    Exact repetitions count once. A quote that is not in the response is kept as not found (R11).
    """
    strict = StrictReader()
    quotes = QuoteFinder(visible(response)[0])
    claims: dict[tuple[str, str], Claim] = {}
    for place, row in enumerate(strict.rows(payload.get("claims"), "claims"), 1):
        where = f"claim {place}"
        content = strict.mapping(row, where)
        if not content:
            continue
        text = one_line(_words(strict, content, "claim", where))
        quote = _words(strict, content, "quote", where).strip()
        state, at = quotes.check(quote)
        claim = Claim(len(claims) + 1, text, quote, state, at)
        claims.setdefault((fold(quote), fold(text)), claim)
    return strict.fault or tuple(claims.values())


def _words(strict: StrictReader, row: Mapping[str, Any], key: str, where: str) -> str:
    """A text that says something: `strict` has a fault otherwise."""
    value = row.get(key)
    if value is None or (isinstance(value, str) and is_blank(value)):
        strict.incomplete(f"{where}: {key} is missing")
        return ""
    if not isinstance(value, str):
        strict.invalid(f"{where}: {key} must be a text, not {shown(value)}")
        return ""
    return strict.text(value)


async def extract(
    response: str,
    ask: Ask,
    *,
    secret: bytes,
    label: str,
    max_tokens: int,
    reports_usage: bool,
) -> Answered[tuple[Claim, ...]] | Unjudged:
    """Ask for the claims of a response that is not empty, by the same ladder as a verdict. Raise
    JudgeFault as `judge` does."""
    return await hold_for(
        extraction_prompt(response, secret, label),
        lambda payload: read_claims(payload, response),
        ask,
        max_tokens=max_tokens,
        reports_usage=reports_usage,
    )


def claim_lines(claims: tuple[Claim, ...]) -> str:
    """The claims as the judge reads them, one paragraph each."""
    return "\n".join(_line(claim) for claim in claims) or "None."


def _line(claim: Claim) -> str:
    if claim.evidence_state is EvidenceState.NOT_FOUND:
        return f"{claim.number}. {claim.text}"
    return f'{claim.number}. {claim.text}\n   "{one_line(claim.quote)}"'
