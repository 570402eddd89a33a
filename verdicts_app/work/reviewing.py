"""An author takes over a contract that the judge drafted: as a draft in the admin, or published."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from judgeweb.judging.documents import ContractDocument
from rubrics_app.contracts import SavedContract, save_contract
from rubrics_app.models import Contract
from verdicts_app.models import Drafting
from verdicts_app.work.drafting import published_as


class NotSaved(Exception):
    """What stands in the way, in words; nothing was written."""


def contract_at(call_type: str, sha256: str) -> Contract | None:
    """The contract for these very calls as its authors left it."""
    return Contract.objects.filter(call_type=call_type, system_prompt_sha256=sha256).first()


@transaction.atomic
def save_reviewed(
    drafting: Drafting,
    document: ContractDocument,
    *,
    opened_version: int,
    publish: bool,
    user: User,
) -> SavedContract:
    """Save the document as it was reviewed. `opened_version` is that of the contract for these
    calls when the review began, 0 where there was none. Raise NotSaved where another author
    changed it meanwhile, or where it is archived; DocumentInvalid for what is no contract."""
    there = contract_at(document.call_type, document.system_prompt_sha256)
    if there is not None and there.is_archived:
        raise NotSaved(
            f"The contract {there.key} is archived and judges nothing. Take it back from the "
            "archive first."
        )
    if (there.version if there else 0) != opened_version:
        by = (there.updated_by if there else None) or "somebody"
        raise NotSaved(
            f"{by} changed the contract for these calls meanwhile. Your input stands below; "
            "press again to replace theirs."
        )
    saved = save_contract(
        document,
        user=user,
        actor=user.get_username(),
        publish=publish,
        note=f"drafted by {drafting.model}, reviewed",
    )
    if saved.revision is not None:
        published_as(drafting.pk, saved.revision)
    return saved
