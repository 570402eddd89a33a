"""Both patch modes, worked out by hand. The numbered cases are bug reports turned into inputs."""

import asyncio
import json
import math
from fractions import Fraction

import pytest

from judgeweb.judging.conversation import judge
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import PATCH_MODES, mode_named
from judgeweb.judging.patches.judgement import sides_of
from judgeweb.judging.patches.numbers import exact
from judgeweb.judging.patches.resolved import band_of, probability
from judgeweb.judging.providers.scripted import ScriptedAsk
from judgeweb.judging.types import Flag, FunctionSpan, PatchCase, Verdict
from tests.judging.patches.patching import (
    FUNCTIONS,
    GOLD,
    MODES,
    OLD,
    RUBRICS,
    SHAPE,
    changed,
    judged,
    patch_case,
    text_of,
    total,
)

GROUND_TRUTH, SWEBENCH = "ground-truth", "swebench"


def parts(verdict: Verdict, *names: str) -> list[Fraction | None]:
    return [verdict.parts[name] for name in names]


# --- goldens ------------------------------------------------------------------------------------

# `return h * w` instead of `return w * h`. Tokens added: return h * w against return w * h.
#   bags: gold +{*} -{+}, prediction the same: F1 1, direction 1, recall 1; no name is introduced: 1
#   ratio added: "return" and "w" match: 2x2/8 = 0.5; removed: 1; block 0.7x0.5 + 0.3x1 = 0.65
#   logic (0.4x1 + 0.3x0.65 + 0.3x0.5) x 1 x 1 = 0.745; files, lines, scopes, hygiene, size: 1
SWAPPED = changed(2, "    return w + h", "    return h * w")


def test_golden_ground_truth() -> None:
    verdict = judged(GROUND_TRUTH, SWAPPED)

    # 20 + 20 + 40 x 0.745 + 20 = 89.8
    assert verdict.total == Fraction(898, 10)
    assert verdict.total_without_persona == verdict.total
    assert parts(
        verdict,
        "file_identification",
        "location_identification",
        "fix_logic_match",
        "completeness",
    ) == [20, 20, Fraction(298, 10), 20]
    assert parts(verdict, "block_similarity", "added_similarity", "change_f1") == [
        Fraction(65, 100),
        Fraction(1, 2),
        1,
    ]


def test_golden_swebench() -> None:
    verdict = judged(SWEBENCH, SWAPPED)

    # 30 + 40 x (0.7 x 0.745 + 0.15 + 0.15) + 20 = 30 + 32.86 + 20 = 82.86 of 90.
    assert verdict.total == Fraction(8286, 90)
    assert parts(verdict, "root_cause", "fix_quality", "completeness", "persona", "coverage") == [
        30,
        Fraction(3286, 100),
        20,
        None,
        Fraction(9, 10),
    ]


def test_golden_elsewhere_in_the_file_without_function_index() -> None:
    # Line 10 is 8 lines from line 2: exp(-8/8) and exp(-8/20). Nothing else is alike; no name is
    # introduced by gold, so none is missing. d1 recall 0, logic 0.
    #   location 0.5 x a + 0.2 x a + 0.3 x b; completeness 0.2 + 0.2 x b + 0.1
    near, far = exact(math.exp(-1)), exact(math.exp(-0.4))
    verdict = judged(GROUND_TRUTH, changed(10, "x = 1", "x = 2"), functions={})

    assert near == Fraction("0.367879441")
    assert verdict.parts["fix_logic_match"] == 0
    assert verdict.total == 20 + 20 * (Fraction("0.7") * near + Fraction("0.3") * far) + 20 * (
        Fraction("0.3") + Fraction("0.2") * far
    )


def test_golden_persona_of_a_linked_judgement() -> None:
    verdict = judged(SWEBENCH, SWAPPED, persona=Fraction(15, 2))

    # 82.86 + 10 x 7.5 / 10 of 100.
    assert verdict.total == Fraction(9036, 100)
    assert verdict.total_without_persona == Fraction(8286, 90)
    assert parts(verdict, "persona", "coverage") == [Fraction(15, 2), 1]


