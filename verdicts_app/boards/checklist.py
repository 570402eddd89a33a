"""The findings of a verdict as its page lists them: by severity, then what is outside the list."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgeweb.judging.evidence import fold
from judgeweb.judging.types import EvidenceState, FindingKind
from verdicts_app.boards.highlight import Quote
from verdicts_app.models import VerdictFinding

SEVERITIES = ("critical", "high", "medium", "low")


@dataclass(frozen=True)
class FindingRow:
    """`sign` is "found", "missed", "valid" or "false"; `number` the evidence's in the response."""

    row_id: str
    name: str
    description: str
    note: str
    sign: str
    quote: str
    is_lost: bool
    number: int | None


@dataclass(frozen=True)
class FindingGroup:
    title: str
    rows: tuple[FindingRow, ...]


@dataclass(frozen=True)
class Checklist:
    """`is_behaviours` where items are shown or not, instead of found or missed."""

    found: int
    items: int
    found_points: int
    points: int
    is_behaviours: bool
    groups: tuple[FindingGroup, ...]
    quotes: tuple[Quote, ...]
    quoted: int
    lost: tuple[FindingRow, ...]
    bonus_found: int
    novel_valid: int
    false_positives: int


def checklist(findings: Sequence[VerdictFinding], mode: str) -> Checklist:
    is_behaviours = mode == "behaviours"
    numbered = _numbered(findings)
    rows = {f.pk: _row(f, numbered.get(f.pk), is_behaviours) for f in findings}
    baseline = [f for f in findings if f.kind == FindingKind.BASELINE]
    groups = [
        _severity_group(category, [f for f in baseline if _category(f) == category], rows)
        for category in _categories(baseline)
    ]
    outside = [f for f in findings if f.kind != FindingKind.BASELINE]
    for title, kinds in (
        ("Bonus", (FindingKind.BONUS,)),
        ("Claims outside the list", (FindingKind.NOVEL, FindingKind.FALSE_POSITIVE)),
    ):
        chosen = tuple(rows[f.pk] for f in outside if f.kind in kinds)
        if chosen:
            groups.append(FindingGroup(title, chosen))
    return Checklist(
        found=sum(f.found for f in baseline),
        items=len(baseline),
        found_points=sum(f.weight for f in baseline if f.found),
        points=sum(f.weight for f in baseline),
        is_behaviours=is_behaviours,
        groups=tuple(groups),
        quotes=tuple(_quotes(findings, numbered)),
        quoted=sum(f.evidence_state != EvidenceState.NONE for f in findings),
        lost=tuple(row for row in rows.values() if row.is_lost),
        bonus_found=sum(f.found for f in outside if f.kind == FindingKind.BONUS),
        novel_valid=sum(f.found for f in outside if f.kind == FindingKind.NOVEL),
        false_positives=_false_claims([f for f in outside if _is_false(f)]),
    )


def _is_false(finding: VerdictFinding) -> bool:
    is_novel = finding.kind == FindingKind.NOVEL
    return finding.kind == FindingKind.FALSE_POSITIVE or (is_novel and not finding.found)


def _false_claims(false: Sequence[VerdictFinding]) -> int:
    """Wrong claims; those with the same quoted text count once, as in the arithmetic."""
    quotes = [fold(f.evidence or f.description) for f in false]
    return len({quote for quote in quotes if quote}) + quotes.count("")


def _category(finding: VerdictFinding) -> str:
    lowered = finding.category.lower()
    return lowered if lowered in SEVERITIES else finding.category


def _categories(baseline: Sequence[VerdictFinding]) -> list[str]:
    """Severities by weight, any other list in the scenario's order."""
    present = list(dict.fromkeys(_category(f) for f in baseline))
    return sorted(
        present,
        key=lambda c: SEVERITIES.index(c) if c in SEVERITIES else len(SEVERITIES),
    )


def _severity_group(
    category: str, findings: list[VerdictFinding], rows: dict[int, FindingRow]
) -> FindingGroup:
    verb = "shown" if rows[findings[0].pk].sign in {"shown", "not shown"} else "found"
    found = [f for f in findings if f.found]
    title = f"{category}: {len(found)} of {len(findings)} {verb}"
    if any(f.weight for f in findings):
        got, total = sum(f.weight for f in found), sum(f.weight for f in findings)
        title += f", {got} of {total} points"
    return FindingGroup(title, tuple(rows[f.pk] for f in findings))


def _numbered(findings: Sequence[VerdictFinding]) -> dict[int, int]:
    """Numbers of the verified quotes, in the order in which they stand in the response."""
    verified = [
        f
        for f in findings
        if f.evidence_state == EvidenceState.VERIFIED and f.evidence_start is not None
    ]
    verified.sort(key=lambda f: (f.evidence_start or 0, f.evidence_end or 0, f.position))
    return {f.pk: number for number, f in enumerate(verified, 1)}


def _quotes(findings: Sequence[VerdictFinding], numbered: dict[int, int]) -> list[Quote]:
    return [
        Quote(
            number=numbered[f.pk],
            row_id=f"item-{f.position}",
            label=f.item_id or f.description,
            start=f.evidence_start or 0,
            end=f.evidence_end or 0,
        )
        for f in sorted((f for f in findings if f.pk in numbered), key=lambda f: numbered[f.pk])
    ]


def _row(finding: VerdictFinding, number: int | None, is_behaviours: bool) -> FindingRow:
    return FindingRow(
        row_id=f"item-{finding.position}",
        name=finding.item_id,
        description=finding.description,
        note=_note(finding),
        sign=_sign(finding, is_behaviours),
        quote=finding.evidence,
        is_lost=finding.evidence_state == EvidenceState.NOT_FOUND,
        number=number,
    )


def _sign(finding: VerdictFinding, is_behaviours: bool) -> str:
    if finding.kind in {FindingKind.NOVEL, FindingKind.FALSE_POSITIVE}:
        return "false positive" if _is_false(finding) else "valid novel finding"
    if is_behaviours:
        return "shown" if finding.found else "not shown"
    return "found" if finding.found else "missed"


def _note(finding: VerdictFinding) -> str:
    """What the claim counts as, then the judge's reason."""
    counts_as = ""
    if _is_false(finding):
        counts_as = "false positive"
    elif finding.kind == FindingKind.NOVEL:
        counts_as = "valid novel finding, 3 points"
    elif finding.kind == FindingKind.BONUS and finding.found:
        counts_as = "bonus, 3 points"
    return ": ".join(part for part in (counts_as, finding.reasoning) if part)
