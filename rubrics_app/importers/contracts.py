"""Contracts files: JSON Schemas by call type, or contract documents in a list.

`{"planner": {schema}, ...}` is the bare shape. `{"contracts": [...]}`, a list, or one object with
`call_type` and `json_schema` are documents as judgeweb writes them. JSON or YAML.
"""

from collections.abc import Iterator
from typing import Any

from judgeweb.judging.contract_schemas import publishable_contract
from judgeweb.judging.documents import ContractDocument, load_document
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.strict_json import NotJson, parse
from rubrics_app.importers.tree import MAX_BYTES, FileRefused
from rubrics_app.importers.yaml_tree import read_yaml


def contracts_from(content: bytes, *, source: str) -> tuple[ContractDocument, ...]:
    """Every contract of the file, each fit to be published. Raise FileRefused where the file is
    none, DocumentInvalid with every problem of every contract. `source` is kept where the file
    names none."""
    contracts: list[ContractDocument] = []
    problems: list[tuple[str, str]] = []
    places: dict[tuple[str, str], str] = {}
    for place, values in _rows(_read(content)):
        try:
            contract = publishable_contract(
                load_document(ContractDocument, {"source": source[:300], **values})
            )
        except DocumentInvalid as error:
            problems += [(f"{place}.{at}", message) for at, message in error.problems]
            continue
        of = contract.call_type, contract.system_prompt_sha256
        if of in places:
            problems.append((place, f"is for the same calls as {places[of]}"))
        places[of] = place
        contracts.append(contract)
    if problems:
        raise DocumentInvalid(problems)
    if not contracts:
        raise FileRefused("", "no contract in it")
    return tuple(contracts)


def _read(content: bytes) -> Any:
    if len(content) > MAX_BYTES:
        raise FileRefused("", f"{len(content)} bytes; at most {MAX_BYTES} are read")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileRefused("", f"not UTF-8 at byte {error.start}") from error
    if not text.lstrip().startswith(("{", "[")):
        return read_yaml(text, []).plain()
    try:
        return parse(text)
    except NotJson as error:
        raise FileRefused("", f"not JSON: {error}") from error


def _rows(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The contracts' values, each with its place in the file."""
    if isinstance(value, dict) and isinstance(value.get("contracts"), list):
        value = value["contracts"]
    if isinstance(value, dict) and {"call_type", "json_schema"} <= value.keys():
        value = [value]
    if isinstance(value, list):
        for number, row in enumerate(value, 1):
            if not isinstance(row, dict):
                raise FileRefused(f"contract {number}", "must be a map")
            yield f"contract {number}", row
    elif isinstance(value, dict):
        for call_type, schema in value.items():
            yield call_type, {"call_type": call_type, "json_schema": schema}
    else:
        raise FileRefused("", "must map call types to JSON Schemas, or list contracts")
