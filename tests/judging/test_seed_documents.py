"""The first revisions that a new installation starts with."""

import hashlib
import json

from judgeweb.judging.documents import AnchorSetDocument, RubricDocument, load_document
from judgeweb.judging.modes import MODES
from judgeweb.judging.rubric_rules import publishable_anchors, publishable_rubric
from tests.judging.world import SEED

# SHA-256 over the twenty texts joined by line feeds, taken from the judge skill by script.
VERBATIM = "9a714d10d3d71c425bb9a6be21177c110714719d883704c420bb14d6fcdacab2"


def anchors(name: str = "anchors.json") -> list[AnchorSetDocument]:
    documents = json.loads((SEED / name).read_text(encoding="utf-8"))
    return [load_document(AnchorSetDocument, document) for document in documents]


def rubrics(name: str = "rubrics.json") -> list[RubricDocument]:
    documents = json.loads((SEED / name).read_text(encoding="utf-8"))
    return [load_document(RubricDocument, document) for document in documents]


def test_anchors_are_the_four_sets_verbatim() -> None:
    texts = [band.text for one in anchors() for band in one.bands]

    assert [one.name for one in anchors()] == ["Correctness", "Depth", "Quality", "Persona"]
    assert [(band.low, band.high) for band in anchors()[0].bands] == [
        (1, 2),
        (3, 4),
        (5, 6),
        (7, 8),
        (9, 10),
    ]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest() == VERBATIM


def test_anchors_and_rubrics_may_be_published() -> None:
    for one in anchors():
        assert publishable_anchors(one) is one
    for rubric in rubrics():
        assert publishable_rubric(rubric) == rubric


def test_rubrics_are_one_for_each_solo_mode() -> None:
    assert [rubric.mode for rubric in rubrics()] == ["solo", "checklist", "behaviours"]
    assert all(rubric.mode in MODES for rubric in rubrics())
    assert [[int(one.weight) for one in rubric.dimensions] for rubric in rubrics()] == [
        [25, 25, 25, 25],
        [50, 25, 25],
        [50, 25, 25],
    ]


def test_rubrics_embed_the_bands_of_the_sets_they_name() -> None:
    by_name = {one.name: one.bands for one in (*anchors(), *anchors("phase_anchors.json"))}
    for rubric in (*rubrics(), *rubrics("comparison_rubrics.json")):
        for dimension in rubric.dimensions:
            assert dimension.bands == by_name.get(dimension.anchors, ())


def test_own_anchor_sets_are_marked_as_ours() -> None:
    own = anchors("phase_anchors.json")

    assert [one.name for one in own] == ["Handoff", "Verdict"]
    for one in own:
        assert publishable_anchors(one) is one
        assert one.source.startswith("judgeweb's own")


def test_phase_rubrics_have_the_weights_and_anchors_of_the_seed() -> None:
    phases = rubrics("comparison_rubrics.json")

    assert [
        (one.mode, [(part.key, int(part.weight), part.anchors) for part in one.dimensions])
        for one in phases
    ] == [
        (
            "phase-sm",
            [
                ("clarity", 30, "Quality"),
                ("handoff", 40, "Handoff"),
                ("completeness", 30, "Depth"),
            ],
        ),
        (
            "phase-tea",
            [
                ("coverage", 35, "Depth"),
                ("red_state", 35, "Correctness"),
                ("handoff", 30, "Handoff"),
            ],
        ),
        (
            "phase-dev",
            [
                ("green_state", 40, "Correctness"),
                ("code_quality", 30, "Quality"),
                ("handoff", 30, "Handoff"),
            ],
        ),
        (
            "phase-reviewer",
            [
                ("detection", 40, "Correctness"),
                ("verdict", 30, "Verdict"),
                ("persona", 30, "Persona"),
            ],
        ),
        ("coherence", [("coherence", 0, "")]),
    ]
    assert all(publishable_rubric(one) == one for one in phases)
