"""What a file says of a checklist item beyond id, list and description."""

import json
from collections.abc import Iterable

Details = tuple[tuple[str, str], ...]


def details_of(text: str) -> Details:
    """Read the column: a JSON list of [key, text] pairs, or nothing."""
    return tuple((str(key), str(value)) for key, value in json.loads(text)) if text else ()


def details_text(details: Iterable[tuple[str, str]]) -> str:
    """Write the column; equal details give equal texts."""
    pairs = [list(pair) for pair in details]
    return json.dumps(pairs, ensure_ascii=False) if pairs else ""
