"""What repeats and several judges look like on the wire."""

from ninja import Schema

Number = int | float


class SpreadOut(Schema):
    """How far valid repeats lie apart: highest minus lowest total, and the sample's standard
    deviation."""

    range: Number
    sd: Number


class RepeatOut(Schema):
    """`vote` is the winner of a comparison, or its decision where nobody won; of a relay its
    rating. `unjudged` says why there is no verdict."""

    repeat: int
    verdict: int | None
    scores: dict[str, Number | None]
    vote: str | None
    unjudged: str | None


class JudgeOut(Schema):
    """The means over its valid repeats, and what their majority says; null where fewer than half
    of those asked are valid."""

    model: str
    asked: int
    valid: int
    scores: dict[str, Number | None]
    spread: dict[str, SpreadOut]
    vote: str | None
    repeats: list[RepeatOut]


class FiguresOut(Schema):
    """Of the valid repeats; `range` and `sd` (the sample's) are null for a single one."""

    mean: Number | None
    range: Number | None
    sd: Number | None


class FlipOut(Schema):
    """An item whose found-mark is not the same in all valid repeats, or a check of a call. `of` is
    the contestant, empty outside of comparisons. `majority` is for display: null without one."""

    item: str
    of: str
    marks: list[str]
    majority: str | None


class RepeatStateOut(Schema):
    """`unjudged` gives the reason; both null while it waits."""

    repeat: int
    verdict: int | None
    unjudged: str | None


class RepeatsOut(Schema):
    """Repeats by the same judge. They count where at least half of those asked are valid. `totals`
    by contestant, under "" outside of comparisons; `items` were looked for in all."""

    asked: int
    valid: int
    counts: bool
    counted: str
    totals: dict[str, FiguresOut]
    repeats: list[RepeatStateOut]
    items: int
    flipped: list[FlipOut]


class JudgeRowOut(Schema):
    """One judge with the means of its repeats. `together`: it counts with the judge of this
    verdict."""

    judge: str
    effort: str
    epoch: str
    asked: int
    valid: int
    scores: dict[str, Number | None]
    vote: str | None
    verdict: int | None
    together: bool


class JuryOut(Schema):
    """Several judges of the same thing in the same mode and rubric revision: those of one job, or
    all where the job asked one. No score and no vote where fewer than half are valid."""

    asked: int
    valid: int
    conclusive: bool
    of_one_job: bool
    scores: dict[str, Number | None]
    vote: str | None
    judges: list[JudgeRowOut]
