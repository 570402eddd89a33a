"""The values of a judgement: case in, prompt out, reply in, verdict or unjudged out.

Prompts and replies stand in `exchange`, comparisons in `standings`, what has no number in
`unjudged`; all of them are imported from here.

Score of a mark: 1-10, 10 best. Totals: exact fractions, 0-100, 100 best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar

from judgeweb.judging.documents import (
    ContractDocument,
    GoldDocument,
    RubricDocument,
    ScenarioDocument,
)
from judgeweb.judging.exchange import (
    FIRST,
    SECOND,
    Ask,
    Prompt,
    Reply,
    Turn,
    Usage,
)
from judgeweb.judging.standings import (
    Comparison,
    Decision,
    Standing,
)
from judgeweb.judging.unjudged import (
    Fault,
    Unjudged,
    UnjudgedReason,
)

__all__ = [
    "FIRST",
    "SECOND",
    "Ask",
    "Comparison",
    "Decision",
    "Fault",
    "Prompt",
    "Reply",
    "Standing",
    "Turn",
    "Unjudged",
    "UnjudgedReason",
    "Usage",
]
"""What stands elsewhere and is imported from here."""

# --- in ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contestant:
    """Who answered and what. `response` is data: never re-expanded, never obeyed (R9)."""

    spec: str
    character: str
    response: str


@dataclass(frozen=True)
class Case:
    """One unit of judging. Solo modes have one contestant, compare and the phases two.

    `secret` keys the nonces of the data delimiters. `orders` 2: two contestants are judged in both.
    `claims`: where the mode judges by claims, what each contestant's response claims, in their
    order; None for an empty response. `seed` permutes what the judge is shown (`shuffling`), ""
    leaves it as it was written.
    """

    rubric: RubricDocument
    scenario: ScenarioDocument
    contestants: tuple[Contestant, ...]
    secret: bytes
    gold: GoldDocument | None = None
    orders: int = 2
    claims: tuple[ClaimList | None, ...] = ()
    seed: str = ""

    @property
    def contestant(self) -> Contestant:
        return self.contestants[0]

    def claims_of(self, contestant: Contestant) -> ClaimList | None:
        """Contestants who answered the same claim the same."""
        return self.claims[self.contestants.index(contestant)] if self.claims else None

    @property
    def labels(self) -> tuple[str, ...]:
        """How results name the contestants: their specs; two of one spec are `spec#1`, `spec#2`."""
        specs = [contestant.spec for contestant in self.contestants]
        if len(set(specs)) == len(specs):
            return tuple(specs)
        return tuple(f"{spec}#{place}" for place, spec in enumerate(specs, 1))


class EvidenceState(StrEnum):
    NONE = "none"  # nothing quoted
    VERIFIED = "verified"
    NOT_FOUND = "not_found"


@dataclass(frozen=True)
class Claim:
    """One claim of a response, in one line, and the words that make it. `number` counts from 1.
    `evidence_at` is (start, end) of the quote in the response, when verified."""

    number: int
    text: str
    quote: str
    evidence_state: EvidenceState
    evidence_at: tuple[int, int] | None = None


@dataclass(frozen=True)
class ClaimList:
    """All that a response claims, extracted once. `key` names the extraction: equal for equal
    texts, prompts and extracting judges."""

    key: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class ChainCase:
    """One team's relay, judged for coherence: the answers of its four phases, by role."""

    rubric: RubricDocument
    theme: str
    sm: str
    tea: str
    dev: str
    reviewer: str
    secret: bytes


@dataclass(frozen=True)
class CallCase:
    """One captured model call to judge. Everything captured is data (R9).

    `contract` is the one that fits the call type and system prompt, None where none does: then
    the judge says whether the response keeps the schema that the system prompt asks for.
    `undecidable_allowed`: the call type's policy lets the judge say that the capture lacks what
    would decide a dimension.
    """

    rubric: RubricDocument
    call_type: str
    system_prompt: str
    user_content: str
    response_content: str | None
    parsed_ok: bool
    secret: bytes
    contract: ContractDocument | None = None
    undecidable_allowed: bool = False


