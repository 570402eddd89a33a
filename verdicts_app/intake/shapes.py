"""Run results in the shapes that people have: A1 CLI envelope, A2 result row, A3 summary, and
predictions of SWE-bench.

One document in, one `Answer` or `Summary` out, or FieldRefused. Nothing here touches the database.

A file that says success false (or is_error true), or whose answer is null, is a failed run: it
carries no answer, whatever text stands in it. A file without any answer field that does not say
that it failed is a summary (A3): it adds to an answer and is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from judgeweb.judging.text import shown, visible
from verdicts_app.intake import fields
from verdicts_app.intake.fields import ABSENT, FieldRefused
from verdicts_app.intake.hints import what_it_is
from verdicts_app.intake.predictions import as_answer
from verdicts_app.intake.themes import slug
from verdicts_app.intake.usage import Usage, model_of, usage_of
from verdicts_app.models import ResponseFlag, ResponseOutcome

ANSWER = ("result", "response", "response_text", "proof.agent_response_text")
ROLES = ("source_role", "role", "agent", "effective_role")
"""Where a character comes from, before what it plays; across roles the other way round."""
NAME = 200
CONTROL = "control"


@dataclass(frozen=True)
class Subject:
    """Who answered what. `source_id` is the document's own id, "" where it has none."""

    spec: str
    theme: str
    role: str
    character: str
    scenario: str
    source_id: str

    @property
    def is_control(self) -> bool:
        return self.theme.lower() == CONTROL


@dataclass(frozen=True)
class Answer:
    """`text` is lossless and empty for a failed run, which says why in `failure`."""

    subject: Subject
    outcome: ResponseOutcome
    text: str
    failure: str
    model: str
    answered_at: datetime | None
    turns: int | None
    duration_ms: int | None
    usage: Usage
    flags: tuple[ResponseFlag, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """A document about an answer (A3), to be kept with it."""

    subject: Subject


@dataclass(frozen=True)
class Found:
    """One document of an upload that could be read, with the place where it stands."""

    file: str
    place: str
    document: Mapping[str, Any]
    reading: Answer | Summary

    @property
    def subject(self) -> Subject:
        return self.reading.subject


def read(document: Any, *, spec: str, scenario: str, zone: tzinfo) -> Answer | Summary:
    """`spec` and `scenario` are for documents that name none. Raise FieldRefused."""
    if not isinstance(document, Mapping):
        raise FieldRefused("document", what_it_is(document))
    document = as_answer(document)
    answer_field, value = fields.first(document, *ANSWER)
    failure = failure_of(document, value)
    if value is ABSENT and not failure:
        _check_is_summary(document)
        return Summary(subject_of(document, spec=spec, scenario=scenario))
    if value is not ABSENT and value is not None and not isinstance(value, str):
        raise FieldRefused(answer_field, f"expected text, not {shown(value)}", value)
    return _answer(
        document,
        subject=subject_of(document, spec=spec, scenario=scenario),
        text="" if failure else str(value),
        failure=failure,
        zone=zone,
    )


def _answer(
    document: Mapping[str, Any], *, subject: Subject, text: str, failure: str, zone: tzinfo
) -> Answer:
    when = fields.moment(document, "timestamp", "answered_at", zone=zone)
    turns = fields.whole(document, "num_turns", most=2**31 - 1)
    seen = {
        ResponseFlag.SEVERAL_TURNS: turns is not None and turns > 1,
        ResponseFlag.NAIVE_TIME: when is not None and when.is_naive,
        ResponseFlag.ESCAPED_TEXT: visible(text)[1],
    }
    flags = tuple(flag for flag, is_seen in seen.items() if is_seen)
    return Answer(
        subject=subject,
        outcome=ResponseOutcome.FAILED if failure else ResponseOutcome.ANSWERED,
        text=text,
        failure=failure,
        model=model_of(document),
        answered_at=when.at if when else None,
        turns=turns,
        duration_ms=fields.whole(document, "duration_ms", cut=True),
        usage=usage_of(document),
        flags=flags,
        warnings=tuple(str(flag.label) for flag in flags),
    )


def failure_of(document: Mapping[str, Any], answer: Any) -> str:
    """Why the agent's run failed, in at most 300 characters; "" where it did not."""
    success, is_error = fields.truth(document, "success"), fields.truth(document, "is_error")
    subtype = fields.text(document, "subtype", most=100)
    if (
        success is not False
        and is_error is not True
        and answer is not None
        and not subtype.startswith("error")
    ):
        return ""
    _, error = fields.first(document, "error", "failure_kind")
    words = [word for word in (error, subtype, answer) if isinstance(word, str) and word.strip()]
    reason = ": ".join(word for word in words if word != "success")
    return one_line(reason or ("no answer" if answer is None else "failed"), most=300)


def one_line(text: str, *, most: int) -> str:
    """Fit for a column: unsendable characters escaped, white space folded, cut."""
    line = fields.folded(text)
    return line if len(line) <= most else line[: most - 1] + "…"


def _check_is_summary(document: Mapping[str, Any]) -> None:
    if fields.truth(document, "success") is True:
        return
    expected = f"no answer text: expected it under one of {', '.join(ANSWER)}"
    raise FieldRefused("document", what_it_is(document) or expected)


def subject_of(document: Mapping[str, Any], *, spec: str, scenario: str) -> Subject:
    """Who answered what. Raise FieldRefused where nobody says so."""
    theme = fields.name(document, "theme", most=NAME)
    character = fields.name(document, "character", most=300)
    is_across = fields.truth(document, "cross_role") is True
    role = fields.name(document, *(ROLES[::-1] if is_across else ROLES), most=100)
    called = role
    if is_across:
        called = fields.name(document, "character_slug", most=NAME) or slug(character) or role
    own = fields.name(document, "spec", most=NAME)
    name = own or (f"{theme}:{called}" if theme and called else fields.folded(spec))
    task = fields.text(document, "scenario", most=NAME) or visible(scenario.strip())[0]
    for field, value in (("spec", name), ("scenario", task)):
        if not value:
            beside = f"?{field}= or --{field} beside it"
            raise FieldRefused(field, f"missing: name it in the document, or with {beside}")
        if len(value) > NAME:
            raise FieldRefused(field, f"{len(value)} characters; at most {NAME} are allowed", value)
    before, _, after = name.partition(":")
    return Subject(
        spec=name,
        theme=theme or (before if after else ""),
        role=(role or after)[:100],
        character=character,
        scenario=task,
        source_id=fields.text(document, "run_id", most=NAME),
    )
