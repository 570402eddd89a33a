"""Invented answers to scenarios with a list, each with what the made-up judge says of it.

Deterministic: the same day, actor and scenario give the same answer and sheet.
"""

from dataclasses import dataclass
from random import Random

from judgeweb.judging.documents import ChecklistItem, ScenarioDocument
from verdicts_app.sample.cast import Actor
from verdicts_app.sample.looks import Sheet, mark

LEADS = (
    "To begin with: {0}.",
    "Next, {0}.",
    "I also see that {0}.",
    "Do not miss this one: {0}.",
    "Then {0}.",
)
REMEDIES = (
    "Fix it before anything ships and add a test that fails today.",
    "A small change is enough: move the decision to one place and name it.",
    "I would settle this with the owner first, then change it in one commit.",
    "Write the expected behaviour down, make it fail, make it pass.",
)
NOVEL = (
    "the names do not say what the numbers mean",
    "nobody is told when this goes wrong at night",
    "there is no way to try this without touching real data",
)
WRONG = "the time zone is stored twice and the two copies disagree"


@dataclass(frozen=True)
class SampleAnswer:
    """`text` of the answer and the `sheet` of the made-up judge."""

    text: str
    sheet: Sheet


def answer(actor: Actor, scenario: ScenarioDocument, *, day: int, days: int) -> SampleAnswer:
    """What `actor` answers on day `day` of `days`, and what the made-up judge says of it."""
    rng = Random(f"{actor.spec}/{scenario.name}/{day}")
    ease = Random(scenario.name).uniform(-0.14, 0.14)
    chance = min(0.97, max(0.05, actor.finds + ease + actor.drift * day / days))
    items = scenario.baseline_issues or scenario.baseline_criteria
    bonus = scenario.bonus_issues or scenario.bonus_criteria
    found = {item.id: _sentence(rng, item.description) for item in items if rng.random() < chance}
    extra = {item.id: _sentence(rng, item.description) for item in bonus if rng.random() < 0.4}
    novel = [_sentence(rng, text) for text in NOVEL if rng.random() < chance / 3]
    wrong = _sentence(rng, WRONG) if rng.random() < 0.22 else ""
    claims = [*found.values(), *extra.values(), *novel, *([wrong] if wrong else [])]
    body = "\n\n".join(f"{claim} {rng.choice(REMEDIES)}" for claim in claims)
    text = "\n\n".join([actor.opening, body, actor.closing])
    evidence = {key: _quote(rng, quote) for key, quote in {**found, **extra}.items()}
    sheet = (
        _checklist_sheet(items, bonus, evidence, novel, wrong)
        if scenario.baseline_issues
        else _behaviours_sheet(items, bonus, evidence)
    )
    sheet |= _marks(rng, actor, behaviours=not scenario.baseline_issues)
    sheet["assessment"] = "Sample data, no judge was asked. " + (
        "Most of what matters is there." if chance > 0.6 else "Much of what matters is missing."
    )
    return SampleAnswer(text, sheet)


def _sentence(rng: Random, description: str) -> str:
    lower = description[:1].lower() + description[1:]
    return rng.choice(LEADS).format(lower)


def _quote(rng: Random, sentence: str) -> str:
    """Mostly verbatim; one in forty is a quote that nobody wrote, as real judges do it."""
    if rng.random() < 1 / 40:
        return f"as the answer says, {sentence.lower()} and more besides"
    return sentence


def _checklist_sheet(
    items: tuple[ChecklistItem, ...],
    bonus: tuple[ChecklistItem, ...],
    evidence: dict[str, str],
    novel: list[str],
    wrong: str,
) -> Sheet:
    return {
        "baseline_findings": _findings(items, evidence, "found"),
        "bonus_findings": _findings(bonus, evidence, "found"),
        "novel_findings": [
            {"description": text, "valid": True, "reasoning": "Right, and nobody planted it."}
            for text in novel
        ],
        "false_positives": [{"claim": wrong, "why_invalid": "There is one copy only."}]
        if wrong
        else [],
    }


def _behaviours_sheet(
    items: tuple[ChecklistItem, ...], bonus: tuple[ChecklistItem, ...], evidence: dict[str, str]
) -> Sheet:
    return {
        "baseline_behaviors": _findings(items, evidence, "demonstrated"),
        "bonus_behaviors": _findings(bonus, evidence, "demonstrated"),
    }


def _findings(
    items: tuple[ChecklistItem, ...], evidence: dict[str, str], word: str
) -> list[dict[str, object]]:
    return [
        {"id": item.id, word: item.id in evidence, "evidence": evidence.get(item.id)}
        for item in items
    ]


def _marks(rng: Random, actor: Actor, *, behaviours: bool) -> Sheet:
    quality = (
        ("clear_actionable", "well_structured")
        if behaviours
        else ("clear_explanations", "actionable_fixes")
    )
    persona = ("in_character", "enhances_delivery" if behaviours else "professional_tone")
    return {
        "quality": {key: mark(rng, actor.craft) for key in quality},
        "persona": {
            persona[0]: mark(rng, actor.voice),
            persona[1]: mark(rng, (actor.voice + actor.craft) / 2),
        },
    }
