"""The page of a verdict on a patch: both diffs, places, what was left out, the formula."""

from fractions import Fraction

import pytest
from django.urls import reverse

from tests.verdicts_app.pages.patches import (
    FILE,
    GOLD,
    PREDICTION,
    make_patch_verdict,
    make_tides,
)
from verdicts_app.boards import patch_diff, patch_page
from verdicts_app.boards.patch_diff import DiffRow
from verdicts_app.boards.stored_detail import stored_detail
from verdicts_app.models import Verdict
from verdicts_app.templatetags.exact import exactly

pytestmark = pytest.mark.django_db


@pytest.fixture
def show(client, make_user):
    """The page of a verdict: its context and its text."""
    client.force_login(make_user("viewer"))

    def open_page(verdict: Verdict):
        answer = client.get(reverse("verdict", args=[verdict.pk]))
        assert answer.status_code == 200
        return answer.context["patch"], answer.content.decode()

    return open_page


def side(rows: tuple[DiffRow, ...], name: str) -> list[str]:
    """ "121 - =" for each line of a side: old line, sign, whether it is in both; "" for none."""
    cells = [getattr(row, name) for row in rows if not row.heading]
    return [
        f"{cell.old or ''} {cell.sign} {'=' if cell.is_matched else ''}".strip() if cell else ""
        for cell in cells
    ]


def test_both_diffs_stand_line_beside_line(show):
    make_tides()

    patch, text = show(make_patch_verdict())

    shared, own = patch.diff.files
    assert (shared.path, own.path) == (FILE, "harbour/charts.py")
    assert [row.heading for row in shared.rows if row.heading] == [
        "TideTable.level_at, lines 118 to 123",
        "publish, lines 140 to 141",
    ]
    # Gold removes 120 and 121 and adds three lines; the prediction keeps 120 and adds one of them.
    assert side(shared.rows, "gold")[:9] == [
        "118",
        "119",
        "120 -",
        "121 - =",
        "+",
        "+ =",
        "+",
        "122",
        "123",
    ]
    assert side(shared.rows, "predicted")[:9] == [
        "",
        "119",
        "120",
        "121 - =",
        "",
        "+ =",
        "",
        "122",
        "",
    ]
    assert side(shared.rows, "gold")[9:] == ["", "", ""]
    assert side(shared.rows, "predicted")[9:] == ["140", "+", "141"]
    assert (shared.gold.added, shared.gold.removed, shared.gold.matched) == (3, 2, 2)
    assert (shared.predicted.added, shared.predicted.removed) == (2, 1)
    assert (own.gold, own.predicted.added, own.predicted.removed) == (None, 1, 1)
    assert "✓ in both" in text
    assert "! prediction alone" in text
    assert text.count("as in the other patch") == 4


def test_what_was_touched_and_what_was_left_out_is_named(show):
    make_tides()

    patch, _ = show(make_patch_verdict())

    assert [(place.label, place.is_hit) for place in patch.places] == [
        ("Every gold file", True),
        ("Every gold scope", True),
        ("Every gold block", True),
    ]
    assert [(scope.name, scope.is_gold, scope.is_predicted) for scope in patch.scopes] == [
        ("TideTable.level_at", True, True),
        ("publish", False, True),
    ]
    assert [(kind.kind, kind.names) for kind in patch.apart] == [
        ("Tests", ("tests/test_tides.py",)),
        ("Scratch files", ("reproduce.py",)),
    ]
    assert patch.sentence == (
        "It touches 1 of 1 gold files and 1 of 1 gold scopes; 1 of 1 gold blocks are met on their "
        "old lines. No model was used; nothing was run."
    )


def test_the_formula_is_written_out_and_its_total_is_the_verdicts(show):
    make_tides()
    verdict = make_patch_verdict()

    patch, text = show(verdict)

    # One of two source files is gold: file_R 1, file_P 1/2, so 20 x (1 x (0.5 + 0.5 x 0.5)) = 15.
    assert "20 × (1 × (0.5 + 0.5×0.5))" in text
    steps = {step.name: step.value for step in stored_detail(verdict.detail).working}
    parts = ("file identification", "location identification", "fix logic match", "completeness")
    assert steps["file identification"] == 15
    for name in parts:
        assert f"<span>{name}" in text
        assert f'<span class="is">{exactly(steps[name])}</span>' in text
    assert sum(steps[name] for name in parts) == steps["total"] == Fraction(verdict.total_exact)
    assert patch.coverage == 1
    # 64.02 of 100: P = 1 / (1 + exp(4.4313 - 5.9247 x 0.6402)) = 0.3457
    total = verdict.total_nano / 10**9
    assert round(total, 2) == 64.02
    assert round(float(patch.p_resolved), 3) == 0.346
    assert [band.label for band in patch.bands if band.is_this] == ["50 to 70"]
    assert "this patch" in text


