"""The answers that come with a request, stored in its run as uploaded ones are: each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User

from judgeweb.access import audit
from judgeweb.judging.text import visible
from rubrics_app.models import Scenario
from verdicts_app.intake import same_texts
from verdicts_app.intake.fields import folded
from verdicts_app.intake.receipts import Tally
from verdicts_app.intake.shapes import Answer, Found, Subject, one_line
from verdicts_app.intake.store import store
from verdicts_app.intake.usage import Usage
from verdicts_app.models import ResponseFlag, ResponseOutcome


@dataclass(frozen=True)
class Taken:
    """Where a request's data goes, and who sent it."""

    run_id: str
    user: User | None
    actor: str


@dataclass(frozen=True)
class Given:
    """An answer as the request gives it. `document` is what is hashed: equal ones are one answer.
    `theme` and `role` are parts of `spec` where they are not given apart."""

    spec: str
    text: str
    document: Mapping[str, Any] = field(repr=False)
    character: str = ""
    theme: str = ""
    role: str = ""


def store_answers(given: Sequence[Given], scenario: Scenario, to: Taken) -> list[int]:
    """The ids of the responses, in order; those that are stored already are found."""
    ids = [_store(one, scenario, to) for one in given]
    new = [pk for pk, is_new in ids if is_new]
    same_texts.flag(new)
    if new:
        audit.record(actor=to.actor, action="take in judgement data", target=to.run_id)
    return [pk for pk, _ in ids]


def _store(given: Given, scenario: Scenario, to: Taken) -> tuple[int, bool]:
    tally = Tally(to.run_id)
    found = Found("data", "", given.document, _answer(given, scenario))
    store([found], tally, scenarios={scenario.key: scenario}, user=to.user)
    return (*tally.response_ids, *tally.known_ids)[0], bool(tally.response_ids)


def _answer(given: Given, scenario: Scenario) -> Answer:
    spec = folded(given.spec)
    theme, _, role = spec.partition(":")
    subject = Subject(
        spec=spec,
        theme=given.theme or (theme if role else ""),
        role=(given.role or role)[:100],
        character=one_line(given.character, most=300),
        scenario=scenario.key,
        source_id="",
    )
    return Answer(
        subject=subject,
        outcome=ResponseOutcome.ANSWERED,
        text=given.text,
        failure="",
        model="",
        answered_at=None,
        turns=None,
        duration_ms=None,
        usage=Usage(),
        flags=(ResponseFlag.ESCAPED_TEXT,) if visible(given.text)[1] else (),
        warnings=(),
    )
