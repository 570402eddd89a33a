from decimal import Decimal

import pytest

from judgeweb.judging.documents import (
    AnchorSetDocument,
    Dimension,
    MarkSpec,
    RubricDocument,
    load_document,
)
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.rubric_rules import publishable_anchors, publishable_rubric
from tests.judging.world import rubric

BANDS = rubric("solo").dimensions[0].bands


def weighing(*weights: object) -> RubricDocument:
    return load_document(
        RubricDocument,
        {
            "name": "r",
            "mode": "solo",
            "dimensions": [
                {
                    "key": f"d{n}",
                    "label": "D",
                    "weight": weight,
                    "bands": [band.model_dump() for band in BANDS],
                    "marks": [{"key": f"m{n}", "label": "M"}],
                }
                for n, weight in enumerate(weights)
            ],
        },
    )


def problems(document: RubricDocument) -> str:
    with pytest.raises(DocumentInvalid) as caught:
        publishable_rubric(document)
    return str(caught.value)


def weights(document: RubricDocument) -> list[Decimal]:
    return [dimension.weight for dimension in document.dimensions]


@pytest.mark.parametrize(
    ("given", "named"),
    [((30, 40, 29), "99"), (("33.33",) * 3, "99.99"), ((50, 60), "110"), ((0.5, 0.4), "0.9")],
)
def test_case_35_weights_that_miss_100_are_refused_with_their_sum(
    given: tuple[object, ...], named: str
) -> None:
    assert f"weights: sum to {named}, not to 100" in problems(weighing(*given))


def test_case_35_weights_that_sum_to_1_are_shares() -> None:
    assert weights(publishable_rubric(weighing(0.1, 0.2, 0.7))) == [10, 20, 70]


def test_case_35_weights_that_sum_to_100_stay() -> None:
    assert weights(publishable_rubric(weighing("33.3", "33.3", "33.4"))) == [
        Decimal("33.3"),
        Decimal("33.3"),
        Decimal("33.4"),
    ]


@pytest.mark.parametrize("weight", [0, -10])
def test_weight_must_be_positive(weight: int) -> None:
    assert f"dimensions.d0.weight: must be a positive number, not {weight}" in problems(
        weighing(weight, 100 - weight)
    )


@pytest.mark.parametrize("weight", ["NaN", "Infinity"])
def test_weight_must_be_finite(weight: str) -> None:
    # The document refuses them on the way in; a value built in code is caught here.
    broken = weighing(50, 50).dimensions[0].model_copy(update={"weight": Decimal(weight)})
    document = weighing(50).model_copy(update={"dimensions": (broken,)})

    assert "must be a positive number" in problems(document)
    with pytest.raises(DocumentInvalid):
        weighing(weight)


def test_rubric_without_dimensions_is_refused() -> None:
    assert problems(weighing()) == "dimensions: there are none"


def test_doubled_and_reserved_keys_are_refused() -> None:
    first, second = weighing(50, 50).dimensions
    twice = second.model_copy(update={"key": "d0", "marks": first.marks})
    reserved = second.model_copy(update={"key": "assessment"})
    odd = second.model_copy(update={"marks": (MarkSpec(key="Clear Words", label="C"),)})
    document = weighing(50, 50)

    message = problems(document.model_copy(update={"dimensions": (first, twice)}))
    assert "dimension d0: the key occurs 2 times" in message
    assert "mark m0: the key occurs 2 times" in message
    for wrong in (reserved, odd):
        message = problems(document.model_copy(update={"dimensions": (first, wrong)}))
        assert "the key must be" in message


def with_bands(*bands: tuple[int, int, str]) -> str:
    made = [{"low": low, "high": high, "text": text} for low, high, text in bands]
    anchors = load_document(AnchorSetDocument, {"name": "n", "bands": made})
    with pytest.raises(DocumentInvalid) as caught:
        publishable_anchors(anchors)
    return str(caught.value)


def test_bands_must_cover_1_to_10_once() -> None:
    message = with_bands((1, 2, "a"), (2, 4, "b"), (5, 6, " "), (7, 8, "d"))

    assert "has 4 anchor bands, not 5" in message
    assert "no anchor band covers 9, 10" in message
    assert "more than one anchor band covers 2" in message
    assert "the anchor band 5-6 has no text" in message


def test_anchor_set_needs_a_name() -> None:
    with pytest.raises(DocumentInvalid, match="name: is empty"):
        publishable_anchors(AnchorSetDocument(name=" ", bands=BANDS))


def test_anchor_set_that_is_right_is_returned() -> None:
    anchors = AnchorSetDocument(name="Correctness", bands=BANDS)

    assert publishable_anchors(anchors) is anchors


def test_marked_dimension_needs_bands_in_every_mode() -> None:
    first = weighing(100).dimensions[0].model_copy(update={"bands": ()})
    document = weighing(100).model_copy(update={"dimensions": (first,), "mode": "phase-sm"})

    assert "dimension d0: has 0 anchor bands" in problems(document)


def test_computed_dimensions_belong_to_their_mode() -> None:
    detection = Dimension(key="detection", label="D", weight=Decimal(100))
    alone = weighing(100).model_copy(update={"dimensions": (detection,)})

    assert "dimension detection: has no marks" in problems(alone)
    assert publishable_rubric(alone.model_copy(update={"mode": "checklist"}))
    assert "mode behaviours computes it" in problems(
        alone.model_copy(update={"mode": "behaviours"})
    )
    assert publishable_rubric(alone.model_copy(update={"mode": "another"}))
