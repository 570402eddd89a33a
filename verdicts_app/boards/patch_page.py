"""A verdict on a patch: both diffs, what was touched, what was left out, what such totals meant.

The response is read again by the very code that judged it; the score itself is never computed
here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.modes import PATCH_MODES, mode_named
from judgeweb.judging.patches.judgement import Comparison, compare
from judgeweb.judging.patches.resolved import BANDS, band_of
from judgeweb.judging.patches.responses import Form
from judgeweb.judging.types import Flag
from rubrics_app.patch_cases import instance_for, patch_case
from verdicts_app.boards.patch_diff import Diff, diff_of
from verdicts_app.boards.verdict_page import VerdictPage

MOST_SHOWN = 40
"""Scopes and files set apart that are listed."""
LONGEST_TEXT = 100_000
"""Characters of the response as given that are shown."""
LONGEST_READ = 300_000
"""Characters of the response that are read again: a page does not wait for megabytes."""

FORMS = {
    Form.DIFF: "a diff",
    Form.CODE: "code in named files",
    Form.REPLACEMENT: "search and replace blocks",
    Form.PROSE: "prose without a patch",
    Form.EMPTY: "nothing",
}
APART = {
    "tests": "Tests",
    "scratch": "Scratch files",
    "documents": "Documents",
    "unsafe": "Paths outside of the repository",
}
PLACES = {"file": "Every gold file", "scope": "Every gold scope", "line": "Every gold block"}


@dataclass(frozen=True)
class Place:
    """One of the localisation triple; `is_hit` None: there is nothing to look it up in."""

    label: str
    is_hit: bool | None


@dataclass(frozen=True)
class ScopeRow:
    path: str
    name: str
    is_gold: bool
    is_predicted: bool


@dataclass(frozen=True)
class Apart:
    """What is not compared, by kind. `more` counts those beyond the names shown."""

    kind: str
    names: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class BandRow:
    label: str
    resolved_percent: Fraction
    of: int | None
    is_this: bool


@dataclass(frozen=True)
class FaultRow:
    """A malformed place: the line of the response, what it says, what is wrong with it."""

    line: int
    text: str
    message: str


@dataclass(frozen=True)
class PatchPage:
    """`diff` is None where the gold patch is not stored here. `read_left_out` counts the characters
    at the end of the response that it leaves out."""

    mode: str
    sentence: str
    form: str
    coverage: Fraction | None
    p_resolved: Fraction | None
    places: tuple[Place, ...]
    scopes: tuple[ScopeRow, ...]
    scopes_left_out: int
    apart: tuple[Apart, ...]
    bands: tuple[BandRow, ...]
    diff: Diff | None
    read_left_out: int
    faults: tuple[FaultRow, ...]
    has_patch: bool
    text: str
    text_left_out: int


def patch_page(page: VerdictPage) -> PatchPage | None:
    """None for a verdict that is not on a patch."""
    if page.verdict.mode not in PATCH_MODES or page.response is None:
        return None
    extra: Mapping[str, Any] = json.loads(page.verdict.detail or "{}").get("extra", {})
    read = _read_again(page)
    text = page.response.text
    scopes = extra.get("scopes", [])
    form = Form(extra["form"]) if extra.get("form") in set(Form) else None
    return PatchPage(
        mode=mode_named(page.verdict.mode).label,
        sentence=_sentence(page, extra, form),
        form=FORMS[form] if form else "not said",
        coverage=page.detail.parts.get("coverage"),
        p_resolved=page.detail.parts.get("p_resolved"),
        places=_places(extra.get("localisation", {})),
        scopes=tuple(
            ScopeRow(one["path"], one["name"] or "module level", one["gold"], one["predicted"])
            for one in scopes[:MOST_SHOWN]
        ),
        scopes_left_out=max(len(scopes) - MOST_SHOWN, 0),
        apart=_apart(extra.get("apart", {})),
        bands=_bands(page.total),
        diff=_diff(read),
        read_left_out=len(text) - len(_read_part(text)),
        faults=_faults(read, text) if Flag.MALFORMED_PATCH in page.verdict.flags else (),
        has_patch=form not in (Form.PROSE, Form.EMPTY),
        text=text[:LONGEST_TEXT],
        text_left_out=max(len(text) - LONGEST_TEXT, 0),
    )


def _read_again(page: VerdictPage) -> Comparison | None:
    """None where the instance, or what pins it, is not stored here."""
    if page.rubric is None or page.scenario is None or page.response is None:
        return None
    instance = instance_for(page.where, page.scenario)
    if instance is None:
        return None
    response = _read_part(page.response.text)
    return compare(patch_case(instance, rubric=page.rubric, scenario=page.where, response=response))


def _read_part(text: str) -> str:
    """Whole lines of it."""
    return text if len(text) <= LONGEST_READ else text[: text.rfind("\n", 0, LONGEST_READ) + 1]


def _diff(read: Comparison | None) -> Diff | None:
    if read is None:
        return None
    return diff_of(read.gold.changes.source, read.changes.source, read.functions)


def _faults(read: Comparison | None, text: str) -> tuple[FaultRow, ...]:
    if read is None:
        return ()
    lines = text.removeprefix("\ufeff").split("\n")
    return tuple(
        FaultRow(fault.line, _line(lines, fault.line), fault.message)
        for fault in read.proposal.patch.faults
    )


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1][:200] if 0 < number <= len(lines) else ""


def _places(triple: Mapping[str, bool | None]) -> tuple[Place, ...]:
    return tuple(Place(label, triple.get(key)) for key, label in PLACES.items())


def _apart(apart: Mapping[str, Sequence[str]]) -> tuple[Apart, ...]:
    return tuple(
        Apart(label, tuple(names[:MOST_SHOWN]), max(len(names) - MOST_SHOWN, 0))
        for kind, label in APART.items()
        if (names := apart.get(kind, ()))
    )


def _bands(total: Fraction | None) -> tuple[BandRow, ...]:
    this = None if total is None else band_of(total)
    return tuple(
        BandRow(
            label=_band_label(band.above, band.to),
            resolved_percent=Fraction(str(band.resolved)),
            of=band.of,
            is_this=band == this,
        )
        for band in BANDS
    )


def _band_label(above: Fraction, to: Fraction) -> str:
    if not above:
        return f"up to {float(to):g}"
    if to == 100:
        return "100"
    return f"{float(above):g} to {float(to):g}"


# --- the sentence under the heading -------------------------------------------------------------


def _sentence(page: VerdictPage, extra: Mapping[str, Any], form: Form | None) -> str:
    return (
        f"{_said(page.verdict.flags.split(','), extra, form)} No model was used; nothing was run."
    )


def _said(flags: Sequence[str], extra: Mapping[str, Any], form: Form | None) -> str:
    if form is Form.EMPTY:
        return "The answer is empty, which counts as a total of 0."
    if form is Form.PROSE:
        return "There is no patch in this answer: only the places that its prose names can earn."
    if Flag.SAME_AS_GOLD in flags:
        return "The same change as the gold patch."
    if Flag.NO_CODE_CHANGE in flags:
        return "The patch changes no code, which counts as a total of 0."
    if not extra:
        return "It was judged elsewhere; no detail came along."
    parts = [_touched(extra["files"], "files"), _touched(extra["scopes"], "scopes")]
    return f"It touches {' and '.join(filter(None, parts))}; {_blocks(extra)}."


def _touched(rows: Sequence[Mapping[str, Any]], noun: str) -> str:
    """ "2 of 3 gold scopes"; "" where the gold patch has none."""
    wanted = [row for row in rows if row["gold"]]
    return (
        f"{sum(row['predicted'] for row in wanted)} of {len(wanted)} gold {noun}" if wanted else ""
    )


def _blocks(extra: Mapping[str, Any]) -> str:
    blocks = extra["blocks"]["gold"]
    met = sum(block["distance"] == 0 for block in blocks)
    if not blocks:
        return "the gold patch changes no lines"
    return f"{met} of {len(blocks)} gold blocks are met on their old lines"
