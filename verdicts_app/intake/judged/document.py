"""A whole document about a judgement: whose verdict, on what, by which judge, with which figures.

The judge's words stand under one of WORDS, or the document is the judge's object itself. An agent's
answer is never searched for a verdict: only who sends it can say that an envelope or a text is a
judge's (`is_verdict`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any

from judgeweb.judging.text import shown
from judgeweb.judging.types import Verdict
from verdicts_app.intake import exact, fields, shapes
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged import SHEETS, contest, sheet_of, statement, step6
from verdicts_app.intake.judged.figures import stated_figure, totals_in, with_stated
from verdicts_app.intake.judged.texts import Said, said_in
from verdicts_app.intake.judged.types import Given, Judged
from verdicts_app.intake.shapes import ANSWER, Subject
from verdicts_app.intake.usage import Usage, model_of, usage_of

WORDS = ("judge_response", "evaluation", "judge_output", "judge_reply")
IDS = ("run_id", "run_number", "id")
TIMES = ("judged_at", "judge_timestamp", "timestamp")
NAME = 200
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:[_.](\d{1,6}))?(Z?)")


@dataclass(frozen=True)
class About:
    """Whose verdict it is, and what the document says around it. `source_id` names the answer
    ("" where the document names none), `said_at` tells several judgings of it apart. A comparison
    is of `subject` and `second`."""

    subject: Subject
    second: Subject | None
    judge: str
    judged_at: datetime | None
    said_at: str
    usage: Usage
    warnings: tuple[str, ...]


def is_judged(document: Any, *, is_verdict: bool) -> bool:
    """Whether the document holds a judge's result."""
    if not isinstance(document, Mapping) or {"name", "prompt"} <= document.keys():
        return False  # a scenario has a scoring block of its own
    if step6.is_step6(document):
        return True
    if any(isinstance(document.get(key), str | dict) for key in WORDS) or sheet_of(document):
        return True
    return is_verdict and any(isinstance(document.get(key), str) for key in ANSWER[:3])


def has_answer(document: Mapping[str, Any], *, is_verdict: bool) -> bool:
    """Whether the answer that was judged came along."""
    path, value = fields.first(document, *ANSWER)
    if value is fields.ABSENT or not isinstance(value, str) or step6.is_result(document):
        return False
    return not (is_verdict and _field_of_words(document, is_verdict=True) == path)


def about(
    document: Mapping[str, Any], *, spec: str, scenario: str, is_verdict: bool, zone: tzinfo
) -> About:
    """`spec` and `scenario` are for documents that name none. Raise FieldRefused."""
    flat = _flat(document)
    subject, second = _subjects(document, flat, spec, scenario, is_verdict=is_verdict)
    both = has_answer(document, is_verdict=is_verdict)
    # With its answer beside it, the document is known by what the answer is known by.
    ids = IDS[:1] if both else IDS
    source_id = next((found for key in ids if (found := fields.text(flat, key, most=NAME))), "")
    at, said_at, warnings = _moment(flat, TIMES[:2] if both else TIMES, zone)
    judges = exact.plain(flat)
    return About(
        subject=replace(subject, source_id=source_id),
        second=second and replace(second, source_id=source_id),
        judge=_judge(judges, has_answer=both),
        judged_at=at,
        said_at=said_at,
        usage=Usage() if both else usage_of(judges),
        warnings=warnings,
    )


def _subjects(
    document: Mapping[str, Any],
    flat: Mapping[str, Any],
    spec: str,
    scenario: str,
    *,
    is_verdict: bool,
) -> tuple[Subject, Subject | None]:
    """Whose answers were judged: that of the document's persona, or of the two that it compares."""
    specs = _specs(document, is_verdict=is_verdict)
    if not specs:
        return shapes.subject_of(flat, spec=spec, scenario=scenario), None
    about = {key: flat[key] for key in ("scenario", "run_id") if key in flat}
    if len(specs) == 1 and flat.get("spec"):
        specs = [flat["spec"]]
    first, *others = (shapes.subject_of(about, spec=one, scenario=scenario) for one in specs)
    return first, next(iter(others), None)


