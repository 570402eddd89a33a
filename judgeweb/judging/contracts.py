"""Does a captured response keep its contract? Decided here, at no cost, by a JSON Schema.

Rules: no response fails; `parsed_ok` false fails whatever the text; text that is not JSON fails;
then the contract's schema decides, and in a strict contract a top-level field that the schema
declares nowhere fails too. Without a fitting contract nothing but these rules is decided.
Source: the seed's dimension A. What counts as JSON: `strict_json`.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs

from judgeweb.judging.contract_schemas import VALUE, CompiledSchema, compiled
from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.json_places import find, written
from judgeweb.judging.strict_json import NotJson, parse
from judgeweb.judging.text import is_blank, one_line, visible
from judgeweb.judging.types import DecidedBy

MOST_ERRORS = 50
# The validator makes all its errors at once, each with a copy of the value it is about.
MOST_VALUES_EXPLAINED = 5000
LONGEST_QUOTE = 200
LONGEST_MESSAGE = 300
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class SchemaError:
    """`path` as `$.subtasks[0].size`; `start` and `end` say where that stands in the response."""

    path: str
    message: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class SchemaCheck:
    """`ok` None: no contract fits and the rules decide nothing, so that the judge has to.

    `rationale` is one sentence, `worst_offender` one line quoted from the response.
    """

    ok: bool | None
    rationale: str
    errors: tuple[SchemaError, ...] = ()
    worst_offender: str = ""
    decided_by: DecidedBy = DecidedBy.CONTRACT


NO_CONTRACT = SchemaCheck(None, "No contract fits this call.", decided_by=DecidedBy.JUDGE)


def fitting_contract(
    contracts: Iterable[ContractDocument], call_type: str, system_prompt_sha256: str
) -> ContractDocument | None:
    """The contract of this call type for this very system prompt, else the one for any."""
    fitting = {
        contract.system_prompt_sha256: contract
        for contract in contracts
        if contract.call_type == call_type
    }
    return fitting.get(system_prompt_sha256) or fitting.get("")


def check_response(
    contract: ContractDocument | None, response_content: str | None, parsed_ok: bool
) -> SchemaCheck:
    """What rules and contract say of a response. Raise DocumentInvalid for a contract that could
    not have been published."""
    if response_content is None or is_blank(response_content):
        kind = "There is no response" if response_content is None else "The response is empty"
        return SchemaCheck(False, f"{kind}.", decided_by=DecidedBy.RULE)
    try:
        value = parse(response_content)
    except NotJson as error:
        return _not_json(response_content, parsed_ok, visible(str(error))[0])
    problems = _problems(contract, value, response_content) if contract else []
    errors = tuple(_placed(response_content, problem) for problem in problems[:MOST_ERRORS])
    if not parsed_ok:
        reason = "parsed_ok is false: the caller could not read the response as what it asked for"
        return _failed(response_content, reason, errors, len(problems), DecidedBy.RULE)
    if contract is None:
        return NO_CONTRACT
    if problems:
        reason = f"{errors[0].path} {errors[0].message}"
        return _failed(response_content, reason, errors, len(problems) - 1, DecidedBy.CONTRACT)
    return SchemaCheck(True, f"The response keeps the contract of {_name(contract)}.")


def _name(contract: ContractDocument) -> str:
    return one_line(visible(contract.call_type)[0])


def _not_json(text: str, parsed_ok: bool, why: str) -> SchemaCheck:
    flag = "" if parsed_ok else ", and parsed_ok is false"
    return SchemaCheck(
        False,
        f"The response is not JSON: {why}{flag}.",
        (SchemaError("$", f"is not JSON: {why}", 0, len(text)),),
        _quote(text, 0, len(text)),
        DecidedBy.RULE,
    )


def _failed(
    text: str, reason: str, errors: tuple[SchemaError, ...], others: int, decided_by: DecidedBy
) -> SchemaCheck:
    more = f" ({others} more {'problem' if others == 1 else 'problems'})" if others > 0 else ""
    quote = _quote(text, errors[0].start, errors[0].end) if errors else _quote(text, 0, len(text))
    return SchemaCheck(False, f"{reason}{more}.", errors, quote, decided_by)


def _quote(text: str, start: int, end: int) -> str:
    """The piece of the response on one line, cut to what a line can hold."""
    # Folding can only shorten, and a megabyte need not be folded to be cut.
    line = one_line(visible(text[start : min(end, start + 4 * LONGEST_QUOTE)])[0])
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + "…"


# --- what the schema says -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Problem:
    path: tuple[str | int, ...]
    message: str


def _problems(contract: ContractDocument, value: Any, text: str) -> list[_Problem]:
    schema = compiled(contract.json_schema)
    try:
        return _found(schema, contract, value, text)
    except UnicodeEncodeError:
        # The validator takes no lone surrogates; each counts as one character, as it does in JSON.
        return _found(schema, contract, _encodable(value), text)


def _found(
    schema: CompiledSchema, contract: ContractDocument, value: Any, text: str
) -> list[_Problem]:
    errors = _errors(schema.validator, value, text)
    problems = [problem for error in errors for problem in _explained(error)]
    if contract.strict:
        problems += _undeclared(schema, value)
    return list(dict.fromkeys(problems))


def _errors(
    validator: jsonschema_rs.Validator, value: Any, text: str
) -> list[jsonschema_rs.ValidationError]:
    if validator.is_valid(value):
        return []
    if text.count(",") <= MOST_VALUES_EXPLAINED:
        return list(islice(validator.iter_errors(value), 4 * MOST_ERRORS))
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as first:
        return [first]
    return []


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return value


def _undeclared(schema: CompiledSchema, value: Any) -> Iterable[_Problem]:
    if not isinstance(value, dict):
        return []
    return [_Problem((key,), NOT_DECLARED) for key in value if not schema.declares(key)]


NOT_DECLARED = "is not declared by the contract"


def _explained(error: jsonschema_rs.ValidationError) -> list[_Problem]:
    """One error of the validator as problems of ours: a missing or surplus field has its own
    path, and a choice with one branch of the right type says what is wrong in that branch."""
    path = tuple(error.instance_path)
    details = error.kind.as_dict()
    if error.kind.name == "required":
        return [_Problem((*path, details["property"]), "is missing")]
    if "unexpected" in details:
        return [
            _Problem((*path, field), NOT_DECLARED if isinstance(field, str) else "is one too many")
            for field in details["unexpected"]
        ]
    if error.kind.name in ("anyOf", "oneOf") and (branch := _meant(details["context"], path)):
        return [problem for inner in branch for problem in _explained(inner)]
    if error.kind.name == "falseSchema":
        return [_Problem(path, "must not be there, or not with this content")]
    if error.kind.name == "enum":
        options = ", ".join(json.dumps(option) for option in details["options"])
        return [_Problem(path, "is none of " + _line(options))]
    return [_Problem(path, _message(error))]


def _meant(
    branches: list[list[jsonschema_rs.ValidationError]], path: tuple[str | int, ...]
) -> list[jsonschema_rs.ValidationError]:
    """The errors of the only branch that the value has the type for."""
    fitting = [
        errors
        for errors in branches
        if errors
        and not any(e.kind.name == "type" and tuple(e.instance_path) == path for e in errors)
    ]
    return fitting[0] if len(fitting) == 1 else []


def _message(error: jsonschema_rs.ValidationError) -> str:
    message = _line(error.message)
    return message.removeprefix(VALUE).strip() or message


def _line(text: str) -> str:
    line = one_line(visible(text[: 2 * LONGEST_MESSAGE])[0])
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def _placed(text: str, problem: _Problem) -> SchemaError:
    start, end = find(text, problem.path)
    return SchemaError(written(problem.path), problem.message, start, end)
