"""A patch case judged: from the texts to a verdict. Both modes share this; they differ in parts.

Measured quantities are rounded to nine decimals (half to even); points and totals follow from
them exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.arithmetic import PERSONA, plain, weight_of
from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from judgeweb.judging.patches import old_files
from judgeweb.judging.patches.changes import Changes, changes_of
from judgeweb.judging.patches.display import SideFile, details, sides
from judgeweb.judging.patches.gold import Gold, gold_of
from judgeweb.judging.patches.measures import Measures, measure, metrics
from judgeweb.judging.patches.notes import flags_and_notes
from judgeweb.judging.patches.numbers import ZERO
from judgeweb.judging.patches.placing import OldLines, old_lines_in, old_lines_of
from judgeweb.judging.patches.prose import explanation, named_places
from judgeweb.judging.patches.resolved import band_of, probability
from judgeweb.judging.patches.responses import Form, Proposal, proposal_of
from judgeweb.judging.patches.scores import (
    GROUND_TRUTH,
    PROSE_CAP,
    ground_truth_steps,
    incomparable_steps,
    logic_step,
    nothing_steps,
    prose_steps,
    swebench_steps,
    total_of,
)
from judgeweb.judging.rubric_rules import publishable_rubric
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import FunctionSpan, PatchCase, Step, Verdict

Functions = Mapping[str, tuple[FunctionSpan, ...]]


def check_case(case: PatchCase, mode: str) -> None:
    """Raise CaseRefused where there is nothing to judge by (R10). An empty answer is not that."""
    if case.rubric.mode != mode:
        raise CaseRefused(
            "rubric", f"Rubric {case.rubric.name!r} is for {case.rubric.mode!r}, not {mode!r}."
        )
    try:
        publishable_rubric(case.rubric)
    except DocumentInvalid as error:
        raise CaseRefused("rubric", str(error)) from error
    if is_blank(case.scenario):
        raise CaseRefused("scenario", "The scenario has no name.")
    if is_blank(case.gold_patch):
        raise CaseRefused("gold_patch", "The instance has no gold patch.")
    gold = gold_of(case.gold_patch, case.test_patch)
    if gold.patch.faults:
        fault = gold.patch.faults[0]
        raise CaseRefused("gold_patch", f"The gold patch is malformed in line {fault.line}.")
    if not gold.changes.source:
        raise CaseRefused("gold_patch", "The gold patch changes no file.")


@dataclass(frozen=True)
class Comparison:
    """A response beside the gold patch."""

    gold: Gold
    proposal: Proposal
    changes: Changes
    functions: Functions
    is_sound: bool
    same_trees: bool


def compare(case: PatchCase) -> Comparison:
    gold = gold_of(case.gold_patch, case.test_patch)

    def known(path: str) -> OldLines:
        if path in case.old_files:
            return old_lines_of(case.old_files[path])
        return old_lines_in(gold.changes.source, path)

    proposal = proposal_of(case.response, known)
    changes = changes_of(proposal.patch, as_source=gold.changes.paths, as_tests=gold.test_paths)
    files = case.old_files
    is_sound = not proposal.patch.is_malformed and not changes.unsafe
    if files and is_sound:
        is_sound = old_files.applies(changes, files) and old_files.parses(changes, files)
    return Comparison(
        gold,
        proposal,
        changes,
        _functions(case, gold),
        is_sound,
        bool(files) and is_sound and old_files.same_trees(gold.changes, changes, files),
    )


def sides_of(case: PatchCase) -> tuple[tuple[SideFile, ...], tuple[SideFile, ...]]:
    """Gold and predicted diff for a page, with the lines that match."""
    found = compare(case)
    return sides(found.gold.patch.files, found.proposal.patch.files)


def _functions(case: PatchCase, gold: Gold) -> Functions:
    """The index as given, else read from the old files."""
    found = dict(case.functions)
    for path in gold.changes.paths:
        if path not in found and path.endswith(".py") and path in case.old_files:
            found[path] = old_files.functions_in(case.old_files[path])
    return found


def verdict_on(case: PatchCase, mode: str) -> Verdict:
    """The verdict of the mode on the case, which `check_case` let pass."""
    found = compare(case)
    form = found.proposal.form
    measures: Measures | None = None
    if form is Form.EMPTY:
        steps = nothing_steps(mode, "an empty answer")
    elif form is Form.PROSE:
        named = named_places(case.response, found.gold, found.functions, case.issue)
        steps = prose_steps(mode, named)
    else:
        measures = measure(found.gold, found.changes, found.functions, is_same=found.same_trees)
        steps = _patch_steps(case, mode, found, measures)
    is_zero = form is Form.EMPTY or (measures is not None and not measures.changes_code)
    if mode != GROUND_TRUTH:
        steps = (*steps, _persona_step(case, is_zero=is_zero))
    return _verdict(case, mode, found, measures, steps)


def _patch_steps(
    case: PatchCase, mode: str, found: Comparison, measures: Measures
) -> tuple[Step, ...]:
    if not measures.changes_code:
        return nothing_steps(mode, "no change of code")
    if not measures.is_comparable:
        return incomparable_steps(mode, measures)
    logic = logic_step(measures)
    if mode == GROUND_TRUTH:
        parts = ground_truth_steps(measures, logic.value or ZERO)
    else:
        said = explanation(found.proposal.prose, found.gold, found.functions, case.issue)
        parts = swebench_steps(
            measures, logic.value or ZERO, explanation=said, is_sound=found.is_sound
        )
    return (logic, *parts)


def _persona_step(case: PatchCase, *, is_zero: bool) -> Step:
    if case.persona is None:
        return Step(PERSONA, "no linked judgement", None, "Left out of the total.")
    if is_zero:
        return Step(PERSONA, "nothing to judge", ZERO)
    return Step(PERSONA, f"mark {plain(case.persona)} / 10", case.persona / 10)


# --- the verdict --------------------------------------------------------------------------------


def _verdict(
    case: PatchCase,
    mode: str,
    found: Comparison,
    measures: Measures | None,
    steps: tuple[Step, ...],
) -> Verdict:
    weights = {dimension.key: weight_of(dimension) for dimension in case.rubric.dimensions}
    shares = {step.name: step.value for step in steps if step.name in weights}
    others = {key: value for key, value in shares.items() if key != PERSONA}
    cap = PROSE_CAP if found.proposal.form is Form.PROSE else None
    total, coverage = total_of(shares, weights, cap)
    flags, notes = flags_and_notes(found.gold, found.proposal, found.changes, measures)
    points = {key: None if value is None else weights[key] * value for key, value in shares.items()}
    return Verdict(
        total=total,
        total_without_persona=total_of(others, weights, cap)[0],
        parts={
            **points,
            "coverage": coverage,
            "p_resolved": probability(mode, total),
            **(metrics(measures) if measures else {}),
        },
        working=(*(_weighed(step, weights) for step in steps), _total_step(points, weights, total)),
        flags=flags,
        notes=notes,
        extra=_extra(found, total),
    )


def _weighed(step: Step, weights: Mapping[str, Fraction]) -> Step:
    """A part as points. Other steps stay as they are."""
    if step.name not in weights or step.value is None:
        return step
    weight = weights[step.name]
    text = f"{plain(weight)} × ({step.expression})"
    return Step(step.name, text, weight * step.value, step.note)


def _total_step(
    points: Mapping[str, Fraction | None], weights: Mapping[str, Fraction], total: Fraction
) -> Step:
    observed = {key: value for key, value in points.items() if value is not None}
    earned = " + ".join(plain(value) for value in observed.values())
    observable = sum((weights[key] for key in observed), ZERO)
    uncapped = 100 * sum(observed.values(), ZERO) / observable
    note = f"Prose without a patch reaches {PROSE_CAP} at most." if uncapped != total else ""
    return Step("total", f"100 × ({earned}) / {plain(observable)}", total, note)


def _extra(found: Comparison, total: Fraction) -> dict[str, Any]:
    """See `display.details`; and how often such totals resolved elsewhere."""
    band = band_of(total)
    return {
        "form": str(found.proposal.form),
        **details(found.gold, found.changes, found.functions),
        "band": {
            "above": float(band.above),
            "to": float(band.to),
            "resolved_percent": band.resolved,
            "of": band.of,
        },
    }
