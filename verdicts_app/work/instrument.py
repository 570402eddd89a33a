"""What an epoch pins beside the judge: the claim step and a shuffled order.

Both are off unless asked for, and leave no trace in the parameters then.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from math import ceil
from typing import Any

from django.conf import settings

from judgeweb.judging.claims import CLAIM_STEP, PROMPT_VERSION
from judgeweb.judging.shuffling import SHUFFLE
from judgeweb.judging.types import Claim, ClaimList, EvidenceState
from verdicts_app.models import Epoch
from verdicts_app.work.identity import hash_of
from verdicts_app.work.judge_config import JudgeChoice

CHARACTERS_A_CLAIM = 400
MOST_EXPECTED = 60


def instrument(extractor: JudgeChoice | None, *, is_shuffled: bool) -> dict[str, Any]:
    """The parameters of an epoch. `extractor` is who extracts the claims, None where nobody does;
    its effort and output mode are those of the epoch."""
    step = {"model": extractor.model, "prompt": PROMPT_VERSION} if extractor else None
    return {**({CLAIM_STEP: step} if step else {}), **({SHUFFLE: True} if is_shuffled else {})}


def extractor_of(epoch: Epoch) -> JudgeChoice | None:
    """Who extracts the claims of what is judged in this epoch; None where nobody does."""
    return _extractor(epoch.parameters)


@lru_cache(maxsize=256)
def _extractor(parameters_json: str) -> JudgeChoice | None:
    parameters = json.loads(parameters_json or "{}")
    step = parameters.get(CLAIM_STEP)
    if step is None:
        return None
    return JudgeChoice(
        model=step["model"],
        effort=parameters.get("effort", ""),
        output_mode=parameters.get("output_mode", ""),
    )


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def extraction_key(text_sha256: str, extractor: JudgeChoice) -> str:
    """Equal where the same would be asked of the same judge. A stand-in is none."""
    judge = [extractor.model, extractor.effort, extractor.output_mode]
    return hash_of([text_sha256, PROMPT_VERSION, *judge, settings.JUDGE_IS_STAND_IN])


def expected_claims(characters: int) -> ClaimList:
    """Claims as a response of this length may make them; only for estimates."""
    number = min(MOST_EXPECTED, ceil(characters / CHARACTERS_A_CLAIM))
    claims = (Claim(n, "x" * 80, "x" * 80, EvidenceState.VERIFIED) for n in range(1, number + 1))
    return ClaimList("", tuple(claims))


def order_seed(
    *, mode: str, rubric_pin: list[Any] | None, scenario_pin: list[Any], repeat: int
) -> str:
    """The seed of a shuffled order: of what is shown and the repeat, not of who answered or who
    judges, so that all contestants and judges of a repeat have the same order."""
    return hash_of(["order", mode, rubric_pin, scenario_pin, repeat])[:16]