def test_golden_same_change_with_a_scratch_file() -> None:
    scratch = GOLD + "--- /dev/null\n+++ b/repro.py\n@@ -0,0 +1 @@\n+x = 1\n"

    # Hygiene 1 / 1.5; completeness 0.9 + 0.1 x 2/3. swebench: 0.85 + 0.15 x 2/3 of fix quality.
    assert total(GROUND_TRUTH, scratch) == 80 + 20 * (Fraction(9, 10) + Fraction(1, 15))
    assert total(SWEBENCH, scratch) == (30 + 40 * Fraction(95, 100) + 20) / Fraction(90) * 100


def test_golden_right_code_in_a_wrong_file() -> None:
    # Bags are of the whole patch: F1 1, recall 1; per file nothing is there: block and added 0.
    #   logic 0.4 x 1 x 0.6 = 0.24; hygiene 1/1.5 (one extra file)
    #   completeness 0.5 + 0.2 (no name missing) + 0.2 x 0 + 0.1 x 2/3
    wrong = changed(2, "    return w + h", "    return w * h", "src/pkg/other.py")

    assert total(GROUND_TRUTH, wrong) == 40 * Fraction(24, 100) + 20 * (
        Fraction(7, 10) + Fraction(1, 15)
    )


def test_golden_explanation() -> None:
    # Wanted: scope `area` (2), nothing else has a name: gold changes + to * alone.
    prose = f"The bug sits in area, which adds its sides.\n\n```diff\n{GOLD}```\n"
    silent = f"There is a wrong sum somewhere in it.\n\n```diff\n{GOLD}```\n"

    assert total(SWEBENCH, prose) == 100
    # 0.7 of the root cause without explanation: 21 + 40 + 20 of 90.
    assert total(SWEBENCH, silent) == Fraction(8100, 90)
    assert total(SWEBENCH, f"The fix:\n\n```diff\n{GOLD}```\n") == 100


def test_explanation_copied_from_the_issue_earns_nothing() -> None:
    issue = "The bug sits in area, which adds its sides."
    text = f"{issue}\n\n```diff\n{GOLD}```\n"

    assert total(SWEBENCH, text) == 100
    assert total(SWEBENCH, text, issue=f"Hello.\n{issue}\nBye.") == Fraction(8100, 90)


# --- the working, and what a page needs ---------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("response", [GOLD, SWAPPED, "", "In words.", changed(9, "a", "b")])
def test_working_adds_up(mode: str, response: str) -> None:
    verdict = judged(mode, response)
    weights = {one.key: Fraction(one.weight) for one in RUBRICS[mode].dimensions}
    points = {step.name: step.value for step in verdict.working if step.name in weights}
    observed = {name: value for name, value in points.items() if value is not None}

    assert list(points) == list(weights)
    assert points == {name: verdict.parts[name] for name in weights}
    assert verdict.working[-1].name == "total"
    assert verdict.working[-1].value == verdict.total
    assert verdict.total == 100 * sum(observed.values()) / sum(weights[name] for name in observed)


def test_extra_says_what_was_touched() -> None:
    verdict = judged(GROUND_TRUTH, GOLD + changed(6, "a", "b", "src/pkg/other.py"))
    extra = json.loads(json.dumps(verdict.extra))

    assert extra["form"] == "diff"
    assert extra["files"] == [
        {"path": "src/pkg/other.py", "gold": False, "predicted": True},
        {"path": SHAPE, "gold": True, "predicted": True},
    ]
    assert extra["scopes"] == [{"path": SHAPE, "name": "area", "gold": True, "predicted": True}]
    assert extra["blocks"]["gold"] == [
        {"path": SHAPE, "first": 2, "last": 2, "added_only": False, "distance": 0}
    ]
    assert [block["distance"] for block in extra["blocks"]["predicted"]] == [0, None]
    assert extra["localisation"] == {"file": True, "scope": True, "line": True}


