"""What the two modes that judge patches share. `prompt_version` is the version of the algorithm:
every change that can move a number raises it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from judgeweb.judging.patches.judgement import check_case, verdict_on
from judgeweb.judging.types import FIRST, Fault, PatchCase, Prompt, Reading, UnjudgedReason, Verdict


class PatchMode:
    name: ClassVar[str]
    label: ClassVar[str]
    prompt_version: ClassVar[str]
    min_reply_characters: ClassVar[int] = 0

    def check(self, case: PatchCase) -> None:
        check_case(case, self.name)

    def without_request(self, case: PatchCase) -> Verdict:
        return verdict_on(case, self.name)

    def prompts(self, case: PatchCase) -> tuple[Prompt, ...]:
        """None: nobody is ever asked."""
        return ()

    def read(
        self, case: PatchCase, payload: Mapping[str, Any], label: str = FIRST
    ) -> Reading | Fault:
        return Fault(UnjudgedReason.INVALID, f"mode {self.name} takes no reply")

    def score(self, case: PatchCase, readings: tuple[Reading, ...]) -> Verdict:
        return verdict_on(case, self.name)
