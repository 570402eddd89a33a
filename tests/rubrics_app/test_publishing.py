"""Drafts into revisions: what is frozen, what is refused, what an anchor set takes with it."""

from decimal import Decimal
from typing import Any

import pytest

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import RubricDocument
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.models import AnchorSet, Dimension, Revision, RevisionKind, Rubric
from rubrics_app.publishing import document_of, publish, raise_version, state_of, states_of
from rubrics_app.selectors import (
    default_rubric,
    newest_revision,
    newest_revisions,
    rubric_document,
    rubrics_using,
)

pytestmark = pytest.mark.django_db


def weigh(key: str, *weights: str) -> Rubric:
    """The rubric with these weights, in the order of its dimensions."""
    rubric = Rubric.objects.get(key=key)
    for dimension, weight in zip(rubric.dimensions.all(), weights, strict=True):
        Dimension.objects.filter(pk=dimension.pk).update(weight=Decimal(weight))
    return rubric


def test_changed_rubric_gets_the_next_number_and_the_old_revision_stays() -> None:
    first = default_rubric("solo")
    before = (first.document, first.sha256, first.published_at)
    second = publish(weigh("solo", "40", "20", "20", "20"), user=None, note="Heavier", actor="ada")
    assert (second.number, second.note) == (2, "Heavier")
    assert [d.weight for d in rubric_document(second).dimensions] == [40, 20, 20, 20]
    assert default_rubric("solo") == second
    first.refresh_from_db()
    assert (first.document, first.sha256, first.published_at) == before
    assert [d.weight for d in rubric_document(first).dimensions] == [25, 25, 25, 25]


def test_unchanged_draft_gives_the_newest_revision_and_no_number() -> None:
    again = publish(Rubric.objects.get(key="solo"), user=None, actor="ada")
    assert again == default_rubric("solo")
    assert again.number == 1
    assert not AuditEntry.objects.exists()


def test_change_taken_back_is_a_revision_of_its_own() -> None:
    publish(weigh("solo", "40", "20", "20", "20"), user=None, actor="ada")
    third = publish(weigh("solo", "25", "25", "25", "25"), user=None, actor="ada")
    assert third.number == 3
    assert third.sha256 == Revision.objects.get(kind="rubric", key="solo", number=1).sha256


def test_publishing_says_who_and_why(make_user: Any) -> None:
    ada = make_user("author", "ada")
    revision = publish(weigh("solo", "40", "20", "20", "20"), user=ada, note="Heavier", actor="ada")
    assert revision.published_by == ada
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target, entry.detail) == (
        "ada",
        "publish rubric",
        "solo, revision 2",
        "Heavier",
    )


# --- weights (case 35) ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (("30", "40", "29"), "weights: sum to 99, not to 100"),
        (("33.33", "33.33", "33.33"), "weights: sum to 99.99, not to 100"),
        (("0.3", "0.4", "0.29"), "weights: sum to 0.99, not to 100"),
        (("50", "60", "-10"), "weight: must be a positive number, not -10"),
        (("50", "50", "0"), "weight: must be a positive number, not 0"),
    ],
)
def test_weights_that_miss_100_are_refused(weights: tuple[str, ...], said: str) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        publish(weigh("checklist", *weights), user=None, actor="ada")
    assert said in str(refused.value)
    assert default_rubric("checklist").number == 1


def test_shares_of_one_are_published_as_percent() -> None:
    revision = publish(weigh("checklist", "0.1", "0.2", "0.7"), user=None, actor="ada")
    document = rubric_document(revision)
    assert [d.weight for d in document.dimensions] == [10, 20, 70]
    assert '"weight":"10"' in revision.document


# --- anchor sets ------------------------------------------------------------------------------


def reword(key: str, text: str) -> AnchorSet:
    anchor_set = AnchorSet.objects.get(key=key)
    anchor_set.bands.filter(low=7).update(text=text)
    return anchor_set


def bands_of(document: RubricDocument, key: str) -> list[str]:
    return [band.text for d in document.dimensions if d.key == key for band in d.bands]


