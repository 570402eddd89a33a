"""Solo: one response, marked on the rubric's dimensions.

Score: sum of weight x mark / 10; 10-100, 100 best. Equal weights of four: 2.5 x sum.
Source: the seed's solo prompt with the generic rubric. Differs from it: instructions come first
(prompt caching), the judge states no total. Arithmetic: `sheets.generic`.
"""

from typing import ClassVar

from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.single import SingleResponse


class Solo(SingleResponse):
    name: ClassVar[str] = "solo"
    label: ClassVar[str] = "Solo, generic"
    prompt_version: ClassVar[str] = "solo 1"
    sheet: ClassVar[GenericSheet] = GenericSheet()
    intro: ClassVar[str] = "You are an impartial judge evaluating an AI agent's response."
