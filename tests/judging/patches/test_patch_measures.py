"""The quantities, each by hand on patches of a line or two."""

import difflib
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.patches.changes import Block, Changes, changes_of, gold_changes
from judgeweb.judging.patches.gold import gold_of
from judgeweb.judging.patches.locations import NEAR, closeness, distance, scope_at, scopes_of
from judgeweb.judging.patches.measures import Measures, measure
from judgeweb.judging.patches.numbers import exact
from judgeweb.judging.patches.paths import Role, role_of
from judgeweb.judging.patches.reading import read_diff
from judgeweb.judging.patches.similarity import (
    bag_f1,
    bag_recall,
    change_bags,
    direction,
    introduced,
    ratio,
    signed_edits,
    upper_bound,
)
from judgeweb.judging.types import FunctionSpan
from tests.judging.patches.patching import FUNCTIONS, GOLD, SHAPE, changed


def blocks(*texts: str) -> tuple[Block, ...]:
    return changes_of(read_diff("".join(texts))).blocks


def measured(response: str, gold: str = GOLD) -> Measures:
    made = gold_of(gold)
    changes = changes_of(read_diff(response), as_source=made.changes.paths)
    return measure(made, changes, FUNCTIONS, is_same=False)


# --- blocks -------------------------------------------------------------------------------------


def test_block_is_a_run_of_changed_lines() -> None:
    [block] = blocks(GOLD)

    assert (block.first, block.last, block.place, block.lines) == (2, 2, 2, 2)
    assert block.removed == ("return", "w", "+", "h")
    assert block.added == ("return", "w", "*", "h")


def test_added_lines_are_placed_behind_the_last_line_of_code() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -4,3 +4,4 @@\n a()\n # note\n \n+b()\n"
    [block] = blocks(text)

    # b() comes after line 6; lines 6 and 5 hold no code.
    assert (block.place, block.first, block.last, block.is_insertion) == (4, 4, 7, True)


@pytest.mark.parametrize(
    ("removed", "added"),
    [("x = 1", "x = 1  # one"), ("", "# note"), ("x = 'a'", 'x  =  "a"'), ("f(a,)", "f(\n    a)")],
)
def test_runs_without_change_of_code_are_no_blocks(removed: str, added: str) -> None:
    assert blocks(changed(3, removed, added)) == ()


def test_indentation_alone_is_a_change_of_python() -> None:
    [block] = blocks(changed(3, "x = 1", "    x = 1"))

    assert block.indents == (("-", 0), ("+", 4))
    assert changes_of(read_diff(changed(3, "x = 1", "    x = 1"))).changes_code


@pytest.mark.parametrize(
    ("path", "is_new", "role"),
    [
        ("src/pkg/shape.py", False, Role.SOURCE),
        ("tests/test_shape.py", False, Role.TEST),
        ("pkg/tests.py", False, Role.TEST),
        ("pkg/shape_test.go", False, Role.TEST),
        ("conftest.py", False, Role.TEST),
        ("test_x.py", True, Role.SCRATCH),
        ("reproduce.py", True, Role.SCRATCH),
        ("pkg/reproduce_bug.py", True, Role.SCRATCH),
        ("build/lib/pkg/shape.py", False, Role.SCRATCH),
        ("pkg/shape.py.orig", True, Role.SCRATCH),
        ("setup.py", False, Role.SOURCE),
        ("pkg/contest.py", False, Role.SOURCE),
        ("pkg/latest.py", False, Role.SOURCE),
        ("pkg/debug.py", False, Role.SOURCE),
        ("CHANGES.rst", False, Role.DOCUMENT),
        ("docs/conf.py", False, Role.DOCUMENT),
    ],
)
def test_what_a_file_is_for(path: str, is_new: bool, role: Role) -> None:
    assert role_of(path, is_new=is_new) is role


def test_gold_paths_are_source_whatever_they_are_called() -> None:
    text = changed(1, "a", "b", "django/test/client.py")

    assert changes_of(read_diff(text)).paths == ()
    assert changes_of(read_diff(text), as_source=["django/test/client.py"]).paths == (
        "django/test/client.py",
    )
    assert gold_changes(read_diff(text)).paths == ("django/test/client.py",)


def test_files_of_the_test_patch_are_tests() -> None:
    patch = read_diff(changed(1, "a", "b", "pkg/checks.py"))
    found: Changes = changes_of(patch, as_tests=["pkg/checks.py"])

    assert (found.paths, found.tests) == ((), ("pkg/checks.py",))


# --- places -------------------------------------------------------------------------------------


def test_distance_counts_old_lines_between_blocks() -> None:
    at_2, at_10 = blocks(changed(2, "a", "b"), changed(10, "a", "b"))
    [after_2] = blocks(changed(2, "", "b"))
    [elsewhere] = blocks(changed(2, "a", "b", "y.py"))

    assert distance(at_2, at_10) == distance(at_10, at_2) == 8
    assert distance(at_2, after_2) == 0
    assert distance(at_2, elsewhere) == math.inf


def test_closeness_weighs_blocks_by_their_lines() -> None:
    # Block one: 2 lines, met. Block two: 1 line, 8 lines away: exp(-1).
    gold = blocks(changed(2, "a", "b"), changed(11, "", "c"))
    [near] = blocks(changed(3, "a", "b"))
    expected = (math.log(3) * math.exp(-1 / 8) + math.log(2) * math.exp(-1)) / (
        math.log(3) + math.log(2)
    )

    assert closeness(gold, {SHAPE: [near]}, NEAR) == pytest.approx(expected, rel=1e-12)
    assert closeness((), {SHAPE: [near]}, NEAR) == 0
    assert closeness(gold, {}, NEAR) == 0


