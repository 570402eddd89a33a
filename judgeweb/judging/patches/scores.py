"""From measures to the parts of a score, exactly, each with its formula written out.

A part's value lies from 0 to 1; the rubric's weight makes points of it. None: not observable, and
left out of the total together with its weight.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.patches.measures import Measures
from judgeweb.judging.patches.numbers import ONE, ZERO, above, clip
from judgeweb.judging.patches.prose import Named
from judgeweb.judging.types import Step

GROUND_TRUTH, SWEBENCH = "ground-truth", "swebench"
PARTS = {
    GROUND_TRUTH: (
        "file_identification",
        "location_identification",
        "fix_logic_match",
        "completeness",
    ),
    SWEBENCH: ("root_cause", "fix_quality", "completeness"),
}
"""The parts that are measured, by rubric key."""

PROSE_CAP = Fraction(40)
"""What prose without a patch can reach at most, of 100."""


def _of(hundredths: int) -> Fraction:
    return Fraction(hundredths, 100)


def file_factor(m: Measures) -> Fraction:
    return _of(60) + _of(40) * m.file_recall


def logic_step(m: Measures) -> Step:
    """How much of the gold change is made, and in its direction."""
    if m.is_same:
        return Step("logic", "the same change as the gold patch", ONE)
    factor = file_factor(m)
    if m.is_move:
        value = above(m.signed_similarity, m.undone_similarity) * factor
        floor = plain(m.undone_similarity)
        text = f"max(0, ({plain(m.signed_similarity)} - {floor}) / (1 - {floor})) × {plain(factor)}"
        return Step(
            "logic",
            text,
            value,
            "The gold patch moves code: its edits in order, beside those of its undoing.",
        )
    alike = _of(40) * m.change_f1 + _of(30) * (m.block_similarity + m.added_similarity)
    towards = clip(1 + 2 * m.direction)
    text = (
        f"(0.4×{plain(m.change_f1)} + 0.3×{plain(m.block_similarity)} + "
        f"0.3×{plain(m.added_similarity)}) × clip(1 + 2×{plain(m.direction)}) × "
        f"(0.6 + 0.4×{plain(m.file_recall)})"
    )
    return Step("logic", text, alike * towards * factor)


# --- ground truth -------------------------------------------------------------------------------


def ground_truth_steps(m: Measures, logic: Fraction) -> tuple[Step, ...]:
    """The four parts, without their weights, by rubric key."""
    if m.is_same:
        same = "the same change as the gold patch"
        return (
            Step("file_identification", same, ONE),
            Step("location_identification", same, ONE),
            Step("fix_logic_match", same, ONE),
            Step("completeness", f"0.9 + 0.1×{plain(m.hygiene)}", _of(90) + _of(10) * m.hygiene),
        )
    completeness = (
        _of(50) * m.change_recall
        + _of(20) * m.name_recall
        + _of(20) * m.scope_recall
        + _of(10) * m.hygiene
    )
    return (
        _file_step(m),
        _location_step(m),
        Step("fix_logic_match", f"logic {plain(logic)}", logic),
        Step(
            "completeness",
            f"0.5×{plain(m.change_recall)} + 0.2×{plain(m.name_recall)} + "
            f"0.2×{plain(m.scope_recall)} + 0.1×{plain(m.hygiene)}",
            completeness,
        ),
    )


def _file_step(m: Measures | Named) -> Step:
    return Step(
        "file_identification",
        f"{plain(m.file_recall)} × (0.5 + 0.5×{plain(m.file_precision)})",
        m.file_recall * (_of(50) + _of(50) * m.file_precision),
    )


def _location_step(m: Measures | Named) -> Step:
    return Step(
        "location_identification",
        f"0.5×{plain(m.line_recall)} + 0.2×{plain(m.line_precision)} + 0.3×{plain(m.scope_f1)}",
        _of(50) * m.line_recall + _of(20) * m.line_precision + _of(30) * m.scope_f1,
    )


# --- swebench -----------------------------------------------------------------------------------


def swebench_steps(
    m: Measures, logic: Fraction, *, explanation: Fraction | None, is_sound: bool
) -> tuple[Step, ...]:
    """The three parts that need no model. `is_sound`: the patch applies and its files parse, as
    far as that is known. The same change touches what gold touches, however its diff is cut."""
    if m.is_same:
        m = _all_touched(m)
    quality = _of(70) * logic + _of(15) * m.oversize + _of(15) * m.hygiene
    sound = ONE if is_sound else ZERO
    return (
        _root_cause_step(m, explanation),
        Step(
            "fix_quality",
            f"{plain(sound)} × (0.7×{plain(logic)} + 0.15×{plain(m.oversize)} + "
            f"0.15×{plain(m.hygiene)})",
            sound * quality,
        ),
        Step(
            "completeness",
            f"0.6×{plain(m.change_recall)} + 0.2×{plain(m.name_recall)} + "
            f"0.2×{plain(m.scope_recall)}",
            _of(60) * m.change_recall + _of(20) * (m.name_recall + m.scope_recall),
        ),
    )


def _all_touched(m: Measures) -> Measures:
    return replace(
        m,
        file_recall=ONE,
        line_recall=ONE,
        scope_recall=ONE,
        change_recall=ONE,
        name_recall=ONE,
        oversize=ONE,
    )


def _root_cause_step(m: Measures | Named, explanation: Fraction | None) -> Step:
    place = _of(30) * m.file_recall + _of(40) * m.line_recall + _of(30) * m.scope_recall
    text = f"0.3×{plain(m.file_recall)} + 0.4×{plain(m.line_recall)} + 0.3×{plain(m.scope_recall)}"
    if explanation is None:
        note = "There is no prose, so that the explanation is left out."
        return Step("root_cause", text, place, note)
    value = _of(70) * place + _of(30) * explanation
    return Step("root_cause", f"0.7×({text}) + 0.3×{plain(explanation)}", value)


# --- no patch, no code --------------------------------------------------------------------------


def prose_steps(mode: str, named: Named) -> tuple[Step, ...]:
    """What prose earns without a patch: files and places. Everything else is 0."""
    if mode == GROUND_TRUTH:
        return (
            _file_step(named),
            _location_step(named),
            Step("fix_logic_match", "no patch", ZERO),
            Step("completeness", "no patch", ZERO),
        )
    place = _root_cause_step(named, None)
    return (
        Step("root_cause", f"0.7×({place.expression})", _of(70) * (place.value or ZERO)),
        Step("fix_quality", "no patch", ZERO),
        Step("completeness", "no patch", ZERO),
    )


def nothing_steps(mode: str, why: str) -> tuple[Step, ...]:
    return tuple(Step(key, why, ZERO) for key in PARTS[mode])


def incomparable_steps(mode: str, m: Measures) -> tuple[Step, ...]:
    """A binary gold patch whose content is not known or not equal: only files can be compared."""
    first, *others = PARTS[mode]
    file = _file_step(m)
    return (
        Step(first, file.expression, file.value),
        *(Step(key, "not comparable: binary content", None) for key in others),
    )


# --- total --------------------------------------------------------------------------------------


def total_of(
    steps: Mapping[str, Fraction | None], weights: Mapping[str, Fraction], cap: Fraction | None
) -> tuple[Fraction, Fraction]:
    """100 x earned / observable weight, and the share of the weights that is observable, which is
    never 0: files can always be compared."""
    observed = {key: value for key, value in steps.items() if value is not None}
    observable = sum((weights[key] for key in observed), ZERO)
    earned = sum((weights[key] * value for key, value in observed.items()), ZERO)
    total = 100 * earned / observable
    if cap is not None:
        total = min(total, cap)
    return total, observable / sum(weights.values(), ZERO)
