"""SWE-bench: root cause, fix quality, completeness and persona of a patch. No model is asked.

Score: 30 + 40 + 20 + 10 by the rubric's weights, scaled to what can be observed; 0-100, 100 for the
gold patch itself. Persona comes from a linked judgement by a model; without one it is left out, and
the coverage says so.
Source: the seed's swebench mode for names and weights; formulas and measurements from
`spec/patches.md`. Differs from the seed: structure is compared, not keywords. Nothing is executed,
and the result is the same in every process.
"""

from typing import ClassVar

from judgeweb.judging.patches.modes import PatchMode


class Swebench(PatchMode):
    name: ClassVar[str] = "swebench"
    label: ClassVar[str] = "SWE-bench patch, no model"
    prompt_version: ClassVar[str] = "swebench 2"