@dataclass(frozen=True)
class FunctionSpan:
    """A function or class of an old file. `kind` is "f" or "c", `name` dotted from the module,
    `first` and `last` its lines, counted from 1."""

    kind: str
    name: str
    first: int
    last: int


@dataclass(frozen=True)
class PatchCase:
    """An answer to a scenario whose gold patch is known, judged without a model.

    `response` is a unified diff or a text that holds one. Paths are relative to the root of the
    repository. `functions` (by path) and `old_files` (path -> text at the base commit) sharpen
    the places where they are known; nothing needs them. `persona` is the mean persona mark (1-10)
    of a linked judgement by a model, None without one.
    """

    rubric: RubricDocument
    scenario: str
    gold_patch: str
    response: str
    test_patch: str = ""
    issue: str = ""
    functions: Mapping[str, tuple[FunctionSpan, ...]] = field(default_factory=dict)
    old_files: Mapping[str, str] = field(default_factory=dict)
    persona: Fraction | None = None


# --- out --------------------------------------------------------------------------------------


class Flag(StrEnum):
    """Things to know about a verdict. None of them changes its number."""

    REPAIRED = "repaired"  # the reply's JSON was repaired without touching any string
    COERCED = "coerced"  # a bare numeral string was read as a number
    STATED_DIFFERS = "stated_differs"  # the judge stated a figure that its marks do not give
    UNKNOWN_DIMENSION = "unknown_dimension"
    INVENTED_ID = "invented_id"
    EVIDENCE_NOT_FOUND = "evidence_not_found"
    CLAIM_CONFLICT = "claim_conflict"  # a claim matched an item and was ruled something else
    FOUND_WITHOUT_EVIDENCE = "found_without_evidence"
    EMPTY_ANSWER = "empty_answer"  # the candidate answered nothing: no request was made
    ESCAPED_TEXT = "escaped_text"  # NUL or lone surrogates are shown as visible escapes
    REASKED = "reasked"
    IGNORED_BLOCKS = "ignored_blocks"
    REUSED = "reused"  # the judge's decisions are those of an earlier verdict: no request was made
    NO_PATCH = "no_patch"  # text without a diff, code with its path or a search/replace block
    MALFORMED_PATCH = "malformed_patch"  # a hunk or header is broken: never counted as applied
    UNSAFE_PATH = "unsafe_path"  # a path outside of the repository, without credit
    LINE_ENDS = "line_ends"  # the patch's line ends are not those of the gold patch
    BINARY_PATCH = "binary_patch"  # binary changes, not comparable unless equal
    NO_CODE_CHANGE = "no_code_change"  # comments, docstrings and white space alone
    SAME_AS_GOLD = "same_as_gold"  # the gold patch, token by token, at the same places
    CUT_SHORT = "cut_short"  # too large to be compared whole


@dataclass(frozen=True)
class Mark:
    """One 1-10 value the judge gave. `band` is "7-8"; a decimal belongs to the band below it
    only where it does not reach the next one (7.5 is 7-8, 8.5 is 7-8, 9 is 9-10).

    In comparisons `contestant` is the contestant's label and `order` the label of the prompt.
    """

    key: str
    label: str
    dimension: str
    value: Fraction
    reasoning: str = ""
    band: str = ""
    coerced: bool = False
    contestant: str = ""
    order: str = ""


class FindingKind(StrEnum):
    BASELINE = "baseline"
    BONUS = "bonus"
    NOVEL = "novel"
    FALSE_POSITIVE = "false_positive"


