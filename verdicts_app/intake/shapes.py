"""Run results in the shapes that people have: A1 CLI envelope, A2 result row, A3 summary, and
predictions for SWE-bench.

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
from verdicts_app.intake import fields, predictions
from verdicts_app.intake.fields import ABSENT, FieldRefused
from verdicts_app.intake.usage import Usage, model_of, usage_of
from verdicts_app.models import ResponseFlag, ResponseOutcome

ANSWER = ("result", "response", "response_text", "proof.agent_response_text")
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
        raise FieldRefused("document", f"expected an object, not {shown(document)}")
    if predictions.is_prediction(document):
        document = predictions.as_result(document)
    answer_field, value = fields.first(document, *ANSWER)
    failure = _failure(document, value)
    if value is ABSENT and not failure:
        _check_is_summary(document)
        return Summary(_subject(document, spec=spec, scenario=scenario))
    if value is not ABSENT and value is not None and not isinstance(value, str):
        raise FieldRefused(answer_field, f"expected text, not {shown(value)}", value)
    return _answer(
        document,
        subject=_subject(document, spec=spec, scenario=scenario),
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


def _failure(document: Mapping[str, Any], answer: Any) -> str:
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
    if document.keys() & {"judge_response", "evaluation", "scoring", "weighted_total"}:
        raise FieldRefused("document", "this is a judge's result, not an agent's answer")
    raise FieldRefused("document", f"no answer text: expected it under one of {', '.join(ANSWER)}")


def _subject(document: Mapping[str, Any], *, spec: str, scenario: str) -> Subject:
    theme = fields.name(document, "theme", most=NAME)
    role = fields.name(document, "source_role", "role", "agent", "effective_role", most=100)
    own = fields.name(document, "spec", most=NAME) or (f"{theme}:{role}" if theme and role else "")
    name = own or fields.folded(spec)
    task = fields.text(document, "scenario", most=NAME) or visible(scenario.strip())[0]
    for field, value in (("spec", name), ("scenario", task)):
        if not value:
            raise FieldRefused(field, f"missing: name it in the document or as ?{field}=")
        if len(value) > NAME:
            raise FieldRefused(field, f"{len(value)} characters; at most {NAME} are allowed", value)
    before, _, after = name.partition(":")
    return Subject(
        spec=name,
        theme=theme or (before if after else ""),
        role=(role or after)[:100],
        character=fields.name(document, "character", most=300),
        scenario=task,
        source_id=fields.text(document, "run_id", most=NAME),
    )
