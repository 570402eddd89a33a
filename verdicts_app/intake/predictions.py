"""Predictions as SWE-bench's harness takes them: `instance_id`, `model_name_or_path`,
`model_patch`. As a list, line by line, or as one object by instance id.

The model is the persona's spec, the instance's id the scenario, the patch the answer. No patch, or
a null one, is an empty answer of a run that did not fail: it counts, with 0.
"""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.text import shown
from verdicts_app.intake.fields import FieldRefused

MARKS = {"model_name_or_path", "model_patch"}


def is_prediction(document: Any) -> bool:
    """True for an instance's id beside what a model made of it."""
    return (
        isinstance(document, Mapping)
        and "instance_id" in document
        and bool(MARKS & document.keys())
        and "patch" not in document
    )


def by_instance(document: Any) -> dict[str, Any] | None:
    """The predictions of one object by instance id, each with its id; None where it is none."""
    if not isinstance(document, Mapping) or not document:
        return None
    if not all(isinstance(one, Mapping) and MARKS & one.keys() for one in document.values()):
        return None
    return {name: {"instance_id": name, **one} for name, one in document.items()}


def as_result(document: Mapping[str, Any]) -> dict[str, Any]:
    """A prediction in the words of a run result, with what else it holds. Raise FieldRefused where
    the patch is no text."""
    patch = document.get("model_patch")
    if patch is not None and not isinstance(patch, str):
        raise FieldRefused("model_patch", f"expected text, not {shown(patch)}", patch)
    model = document.get("model_name_or_path")
    return {
        **{key: document[key] for key in document if key not in ("instance_id", "model_patch")},
        "spec": model,
        "model": model,
        "scenario": document.get("instance_id"),
        "response": "" if patch is None else patch,
    }
