"""What the modes that judge two responses have in common; each adds its sheet and its words.

One sheet per contestant, in both orders unless the case says one. The judge sees them as
*Contestant A* and *Contestant B* with their characters; specs, themes and models are left out, so
that a spec can stand in the prompt only where a response says it itself.
System message, the same for every pair on a scenario and therefore cached: instructions, rubric
with anchors, shape of the reply, scenario. User message: the two contestants.

Where one of the two answered nothing it has a total of 0 and is not sent; the other one is judged
alone, once, since nothing stands before or after it (docs/adr/0012).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.pair_scores import pair_verdict
from judgeweb.judging.prompts import Message
from judgeweb.judging.schemas import TEXT, Schema, record
from judgeweb.judging.seats import SEATS, answered, labels_by_seat, orders_of, seats_of
from judgeweb.judging.sheets import GenericSheet
from judgeweb.judging.single import (
    RULES,
    add_claims,
    add_instructions,
    add_scenario,
    prefix_of,
)
from judgeweb.judging.strict import StrictReader
from judgeweb.judging.text import is_blank, one_line
from judgeweb.judging.types import (
    FIRST,
    Case,
    Contestant,
    Fault,
    Prompt,
    Reading,
    Verdict,
)

PAIR_RULES = (
    "Two contestants answered. Judge each by itself: mark it by the bands, not by the other one, "
    "and quote it only from its own response. Which of them stands first says nothing.\n"
    "Say in justification what sets the two apart, in two or three sentences; name no winner."
)


class TwoResponses:
    """A mode that judges two contestants' responses by one sheet each."""

    name: ClassVar[str]
    label: ClassVar[str]
    prompt_version: ClassVar[str]
    min_reply_characters: ClassVar[int] = 200
    contestant_named: ClassVar[str] = "spec"  # what a request calls the contestant's name

    def sheet(self, case: Case) -> GenericSheet:
        raise NotImplementedError

    def intro(self, case: Case) -> str:
        raise NotImplementedError

    def list_heading(self, case: Case) -> str:
        return ""

    def check(self, case: Case) -> None:
        """Raise CaseRefused where a required value is missing (R10). Empty responses are not."""
        if len(case.contestants) != 2:
            raise CaseRefused("contestants", f"Mode {self.name!r} judges exactly two responses.")
        if case.orders not in (1, 2):
            raise CaseRefused("orders", "Two contestants have 1 or 2 orders.", case.orders)
        for contestant in case.contestants:
            if is_blank(contestant.spec):
                name = self.contestant_named
                raise CaseRefused(name, f"A contestant has no {name}.")
        if case.gold:
            raise CaseRefused("gold_standard", "Only solo modes are calibrated by a gold standard.")
        self.sheet(case).check(case)

    def without_request(self, case: Case) -> Verdict | None:
        """Two empty answers are two failures of candidates: 0 to 0, and nobody is asked (R10)."""
        return None if answered(case) else pair_verdict(case, self.sheet(case), {})

    def prompts(self, case: Case) -> tuple[Prompt, ...]:
        system, schema = prefix_of(
            case, (self.prompt_version, len(answered(case))), self._make_prefix
        )
        return tuple(
            Prompt(system, _user(case, order).render(case.secret), schema, order)
            for order in orders_of(case)
        )

    def _make_prefix(self, case: Case) -> tuple[str, Schema]:
        sheet = self.sheet(case)
        schema = _schema(sheet.schema(case), SEATS[: len(answered(case))])
        rules = f"{PAIR_RULES}\n{RULES}" if len(answered(case)) > 1 else RULES
        system = Message()
        system.prose(self.intro(case))
        system.frame()
        add_instructions(system, case, sheet, schema, rules)
        checklist = sheet.checklist(case.scenario)
        add_scenario(system, case.scenario, self.list_heading(case), checklist)
        return system.render(case.secret), schema

    def read(self, case: Case, payload: Mapping[str, Any], label: str = FIRST) -> Reading | Fault:
        """Read both contestants' sheets, or name everything that is wrong with either."""
        strict = StrictReader()
        sides = strict.mapping(payload.get("contestants"), "contestants")
        readings = {
            seat: self._read_side(strict, case, place, sides.get(seat), f"contestants.{seat}")
            for seat, place in seats_of(case, label).items()
        }
        for unknown in sides.keys() - readings.keys():
            strict.notes.append(f"Nobody sits at {one_line(str(unknown))}: not counted.")
        justification = strict.text(payload.get("justification"))
        if strict.fault:
            return strict.fault
        labels = labels_by_seat(case, label)
        return Reading(
            marks=tuple(
                replace(mark, contestant=labels[seat], order=label)
                for seat, one in readings.items()
                for mark in one.marks
            ),
            findings=tuple(
                replace(finding, contestant=labels[seat], order=label)
                for seat, one in readings.items()
                for finding in one.findings
            ),
            stated=_stated(readings, payload),
            flags=(*(flag for one in readings.values() for flag in one.flags), *strict.flags),
            notes=(
                *(f"{labels[seat]}: {note}" for seat in labels for note in readings[seat].notes),
                *strict.notes,
            ),
            assessment=justification,
            extra=_claims_ruled(readings, labels, label),
        )

    def _read_side(
        self, strict: StrictReader, case: Case, place: int, given: Any, where: str
    ) -> Reading:
        """One contestant's sheet; its faults go to `strict`, named by their place."""
        known = len(strict.faults)
        content = strict.mapping(given, where)
        if len(strict.faults) > known:
            return Reading(marks=())
        read = self.sheet(case).read(case, case.contestants[place], content)
        if isinstance(read, Reading):
            return read
        strict.faults.append(replace(read, detail=f"{where}: {read.detail}"))
        return Reading(marks=())

    def score(self, case: Case, readings: tuple[Reading, ...]) -> Verdict:
        orders = orders_of(case)
        return pair_verdict(case, self.sheet(case), dict(zip(orders, readings, strict=True)))


