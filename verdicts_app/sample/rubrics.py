"""The sample rubrics: copies of the shipped ones, sharpened in one place on the way."""

from rubrics_app import publishing
from rubrics_app.models import Dimension, DimensionMark, Rubric

SHARPER = " It counts as actionable only where the reader could start on it at once."


def sample_key(mode: str) -> str:
    return f"sample-{mode}"


def publish_copy(mode: str) -> None:
    """Publish a copy of the shipped rubric of a mode."""
    shipped = Rubric.objects.get(key=mode)
    rubric = Rubric.objects.create(
        key=sample_key(mode), name=f"Sample: {shipped.name}", mode=mode, description="Sample data"
    )
    for dimension in shipped.dimensions.all():
        marks = list(dimension.marks.all())
        copy = Dimension.objects.create(
            rubric=rubric, **_fields(dimension, "position key label weight criteria anchor_set")
        )
        for mark in marks:
            DimensionMark.objects.create(
                dimension=copy, **_fields(mark, "position key label criteria")
            )
    publishing.publish(rubric, user=None, actor="command", note="Sample data")


def publish_sharper(mode: str) -> None:
    """Publish the copy again, as its second revision."""
    rubric = Rubric.objects.get(key=sample_key(mode))
    quality = rubric.dimensions.get(key="quality")
    quality.criteria += SHARPER
    quality.save()
    publishing.publish(rubric, user=None, actor="command", note="Sharper on fixes")


def _fields(row: Dimension | DimensionMark, names: str) -> dict[str, object]:
    return {name: getattr(row, name) for name in names.split()}
