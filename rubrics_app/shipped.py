"""The seed's rubrics as they are shipped: what other tools judged by."""

import json
from functools import cache
from pathlib import Path

from judgeweb.judging.documents import RubricDocument, load_document

_FILE = Path(__file__).parent / "seed" / "rubrics.json"


@cache
def shipped_rubric(mode: str) -> RubricDocument:
    """The first revision of the mode's rubric, whatever authors have published since."""
    for document in json.loads(_FILE.read_text(encoding="utf-8")):
        if document["mode"] == mode:
            return load_document(RubricDocument, document)
    raise LookupError(f"no rubric is shipped for {mode!r}")
