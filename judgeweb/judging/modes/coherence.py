"""Coherence: do the four phases of one team's relay hold together? excellent, good or poor.

There is no total: the rating is the multiplier of the chain (1.2, 1.0, 0.8; `judgeweb.judging.
relay`). Case and white space of the word are folded; any other word is no rating.
Source: the seed's coherence prompt. Differs from it: what each word means is the rubric's, ours.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.prompts import Message
from judgeweb.judging.relay import MULTIPLIERS, PHASES
from judgeweb.judging.rubric_rules import rated_problems
from judgeweb.judging.schemas import TEXT, Schema, picture, record
from judgeweb.judging.single import JSON_ONLY
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.text import is_blank, one_line, shown
from judgeweb.judging.types import FIRST, ChainCase, Fault, Prompt, Reading, Verdict

RATINGS = tuple(MULTIPLIERS)
INTRO = (
    "You are an impartial judge of a relay: one team's answers in four phases, SM (scrum master), "
    "TEA (test engineer), Dev and Reviewer, each working on what the one before handed over."
)
RULES = (
    "Rate how well the four answers hold together as one chain, not how good each of them is.\n"
    "Give the reasoning before the rating, and name the answers that it is about.\n"
    "Longer is not better: judge what is said, not how much."
)
REPLY: Schema = record(
    reasoning=TEXT, rating={**TEXT, "enum": list(RATINGS), "description": " or ".join(RATINGS)}
)


class Coherence:
    name: ClassVar[str] = "coherence"
    label: ClassVar[str] = "Chain coherence"
    prompt_version: ClassVar[str] = "coherence 1"
    min_reply_characters: ClassVar[int] = 0

    def check(self, case: ChainCase) -> None:
        """Raise CaseRefused where a required value is missing (R10). An empty answer is one: a
        chain with a gap has nothing that could cohere, and its phase already has a total of 0."""
        if case.rubric.mode != self.name:
            raise CaseRefused(
                "rubric",
                f"Rubric {case.rubric.name!r} is for {case.rubric.mode!r}, not {self.name!r}.",
            )
        for place, message in rated_problems(case.rubric):
            raise CaseRefused("rubric", f"{place} {message}.")
        if is_blank(case.theme):
            raise CaseRefused("theme", "The chain has no theme.")
        for phase, text in _answers(case).items():
            if is_blank(text):
                raise CaseRefused(
                    f"{phase}_response", f"The chain has no answer of its {phase} phase."
                )

    def without_request(self, case: ChainCase) -> Verdict | None:
        return None

    def prompts(self, case: ChainCase) -> tuple[Prompt, ...]:
        system, user = _system(case), _user(case)
        return (Prompt(system.render(case.secret), user.render(case.secret), REPLY),)

    def read(
        self, case: ChainCase, payload: Mapping[str, Any], label: str = FIRST
    ) -> Reading | Fault:
        strict = StrictReader()
        given = payload.get("rating")
        rating = one_line(given).casefold() if isinstance(given, str) else ""
        if given is None:
            strict.incomplete("rating is missing")
        elif rating not in MULTIPLIERS:
            strict.invalid(f"rating must be one of {', '.join(RATINGS)}, not {shown(given)}")
        reasoning = strict.text(payload.get("reasoning"))
        if strict.fault:
            return strict.fault
        flags, notes = tuple(strict.flags), tuple(strict.notes)
        return Reading(marks=(), rating=rating, flags=flags, notes=notes, assessment=reasoning)

    def score(self, case: ChainCase, readings: tuple[Reading, ...]) -> Verdict:
        [reading] = readings
        return Verdict(
            total=None,
            total_without_persona=None,
            parts={"multiplier": MULTIPLIERS[reading.rating]},
            working=(),
            flags=reading.flags,
            notes=reading.notes,
            assessment=reading.assessment,
            rating=reading.rating,
        )


def _answers(case: ChainCase) -> dict[str, str]:
    return {phase: getattr(case, phase) for phase in PHASES}


def _system(case: ChainCase) -> Message:
    message = Message()
    message.prose(INTRO)
    message.frame()
    message.heading("Instructions")
    message.prose(RULES)
    for dimension in case.rubric.dimensions:
        message.heading(dimension.label)
        message.prose(dimension.criteria)
    message.heading("Reply")
    message.prose(JSON_ONLY)
    message.prose(picture(REPLY))
    return message


def _user(case: ChainCase) -> Message:
    message = Message()
    message.frame()
    message.heading("Theme")
    message.data("theme", one_line(case.theme))
    for phase, text in _answers(case).items():
        message.heading(f"Answer of the {_NAMES[phase]} phase")
        message.data(f"{phase}_response", text)
    message.heading("Evaluation")
    message.prose("Rate the coherence of the chain above. Reply with the JSON object only.")
    return message


_NAMES = {"sm": "SM", "tea": "TEA", "dev": "Dev", "reviewer": "Reviewer"}
