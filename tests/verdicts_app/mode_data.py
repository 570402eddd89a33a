"""For every mode of the seed: its `--data`, the replies of the judge, the result they lead to."""

from dataclasses import dataclass, field
from typing import Any

from rubrics_app.models import SweInstance
from tests.judging.world import REASON, pair_reply, solo_reply
from tests.verdicts_app.seed_data import WORKS, said, solo_data, solo_said

PATCH = """\
diff --git a/booking/refunds.py b/booking/refunds.py
--- a/booking/refunds.py
+++ b/booking/refunds.py
@@ -10,6 +10,7 @@ def refund(booking):
     amount = booking.amount
     if amount < 0:
         raise ValueError(amount)
+    booking.lock.release()
     return pay(booking.guest, amount)


"""


def make_instance(instance_id: str = "booking-17") -> SweInstance:
    return SweInstance.objects.create(
        instance_id=instance_id,
        repo="harbour/booking",
        base_commit="0" * 40,
        problem_statement="The lock is never released.",
        patch=PATCH,
        sha256="a" * 64,
    )


def compare_data(**change: Any) -> dict[str, Any]:
    return {
        "contestants": [
            {"spec": "lighthouse:dev", "character": "Maren Holt", "response": "Release the lock."},
            {"spec": "control:dev", "character": None, "response": "Retry until it works."},
        ],
        "challenge": "Review the refund service.",
    } | change


def phase_data(phase: str, **change: Any) -> dict[str, Any]:
    return {
        "team1": {"theme": "lighthouse", "response": f"The {phase} of Maren."},
        "team2": {"theme": "control", "response": f"The {phase} of nobody."},
        "context": f"Refunds, {phase} phase.",
    } | change


def coherence_data(**change: Any) -> dict[str, Any]:
    phases = ("sm", "tea", "dev", "reviewer")
    answers = {f"{phase}_response": f"The {phase} of Maren." for phase in phases}
    return {"theme": "lighthouse", **answers} | change


def patch_data(**change: Any) -> dict[str, Any]:
    return {"scenario": "booking-17", "response": PATCH} | change


DIMENSIONS = {
    "phase-sm": ("clarity", "handoff", "completeness"),
    "phase-tea": ("coverage", "red_state", "handoff"),
    "phase-dev": ("green_state", "code_quality", "handoff"),
    "phase-reviewer": ("detection", "verdict", "persona"),
}


def phase_reply(mode: str, *marks: int) -> dict[str, Any]:
    scores = zip(DIMENSIONS[mode], marks, strict=True)
    return {"scores": {key: {"reasoning": REASON, "value": value} for key, value in scores}}


def in_both_orders(one: dict[str, Any], other: dict[str, Any]) -> tuple[dict[str, str], ...]:
    """The first contestant sits at A, then at B; it gets the same marks."""
    return said(pair_reply(one, other)), said(pair_reply(other, one))


def rated(rating: str) -> dict[str, str]:
    return said({"reasoning": REASON, "rating": rating})


@dataclass(frozen=True)
class Golden:
    """`replies` are those after the probe; `result` is what step 6 holds beside what all share."""

    mode: str
    data: dict[str, Any]
    replies: tuple[dict[str, str], ...]
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def script(self) -> tuple[dict[str, str], ...]:
        return (WORKS, *self.replies) if self.replies else ()


def golden_phase(mode: str, marks: tuple[int, int, int], total: int) -> Golden:
    """The other team gets 5, 5 and 5: 50, whatever the weights."""
    return Golden(
        mode,
        phase_data(mode.removeprefix("phase-")),
        in_both_orders(phase_reply(mode, *marks), phase_reply(mode, 5, 5, 5)),
        {
            "scores": {"lighthouse": total, "control": 50},
            "winner": "lighthouse",
            "decision": "win",
        },
    )


NO_CHAIN = {
    "phases": dict.fromkeys(("sm", "tea", "dev", "reviewer")),
    "chain": {
        "theme": "lighthouse",
        "opponent": None,
        "mean": None,
        "total": None,
        "incomplete": [f"{phase} is not judged" for phase in ("sm", "tea", "dev", "reviewer")],
    },
}

GOLDEN = [
    Golden(
        "solo",
        solo_data(),
        (solo_said(),),
        # 2.5 x (8 + 7 + 9 + 8)
        {"scores": {"lighthouse:reviewer": 80}, "winner": None},
    ),
    Golden(
        "compare",
        compare_data(),
        in_both_orders(solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9)),
        # 2.5 x 32 = 80 and 2.5 x 31 = 77.5, in both orders
        {
            "scores": {"lighthouse:dev": 80, "control:dev": 77.5},
            "winner": "lighthouse:dev",
            "decision": "win",
        },
    ),
    # 30 x 0.8 + 40 x 0.7 + 30 x 0.9 = 24 + 28 + 27
    golden_phase("phase-sm", (8, 7, 9), 79),
    # 35 x 0.6 + 35 x 0.8 + 30 x 0.7 = 21 + 28 + 21
    golden_phase("phase-tea", (6, 8, 7), 70),
    # 40 x 0.9 + 30 x 0.7 + 30 x 0.6 = 36 + 21 + 18
    golden_phase("phase-dev", (9, 7, 6), 75),
    # 40 x 0.8 + 30 x 0.6 + 30 x 0.9 = 32 + 18 + 27
    golden_phase("phase-reviewer", (8, 6, 9), 77),
    Golden(
        "coherence",
        coherence_data(),
        (rated("excellent"),),
        {"scores": {}, "winner": None, "rating": "excellent", "multiplier": 1.2, **NO_CHAIN},
    ),
    Golden(
        "swebench",
        patch_data(),
        (),
        # The gold patch itself; persona is left out: 90 of 90 points.
        {
            "scores": {"root_cause": 30, "fix_quality": 40, "completeness": 20, "persona": None},
            "winner": None,
            "total": 100,
            "coverage": 0.9,
        },
    ),
    Golden(
        "ground-truth",
        patch_data(),
        (),
        {
            "scores": {
                "file_identification": 20,
                "location_identification": 20,
                "fix_logic_match": 40,
                "completeness": 20,
            },
            "winner": None,
            "total": 100,
            "coverage": 1,
        },
    ),
]
BY_MODE = {golden.mode: golden for golden in GOLDEN}
