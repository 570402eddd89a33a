"""One small world for the tests of the core: rubrics, scenarios, cases, replies.

Contestants answer as the keeper of a lighthouse. Marks of a plain reply are 8, 7, 9, 8.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

from judgeweb.judging.conversation import judge
from judgeweb.judging.documents import (
    ChecklistItem,
    GoldDocument,
    RubricDocument,
    ScenarioDocument,
    load_document,
)
from judgeweb.judging.errors import ProviderError
from judgeweb.judging.modes import mode_named
from judgeweb.judging.providers.scripted import ScriptedAsk
from judgeweb.judging.sheets import SHEETS
from judgeweb.judging.types import (
    Case,
    ChainCase,
    Contestant,
    Outcome,
    Reply,
    Unjudged,
    Usage,
    Verdict,
)

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
SEED = ROOT / "rubrics_app" / "seed"
SECRET = b"secret of the tests"
PLANTED_SECRET = b"another secret"
RESPONSE = "The lock is\n never released. A refund of minus ten charges the guest."
REASON = "It names the cause and what follows from it, in the order a reader needs."


def rubric(mode: str) -> RubricDocument:
    documents = [
        document
        for name in ("rubrics.json", "comparison_rubrics.json")
        for document in json.loads((SEED / name).read_text(encoding="utf-8"))
    ]
    return next(
        load_document(RubricDocument, document)
        for document in documents
        if document["mode"] == mode
    )


def items(**counts: int) -> tuple[ChecklistItem, ...]:
    """items(critical=2) -> C1, C2; ids start with the category's first letter."""
    return tuple(
        ChecklistItem(
            id=f"{category[0].upper()}{n}", category=category, description=f"{category} {n}"
        )
        for category, count in counts.items()
        for n in range(1, count + 1)
    )


def scenario(**values: Any) -> ScenarioDocument:
    return ScenarioDocument(
        **{"name": "refunds", "challenge": "Review the refund service.", **values}
    )


def solo(response: str = RESPONSE, **values: Any) -> Case:
    return case("solo", scenario(), response, **values)


def checklist(response: str = RESPONSE, bonus: int = 0, **counts: int) -> Case:
    issues = items(**(counts or {"critical": 6, "high": 6, "medium": 8, "low": 2}))
    return case(
        "checklist",
        scenario(baseline_issues=issues, bonus_issues=items(bonus=bonus)),
        response,
    )


def behaviours(baseline: int = 8, bonus: int = 2, response: str = RESPONSE) -> Case:
    return case(
        "behaviours",
        scenario(baseline_criteria=items(planning=baseline), bonus_criteria=items(bonus=bonus)),
        response,
    )


MAREN = Contestant("lighthouse:reviewer", "Maren Holt", RESPONSE)
BASTIAN = Contestant(
    "harbour:reviewer", "Bastian Kroog", "Retries are unbounded. The lock is never released."
)


def pair(mode: str = "solo", about: ScenarioDocument | None = None, **values: Any) -> Case:
    """Two contestants; `mode` is that of the rubric."""
    return case(mode, about or scenario(), **{"contestants": (MAREN, BASTIAN), **values})


def chain(**values: Any) -> ChainCase:
    made = {
        "rubric": rubric("coherence"),
        "theme": "lighthouse",
        "sm": "Refund each booking once.",
        "tea": "test_refund_once fails.",
        "dev": "A unique constraint makes it pass.",
        "reviewer": "Approved: it does what was asked.",
        "secret": SECRET,
    }
    return ChainCase(**{**made, **values})


def case(mode: str, about: ScenarioDocument, response: str = RESPONSE, **values: Any) -> Case:
    made = {
        "rubric": rubric(mode),
        "scenario": about,
        "contestants": (Contestant("lighthouse:reviewer", "Maren Holt", response),),
        "secret": SECRET,
        **values,
    }
    return Case(**made)


def gold(**values: Any) -> GoldDocument:
    made = {"scenario": "refunds", "response": "Bind the id.", "score": 90, "graded_by": "R. Ode"}
    return GoldDocument(**{**made, **values})


