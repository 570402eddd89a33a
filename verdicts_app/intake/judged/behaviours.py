"""The seed's behaviour result: baseline_behaviors and bonus_behaviors, marks in two groups.

Score: execution 50 + quality 25 + persona 25.
"""

from judgeweb.judging.sheets import BehaviourSheet
from verdicts_app.intake.fields import FieldRefused
from verdicts_app.intake.judged.lists import agreed
from verdicts_app.intake.judged.sheets import scored, told_of, with_values
from verdicts_app.intake.judged.types import Given, Judged, Payload

BASELINE, BONUS = "baseline_behaviors", "bonus_behaviors"
BRITISH = {"baseline_behaviours": BASELINE, "bonus_behaviours": BONUS}


def matches(payload: Payload) -> bool:
    return any(key in payload for key in (BASELINE, "baseline_behaviours"))


def read(payload: Payload, given: Given) -> Judged:
    payload = {BRITISH.get(key, key): value for key, value in payload.items()}
    scenario = given.scenario
    baseline = agreed(
        BASELINE,
        told_of(payload, BASELINE, "general"),
        scenario.baseline_criteria if scenario else None,
        of="baseline_criteria",
    )
    bonus = agreed(
        BONUS,
        told_of(payload, BONUS, "bonus"),
        scenario.bonus_criteria if scenario else None,
        of="bonus_criteria",
    )
    if not baseline.items:
        raise FieldRefused(BASELINE, "lists no behaviour, so that nothing can be counted")
    lists = {"baseline_criteria": baseline.items, "bonus_criteria": bonus.items}
    groups = {key: with_values(payload.get(key)) for key in ("quality", "persona")}
    verdict = scored(BehaviourSheet(), "behaviours", lists, {**payload, **groups}, given)
    scale = {"scale": "execution 50, quality 25, persona 25"}
    return Judged("behaviours", verdict, scale, said=(*baseline.said, *bonus.said))
