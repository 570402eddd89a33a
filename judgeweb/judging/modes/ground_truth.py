"""Ground truth: a response compared with the patch that resolved the issue. No model is asked.

Score: 20 files + 20 places + 40 the change itself + 20 completeness, by the rubric's weights; from
0 to 100, 100 for the gold patch itself.
Source: the seed's ground-truth mode for names and weights; formulas and measurements from
`spec/patches.md`. Differs from the seed: structure is compared, not keywords. Nothing is executed,
and the result is the same in every process.
"""

from typing import ClassVar

from judgeweb.judging.patches.modes import PatchMode


class GroundTruth(PatchMode):
    name: ClassVar[str] = "ground-truth"
    label: ClassVar[str] = "Ground truth, no model"
    prompt_version: ClassVar[str] = "ground-truth 2"