def test_sides_show_which_lines_match() -> None:
    response = SWAPPED + changed(6, "", "    # note", "src/pkg/other.py")
    [gold], [predicted, other] = sides_of(patch_case(GROUND_TRUTH, response))

    assert [(line.sign, line.old, line.is_matched) for line in gold.hunks[0]] == [
        (" ", 1, False),
        ("-", 2, True),
        ("+", None, False),
        (" ", 3, False),
        (" ", 4, False),
        (" ", 5, False),
    ]
    assert [(line.sign, line.is_matched) for line in predicted.hunks[0]] == [
        ("-", True),
        ("+", False),
    ]
    assert (gold.is_shared, predicted.is_shared, other.is_shared) == (True, True, False)


def test_probability_and_band_go_with_the_total() -> None:
    # The logit is -4.4313 + 5.9247 x 0.898 = 0.8890806, and e to the minus that is 0.411033.
    verdict = judged(GROUND_TRUTH, SWAPPED)

    assert verdict.parts["p_resolved"] == Fraction("0.708700")
    assert verdict.extra["band"] == {
        "above": 70.0,
        "to": 90.0,
        "resolved_percent": 49,
        "of": 259,
    }
    # Logits of 1.4563 and -4.4313.
    assert probability(SWEBENCH, Fraction(100)) == Fraction("0.810966")
    assert probability(GROUND_TRUTH, Fraction(0)) == Fraction("0.011759")
    assert [band_of(Fraction(n)).to for n in (0, 10, 11, 100)] == [10, 10, 30, 100]


def test_flag_and_note_per_fault() -> None:
    verdict = judged(SWEBENCH, GOLD.replace("-1,5 +1,5", "-1,9 +1,9"))

    assert verdict.flags == (Flag.MALFORMED_PATCH, Flag.SAME_AS_GOLD)
    assert verdict.notes == (
        "Malformed diff, line 5: a hunk ends before its counts: 4 old and 4 new lines are missing.",
    )
    # Never counted as applied.
    assert verdict.parts["fix_quality"] == 0


# --- cases --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name",
    ["094_good", "094_no_final_newline", "097_no_diffgit", "098_no_prefix", "100_crlf_all"],
)
def test_cases_94_97_98_100_score_as_the_clean_patch(mode: str, name: str) -> None:
    verdict = judged(mode, text_of(f"{name}.diff"))

    assert verdict.total == 100
    assert (Flag.LINE_ENDS in verdict.flags) == (name == "100_crlf_all")


@pytest.mark.parametrize("mode", MODES)
def test_case_95_empty_patches_are_0_and_said_to_be_empty(mode: str) -> None:
    lines = [json.loads(line) for line in text_of("095_empty.jsonl").splitlines()]
    verdicts = [judged(mode, line.get("model_patch") or "") for line in lines]

    assert [verdict.total for verdict in verdicts] == [0] * 5
    assert [verdict.flags for verdict in verdicts] == [(Flag.EMPTY_ANSWER,)] * 4 + [
        (Flag.NO_PATCH,)
    ]
    assert verdicts[0].notes == ("Empty patch.",)
    assert verdicts[4].notes == ("No diff found.",)
    keys = [one.key for one in RUBRICS[mode].dimensions if one.key != "persona"]
    assert parts(verdicts[0], *keys) == [0] * len(keys)


def test_case_98_a_real_folder_named_a_is_another_file() -> None:
    assert judged(GROUND_TRUTH, text_of("098_real_a_dir.diff")).parts["file_identification"] == 0
    same = text_of("098_real_a_dir.diff")
    assert total(GROUND_TRUTH, same, gold_patch=same) == 100