# --- replies ------------------------------------------------------------------------------------


def solo_reply(*marks: Any, **more: Any) -> dict[str, Any]:
    keys = ("correctness", "depth", "quality", "persona")
    values = marks or (8, 7, 9, 8)
    scores = {
        key: {"reasoning": REASON, "value": one} for key, one in zip(keys, values, strict=True)
    }
    return {"scores": scores, "assessment": "Sound, with gaps.", **more}


def found(ids: list[str], shown: set[str], answer: str = "found") -> list[dict[str, Any]]:
    return [
        {"id": one, "evidence": "never released" if one in shown else None, answer: one in shown}
        for one in ids
    ]


def checklist_reply(about: Case, shown: set[str], **more: Any) -> dict[str, Any]:
    ids = [item.id for item in about.scenario.baseline_issues]
    bonus = [item.id for item in about.scenario.bonus_issues]
    return {
        "baseline_findings": found(ids, shown),
        "bonus_findings": found(bonus, shown),
        "novel_findings": [],
        "false_positives": [],
        "quality": {"clear_explanations": 8, "actionable_fixes": 7},
        "persona": {"in_character": 9, "professional_tone": 8},
        "assessment": "Sound, with gaps. " + REASON,
        **more,
    }


def behaviours_reply(about: Case, shown: set[str], **more: Any) -> dict[str, Any]:
    ids = [item.id for item in about.scenario.baseline_criteria]
    bonus = [item.id for item in about.scenario.bonus_criteria]
    return {
        "baseline_behaviors": found(ids, shown, "demonstrated"),
        "bonus_behaviors": found(bonus, shown, "demonstrated"),
        "quality": {"clear_actionable": 8, "well_structured": 7},
        "persona": {"in_character": 9, "enhances_delivery": 8},
        "assessment": "Sound, with gaps.",
        **more,
    }


def pair_reply(one: dict[str, Any], other: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A reply about A and B, each as a solo judge would have replied."""
    return {"contestants": {"A": one, "B": other}, "justification": REASON * 2, **more}


# --- asking -------------------------------------------------------------------------------------


def case_text(name: str) -> str:
    # newline="": the files' own line ends are what they are about.
    with (CASES / name).open(encoding="utf-8", newline="") as file:
        return file.read()


def case_reply(name: str) -> Reply:
    """A stored Messages API answer as the provider adapter hands it on."""
    message = json.loads(case_text(name))
    tools = [block["input"] for block in message["content"] if block["type"] == "tool_use"]
    return Reply(
        text="".join(block["text"] for block in message["content"] if block["type"] == "text"),
        stop_reason=message["stop_reason"],
        block_types=tuple(block["type"] for block in message["content"]),
        usage=Usage(message["usage"]["input_tokens"], output=message["usage"]["output_tokens"]),
        model="stored",
        tool_input=tools[0] if tools else None,
        refusal_category="cyber" if message["stop_reason"] == "refusal" else "",
    )


def mode_of(about: Any) -> str:
    """Two contestants under a rubric of a solo mode are compared."""
    mode: str = about.rubric.mode
    return "compare" if mode in SHEETS and len(about.contestants) == 2 else mode


def outcome_of(about: Any, *script: Any, **values: Any) -> tuple[Outcome, ScriptedAsk]:
    """Judge a case against a script. Mappings in it are sent as JSON text."""
    lines: list[Reply | str | ProviderError] = [
        json.dumps(line) if isinstance(line, dict) else line for line in script
    ]
    ask = ScriptedAsk(lines)
    outcome = asyncio.run(judge(mode_named(mode_of(about)), about, ask, **values))
    return outcome, ask


def verdict_of(about: Any, *script: Any) -> Verdict:
    outcome, _ = outcome_of(about, *script)
    assert isinstance(outcome, Verdict), outcome
    return outcome


def unjudged_of(about: Any, *script: Any) -> Unjudged:
    outcome, _ = outcome_of(about, *script)
    assert isinstance(outcome, Unjudged), outcome
    return outcome
