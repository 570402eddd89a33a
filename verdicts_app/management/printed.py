"""What became of files, as commands print it: lines for people, dicts for JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from verdicts_app.intake.captures import CallsReceipt
from verdicts_app.intake.receipts import FileCounts, Receipt

MOST = 20
"""Lines below a file, unless all are asked for."""
NOUNS = {
    "accepted": ("answer", "answers"),
    "verdicts": ("verdict made elsewhere", "verdicts made elsewhere"),
    "rows": ("row", "rows"),
    "personas": ("persona", "personas"),
    "summaries": ("summary", "summaries"),
    "duplicate": ("known before", "known before"),
}
"""What is counted, one of it and more."""


def calls_lines(file: Path, receipt: CallsReceipt, most: int | None = None) -> Iterator[str]:
    yield (
        f"{file}: run {receipt.run_id}: {receipt.accepted} accepted, "
        f"{receipt.duplicate} duplicate, {receipt.refused_total} refused"
    )
    shown = receipt.refused[:most]
    for refusal in shown:
        field = f" {refusal.field}" if refusal.field else ""
        yield f"  line {refusal.line}{field}: {refusal.reason}"
    if receipt.refused_total > len(shown):
        yield f"  and {receipt.refused_total - len(shown)} more"
    if receipt.interrupted:
        yield f"  broke off: {receipt.interrupted}"


def calls_report(file: Path, receipt: CallsReceipt) -> dict[str, Any]:
    is_refused = receipt.refused_total and not receipt.accepted + receipt.duplicate
    return {
        "file": str(file),
        "outcome": "refused" if is_refused else "warned" if receipt.refused_total else "read",
        "calls": receipt.accepted,
        "duplicate": receipt.duplicate,
        "refused": [dict(line._asdict()) for line in receipt.refused],
    }


def file_lines(receipt: Receipt, most: int | None = None) -> Iterator[str]:
    """read, warned or refused a file, with at most so many lines of what to know below it."""
    for counts in receipt.files:
        yield f"{counts.outcome:8}{counts.file}: {_words(counts)}"
        said = list(_said(receipt, counts.file))
        for place, reason, _ in said[:most]:
            yield f"        {place}: {reason}" if place else f"        {reason}"
        if hidden := said[len(said[:most]) :]:
            yield f"        and {_hidden(hidden)} (--verbose prints them)"


def _hidden(said: list[tuple[str, str, bool]]) -> str:
    refused = sum(is_refused for *_, is_refused in said)
    parts = ((refused, "more refused"), (len(said) - refused, "more to know"))
    return ", ".join(f"{number} {words}" for number, words in parts if number)


def skipped_lines(skipped: Sequence[tuple[str, str]], most: int | None = None) -> Iterator[str]:
    for name, reason in skipped[:most]:
        yield f"skipped {name}: {reason}"
    if len(skipped) > len(skipped[:most]):
        yield f"skipped {len(skipped) - len(skipped[:most])} more (--verbose prints them)"


def skipped_reports(skipped: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"file": name, "outcome": "skipped", "said": [_as_said(reason)]} for name, reason in skipped
    ]


def _as_said(reason: str) -> dict[str, Any]:
    return {"place": "", "message": reason, "refused": False}


def file_reports(receipt: Receipt) -> list[dict[str, Any]]:
    return [
        {
            "file": counts.file,
            "outcome": counts.outcome,
            **{name: getattr(counts, name) for name in NOUNS},
            "said": [
                {"place": place, "message": reason, "refused": is_refused}
                for place, reason, is_refused in _said(receipt, counts.file)
            ],
        }
        for counts in receipt.files
    ]


def _words(counts: FileCounts) -> str:
    said = [
        f"{number} {one if number == 1 else more}"
        for name, (one, more) in NOUNS.items()
        if (number := getattr(counts, name))
    ]
    return ", ".join(said) or "nothing taken"


def _said(receipt: Receipt, file: str) -> Iterator[tuple[str, str, bool]]:
    for refusal in receipt.refused:
        if refusal.file == file:
            yield ", ".join(filter(None, (refusal.place, refusal.field))), refusal.reason, True
    for remark in receipt.warnings:
        if remark.file == file:
            yield remark.place, remark.text, False
