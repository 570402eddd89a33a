"""Marks beside the anchor bands of the pinned rubric."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.documents import Band, Dimension, RubricDocument
from verdicts_app.models import VerdictMark


@dataclass(frozen=True)
class BandCell:
    label: str
    is_claimed: bool


@dataclass(frozen=True)
class MarkRow:
    """`claimed_label` and `anchor_text` are the band that the mark lies in; empty without bands."""

    label: str
    anchors: str
    value: Fraction
    bands: tuple[BandCell, ...]
    claimed_label: str
    anchor_text: str
    reasoning: str
    coerced: bool


@dataclass(frozen=True)
class PartFigure:
    """A weighted part of the total, or a metric without a weight."""

    key: str
    label: str
    value: Fraction | None
    weight: Fraction | None


def mark_rows(marks: Sequence[VerdictMark], rubric: RubricDocument | None) -> tuple[MarkRow, ...]:
    dimensions = {d.key: d for d in rubric.dimensions} if rubric else {}
    return tuple(_mark_row(mark, dimensions.get(mark.dimension)) for mark in marks)


def _mark_row(mark: VerdictMark, dimension: Dimension | None) -> MarkRow:
    bands = dimension.bands if dimension else ()
    claimed = next((band for band in bands if _label(band, "-") == mark.band), None)
    return MarkRow(
        label=mark.label,
        anchors=f"{dimension.anchors} anchors" if dimension and dimension.anchors else "",
        value=Fraction(mark.value_exact),
        bands=tuple(BandCell(_label(band), band is claimed) for band in bands),
        claimed_label=_label(claimed) if claimed else mark.band.replace("-", "–"),
        anchor_text=claimed.text if claimed else "",
        reasoning=mark.reasoning,
        coerced=mark.coerced,
    )


def _heading(key: str) -> str:
    return key.upper() if key in ("f1", "f2") else key.replace("_", " ").capitalize()


def _label(band: Band, dash: str = "–") -> str:
    return f"{band.low}{dash}{band.high}" if band.low != band.high else str(band.low)


METRICS = {"recall", "precision"}
"""Shown beside the parts, in a figure of their own."""
SHOWN_PARTS = 8


def part_figures(
    parts: dict[str, Fraction | None],
    rubric: RubricDocument | None,
    out_of: dict[str, Fraction | None],
) -> tuple[PartFigure, ...]:
    """The rubric's dimensions in its order, each with what it is worth. Without a rubric of ours
    (imported verdicts) the parts themselves, worth what their document says."""
    if rubric is None:
        named = out_of.keys() & parts.keys() or parts.keys() - METRICS
        return tuple(
            PartFigure(key, _heading(key), value, out_of.get(key))
            for key, value in parts.items()
            if key in named
        )[:SHOWN_PARTS]
    return tuple(
        PartFigure(d.key, d.label, parts.get(d.key), Fraction(d.weight)) for d in rubric.dimensions
    )
