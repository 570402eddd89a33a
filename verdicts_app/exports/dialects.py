"""The verdicts of seed B in the words of two tools beside it.

Index dialect: a file per capture and `INDEX.json` that lists them. camelCase dialect: the seed's
file for producers that write camelCase captures. Both say what the seed's file says, no more.
"""

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from verdicts_app.exports.seed import CallVerdict, CallVerdicts, seed_export

INDEX = "INDEX.json"
LONGEST_NAME = 200


def index_files(calls: CallVerdicts) -> dict[str, Any]:
    """Every file of the index dialect by its name, `INDEX.json` last."""
    files = {call_file_name(verdict.call_id): call_document(verdict) for verdict in calls.verdicts}
    return {**files, INDEX: index_document(calls)}


def index_document(calls: CallVerdicts) -> list[dict[str, Any]]:
    """What the index lists, sorted by call_id."""
    return [
        {"call_id": verdict.call_id, "call_type": calls.call_type, "passed": verdict.passed}
        for verdict in sorted(calls.verdicts, key=lambda verdict: verdict.call_id)
    ]


def call_document(verdict: CallVerdict) -> dict[str, Any]:
    """One capture. `suggested_fixes` says what to mend: a line for every dimension that failed."""
    decisions = (
        ("schema", verdict.schema_ok, verdict.schema_rationale),
        ("factual", verdict.factually_grounded, verdict.factual_rationale),
        ("hallucination", verdict.hallucination_free, verdict.hallucination_rationale),
    )
    return {
        "passed": verdict.passed,
        "dimensions": {
            "schema_ok": verdict.schema_ok,
            "factual_ok": verdict.factually_grounded,
            "hallucination_ok": verdict.hallucination_free,
        },
        "rationale": " ".join(rationale for _, _, rationale in decisions if rationale),
        "suggested_fixes": [f"{name}: {rationale}" for name, ok, rationale in decisions if not ok],
    }


def call_file_name(call_id: str) -> str:
    """The file of a capture. Ids come from others: what is no plain name is escaped, so that no
    id leads out of the folder, hides a file or takes the place of the index."""
    content = call_id.encode("utf-8", "surrogatepass")
    name = quote(content, safe="")
    if name.startswith(".") or name.upper() == "INDEX":
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME - 17]}-{hashlib.sha256(content).hexdigest()[:16]}"
    return f"{name}.json"


def camel_export(calls: CallVerdicts) -> dict[str, Any]:
    """The seed's file with its keys in camelCase, in the same order."""
    exported: dict[str, Any] = _camel(seed_export(calls))
    return exported


def _camel(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_camel_key(key): _camel(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_camel(inner) for inner in value]
    return value


def _camel_key(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)