def _specs(document: Mapping[str, Any], *, is_verdict: bool) -> list[str]:
    """Those that the judge's object names itself; empty where it is about the one beside it."""
    if step6.is_step6(document):
        return [contest.spec_of(one, document["mode"]) for one in step6.names_in(document)]
    field = _field_of_words(document, is_verdict=is_verdict)
    words = document[field] if field else document
    payload = words if isinstance(words, Mapping) else said_in(words, field).payload
    if payload is None or not contest.matches(payload):
        return []
    compared = contest.contest_in(payload)
    return [contest.spec_of(one, compared.mode) for one in compared.names]


def read(document: Mapping[str, Any], given: Given, *, is_verdict: bool) -> tuple[str, Judged]:
    """The name of the shape, and the verdict recomputed. Raise FieldRefused."""
    if step6.is_step6(document):
        return step6.read(document, given)
    field = _field_of_words(document, is_verdict=is_verdict)
    if not field:
        return _of_payload(document, given, Said("", document), {})
    words = document[field]
    said = Said("", words) if isinstance(words, Mapping) else said_in(words, field)
    beside = {} if field in ANSWER else totals_in(document)
    if said.payload is None:
        judged = statement.read(said.text, beside)
        if said.why:
            judged = replace(judged, verdict=_noted(judged.verdict, f"Not read: {said.why}."))
        return "statement", judged
    return _of_payload(said.payload, given, said, beside)


def _of_payload(
    payload: Mapping[str, Any], given: Given, said: Said, beside: dict[str, Any]
) -> tuple[str, Judged]:
    name = sheet_of(payload)
    if not name:
        raise FieldRefused("document", f"no shape of a judge's result: {shown(payload)}")
    judged = SHEETS[name].read(payload, given)
    verdict = replace(
        judged.verdict,
        flags=(*said.flags, *judged.verdict.flags),
        notes=(*said.notes, *judged.verdict.notes),
    )
    figures = [
        stated_figure(key, value, verdict.total)
        for key, value in {**totals_in(payload), **beside}.items()
    ]
    return name, replace(judged, verdict=with_stated(verdict, figures))


def _noted(verdict: Verdict, note: str) -> Verdict:
    return replace(verdict, notes=(*verdict.notes, note))


def _field_of_words(document: Mapping[str, Any], *, is_verdict: bool) -> str:
    """The key of the judge's words; "" where the document is the judge's object itself."""
    for key in WORDS:
        if isinstance(document.get(key), str | dict):
            return key
    if sheet_of(document) or not is_verdict:
        return ""
    return next((key for key in ANSWER[:3] if isinstance(document.get(key), str)), "")


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """`agent: {theme, role, spec}` and `scenario: {name}` as keys of their own."""
    flat = dict(document)
    agent, scenario = document.get("agent"), document.get("scenario")
    if isinstance(agent, Mapping):
        flat.pop("agent")
        flat = {
            **{k: agent[k] for k in ("spec", "theme", "role", "character") if k in agent},
            **flat,
        }
    if isinstance(scenario, Mapping):
        flat["scenario"] = scenario.get("name")
    return flat


def _judge(document: Mapping[str, Any], *, has_answer: bool) -> str:
    """The judge's model, else the tool's name; "" where neither is named."""
    named = fields.text(document, "judge_model", "judge", most=NAME)
    if named:
        return named
    usage = document.get("judge_model_usage")
    if isinstance(usage, Mapping):
        return model_of({"model_usage": usage})
    if not has_answer and (model := model_of(document)):
        return model
    method = fields.text(document, "judge_method", most=100)
    return f"{method} {fields.text(document, 'judge_version', most=50)}".strip()


def _moment(
    document: Mapping[str, Any], paths: tuple[str, ...], zone: tzinfo
) -> tuple[datetime | None, str, tuple[str, ...]]:
    """When it was judged, as it was written too, and what to know about it."""
    path, value = fields.first(document, *paths)
    if value is fields.ABSENT or value is None:
        return None, "", ()
    written = fields.text(document, path, most=100)
    compact = _COMPACT.fullmatch(written)
    if compact:
        date, clock, part = (
            "-".join(compact.groups()[:3]),
            ":".join(compact.groups()[3:6]),
            compact[7],
        )
        iso = f"{date}T{clock}{'.' + part if part else ''}{'+00:00' if compact[8] else ''}"
        moment = fields.moment({path: iso}, path, zone=zone)
    else:
        moment = fields.moment(document, path, zone=zone)
    if moment is None:
        return None, "", ()
    is_naive = ("its time named no zone: read in the installation's",) if moment.is_naive else ()
    return moment.at, written, is_naive
