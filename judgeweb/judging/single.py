"""What the modes that judge one response have in common; each adds its sheet and its words.

System message, the same for every response to a scenario and therefore cached: instructions,
rubric with anchors, shape of the reply, scenario, gold standard. User message: who answered and
the response.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from judgeweb.judging.claims import claim_lines
from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.prompts import Message, add_rubric, fenced
from judgeweb.judging.schemas import Schema, picture
from judgeweb.judging.sheets import GenericSheet, check_lists
from judgeweb.judging.shuffling import as_shown
from judgeweb.judging.text import is_blank, one_line
from judgeweb.judging.types import (
    FIRST,
    Case,
    ClaimList,
    Contestant,
    Fault,
    Prompt,
    Reading,
    Verdict,
)

RULES = (
    "Give marks and findings only. Totals, counts and percentages are computed from them "
    "afterwards; state none.\n"
    "Where you quote the response, copy its words exactly; leave words out with ... if you must. "
    "A quote that is not in the response is struck out.\n"
    "Write the reasoning before the value it leads to, in one to three sentences.\n"
    "Who answered bears on persona marks alone.\n"
    "Longer is not better: judge what is said, not how much."
)
JSON_ONLY = (
    "Output your evaluation as one JSON object only. No markdown, no extra text. Its shape, with "
    "a description in place of each value:"
)
CALIBRATION = (
    "Use this expert response as a calibration reference point. A response of similar quality "
    "should score similarly. Responses that miss key insights from the gold standard should "
    "score lower. Do not penalize different but equally valid approaches — the gold standard is "
    "an anchor, not the only correct answer."
)


PREFIXES_KEPT = 64
_prefixes: dict[tuple[Any, ...], tuple[tuple[Any, ...], str, Schema]] = {}


def prefix_of(
    case: Case, kind: tuple[Any, ...], make: Callable[[Case], tuple[str, Schema]]
) -> tuple[str, Schema]:
    """System message and schema: the same for every response, so made once per documents and
    order."""
    documents = (case.rubric, case.scenario, case.gold)
    key = (*kind, case.seed, case.secret, *map(id, documents))
    kept = _prefixes.get(key)
    if kept is None:
        if len(_prefixes) >= PREFIXES_KEPT:
            _prefixes.clear()
        # The documents are kept as well: an id is good for as long as its object lives.
        kept = _prefixes[key] = (documents, *make(as_shown(case)))
    return kept[1], kept[2]


class SingleResponse:
    """A mode that judges one contestant's response by a sheet."""

    name: ClassVar[str]
    label: ClassVar[str]
    prompt_version: ClassVar[str]
    min_reply_characters: ClassVar[int] = 200
    sheet: ClassVar[GenericSheet]
    intro: ClassVar[str]
    list_heading: ClassVar[str] = ""

    def check(self, case: Case) -> None:
        """Raise CaseRefused where a required value is missing (R10). An empty response is not."""
        if case.rubric.mode != self.name:
            raise CaseRefused(
                "rubric",
                f"Rubric {case.rubric.name!r} is for {case.rubric.mode!r}, not {self.name!r}.",
            )
        if len(case.contestants) != 1:
            raise CaseRefused("contestants", f"Mode {self.name!r} judges exactly one response.")
        if is_blank(case.contestant.spec):
            raise CaseRefused("spec", "The contestant has no spec.")
        check_scenario(case.scenario)
        if case.gold and is_blank(case.gold.response):
            raise CaseRefused("gold_standard", "The gold standard has no response.")
        self.sheet.check(case)

    def without_request(self, case: Case) -> Verdict | None:
        """An empty answer is the candidate's failure: total 0, and nobody is asked (R10)."""
        if is_blank(case.contestant.response):
            return self.sheet.empty_answer(case)
        return None

    def prompts(self, case: Case) -> tuple[Prompt, ...]:
        system, schema = prefix_of(case, (self.prompt_version,), self._make_prefix)
        user = Message()
        user.frame()
        add_contestant(user, case.contestant)
        add_claims(user, case.claims_of(case.contestant))
        user.heading("Evaluation")
        user.prose("Evaluate the response above. Reply with the JSON object only.")
        return (Prompt(system, user.render(case.secret), schema),)

    def _make_prefix(self, case: Case) -> tuple[str, Schema]:
        schema = self.sheet.schema(case)
        system = Message()
        system.prose(self.intro)
        system.frame()
        add_instructions(system, case, self.sheet, schema)
        add_scenario(system, case.scenario, self.list_heading, self.sheet.checklist(case.scenario))
        if case.gold:
            add_gold(system, case.gold)
        return system.render(case.secret), schema

    def read(self, case: Case, payload: Mapping[str, Any], label: str = FIRST) -> Reading | Fault:
        return self.sheet.read(case, case.contestant, payload)

    def score(self, case: Case, readings: tuple[Reading, ...]) -> Verdict:
        return self.sheet.score(case, readings[0])


def check_scenario(scenario: ScenarioDocument) -> None:
    """Raise CaseRefused without a challenge or with both kinds of list."""
    if is_blank(scenario.challenge):
        raise CaseRefused("challenge", f"Scenario {scenario.name!r} has no challenge.")
    check_lists(scenario)


def add_instructions(
    message: Message, case: Case, sheet: GenericSheet, schema: Schema, rules: str = RULES
) -> None:
    """What to do, the rubric, and the shape of the reply."""
    message.heading("Instructions")
    message.prose("\n".join(part for part in (sheet.task, rules) if part))
    add_rubric(message, case.rubric)
    message.heading("Reply")
    message.prose(JSON_ONLY)
    message.prose(picture(schema))


def add_scenario(
    message: Message, scenario: ScenarioDocument, list_heading: str, checklist: str
) -> None:
    """The task that the response answers, with everything its author saw."""
    if not is_blank(scenario.challenge):
        message.heading("Challenge")
        message.data("challenge", scenario.challenge)
    if not is_blank(scenario.context):
        message.heading("Context")
        message.data("context", scenario.context)
    for file in scenario.files:
        if not is_blank(file.content):
            message.heading(f"{_FILES[file.role]} {file.filename}")
            message.data("code_file", fenced(file))
    if checklist:
        message.heading(list_heading)
        message.data("checklist", checklist)


_FILES = {"code": "Code under review", "tests": "Tests", "stub": "Stub"}


def add_gold(message: Message, gold: GoldDocument) -> None:
    """The expert's answer as calibration anchor; its number only where the author shows it."""
    message.heading("Gold standard calibration")
    if gold.show_score:
        message.prose(f"An expert-level response for this scenario scored {gold.score}/100.")
    else:
        message.prose("An expert-level response for this scenario:")
    message.data("gold_response", gold.response)
    if not is_blank(gold.notes):
        message.heading("Notes on the expert response", level=3)
        message.data("gold_notes", gold.notes)
    message.prose(CALIBRATION)


def add_contestant(message: Message, contestant: Contestant) -> None:
    """Who answered, and the response."""
    message.heading("Contestant")
    who = "- **" + one_line(contestant.spec) + "**"
    if not is_blank(contestant.character):
        who += " (" + one_line(contestant.character) + ")"
    message.data("contestant", who)
    message.heading("Response to evaluate")
    message.data("response", contestant.response)


def add_claims(message: Message, claims: ClaimList | None, seat: str = "") -> None:
    """What the response claims, where the judge goes by claims."""
    if claims is None:
        return
    whose = f" of contestant {seat}" if seat else ""
    message.heading(f"Claims of the response{whose}")
    label = f"response_{seat.lower()}-claims" if seat else "response-claims"
    message.data(label, claim_lines(claims.claims))
