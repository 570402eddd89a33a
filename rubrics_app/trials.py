"""Snapshots of rubric drafts, to be judged with before anything is published.

A snapshot is a revision of a kind of its own: immutable as all are, with its hash, under the key of
its draft, and never the newest revision of any rubric.
"""

from django.contrib.auth.models import User
from django.db import transaction

from judgeweb.access import audit
from judgeweb.judging.documents import canonical_json, digest
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.lint import errors_of, lint
from rubrics_app.models import Revision, RevisionKind, Rubric
from rubrics_app.publishing import document_of, locked
from rubrics_app.selectors import newest_revision


def snapshot_of(draft: Rubric) -> Revision:
    """The draft as it stands: the stored snapshot of this very content, else one that is not
    stored. Raise DocumentInvalid with every error that would keep it from being published."""
    document = document_of(draft)
    if errors := errors_of(lint(document)):
        raise DocumentInvalid([(problem.place, problem.message) for problem in errors])
    text = canonical_json(document)
    sha256 = digest(text)
    taken = Revision.objects.filter(kind=RevisionKind.TRIAL, key=draft.key)
    known = taken.filter(sha256=sha256).first()
    if known is not None:
        return known
    newest = newest_revision(RevisionKind.TRIAL, draft.key)
    return Revision(
        kind=RevisionKind.TRIAL,
        key=draft.key,
        number=newest.number + 1 if newest else 1,
        document=text,
        sha256=sha256,
    )


@transaction.atomic
def stored_snapshot(draft: Rubric, *, user: User | None, actor: str) -> Revision:
    """As `snapshot_of`, stored. The draft is locked, so that two trials share one number."""
    snapshot = snapshot_of(locked(draft))
    if snapshot.pk is None:
        snapshot.published_by = user
        snapshot.save(force_insert=True)
        audit.record(actor=actor, action="take snapshot of rubric", target=str(snapshot))
    return snapshot