def test_anchor_set_republishes_the_rubrics_that_embed_it() -> None:
    assert [r.key for r in rubrics_using("Quality")] == [
        "behaviours",
        "checklist",
        "phase-dev",
        "phase-sm",
        "solo",
    ]
    assert [r.key for r in rubrics_using("Depth")] == ["phase-sm", "phase-tea", "solo"]
    publish(reword("Depth", "Goes to the root."), user=None, actor="ada")
    solo = default_rubric("solo")
    assert solo.number == 2
    assert solo.note == "with Depth, revision 2"
    assert bands_of(rubric_document(solo), "depth")[3] == "Goes to the root."
    assert default_rubric("checklist").number == 1
    assert [e.target for e in AuditEntry.objects.order_by("id")] == [
        "Depth, revision 2",
        "phase-sm, revision 2",
        "phase-tea, revision 2",
        "solo, revision 2",
    ]
    assert not state_of(Rubric.objects.get(key="solo")).differs


def test_unpublished_anchors_stay_out_of_a_rubric() -> None:
    reword("Depth", "Half a thought")
    assert not state_of(Rubric.objects.get(key="solo")).differs
    revision = publish(weigh("solo", "40", "20", "20", "20"), user=None, actor="ada")
    assert "Half a thought" not in revision.document


def test_anchor_set_leaves_unfinished_edits_of_a_rubric_alone() -> None:
    weigh("solo", "40", "20", "20", "15")
    publish(reword("Depth", "Goes to the root."), user=None, actor="ada")
    solo = rubric_document(default_rubric("solo"))
    assert [d.weight for d in solo.dimensions] == [25, 25, 25, 25]
    assert bands_of(solo, "depth")[3] == "Goes to the root."


def test_archived_rubrics_are_not_republished() -> None:
    Rubric.objects.filter(key="solo").update(is_archived=True)
    publish(reword("Depth", "Goes to the root."), user=None, actor="ada")
    assert default_rubric("solo").number == 1


def test_anchor_set_with_an_empty_band_is_refused() -> None:
    with pytest.raises(DocumentInvalid, match="the anchor band 7-8 has no text"):
        publish(reword("Depth", "  "), user=None, actor="ada")


# --- state ------------------------------------------------------------------------------------


def test_state_names_the_revision_that_a_draft_differs_from() -> None:
    rubric = weigh("solo", "40", "20", "20", "20")
    assert state_of(rubric).label == "draft differs from revision 1"
    publish(rubric, user=None, actor="ada")
    assert state_of(rubric).label == "published as revision 2"
    new = AnchorSet.objects.create(key="Tone")
    assert state_of(new).label == "draft, never published"


def test_states_of_many_take_no_query_each(django_assert_num_queries: Any) -> None:
    sets = list(AnchorSet.objects.prefetch_related("bands"))
    with django_assert_num_queries(1):
        states = states_of(sets)
    assert {draft.key: state.label for draft, state in states.items()} == dict.fromkeys(
        ("Correctness", "Depth", "Handoff", "Persona", "Quality", "Verdict"),
        "published as revision 1",
    )
    assert states_of([]) == {}


def test_version_rises_and_names_who(make_user: Any) -> None:
    ada = make_user("author", "ada")
    rubric = Rubric.objects.get(key="solo")
    raise_version(rubric, user=ada)
    assert (rubric.version, rubric.updated_by) == (2, ada)


def test_newest_revisions_are_one_a_key() -> None:
    publish(weigh("solo", "40", "20", "20", "20"), user=None, actor="ada")
    found = [(r.key, r.number) for r in newest_revisions(RevisionKind.RUBRIC)]
    assert len(found) == len({key for key, _ in found}) == 11
    assert dict(found)["solo"] == 2
    assert dict(found)["checklist"] == 1
    assert newest_revision(RevisionKind.RUBRIC, "nothing") is None
    with pytest.raises(Revision.DoesNotExist, match="no rubric 'compare' is published"):
        default_rubric("compare")


def test_documents_of_equal_drafts_are_equal_texts() -> None:
    """The column adds zeros to a weight, the document has none."""
    document = document_of(Rubric.objects.get(key="solo"))
    assert isinstance(document, RubricDocument)
    assert {str(d.weight) for d in document.dimensions} == {"25"}
