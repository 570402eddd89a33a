"""Who and what a verdict or judgement is about, as headings and lists name it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rubrics_app.models import Revision
from verdicts_app.models import PHASES, Chain, Judgement, Pair, Response, Verdict

SUBJECTS_RELATED = (
    "response__persona",
    "response__run",
    "capture__run",
    "pair__first__persona",
    "pair__first__run",
    "pair__second__persona",
    "chain__run",
    *(f"chain__{phase}__run" for phase in PHASES),
    *(f"chain__{phase}__persona" for phase in PHASES),
)
"""For select_related, so that naming a subject takes no query."""
SUBJECT_TEXTS = (
    "response__text",
    "pair__first__text",
    "pair__second__text",
    *(f"chain__{phase}__text" for phase in PHASES),
    "capture__user_content",
    "capture__response_content",
    "capture__originals",
    "capture__extras",
)
"""For defer, where a list names its subjects and shows no answer."""
GOLD_ANSWER = "gold answer"
PHASE_NAMES = {"sm": "SM", "tea": "TEA", "dev": "Dev", "reviewer": "Reviewer"}


class SubjectIds(NamedTuple):
    """Which of the kinds that have pages of their own; a verdict on a response has none."""

    capture_id: int | None
    pair_id: int | None
    chain_id: int | None


def subject_of(verdict_id: int) -> SubjectIds | None:
    """None where there is no such verdict."""
    found = Verdict.objects.filter(pk=verdict_id).values_list(*SubjectIds._fields).first()
    return SubjectIds(*found) if found else None


@dataclass(frozen=True)
class Answer:
    """One of the answers that are judged together."""

    name: str
    response: Response


def answers_of(row: Judgement | Verdict) -> tuple[Answer, ...]:
    """In the order in which they are stored."""
    if row.pair is not None:
        return tuple(Answer(one.persona.spec, one) for one in (row.pair.first, row.pair.second))
    if row.chain is not None:
        named = zip(PHASES, row.chain.responses, strict=True)
        return tuple(Answer(PHASE_NAMES[phase], response) for phase, response in named)
    return (Answer(row.response.persona.spec, row.response),) if row.response else ()


def who_of(row: Judgement | Verdict) -> str:
    """Of a captured call its call type."""
    if row.capture is not None:
        return row.capture.call_type
    if row.pair is not None:
        return " against ".join(answer.name for answer in answers_of(row))
    if row.chain is not None:
        return str(row.chain)
    if row.gold_answer_id is not None:
        return GOLD_ANSWER
    return row.response.persona.spec if row.response else ""


def models_of(verdict: Verdict) -> list[str]:
    """The models that gave what is judged; of a gold standard none."""
    if verdict.capture is not None:
        return [verdict.capture.model]
    return [answer.response.model for answer in answers_of(verdict)]


def same_subject(row: Judgement | Verdict) -> Mapping[str, Response | Pair | Chain | Revision]:
    """The condition under which another row is about the same thing."""
    kinds = {
        "response": row.response,
        "pair": row.pair,
        "chain": row.chain,
        "gold_answer": row.gold_answer,
    }
    return {kind: subject for kind, subject in kinds.items() if subject is not None}