def test_case_100_carriage_returns_lost_are_flagged_and_nothing_more() -> None:
    gold, lost = text_of("100_crlf_file.diff"), text_of("100_crlf_file_lf.diff")
    verdict = judged(GROUND_TRUTH, lost, gold_patch=gold)

    assert verdict.total == 100
    assert Flag.LINE_ENDS in verdict.flags
    assert Flag.LINE_ENDS not in judged(GROUND_TRUTH, gold, gold_patch=gold).flags


def test_case_101_pure_rename() -> None:
    rename = text_of("101_rename100.diff")
    verdict = judged(GROUND_TRUTH, rename, gold_patch=rename)

    assert verdict.total == 100
    assert [file["path"] for file in verdict.extra["files"]] == ["src/pkg/old.py"]
    assert Flag.EMPTY_ANSWER not in verdict.flags


@pytest.mark.parametrize("mode", MODES)
def test_case_103_binary_change(mode: str) -> None:
    plain, full = text_of("103_binary_plain.diff"), text_of("103_binary_full.diff")
    unknown = judged(mode, plain, gold_patch=plain)
    equal = judged(mode, full, gold_patch=full)
    other = judged(mode, full.replace("zcmV+_0M-Bh@l7", "zcmV+_0M-Bh@l8"), gold_patch=full)

    fix = "fix_logic_match" if mode == GROUND_TRUTH else "fix_quality"
    # The file alone can be compared: all of it is right.
    assert (unknown.parts[fix], unknown.total) == (None, 100)
    assert (other.parts[fix], other.total) == (None, 100)
    assert (equal.parts[fix], equal.total) == (40, 100)
    assert Flag.BINARY_PATCH in unknown.flags
    assert unknown.parts["coverage"] == Fraction(20 if mode == GROUND_TRUTH else 30, 100)


@pytest.mark.parametrize("mode", MODES)
def test_case_104_malformed_hunk_is_not_applied_and_still_names_its_file(mode: str) -> None:
    verdict = judged(mode, text_of("104_no_counts.diff"))

    assert Flag.MALFORMED_PATCH in verdict.flags
    assert verdict.notes[0] == "Malformed diff, line 5: a hunk header without line numbers."
    assert verdict.parts["fix_logic_match" if mode == GROUND_TRUTH else "fix_quality"] == 0
    assert [file["predicted"] for file in verdict.extra["files"]] == [True]


def test_case_106_tests_and_scratch_files_are_set_apart() -> None:
    verdict = judged(GROUND_TRUTH, text_of("106_tests_too.diff"))

    assert verdict.parts["file_identification"] == 20
    assert verdict.extra["apart"] == {
        "tests": ["tests/test_shape.py"],
        "scratch": ["repro.py"],
        "documents": [],
        "unsafe": [],
    }
    at_root = text_of("106_tests_too.diff").replace("repro.py", "test_x.py")
    assert judged(GROUND_TRUTH, at_root).extra["apart"]["scratch"] == ["test_x.py"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("path", "is_right"),
    [
        ("src/other/shape.py", False),
        ("src/pkg/myshape.py", False),
        ("shape.py", False),
        ("./src/pkg/shape.py", True),
        ("src//pkg/./shape.py", True),
    ],
)
def test_case_109_paths_are_never_matched_by_their_tail(
    mode: str, path: str, is_right: bool
) -> None:
    verdict = judged(mode, changed(2, "    return w + h", "    return w * h", path))

    assert verdict.parts["file_recall"] == (1 if is_right else 0)
    assert (verdict.total == 100) == is_right


@pytest.mark.parametrize("mode", MODES)
def test_case_110_path_outside_the_tree_earns_nothing(mode: str) -> None:
    verdict = judged(mode, text_of("110_traversal.diff"))

    assert verdict.total == 0
    assert Flag.UNSAFE_PATH in verdict.flags
    assert verdict.extra["apart"]["unsafe"] == ["../../outside.txt"]


# --- no change of code, and prose ---------------------------------------------------------------

