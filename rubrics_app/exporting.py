"""Contracts as a file that `import_contracts` reads back to the same contracts: YAML to be read.

A schema stands there as a tree. Where YAML would not give it back exactly (nested too deeply, a
number that it writes otherwise), it stands as its JSON text.
"""

import json
from collections.abc import Iterable
from typing import Any

import yaml

from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import DocumentInvalid
from rubrics_app.importers import FileRefused
from rubrics_app.importers.contracts import contracts_from
from rubrics_app.models import RevisionKind
from rubrics_app.selectors import contract_document, contracts_in_force, newest_revisions


def contracts_yaml(contracts: Iterable[ContractDocument]) -> str:
    return _dumped({"contracts": [_written(contract) for contract in contracts]})


def contracts_in_force_yaml(call_type: str = "") -> str:
    """The published contracts that judging reads, of all call types or of one, by key."""
    keys = {
        revision.key for (of, _), revision in contracts_in_force().items() if call_type in ("", of)
    }
    revisions = newest_revisions(RevisionKind.CONTRACT)
    return contracts_yaml(
        contract_document(revision) for revision in revisions if revision.key in keys
    )


def _written(contract: ContractDocument) -> dict[str, Any]:
    values = contract.model_dump()
    as_tree = {**values, "json_schema": json.loads(contract.json_schema)}
    return as_tree if _reads_back(as_tree, contract) else values


def _reads_back(values: dict[str, Any], contract: ContractDocument) -> bool:
    try:
        return contracts_from(_dumped([values]).encode(), source="") == (contract,)
    except (DocumentInvalid, FileRefused, RecursionError, yaml.YAMLError):
        return False


def _dumped(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
