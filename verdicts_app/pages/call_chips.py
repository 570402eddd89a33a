"""The filters that are on, on pages of captured calls."""

from verdicts_app.boards.call_filters import CallFilters
from verdicts_app.boards.rates import LABELS
from verdicts_app.pages.filter_bar import Chip

NAMES = (
    ("call type", "call_type"),
    ("run", "run"),
    ("call", "call"),
    ("prompt", "prompt"),
    ("worker", "worker"),
    ("verdict", "state"),
    (LABELS["schema_ok"].lower(), "schema"),
    (LABELS["factually_grounded"].lower(), "factual"),
    (LABELS["hallucination_free"].lower(), "hallucination"),
    ("judge", "judge"),
    ("epoch", "epoch"),
    ("from", "start"),
    ("to", "end"),
)
HASHES = {"prompt", "epoch"}
WORDS = {"open": "not judged"}


def call_chips(filters: CallFilters) -> list[Chip]:
    found = []
    for label, name in NAMES:
        value = getattr(filters, name)
        if not value:
            continue
        text = value if isinstance(value, str) else f"{value.day} {value:%b %Y}"
        is_hash = name in HASHES
        shown = text[:12] if is_hash else WORDS.get(text, text)[:60]
        found.append(Chip(label, shown, filters.without(name), is_hash))
    return found