EXECUTABLE = f"diff --git a/{SHAPE} b/{SHAPE}\nold mode 100644\nnew mode 100755\n"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "response",
    [
        changed(2, "", "    # return w * h"),
        changed(2, "    return w + h", "    return  w+h"),
        changed(1, "", '    """The product: return w * h"""'),
        changed(1, "def test_area():", "def test_area(x):", "tests/test_shape.py"),
        EXECUTABLE,
    ],
)
def test_no_change_of_code_is_0(mode: str, response: str) -> None:
    verdict = judged(mode, response, persona=Fraction(10) if mode == SWEBENCH else None)

    assert verdict.total == 0
    assert Flag.NO_CODE_CHANGE in verdict.flags


@pytest.mark.parametrize("mode", MODES)
def test_mode_of_a_file_counts_where_gold_changes_nothing_else(mode: str) -> None:
    assert total(mode, EXECUTABLE, gold_patch=EXECUTABLE) == 100


@pytest.mark.parametrize("mode", MODES)
def test_reversed_gold_has_no_logic(mode: str) -> None:
    verdict = judged(mode, changed(2, "    return w * h", "    return w + h"))

    # File, place, name recall (none is missing), scope, hygiene: 20 + 20 + 20 x 0.5, or
    # 30 + 40 x 0.3 + 20 x 0.4 of 90.
    assert verdict.parts["direction"] == -1
    assert verdict.total == (50 if mode == GROUND_TRUTH else Fraction(5000, 90))


def test_prose_earns_files_and_places_alone() -> None:
    text = f"The sum in {SHAPE}:2 is wrong.\nIt should be a product."
    verdict = judged(GROUND_TRUTH, text)

    # The file, its line 2 and with it the scope: 20 + 20; everything else 0.
    assert verdict.total == 40
    assert verdict.flags == (Flag.NO_PATCH,)
    assert parts(verdict, "fix_logic_match", "completeness") == [0, 0]
    # 0.7 of the root cause, of 90.
    assert total(SWEBENCH, text) == Fraction(2100, 90)


def test_prose_with_the_path_alone_earns_the_file_alone() -> None:
    assert total(GROUND_TRUTH, f"Look at {SHAPE}, please.") == 20
    assert total(GROUND_TRUTH, f"Look at {SHAPE} and src/a.py, please.") == 15
    # The scope in the same sentence: 0.3 of the place.
    assert total(GROUND_TRUTH, f"Look at area in {SHAPE}, please.") == 26


@pytest.mark.parametrize(
    "text", ["shape.py is wrong: area", "See src/pkg/shape.py.bak", "area, w, h"]
)
def test_prose_without_the_exact_path_earns_nothing(text: str) -> None:
    assert total(GROUND_TRUTH, text) == 0
    assert total(SWEBENCH, text) == 0


def test_path_that_the_issue_names_is_not_found_by_the_answer() -> None:
    text = f"The sum in {SHAPE}:2 is wrong."

    assert total(GROUND_TRUTH, text, issue=f"See {SHAPE}.") == 0
    assert total(GROUND_TRUTH, text, issue="See shape.py.") == 40


def test_prose_is_capped_whatever_the_rubric_weighs() -> None:
    rubric = RUBRICS[GROUND_TRUTH]
    heavy = tuple(
        one.model_copy(update={"weight": weight})
        for one, weight in zip(rubric.dimensions, (40, 40, 10, 10), strict=True)
    )
    verdict = judged(GROUND_TRUTH, f"In {SHAPE}:2.", functions=FUNCTIONS)
    case = PatchCase(
        rubric=rubric.model_copy(update={"dimensions": heavy}),
        scenario="s",
        gold_patch=GOLD,
        response=f"In {SHAPE}:2.",
        functions=FUNCTIONS,
    )

    assert verdict.total == 40
    assert mode_named(GROUND_TRUTH).without_request(case).total == 40  # type: ignore[union-attr]


# --- old files ----------------------------------------------------------------------------------