def test_judged_text_is_escaped(show):
    make_tides()

    _, text = show(make_patch_verdict())

    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_of_a_very_long_answer_the_page_reads_the_beginning(show, monkeypatch):
    monkeypatch.setattr(patch_page, "LONGEST_READ", 400)
    make_tides()

    patch, text = show(make_patch_verdict())

    # What was judged stays: four files, no fault.
    assert [file.path for file in patch.diff.files] == [FILE]
    assert patch.faults == ()
    assert 0 <= patch.read_left_out - (len(PREDICTION) - 400) < 80
    assert f"The last {patch.read_left_out} characters of the answer are left out" in text
    assert "a diff" in text


def test_a_malformed_place_is_named_with_its_line(show):
    make_tides()
    broken = PREDICTION.replace("@@ -119,4 +119,4 @@", "@@ ... @@")

    patch, text = show(make_patch_verdict(broken))

    assert [(fault.line, fault.text) for fault in patch.faults] == [(7, "@@ ... @@")]
    assert "Line 7 of the response: a hunk header without line numbers." in text
    assert "✕ malformed" in text
    assert "✓ well formed" not in text


def test_swebench_leaves_persona_out_and_says_the_coverage(show):
    make_tides(has_index=False)

    patch, text = show(make_patch_verdict(GOLD, mode="swebench"))

    assert patch.sentence.startswith("The same change as the gold patch.")
    # 30 + 40 + 20 of the weight 100 can be observed.
    assert patch.coverage == Fraction(9, 10)
    assert "100.0 <small>of 100</small>" in text
    assert "90% <small>of the weight</small>" in text
    assert "No function index of these files is stored" in text
    assert patch.diff.files[0].gold.matched == patch.diff.files[0].predicted.matched == 5


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (" ", "The answer is empty, which counts as a total of 0."),
        ("Look at harbour/tides.py, please.", "There is no patch in this answer"),
    ],
)
def test_without_a_patch_the_gold_one_stands_alone(show, response, said):
    make_tides()

    patch, text = show(make_patch_verdict(response))

    assert patch.sentence.startswith(said)
    [file] = patch.diff.files
    assert (file.gold.added, file.predicted) == (3, None)
    assert "✕ gold alone" in text
    assert "✓ well formed" not in text


def test_a_huge_diff_is_folded_and_cut_with_its_count(show, monkeypatch):
    make_tides()
    monkeypatch.setattr(patch_diff, "MOST_ROWS", 300)
    lines = "".join(f"+line_{n} = {n}\n" for n in range(5_000))
    long = f"+wide = '{'x' * 1_000}'\n"
    huge = f"--- a/{FILE}\n+++ b/{FILE}\n@@ -119,1 +119,5002 @@\n rows = 1\n{long}{lines}"

    patch, text = show(make_patch_verdict(huge))

    [file] = patch.diff.files
    assert not file.is_open
    # One heading, the six gold lines' places, and what is added: all but the first 300 are counted.
    assert len(file.rows) == 300
    assert file.lines == 300 + file.left_out
    assert file.left_out > 4_700
    assert f"{file.left_out:,} rows of this file are left out here" in text
    assert "line_4999" not in text.split("Response as given")[0]
    # The line is "wide = '" + 1,000 x + "'", 400 characters are shown.
    assert "… 609 more characters" in text


def test_a_gold_patch_that_is_gone_is_said(show):
    make_tides()
    verdict = make_patch_verdict()
    assert verdict.judgement is not None
    # Rows of instances never go: a verdict that came from elsewhere names one that is not here.
    revision = verdict.judgement.scenario_revision
    assert revision is not None
    type(verdict.judgement).objects.filter(pk=verdict.judgement.pk).update(scenario_revision=None)

    patch, text = show(verdict)

    assert patch.diff is None
    assert "The gold patch is not stored here" in text
    assert "20 × (1 × (0.5 + 0.5×0.5))" in text
