"""What the API takes and gives of calibrations."""

from datetime import datetime
from typing import Annotated

from ninja import Schema
from pydantic import Field

from verdicts_app.api.schemas import WITHOUT_NUL, HowToJudge, Number


class CalibrateIn(HowToJudge):
    """`scenarios` by name; without them all that have a gold standard. What was calibrated is
    judged anew, so that a change of the judge is seen; with `rejudge` false it is left out."""

    scenarios: list[Annotated[str, Field(max_length=200, pattern=WITHOUT_NUL)]] = Field(
        default_factory=list
    )
    repeats: int = Field(3, ge=1, le=5, strict=True)
    rejudge: bool = Field(True, strict=True)
    dry_run: bool = Field(False, strict=True)


class CalibrationOut(Schema):
    """What was asked for together: the repeats of one `job` on one gold standard. `deviation` is
    the mean of `totals` less `gold_score`; `within` the tolerance it is good. It `counts` where at
    least half of the repeats `asked` for are valid. `verdicts` are their ids."""

    scenario: str
    epoch: str
    mode: str
    judge: str
    requested_model: str
    rubric: str
    rubric_revision: int | None
    prompt_version: str
    gold_revision: int
    gold_score: Number
    graded_by: str
    job: str
    asked: int
    counts: bool
    verdicts: list[int]
    totals: list[Number]
    mean: Number
    spread: Number
    deviation: Number
    tolerance: Number
    within: bool
    judged_at: datetime
