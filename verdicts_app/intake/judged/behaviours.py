"""The seed's behaviour result: baseline_behaviors and bonus_behaviors, marks in two groups.

Score: execution 50 + quality 25 + persona 25.
"""

from judgeweb.judging.sheets import BehaviourSheet
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.sheets import items_of, scored, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload

BASELINE, BONUS = "baseline_behaviors", "bonus_behaviors"
BRITISH = {"baseline_behaviours": BASELINE, "bonus_behaviours": BONUS}


def matches(payload: Payload) -> bool:
    return any(key in payload for key in (BASELINE, "baseline_behaviours"))


def read(payload: Payload, given: Given) -> Judged:
    payload = {BRITISH.get(key, key): value for key, value in payload.items()}
    lists = {
        "baseline_criteria": items_of(payload, BASELINE, "general"),
        "bonus_criteria": items_of(payload, BONUS, "bonus"),
    }
    if not lists["baseline_criteria"]:
        raise FieldRefused(BASELINE, "lists no behaviour, so that nothing can be counted")
    groups = {key: with_values(payload.get(key)) for key in ("quality", "persona")}
    verdict = scored(BehaviourSheet(), "behaviours", lists, {**payload, **groups}, given)
    return Judged("behaviours", verdict, {"scale": "execution 50, quality 25, persona 25"})