def test_old_files_show_the_same_code_written_otherwise() -> None:
    # The whole function is written anew, with a docstring: other blocks, the same tree.
    anew = (
        f"--- a/{SHAPE}\n+++ b/{SHAPE}\n@@ -1,2 +1,3 @@\n-def area(w, h):\n-    return w + h\n"
        '+def area(w, h):\n+    """Product."""\n+    return (w * h)\n'
    )

    assert Flag.SAME_AS_GOLD not in judged(GROUND_TRUTH, anew).flags
    verdict = judged(GROUND_TRUTH, anew, old_files={SHAPE: OLD}, functions={})
    assert verdict.total == 100
    assert Flag.SAME_AS_GOLD in verdict.flags
    assert [scope["name"] for scope in verdict.extra["scopes"]] == ["area"]


def test_patch_that_does_not_fit_the_old_file_or_breaks_it_is_not_sound() -> None:
    misfit = changed(2, "    return w - h", "    return w * h")
    broken = changed(2, "    return w + h", "    return w * (h")

    for response in (misfit, broken):
        assert judged(SWEBENCH, response).parts["fix_quality"] != 0
        assert judged(SWEBENCH, response, old_files={SHAPE: OLD}).parts["fix_quality"] == 0
    assert judged(SWEBENCH, SWAPPED, old_files={SHAPE: OLD}).parts["fix_quality"] == Fraction(
        3286, 100
    )


# --- refused, and never asked -------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"gold_patch": " \n"}, "gold_patch"),
        ({"gold_patch": text_of("104_no_counts.diff")}, "gold_patch"),
        ({"gold_patch": "no diff"}, "gold_patch"),
        ({"gold_patch": text_of("110_traversal.diff")}, "gold_patch"),
    ],
)
def test_missing_gold_patch_is_refused_by_name(
    mode: str, values: dict[str, str], field: str
) -> None:
    with pytest.raises(CaseRefused) as caught:
        mode_named(mode).check(patch_case(mode, GOLD, **values))
    assert caught.value.field == field


def test_other_rubric_or_no_scenario_is_refused() -> None:
    mode = mode_named(GROUND_TRUTH)
    for case, field in (
        (patch_case(SWEBENCH, GOLD), "rubric"),
        (PatchCase(RUBRICS[GROUND_TRUTH], " ", GOLD, GOLD), "scenario"),
    ):
        with pytest.raises(CaseRefused) as caught:
            mode.check(case)
        assert caught.value.field == field


@pytest.mark.parametrize("name", PATCH_MODES)
def test_nobody_is_asked(name: str) -> None:
    ask = ScriptedAsk([])
    outcome = asyncio.run(judge(mode_named(name), patch_case(name, SWAPPED), ask))

    assert isinstance(outcome, Verdict)
    assert outcome.replies == ()
    assert mode_named(name).prompts(patch_case(name, SWAPPED)) == ()
    assert mode_named(name).prompt_version == f"{name} 2"


def test_hostile_texts_are_judged() -> None:
    for text in (
        "\0" * 10,
        "\ud800",
        changed(2, "\ud800", "\0"),
        changed(2, "x", "y", "\ud800.py"),
        "```diff\n" * 50,
        changed(2, "(" * 5000, ")" * 5000),
        changed(2, "a b " * 5000, "b a " * 5000),
    ):
        verdict = judged(GROUND_TRUTH, text)
        assert verdict.total is not None
        # Right file and line at best, nothing of the change.
        assert 0 <= verdict.total <= 50
        json.dumps(verdict.extra)


def test_too_large_to_be_compared_whole_is_said() -> None:
    verdict = judged(GROUND_TRUTH, changed(2, "    return w + h", "x = 1\n" * 1000))

    assert Flag.CUT_SHORT in verdict.flags


def test_function_index_that_does_not_fit_harms_nothing() -> None:
    spans = (FunctionSpan("f", "x", 9, 3), FunctionSpan("f", "y", 1, 10**9))

    assert total(GROUND_TRUTH, GOLD, functions={SHAPE: spans}) == 100
