"""Saving whole rubric documents as drafts."""

from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from judgeweb.judging.documents import Band, RubricDocument
from judgeweb.judging.documents import Dimension as DimensionPart
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.rubric_rules import with_percent_weights
from rubrics_app.lint import errors_of, lint
from rubrics_app.models import (
    AnchorBand,
    AnchorSet,
    Dimension,
    DimensionMark,
    Revision,
    Rubric,
)
from rubrics_app.publishing import document_of, published_bands, raise_version
from rubrics_app.publishing import publish as publish_draft
from rubrics_app.scenarios import Change, check_columns, name_of, record_change, storable


class SavedRubric(NamedTuple):
    rubric: Rubric
    revision: Revision | None
    change: Change


@transaction.atomic
def save_rubric(
    document: RubricDocument,
    *,
    key: str,
    user: User | None,
    actor: str = "",
    publish: bool = True,
    note: str = "",
) -> SavedRubric:
    """Make the draft `key` equal to the document, and publish it if asked. An anchor set that is
    not known here is made and published from the bands that came with it.

    Raise DocumentInvalid where it must not be published; then nothing is written.
    """
    document = with_percent_weights(storable(document))
    _check_key(key)
    check_columns([Rubric(key=key, name=document.name, mode=document.mode), *_rows(document, {})])
    document = _with_bands(document)
    if errors := errors_of(lint(document)):
        raise DocumentInvalid([(e.place, e.message) for e in errors], _weights(document))
    actor = actor or name_of(user)
    anchor_sets = _anchor_sets(document, user=user, actor=actor)
    rubric, is_new = Rubric.objects.select_for_update().get_or_create(
        key=key, defaults={"name": document.name, "mode": document.mode, "updated_by": user}
    )
    change = Change.CREATED if is_new else Change.UNCHANGED
    if document_of(rubric) != document:
        _write(rubric, document, anchor_sets)
        if not is_new:
            change = Change.CHANGED
            raise_version(rubric, user=user)
    record_change(actor, change, rubric)
    revision = publish_draft(rubric, user=user, note=note, actor=actor) if publish else None
    return SavedRubric(rubric, revision, change)


def _check_key(key: str) -> None:
    if not key.strip() or not key.isprintable() or "/" in key:
        expected = "expected 1 to 200 printable characters without a slash"
        raise DocumentInvalid([("key", expected)], {"key": key})


def _weights(document: RubricDocument) -> dict[str, str]:
    """What stood where the rules of weights find fault."""
    weights = {d.key: f"{d.weight.normalize():f}" for d in document.dimensions}
    each = {f"dimensions.{key}.weight": weight for key, weight in weights.items()}
    return {"weights": " + ".join(weights.values()), **each}


def _with_bands(document: RubricDocument) -> RubricDocument:
    """Each dimension with the bands that are published under its anchor set's name, else with its
    own. Raise DocumentInvalid where these are not the same."""
    problems: list[tuple[str, str]] = []
    bands: dict[str, tuple[Band, ...]] = {}
    for part in document.dimensions:
        name = part.anchors
        if name not in bands:
            known = AnchorSet.objects.filter(key=name).first()
            bands[name] = published_bands(known) if known else part.bands
        if part.bands and not name:
            problems.append((f"dimension {part.key}", "its bands need a name, under anchors"))
        elif part.bands and bands[name] and part.bands != bands[name]:
            problems.append(
                (
                    f"dimension {part.key}",
                    f"its bands are not those of the anchor set {name!r}: leave them out, or give "
                    "them another name",
                )
            )
    if problems:
        raise DocumentInvalid(problems)
    dimensions = tuple(
        part.model_copy(update={"bands": bands[part.anchors]}) for part in document.dimensions
    )
    return document.model_copy(update={"dimensions": dimensions})


def _anchor_sets(
    document: RubricDocument, *, user: User | None, actor: str
) -> dict[str, AnchorSet]:
    """The anchor sets that the dimensions name, those that were not there made."""
    bands = {part.anchors: part.bands for part in document.dimensions if part.anchors}
    found = {known.key: known for known in AnchorSet.objects.filter(key__in=list(bands))}
    for name in bands.keys() - found.keys():
        check_columns([AnchorSet(key=name)])
        found[name] = made = AnchorSet.objects.create(key=name, updated_by=user)
        AnchorBand.objects.bulk_create(
            AnchorBand(anchor_set=made, **band.model_dump()) for band in bands[name]
        )
        record_change(actor, Change.CREATED, made)
        publish_draft(made, user=user, actor=actor)
    return found


def _write(rubric: Rubric, document: RubricDocument, anchor_sets: dict[str, AnchorSet]) -> None:
    for name in ("name", "mode", "description", "whole_numbers"):
        setattr(rubric, name, getattr(document, name))
    rubric.save()
    rubric.dimensions.all().delete()
    for row in _rows(document, anchor_sets):
        if isinstance(row, Dimension):
            row.rubric = rubric
        row.save()


def _rows(
    document: RubricDocument, anchor_sets: dict[str, AnchorSet]
) -> list[Dimension | DimensionMark]:
    """Each dimension with its marks behind it, in the order in which they can be saved."""
    rows: list[Dimension | DimensionMark] = []
    for position, part in enumerate(document.dimensions, 1):
        dimension = _dimension(part, position, anchor_sets.get(part.anchors))
        marks = [
            DimensionMark(dimension=dimension, position=number, **mark.model_dump())
            for number, mark in enumerate(part.marks, 1)
        ]
        rows += [dimension, *marks]
    return rows


def _dimension(part: DimensionPart, position: int, anchor_set: AnchorSet | None) -> Dimension:
    return Dimension(
        position=position,
        key=part.key,
        label=part.label,
        weight=part.weight.normalize(),
        criteria=part.criteria,
        anchor_set=anchor_set,
    )