@dataclass(frozen=True)
class Finding:
    """One checklist item, behaviour or claim. `found` also means shown (behaviours) and
    valid (novel). `evidence_at` is (start, end) in the response, when verified."""

    kind: FindingKind
    item_id: str
    category: str
    description: str
    weight: int
    found: bool
    evidence: str = ""
    evidence_state: EvidenceState = EvidenceState.NONE
    evidence_at: tuple[int, int] | None = None
    reasoning: str = ""
    contestant: str = ""
    order: str = ""


class DecidedBy(StrEnum):
    RULE = "rule"  # no response, or one that is not JSON: no contract needs to be asked
    CONTRACT = "contract"
    JUDGE = "judge"


@dataclass(frozen=True)
class Check:
    """One dimension that holds or does not; `ok` None: undecidable.

    `rationale` is one sentence. `worst_offender` is one line quoted from the response, only where
    the dimension failed; `evidence_at` is (start, end) in the response, when it stands there.
    """

    key: str
    ok: bool | None
    rationale: str
    worst_offender: str = ""
    decided_by: DecidedBy = DecidedBy.JUDGE
    evidence_state: EvidenceState = EvidenceState.NONE
    evidence_at: tuple[int, int] | None = None


@dataclass(frozen=True)
class Step:
    """One line of the written-out arithmetic: name, formula with its numbers, value.
    `value` None means undefined (0/0) and is shown as a dash."""

    name: str
    expression: str
    value: Fraction | None
    note: str = ""


@dataclass(frozen=True)
class Stated:
    """A figure the judge stated, beside ours. Kept as said, never used."""

    name: str
    stated: str
    computed: str
    differs: bool


@dataclass(frozen=True)
class Verdict:
    """A valid outcome. `parts` are the rubric's weighted parts and the metrics (recall, ...).

    Modes that decide dimensions instead of marking them have `checks` and no total; those that
    compare have a `comparison` and no total; coherence has a `rating` and no total.
    `extra` is what only this mode's page shows, fit for JSON; the mode's file says what it holds.
    """

    total: Fraction | None
    total_without_persona: Fraction | None
    parts: Mapping[str, Fraction | None]
    working: tuple[Step, ...]
    marks: tuple[Mark, ...] = ()
    findings: tuple[Finding, ...] = ()
    stated: tuple[Stated, ...] = ()
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    assessment: str = ""
    replies: tuple[Reply, ...] = ()
    checks: tuple[Check, ...] = ()
    comparison: Comparison | None = None
    rating: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """True where every check holds, False where one fails. None: there are no checks, or
        none fails and one is undecidable."""
        decisions = [check.ok for check in self.checks]
        if False in decisions:
            return False
        return None if None in decisions or not decisions else True


Outcome = Verdict | Unjudged


@dataclass(frozen=True)
class Reading:
    """What was read from one valid reply, before any arithmetic."""

    marks: tuple[Mark, ...]
    findings: tuple[Finding, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    assessment: str = ""
    checks: tuple[Check, ...] = ()
    rating: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


C = TypeVar("C", contravariant=True)


class Mode(Protocol[C]):
    """A judge mode: one file, one registry line. Stateless. `C` is the kind of case it judges.

    `check` raises CaseRefused (R10). `without_request` gives the verdict on a case about which
    nobody needs to be asked, else None. `prompts` gives one prompt per order.
    `read` takes the JSON object of the reply to the prompt of that label and returns a Reading
    or a Fault (R4, R5).
    `score` computes the verdict from one reading per prompt; it asks nobody."""

    name: ClassVar[str]
    label: ClassVar[str]
    prompt_version: ClassVar[str]
    min_reply_characters: ClassVar[int]

    def check(self, case: C) -> None: ...

    def without_request(self, case: C) -> Verdict | None: ...

    def prompts(self, case: C) -> tuple[Prompt, ...]: ...

    def read(self, case: C, payload: Mapping[str, Any], label: str = FIRST) -> Reading | Fault: ...

    def score(self, case: C, readings: tuple[Reading, ...]) -> Verdict: ...