def test_scope_is_the_innermost_function_or_class() -> None:
    spans = (
        FunctionSpan("c", "A", 1, 20),
        FunctionSpan("f", "A.b", 3, 9),
        FunctionSpan("f", "A.b.c", 5, 6),
    )

    assert [scope_at(spans, line) for line in (1, 3, 5, 6, 7, 20, 21)] == [
        "A", "A.b", "A.b.c", "A.b.c", "A.b", "A", "",
    ]  # fmt: skip
    assert scopes_of(blocks(GOLD, changed(4, "a", "b")), FUNCTIONS) == {
        (SHAPE, "area"),
        (SHAPE, ""),
    }


# --- likeness -----------------------------------------------------------------------------------


def test_ratio_by_hand() -> None:
    # "return" and "w" match, then nothing: 2 x 2 / 8.
    assert ratio(("return", "w", "*", "h"), ("return", "h", "*", "w")) == 0.5
    assert ratio((), ()) == 1
    assert ratio(("a",), ()) == 0


SEQUENCES = st.lists(st.sampled_from("abcd"), max_size=30)


@given(SEQUENCES, SEQUENCES)
def test_ratio_is_that_of_difflib(first: list[str], second: list[str]) -> None:
    expected = difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()

    assert ratio(first, second) == expected
    assert ratio(first, second) <= upper_bound(Counter(first), Counter(second)) + 1e-12


def test_bags_cancel_moved_code() -> None:
    moved = blocks(changed(2, "a = f(b)", ""), changed(9, "", "a = f(b)\nc"))
    bags = change_bags(moved)

    assert bags.plus == {("c",): 1}
    assert bags.minus == {}


def test_bag_scores_by_hand() -> None:
    # Gold: + x (1), return (.5); - y (1). Other: + x; - z.
    gold = change_bags(blocks(changed(1, "y", "return x")))
    other = change_bags(blocks(changed(1, "z", "x")))

    assert bag_f1(gold, other) == pytest.approx(2 * 1 / (2.5 + 2))
    assert bag_recall(gold, other) == pytest.approx(1 / 2.5)
    # Vectors: gold x 1, return .5, y -1; other x 1, z -1.
    assert direction(gold, other) == pytest.approx(1 / math.sqrt(2.25 * 2))
    assert introduced(gold) == {"x"}


def test_bigrams_cancel_too() -> None:
    bags = change_bags(blocks(changed(1, "f(a)", "f(a, b)")), n=2)

    assert set(bags.plus) == {("a", ","), (",", "b"), ("b", ")")}
    assert set(bags.minus) == {("a", ")")}


def test_direction_of_the_undone_change_is_minus_one() -> None:
    gold, undone = blocks(GOLD), blocks(changed(2, "    return w * h", "    return w + h"))

    assert direction(change_bags(gold), change_bags(undone)) == pytest.approx(-1)
    assert direction(change_bags(gold), change_bags(())) == 0


def test_signed_edits_leave_out_what_a_block_keeps() -> None:
    [block] = blocks(changed(1, "with a:\n    b\n    c", "b\nwith a:\n    c"))

    assert signed_edits([block]) == (("+", "b"), ("-", "b"))


def test_indentation_alone_is_told_by_its_widths() -> None:
    gold = changed(3, "x = 1", "    x = 1")

    assert measured(gold, gold).is_move
    assert measured(changed(3, "    x = 1", "x = 1"), gold).signed_similarity == 0
    assert measured(changed(3, "x = 1", "  x = 1"), gold).signed_similarity == exact(0.5)


# --- all together -------------------------------------------------------------------------------


def test_hygiene_counts_scratch_extra_files_and_prints() -> None:
    scratch = "--- /dev/null\n+++ b/repro.py\n@@ -0,0 +1 @@\n+x\n"
    extra = changed(1, "a", "b", "src/pkg/other.py")
    debug = changed(6, "", "    print(w)")

    assert measured(GOLD).hygiene == 1
    assert [
        measured(text).hygiene
        for text in (GOLD + scratch, GOLD + extra, GOLD + debug, GOLD + scratch + extra + debug)
    ] == pytest.approx([1 / 1.5, 1 / 1.5, 1 / 1.5, 1 / 2.5])


def test_oversize_grows_with_lines_of_code() -> None:
    # Gold 2 lines: 1.5 x 4 / (lines + 2). Ten added lines and the pair: 12.
    big = changed(2, "    return w + h", "\n".join(["    return w * h", *["    x = 1"] * 10]))

    assert measured(GOLD).oversize == 1
    assert measured(big).oversize == pytest.approx(6 / 14)


def test_extra_lines_of_comment_change_nothing() -> None:
    commented = changed(2, "    return w + h", "    # product\n    return w * h")

    assert measured(commented).is_same


@pytest.mark.parametrize(
    "response",
    [
        changed(3, "    return w + h", "    return w * h"),
        changed(2, "    return w + h", "        return w * h"),
        changed(2, "    return w + h", "    return w * h", "src/pkg/other.py"),
        GOLD + changed(6, "a", "b"),
    ],
)
def test_another_place_indentation_file_or_block_is_not_the_same(response: str) -> None:
    assert not measured(response).is_same


def test_broken_lines_are_the_same_change() -> None:
    gold = changed(2, "x = 1", "x = f(a, b)")

    assert measured(changed(2, "x = 1", "x = f(\n    a,\n    b,\n)"), gold).is_same
