"""What a document is that is neither an answer nor a verdict, and where it belongs."""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.text import shown


def what_it_is(document: Any) -> str:
    """In words, with what to do; "" where it looks like nothing that is known."""
    if isinstance(document, str):
        return (
            "plain text: an answer is a document with its text under one key; "
            "a judge's own words are read where the upload says that it holds verdicts"
        )
    if not isinstance(document, Mapping):
        return f"expected an object, not {shown(document)}"
    keys = document.keys()
    for needed, words in KNOWN:
        if needed <= keys:
            return words
    if document and all(map(_is_schema, document.values())):
        return "contracts of captured calls: import them with import_contracts"
    return ""


KNOWN: list[tuple[set[str], str]] = [
    ({"name", "prompt"}, "a scenario: import it with import_scenarios, or POST /scenarios"),
    (
        {"statistics"},
        "a summary of statistics, without answers or verdicts: upload the results that it sums up",
    ),
    (
        {"instance_id", "patch"},
        "an instance of SWE-bench: import it with import_swebench",
    ),
]


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping) and ("properties" in value or "$schema" in value)
