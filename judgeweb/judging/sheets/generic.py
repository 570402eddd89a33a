"""The generic sheet: one 1-10 mark per dimension, each with its reason.

Score: weight x mark / 10 per dimension, summed; 10-100, 100 best.
Source: the seed's unified rubric. Differs from it: weights are the rubric's, the total is ours.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from judgeweb.judging.arithmetic import (
    band_of,
    compare_stated,
    marked_part,
    pick_stated,
    total_step,
    without_persona,
)
from judgeweb.judging.documents import (
    ChecklistItem,
    Dimension,
    MarkSpec,
    RubricDocument,
    ScenarioDocument,
)
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.evidence import QuoteFinder
from judgeweb.judging.findings import FindingReader, QuoteReader
from judgeweb.judging.schemas import TEXT, Schema, mark_schema, record
from judgeweb.judging.strict import StrictReader, is_mapping
from judgeweb.judging.text import is_blank, shown, visible
from judgeweb.judging.types import (
    Case,
    Contestant,
    Fault,
    Finding,
    Flag,
    Mark,
    Reading,
    Step,
    Verdict,
)

NOTHING_ANSWERED = "The response is empty; nobody was asked."


class GenericSheet:
    """No list: the scenario is judged by the rubric's marks alone."""

    computed: ClassVar[str] = ""  # the dimension that is computed from findings, if any
    task: ClassVar[str] = ""  # what the judge is to do beside marking

    # --- asked -------------------------------------------------------------------------------

    def items(self, scenario: ScenarioDocument) -> tuple[ChecklistItem, ...]:
        """Everything the judge must answer for, baseline first."""
        return ()

    def check(self, case: Case) -> None:
        """Raise CaseRefused where rubric and scenario do not make a sheet (R10)."""
        for dimension in case.rubric.dimensions:
            if not dimension.marks and dimension.key != self.computed:
                raise CaseRefused(
                    "rubric", f"Dimension {dimension.key!r} has no marks and cannot be computed."
                )
        seen: set[str] = set()
        for item in self.items(case.scenario):
            if is_blank(item.id) or is_blank(item.description):
                raise CaseRefused(
                    "checklist", f"Item {item.id!r} of {case.scenario.name!r} is empty."
                )
            if item.id in seen:
                raise CaseRefused(
                    "checklist", f"Item id {item.id!r} occurs twice in {case.scenario.name!r}."
                )
            seen.add(item.id)

    def checklist(self, scenario: ScenarioDocument) -> str:
        """The list as the judge reads it; "" where there is none."""
        return ""

    def schema(self, case: Case) -> Schema:
        """The reply about one response."""
        mark = mark_schema(whole_numbers=case.rubric.whole_numbers)
        scores = {spec.key: mark for _, spec in _specs(case.rubric)}
        return record(scores=record(**scores), assessment=TEXT)

    # --- read --------------------------------------------------------------------------------

    def read(
        self, case: Case, contestant: Contestant, payload: Mapping[str, Any]
    ) -> Reading | Fault:
        """Read what the judge said of one response, or name everything that is wrong with it."""
        strict = StrictReader()
        marks = self.read_marks(strict, case.rubric, payload)
        reader = self.reader(strict, case, contestant)
        findings = self.read_findings(reader, case, payload)
        assessment = strict.text(payload.get("assessment"))
        if strict.fault:
            return strict.fault
        return Reading(
            marks=tuple(marks),
            findings=findings,
            stated=pick_stated(payload, self.stated_names(case)),
            flags=tuple(strict.flags),
            notes=tuple(strict.notes),
            assessment=assessment,
            extra=reader.extra,
        )

    def reader(self, strict: StrictReader, case: Case, contestant: Contestant) -> FindingReader:
        """Of what the judge found in this response."""
        return QuoteReader(strict, QuoteFinder(visible(contestant.response)[0]))

    def read_marks(
        self, strict: StrictReader, rubric: RubricDocument, payload: Mapping[str, Any]
    ) -> list[Mark]:
        scores = strict.mapping(payload.get("scores"), "scores")
        note_unknown(strict, scores, {spec.key for _, spec in _specs(rubric)})
        return [
            read_mark(strict, rubric, dimension, spec, scores.get(spec.key))
            for dimension, spec in _specs(rubric)
        ]

    def read_findings(
        self, reader: FindingReader, case: Case, payload: Mapping[str, Any]
    ) -> tuple[Finding, ...]:
        return ()

    # --- computed ----------------------------------------------------------------------------

    def stated_names(self, case: Case) -> tuple[str, ...]:
        """Figures that a judge may state, by their dotted place in the reply."""
        return ("weighted_total",)

    def figures(
        self, case: Case, findings: tuple[Finding, ...]
    ) -> tuple[list[Step], dict[str, Fraction | None]]:
        """The working of the computed dimension and, by stated name, the figures it gives.

        The last step is the dimension itself."""
        return [], {}

    def score(self, case: Case, reading: Reading) -> Verdict:
        """The verdict on one response. Total 0-100, exact."""
        working, figures = self.figures(case, reading.findings)
        metrics = {step.name: step.value for step in working}
        for dimension in case.rubric.dimensions:
            marks = [mark for mark in reading.marks if mark.dimension == dimension.key]
            if marks:
                working.append(marked_part(dimension, marks))
        points = {step.name: step.value for step in working}
        parts = {dimension.key: points[dimension.key] for dimension in case.rubric.dimensions}
        total = total_step(part or Fraction(0) for part in parts.values())
        figures |= {"weighted_total": total.value}
        figures |= {f"{key}.subtotal": value for key, value in parts.items()}
        stated = compare_stated(reading.stated, figures)
        differs = [Flag.STATED_DIFFERS] * any(one.differs for one in stated)
        return Verdict(
            total=total.value,
            total_without_persona=without_persona(case.rubric, parts),
            parts=parts | metrics,
            working=(*working, total),
            marks=reading.marks,
            findings=reading.findings,
            stated=stated,
            flags=(*reading.flags, *differs),
            notes=reading.notes,
            assessment=reading.assessment,
            extra=reading.extra,
        )

    def empty_answer(self, case: Case) -> Verdict:
        """The verdict on a response without content: nothing found, no marks, total 0."""
        findings = self.unanswered(case.scenario)
        working, _ = self.figures(case, findings)
        metrics = {step.name: step.value for step in working}
        parts: dict[str, Fraction | None] = {
            dimension.key: Fraction(0) for dimension in case.rubric.dimensions
        }
        return Verdict(
            total=Fraction(0),
            total_without_persona=Fraction(0),
            parts=metrics | parts,
            working=(*working, Step("total", "0", Fraction(0), NOTHING_ANSWERED)),
            findings=findings,
            flags=(Flag.EMPTY_ANSWER,),
            notes=(NOTHING_ANSWERED,),
        )

    def unanswered(self, scenario: ScenarioDocument) -> tuple[Finding, ...]:
        return ()


def _specs(rubric: RubricDocument) -> list[tuple[Dimension, MarkSpec]]:
    return [(dimension, spec) for dimension in rubric.dimensions for spec in dimension.marks]


def read_mark(
    strict: StrictReader, rubric: RubricDocument, dimension: Dimension, spec: MarkSpec, raw: Any
) -> Mark:
    """One mark, written as {reasoning, value} or, as the seed's lists do, as a bare value."""
    content = raw if is_mapping(raw) else {"value": raw}
    value, coerced = strict.mark(content.get("value"), spec.key, whole=rubric.whole_numbers)
    return Mark(
        key=spec.key,
        label=spec.label,
        dimension=dimension.key,
        value=value,
        reasoning=strict.text(content.get("reasoning")),
        band=band_of(dimension, value),
        coerced=coerced,
    )


def note_unknown(strict: StrictReader, given: Mapping[str, Any], known: set[str]) -> None:
    """Keep what the rubric does not ask for as a note. It never counts."""
    for key in given:
        if key not in known:
            note = f"Not in the rubric, not counted: {shown(key)} = {shown(given[key])}"
            strict.flag(Flag.UNKNOWN_DIMENSION, note)
