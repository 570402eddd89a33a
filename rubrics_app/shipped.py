"""The seed's rubrics as they are shipped: what other tools judged by."""

import json
from functools import cache
from pathlib import Path

from judgeweb.judging.documents import RubricDocument, load_document

_SEED = Path(__file__).parent / "seed"
_FILES = ("rubrics.json", "comparison_rubrics.json")


@cache
def shipped_rubric(mode: str) -> RubricDocument:
    """The first revision of the mode's rubric, whatever authors have published since."""
    for file in _FILES:
        for document in json.loads((_SEED / file).read_text(encoding="utf-8")):
            if document["mode"] == mode:
                return load_document(RubricDocument, document)
    raise LookupError(f"no rubric is shipped for {mode!r}")
