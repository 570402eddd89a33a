"""Predictions of SWE-bench (`instance_id`, `model_name_or_path`, `model_patch`) as answers.

The patch is the answer of the model to the instance. One that is null, empty or not there is an
empty answer of a run that succeeded: the candidate's failure, which counts as 0.
"""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.text import shown
from rubrics_app.importers import Note

MODEL, INSTANCE, PATCH = "model_name_or_path", "instance_id", "model_patch"


def is_prediction(document: Mapping[str, Any]) -> bool:
    return INSTANCE in document and bool({MODEL, PATCH} & document.keys())


def by_instance(document: Any) -> dict[str, Mapping[str, Any]]:
    """The predictions of one object by instance id, each with its id; empty where it is none."""
    if not isinstance(document, Mapping):
        return {}
    named: dict[str, Mapping[str, Any]] = {
        name: {INSTANCE: name, **one}
        for name, one in document.items()
        if isinstance(one, Mapping) and {MODEL, PATCH} & one.keys()
    }
    return named if len(named) == len(document) else {}


def notes_on(key: str, document: Mapping[str, Any]) -> tuple[Note, ...]:
    """That a prediction names another instance than the key that it stands under."""
    named = document.get(INSTANCE)
    if named in (key, None):
        return ()
    return (Note(INSTANCE, f"{shown(named)} here, and its key is {shown(key)}: the first counts"),)


def as_answer(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A prediction in the words of an answer; anything else as it is."""
    if not is_prediction(document):
        return document
    patch = document.get(PATCH)
    named = {"spec": document.get(MODEL), "scenario": document.get(INSTANCE)}
    own = {key: value for key, value in document.items() if value is not None}
    return {
        **{key: value for key, value in named.items() if value is not None},
        "model": document.get(MODEL),
        **own,
        "response": "" if patch is None else patch,
    }