def _claims_ruled(
    readings: Mapping[str, Reading], labels: Mapping[str, str], order: str
) -> dict[str, Any]:
    """How each contestant's claims were ruled on, where the judge went by claims."""
    ruled = [
        {"contestant": labels[seat], "order": order, **one}
        for seat, reading in readings.items()
        for one in reading.extra.get("claims", ())
    ]
    return {"claims": ruled} if ruled else {}


def _schema(side: Schema, seats: tuple[str, ...]) -> Schema:
    """One sheet a seat. What the judge says of a response stands in its reasons."""
    parts = {key: part for key, part in side["properties"].items() if key != "assessment"}
    return record(contestants=record(**dict.fromkeys(seats, record(**parts))), justification=TEXT)


def _user(case: Case, order: str) -> Message:
    message = Message()
    message.frame()
    for seat, place in seats_of(case, order).items():
        _add_seat(message, seat, case.contestants[place])
        add_claims(message, case.claims_of(case.contestants[place]), seat)
    message.heading("Evaluation")
    asked = "both responses" if len(answered(case)) > 1 else "the response"
    message.prose(f"Evaluate {asked} above. Reply with the JSON object only.")
    return message


def _add_seat(message: Message, seat: str, contestant: Contestant) -> None:
    """A contestant without its name: character, since persona needs it, and response."""
    message.heading(f"Contestant {seat}")
    who = f"- **Contestant {seat}**"
    if not is_blank(contestant.character):
        who += " (" + one_line(contestant.character) + ")"
    message.data("contestant", who)
    message.heading(f"Response of contestant {seat}")
    message.data(f"response_{seat.lower()}", contestant.response)


def _stated(readings: Mapping[str, Reading], payload: Mapping[str, Any]) -> dict[str, Any]:
    """The judge's own figures by seat, and the winner it named though it was not asked."""
    stated = {
        f"{seat}.{name}": value
        for seat, reading in readings.items()
        for name, value in reading.stated.items()
    }
    return stated | ({"winner": payload["winner"]} if "winner" in payload else {})
