"""The seed's `--mode` and `--data`: one judgement asked for with all that it needs.

The task becomes an inline scenario, the gold standard its calibration anchor, the answer a response
of a run. The same data asked for again is the same scenario and the same response.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from judgeweb.access import audit
from judgeweb.judging.documents import GoldDocument, ScenarioDocument, canonical_json, digest
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.text import is_blank, shown, visible
from rubrics_app.importers import FileRefused, Note
from rubrics_app.importers.json_tree import read_json
from rubrics_app.importers.scenario import read_scenario
from rubrics_app.models import Scenario
from rubrics_app.scenarios import inline_key, save_gold, save_scenario
from verdicts_app.intake import fields, same_texts
from verdicts_app.intake.fields import ABSENT, folded
from verdicts_app.intake.receipts import Tally
from verdicts_app.intake.responses import check_run_id
from verdicts_app.intake.shapes import CONTROL, NAME, Answer, Found, Subject, one_line
from verdicts_app.intake.store import store
from verdicts_app.intake.usage import Usage
from verdicts_app.models import ResponseFlag, ResponseOutcome

SOLO = "solo"
LATER = (
    "compare",
    "phase-sm",
    "phase-tea",
    "phase-dev",
    "phase-reviewer",
    "coherence",
    "swebench",
    "ground-truth",
)
REQUIRED = ("spec", "character", "challenge", "response")
LISTS = {
    "baseline_issues": "bonus_issues",
    "baseline_criteria": "bonus_criteria",
}
OPTIONAL = ("code", *LISTS, *LISTS.values(), "gold_standard")
UNLESS_CONTROL = f"; only a control has none: mark one by the theme in its spec, '{CONTROL}:role'"
DEFAULT_RUN = "judgements"
PLACEHOLDER = "inline"


@dataclass(frozen=True)
class TakenIn:
    """What is to be judged. `use_gold` says that the request brought a gold standard."""

    response_ids: tuple[int, ...]
    mode: str
    spec: str
    use_gold: bool


def take_in(
    data: Mapping[str, Any],
    *,
    mode: str,
    run_id: str = DEFAULT_RUN,
    user: User | None,
    actor: str,
) -> TakenIn:
    """Raise CaseRefused, naming the field, before anything is stored; RunRefused for the run."""
    check_mode(mode)
    check_run_id(run_id)
    check_data(data)
    document, gold = _documents(data)
    scenario = _save(document, gold, user=user, actor=actor)
    tally = Tally(run_id)
    found = Found("data", "", data, _answer(data, scenario))
    store([found], tally, scenarios={scenario.key: scenario}, user=user)
    same_texts.flag(tally.response_ids)
    if tally.response_ids:
        audit.record(actor=actor, action="take in judgement data", target=run_id)
    ids = tuple(tally.response_ids or tally.known_ids)
    return TakenIn(ids, mode, found.subject.spec, use_gold=gold is not None)


# --- what is refused ----------------------------------------------------------------------------


def check_mode(mode: str) -> None:
    if mode == SOLO:
        return
    if mode in LATER:
        raise CaseRefused(
            "mode", f"mode {mode!r} is not available in this version; {SOLO!r} is", mode
        )
    known = ", ".join((SOLO, *LATER))
    raise CaseRefused("mode", f"unknown mode {mode[:80]!r}: expected one of {known}", mode)


def check_data(data: Any) -> None:
    """The rules of R10 that can be seen in the values alone."""
    if not isinstance(data, Mapping):
        raise CaseRefused("data", f"expected an object, not {shown(data)}", data)
    unknown = sorted(data.keys() - {*REQUIRED, *OPTIONAL})
    if unknown:
        known = ", ".join((*REQUIRED, *OPTIONAL))
        first = unknown[0]
        raise CaseRefused(first, f"unknown field: expected some of {known}", data[first])
    for field in REQUIRED:
        _check_text(data, field)
    if (length := len(folded(data["spec"]))) > NAME:
        raise CaseRefused("spec", f"{length} characters; at most {NAME} are allowed", data["spec"])
    _check_lists(data)


def _check_text(data: Mapping[str, Any], field: str) -> None:
    value = data.get(field)
    if field == "character" and value in (None, "") and _is_control(data):
        return
    unless = UNLESS_CONTROL if field == "character" else ""
    if value is None:
        raise CaseRefused(field, f"missing: this mode requires it{unless}")
    if not isinstance(value, str):
        raise CaseRefused(field, f"expected text, not {shown(value)}", value)
    # An empty answer is the candidate's failure, not the caller's: it is judged as 0.
    if field != "response" and is_blank(value):
        raise CaseRefused(field, f"empty: this mode requires it{unless}", value)


def _is_control(data: Mapping[str, Any]) -> bool:
    return str(data.get("spec")).partition(":")[0].strip().lower() == CONTROL


def _check_lists(data: Mapping[str, Any]) -> None:
    given = [name for name in LISTS if data.get(name) is not None]
    if len(given) > 1:
        raise CaseRefused(
            "baseline_criteria",
            "baseline_issues is given as well: they are two instruments",
            data["baseline_criteria"],
        )
    for baseline, bonus in LISTS.items():
        if data.get(bonus) and baseline not in given:
            raise CaseRefused(
                bonus, f"extra credit needs {baseline}, which is not given", data[bonus]
            )


# --- what is stored -----------------------------------------------------------------------------


def _documents(data: Mapping[str, Any]) -> tuple[ScenarioDocument, GoldDocument | None]:
    """The inline scenario and its gold standard, read as a scenario file is."""
    file = {
        "name": PLACEHOLDER,
        "title": one_line(data["challenge"], most=120),
        "prompt": data["challenge"],
        **{key: data[key] for key in OPTIONAL if data.get(key) is not None},
    }
    notes: list[Note] = []
    try:
        reading = read_scenario(read_json(json.dumps(file), notes), notes)
    except FileRefused as refused:
        place = "challenge" if refused.note.place == "prompt" else refused.note.place or "data"
        raise CaseRefused(place, refused.note.message, _at(data, place)) from refused
    for name in LISTS:
        if data.get(name) is not None and not getattr(reading.document, name):
            raise CaseRefused(name, "empty: a checklist needs at least one item", data[name])
    return _named(reading.document, reading.gold)


def _at(data: Mapping[str, Any], place: str) -> Any:
    """What stands at a place like "gold_standard.score"; None where that is no plain path."""
    value = fields.first(data, place)[1]
    return None if value is ABSENT else value


def _named(
    document: ScenarioDocument, gold: GoldDocument | None
) -> tuple[ScenarioDocument, GoldDocument | None]:
    """By content, the gold standard's included: the same task with another anchor is another
    inline scenario, so that neither request changes what the other is judged with."""
    texts = [canonical_json(part) for part in (document, gold) if part is not None]
    key = inline_key(digest("\n".join(texts)))
    named = gold.model_copy(update={"scenario": key}) if gold else None
    return document.model_copy(update={"name": key}), named


def _save(
    document: ScenarioDocument, gold: GoldDocument | None, *, user: User | None, actor: str
) -> Scenario:
    scenario = save_scenario(document, user=user, actor=actor, is_inline=True).scenario
    if gold:
        save_gold(gold, user=user, actor=actor)
    return scenario


def _answer(data: Mapping[str, Any], scenario: Scenario) -> Answer:
    spec = folded(data["spec"])
    theme, _, role = spec.partition(":")
    subject = Subject(
        spec=spec,
        theme=theme if role else "",
        role=role[:100],
        character=one_line(data.get("character") or "", most=300),
        scenario=scenario.key,
        source_id="",
    )
    return Answer(
        subject=subject,
        outcome=ResponseOutcome.ANSWERED,
        text=data["response"],
        failure="",
        model="",
        answered_at=None,
        turns=None,
        duration_ms=None,
        usage=Usage(),
        flags=(ResponseFlag.ESCAPED_TEXT,) if visible(data["response"])[1] else (),
        warnings=(),
    )
