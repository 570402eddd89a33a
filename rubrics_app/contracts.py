"""Saving contracts as drafts: imports, the API, and drafts written by the judge."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.text import visible
from rubrics_app.importers import FileRefused, Note
from rubrics_app.importers.contracts import contracts_from
from rubrics_app.models import Contract, Revision
from rubrics_app.models.contract import contract_key
from rubrics_app.publishing import document_of, raise_version
from rubrics_app.publishing import publish as publish_draft
from rubrics_app.scenarios import Change, name_of, record_change, storable


class SavedContract(NamedTuple):
    contract: Contract
    revision: Revision | None
    change: Change


@transaction.atomic
def save_contract(
    document: ContractDocument,
    *,
    user: User | None,
    actor: str = "",
    publish: bool = True,
    note: str = "",
) -> SavedContract:
    """Make the draft for these calls equal to the document, and publish it if asked. Another
    source alone changes nothing: what it says of responses is the same.

    Raise DocumentInvalid where it must not be published; then nothing is written.
    """
    document = storable(document)
    values = {**document.model_dump(), "json_schema": editable(document.json_schema)}
    of = {name: values.pop(name) for name in ("call_type", "system_prompt_sha256")}
    contract = Contract.objects.select_for_update().filter(**of).first()
    change = Change.UNCHANGED
    if contract is None:
        contract, change = Contract(key=contract_key(*of.values()), **of), Change.CREATED
    elif document_of(contract) != document.model_copy(update={"source": contract.source}):
        change = Change.CHANGED
    if change is not Change.UNCHANGED:
        _write(contract, values, user=user)
    if change is Change.CHANGED:
        raise_version(contract, user=user)
    actor = actor or name_of(user)
    record_change(actor, change, contract)
    revision = publish_draft(contract, user=user, note=note, actor=actor) if publish else None
    return SavedContract(contract, revision, change)


def _write(contract: Contract, values: dict[str, Any], *, user: User | None) -> None:
    for name, value in values.items():
        setattr(contract, name, value)
    contract.updated_by = user
    try:
        contract.clean_fields(exclude=["updated_by"])
    except ValidationError as error:
        raise DocumentInvalid(
            [(field, " ".join(messages)) for field, messages in error.message_dict.items()]
        ) from error
    contract.save()


def editable(json_schema: str) -> str:
    """The schema as authors edit it: indented, and in their letters where a column holds them."""
    schema = json.loads(json_schema)
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return json.dumps(schema, indent=2) if visible(text)[1] else text


# --- files --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ContractsReport:
    """What became of a contracts file: imported wholly or not at all. `saved` holds key, change
    and revision number of each contract."""

    source: str
    saved: tuple[tuple[str, str, int | None], ...] = ()
    refusals: tuple[Note, ...] = ()

    @property
    def outcome(self) -> str:
        return "refused" if self.refusals else "read"

    def as_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "outcome": self.outcome,
            "contracts": [
                {"key": key, "change": change, "revision": revision}
                for key, change, revision in self.saved
            ],
            "refusals": [{"place": note.place, "message": note.message} for note in self.refusals],
        }


def import_contracts(
    content: bytes,
    *,
    source: str,
    user: User | None,
    actor: str,
    publish: bool = True,
    dry_run: bool = False,
) -> ContractsReport:
    """Save every contract of a file. A dry run does everything and takes it back."""
    try:
        documents = contracts_from(content, source=source)
        with transaction.atomic():
            saved = tuple(
                save_contract(
                    document,
                    user=user,
                    actor=actor,
                    publish=publish,
                    note=f"imported from {source}"[:300],
                )
                for document in documents
            )
            if dry_run:
                transaction.set_rollback(True)
    except FileRefused as refusal:
        return ContractsReport(source, refusals=(refusal.note,))
    except DocumentInvalid as error:
        notes = tuple(Note(place, message) for place, message in error.problems)
        return ContractsReport(source, refusals=notes)
    return ContractsReport(
        source,
        tuple(
            (one.contract.key, one.change.value, one.revision.number if one.revision else None)
            for one in saved
        ),
    )
