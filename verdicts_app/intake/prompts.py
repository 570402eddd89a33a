"""System prompts stored once, and remembered while an upload lasts."""

import hashlib
import json
from typing import NamedTuple

from judgeweb.judging.text import visible
from verdicts_app.models import SystemPromptText

REMEMBERED_CHARACTERS = 8 * 1024 * 1024


class Prompt(NamedTuple):
    pk: int
    sha256: str


class Prompts:
    """Prompts by their text; forgets all of them when they take too much room."""

    def __init__(self) -> None:
        self._known: dict[str, Prompt] = {}
        self._characters = 0

    def stored(self, text: str) -> Prompt:
        """Outside a transaction: two uploads that store the same prompts in another order would
        wait for one another for ever."""
        known = self._known.get(text)
        if known is None:
            self._characters += len(text)
            if self._characters > REMEMBERED_CHARACTERS:
                self._known.clear()
                self._characters = len(text)
            known = self._known[text] = _stored(text)
        return known


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _stored(text: str) -> Prompt:
    sha256 = sha256_of(text)
    safe, is_escaped = visible(text)
    row, _ = SystemPromptText.objects.get_or_create(
        sha256=sha256,
        defaults={"text": safe, "text_json": json.dumps(text) if is_escaped else ""},
    )
    return Prompt(row.pk, sha256)
