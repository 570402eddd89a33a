"""What a rubric must fulfil to be published; form, API, importer and command ask here alone.

In modes that mark: weights are finite, positive and sum to 100 exactly (decimal arithmetic).
Weights that sum to exactly 1 are read as shares and stored as percent. A dimension with marks has
five bands that cover 1-10 once. Keys are unique, since they name values in the judge's reply.
In modes that check (CHECKED) or rate (RATED): the mode's dimensions, each with its criteria;
weights say nothing.
"""

import re
from collections import Counter
from decimal import Decimal

from judgeweb.judging.documents import AnchorSetDocument, Band, RubricDocument
from judgeweb.judging.errors import DocumentInvalid

BANDS = 5
_KEY = re.compile(r"[a-z][a-z0-9_]{0,59}")
# Names with a meaning of their own in a reply.
_RESERVED = {
    "assessment",
    "baseline_behaviors",
    "baseline_findings",
    "bonus_behaviors",
    "bonus_findings",
    "false_positives",
    "novel_findings",
    "scores",
    "subtotal",
    "total",
    "weighted_total",
}
# Dimensions without marks, by mode. A mode that is not listed computes all or decides itself.
_COMPUTED: dict[str, tuple[str, ...]] = {
    "solo": (),
    "checklist": ("detection",),
    "behaviours": ("execution",),
    "swebench": ("root_cause", "fix_quality", "completeness", "persona"),
    "ground-truth": (
        "file_identification",
        "location_identification",
        "fix_logic_match",
        "completeness",
    ),
    "phase-sm": (),
    "phase-tea": (),
    "phase-dev": (),
    "phase-reviewer": (),
}

# Modes whose dimensions hold or do not: nothing is marked, and nothing is weighted.
CHECKED: dict[str, tuple[str, ...]] = {
    "calls": ("schema_ok", "factually_grounded", "hallucination_free"),
}

# Modes whose one dimension gets a word instead of marks; its criteria say what each word means.
RATED: dict[str, tuple[str, ...]] = {"coherence": ("coherence",)}

Problem = tuple[str, str]


def publishable_rubric(rubric: RubricDocument) -> RubricDocument:
    """The rubric as it is stored, weights in percent. Raise DocumentInvalid with every problem."""
    percent = with_percent_weights(rubric)
    if rubric.mode in CHECKED:
        problems = checked_problems(rubric)
    elif rubric.mode in RATED:
        problems = rated_problems(rubric)
    else:
        problems = _marked_problems(percent)
    if problems:
        raise DocumentInvalid(problems)
    return percent


def checked_problems(rubric: RubricDocument) -> list[Problem]:
    """What keeps a rubric from being one of dimensions that hold or do not."""
    return _unmarked_problems(rubric, CHECKED[rubric.mode])


def rated_problems(rubric: RubricDocument) -> list[Problem]:
    """What keeps a rubric from being one of a rating."""
    return _unmarked_problems(rubric, RATED[rubric.mode])


def _unmarked_problems(rubric: RubricDocument, wanted: tuple[str, ...]) -> list[Problem]:
    keys = [dimension.key for dimension in rubric.dimensions]
    problems = []
    if sorted(keys) != sorted(wanted):
        problems.append(("dimensions", f"must be {', '.join(wanted)}, each once"))
    for dimension in rubric.dimensions:
        place = f"dimension {dimension.key}"
        if dimension.marks:
            problems.append((place, f"mode {rubric.mode} gives no marks"))
        if not dimension.criteria.strip():
            problems.append((f"{place}.criteria", "are empty: they tell the judge what to decide"))
    return problems


def _marked_problems(percent: RubricDocument) -> list[Problem]:
    return [
        *_weight_problems(percent),
        *_key_problems(percent),
        *_band_problems(percent),
        *_mark_problems(percent),
    ]


def publishable_anchors(anchors: AnchorSetDocument) -> AnchorSetDocument:
    """The anchor set, if it may be published. Raise DocumentInvalid with every problem."""
    problems = band_problems("bands", anchors.bands)
    if not anchors.name.strip():
        problems.append(("name", "is empty"))
    if problems:
        raise DocumentInvalid(problems)
    return anchors


def with_percent_weights(rubric: RubricDocument) -> RubricDocument:
    """Read weights that sum to exactly 1 as shares; leave all others as they are."""
    weights = [dimension.weight for dimension in rubric.dimensions]
    if not all(weight.is_finite() for weight in weights) or sum(weights) != 1:
        return rubric
    dimensions = tuple(
        one.model_copy(update={"weight": one.weight * 100}) for one in rubric.dimensions
    )
    return rubric.model_copy(update={"dimensions": dimensions})


def _weight_problems(rubric: RubricDocument) -> list[Problem]:
    if not rubric.dimensions:
        return [("dimensions", "there are none")]
    weights = [dimension.weight for dimension in rubric.dimensions]
    problems = [
        (f"dimensions.{dimension.key}.weight", f"must be a positive number, not {dimension.weight}")
        for dimension in rubric.dimensions
        if not dimension.weight.is_finite() or dimension.weight <= 0
    ]
    if not problems and (total := sum(weights, Decimal(0))) != 100:
        problems.append(("weights", f"sum to {total.normalize():f}, not to 100"))
    return problems


def _key_problems(rubric: RubricDocument) -> list[Problem]:
    problems = []
    dimensions = [dimension.key for dimension in rubric.dimensions]
    marks = [mark.key for dimension in rubric.dimensions for mark in dimension.marks]
    for kind, keys in (("dimension", dimensions), ("mark", marks)):
        for key, count in Counter(keys).items():
            if count > 1:
                problems.append((f"{kind} {key}", f"the key occurs {count} times"))
            if not _KEY.fullmatch(key) or key in _RESERVED:
                problems.append(
                    (
                        f"{kind} {key}",
                        "the key must be lower-case letters, digits and _, "
                        "start with a letter and be no word of the reply itself",
                    )
                )
    return problems


def _mark_problems(rubric: RubricDocument) -> list[Problem]:
    if rubric.mode not in _COMPUTED:
        return []
    computed = _COMPUTED[rubric.mode]
    unmarked = {dimension.key for dimension in rubric.dimensions if not dimension.marks}
    return [
        *((f"dimension {key}", "has no marks") for key in sorted(unmarked - set(computed))),
        *(
            (f"dimension {key}", f"mode {rubric.mode} computes it: it must be there, without marks")
            for key in computed
            if key not in unmarked
        ),
    ]


def _band_problems(rubric: RubricDocument) -> list[Problem]:
    return [
        problem
        for dimension in rubric.dimensions
        if dimension.marks
        for problem in band_problems(f"dimension {dimension.key}", dimension.bands)
    ]


def band_problems(place: str, bands: tuple[Band, ...]) -> list[Problem]:
    """What keeps bands from covering 1-10 once with five texts. Empty where nothing does."""
    covered = Counter(mark for band in bands for mark in range(band.low, band.high + 1))
    problems = []
    if len(bands) != BANDS:
        problems.append((place, f"has {len(bands)} anchor bands, not {BANDS}"))
    missing = [str(mark) for mark in range(1, 11) if not covered[mark]]
    doubled = [str(mark) for mark, count in sorted(covered.items()) if count > 1]
    if missing:
        problems.append((place, f"no anchor band covers {', '.join(missing)}"))
    if doubled:
        problems.append((place, f"more than one anchor band covers {', '.join(doubled)}"))
    problems += [
        (place, f"the anchor band {band.low}-{band.high} has no text")
        for band in bands
        if not band.text.strip()
    ]
    return problems
