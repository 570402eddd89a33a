"""Diffs are read by their counts. The numbered cases are bug reports turned into inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.patches.diffs import FilePatch, Patch
from judgeweb.judging.patches.reading import FAULTS_KEPT, read_diff
from tests.judging.patches.patching import GOLD, SHAPE, changed, text_of


def one(text: str) -> FilePatch:
    [file] = read_diff(text).files
    return file


def counted(text: str) -> dict[str, tuple[int, int]]:
    """Added and removed lines by path."""
    return {
        file.path: (
            sum(line.sign == "+" for hunk in file.hunks for line in hunk.lines),
            sum(line.sign == "-" for hunk in file.hunks for line in hunk.lines),
        )
        for file in read_diff(text).files
    }


def faults(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.message) for fault in read_diff(text).faults]


def test_lines_carry_their_old_numbers() -> None:
    [hunk] = one(GOLD).hunks

    assert [(line.sign, line.old) for line in hunk.lines] == [
        (" ", 1),
        ("-", 2),
        ("+", 2),
        (" ", 3),
        (" ", 4),
        (" ", 5),
    ]
    assert not read_diff(GOLD).is_malformed


def test_case_94_missing_final_newline_changes_nothing() -> None:
    assert read_diff(text_of("094_no_final_newline.diff")) == read_diff(GOLD)


def test_case_97_names_without_git_header() -> None:
    assert read_diff(text_of("097_no_diffgit.diff")).files == read_diff(GOLD).files


def test_case_98_prefixes_go_only_where_both_sides_carry_them() -> None:
    assert one(text_of("098_no_prefix.diff")).path == SHAPE
    assert one(text_of("098_real_a_dir.diff")).path == "a/mod.py"
    assert one("--- a/x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b\n").path == "x.py"


def test_case_100_carriage_returns_are_no_content() -> None:
    everywhere = one(text_of("100_crlf_all.diff"))
    assert everywhere.path == SHAPE
    assert everywhere.has_cr
    assert [line.text for line in everywhere.hunks[0].lines] == [
        line.text for line in one(GOLD).hunks[0].lines
    ]
    with_cr, without = one(text_of("100_crlf_file.diff")), one(text_of("100_crlf_file_lf.diff"))
    assert (with_cr.has_cr, without.has_cr) == (True, False)
    assert with_cr.path == without.path == "src/pkg/win.txt"


def test_case_100_carriage_return_inside_a_line_does_not_split_it() -> None:
    [hunk] = one(changed(1, "a\rb", "c\rd")).hunks

    assert [line.text for line in hunk.lines] == ["a\rb", "c\rd"]


def test_case_101_pure_rename_keeps_both_names() -> None:
    file = one(text_of("101_rename100.diff"))

    assert (file.old_path, file.new_path) == ("src/pkg/old.py", "src/pkg/renamed.py")
    assert file.is_renamed
    assert counted(text_of("101_rename100.diff")) == {"src/pkg/old.py": (0, 0)}


def test_case_103_binary_files_are_known_as_such() -> None:
    plain, full = text_of("103_binary_plain.diff"), text_of("103_binary_full.diff")

    assert one(plain).binary == ""
    assert (one(full).binary or "").startswith("literal 42\nzcmV+_0M-")
    assert one(plain).path == one(full).path == "src/pkg/logo.bin"
    assert not read_diff(full).is_malformed


def test_case_104_hunk_header_without_numbers_is_malformed() -> None:
    text = text_of("104_no_counts.diff")

    assert faults(text) == [
        (5, "a hunk header without line numbers"),
        (3, "no hunk after the names of a file"),
    ]
    assert counted(text) == {SHAPE: (0, 0)}


def test_case_107_removed_line_that_looks_like_a_header() -> None:
    assert counted(text_of("107_sqlcomment.diff")) == {"src/pkg/q.sql": (0, 1)}
    assert counted(changed(1, "-- a\n-- b", "++ c")) == {SHAPE: (1, 2)}


def test_case_110_path_outside_the_tree_is_not_safe() -> None:
    assert not one(text_of("110_traversal.diff")).is_safe
    for path in ("/etc/passwd", "a/../../x", "C:/x.py", ".git/config", "x/../y", "~/x"):
        assert not FilePatch(path, path).is_safe, path
    for path in (SHAPE, "..x/y", "a..b", "git/config", "setup.py"):
        assert FilePatch(path, path).is_safe, path


def test_truncated_hunk_keeps_what_was_read_and_says_where() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n"

    assert faults(text) == [(3, "a hunk ends before its counts: 1 old and 1 new lines are missing")]
    assert counted(text) == {"x.py": (1, 1)}


def test_hunk_that_ends_early_leaves_the_next_header_alone() -> None:
    text = (
        "--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n-a\n+b\n"
        "diff --git a/y.py b/y.py\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-c\n+d\n"
    )

    assert counted(text) == {"x.py": (1, 1), "y.py": (1, 1)}
    assert len(faults(text)) == 1


def test_hunk_counts_are_ascii_digits() -> None:
    """Git reads no other digits; Python's int() does."""
    assert GOLD.count("@@ -1") == 1
    assert read_diff(GOLD.replace("@@ -1", "@@ -\u0661")).is_malformed


def test_hunk_with_more_lines_than_counted_is_malformed() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n+c\n"

    assert faults(text) == [(6, "a hunk has more lines than its header counts")]
    assert counted(text) == {"x.py": (1, 1)}


def test_mail_signature_behind_a_hunk_is_no_surplus() -> None:
    assert faults(f"{changed(1, 'a', 'b')}-- \n2.39.5\n") == []


def test_line_of_the_other_kind_than_counted_is_malformed() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n-b\n+c\n"

    assert faults(text)[0] == (3, "a hunk has other lines than its header counts")


def test_empty_line_in_a_hunk_is_an_empty_context_line() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"

    assert [(line.sign, line.text) for line in one(text).hunks[0].lines][1] == (" ", "")
    assert faults(text) == []


def test_no_newline_marks_are_not_counted() -> None:
    mark = "\\ No newline at end of file"
    text = f"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n{mark}\n+b\n{mark}\n"

    assert counted(text) == {"x.py": (1, 1)}
    assert faults(text) == []


def test_new_deleted_moded_and_copied_files() -> None:
    new = "diff --git a/n.py b/n.py\nnew file mode 100644\nindex 0..1\n"
    gone = (
        "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-a\n"
    )
    mode = "diff --git a/m.sh b/m.sh\nold mode 100644\nnew mode 100755\n"
    copy = "diff --git a/c.py b/k.py\nsimilarity index 100%\ncopy from c.py\ncopy to k.py\n"
    files = read_diff(new + gone + mode + copy).files

    assert [(file.old_path, file.new_path) for file in files] == [
        ("", "n.py"),
        ("d.py", ""),
        ("m.sh", "m.sh"),
        ("", "k.py"),
    ]
    assert [file.mode_changed for file in files] == [False, False, True, False]


def test_quoted_paths_are_decoded() -> None:
    text = (
        'diff --git "a/t\\303\\244st \\"q\\".py" "b/t\\303\\244st \\"q\\".py"\n'
        '--- "a/t\\303\\244st \\"q\\".py"\n+++ "b/t\\303\\244st \\"q\\".py"\n@@ -1 +1 @@\n-a\n+b\n'
    )

    assert one(text).path == 'täst "q".py'


def test_path_with_blanks_in_a_git_header_alone() -> None:
    text = "diff --git a/my file.bin b/my file.bin\nindex 1..2\nBinary files differ\n"

    assert one(text).path == "my file.bin"


@pytest.mark.parametrize(("old", "new"), [("i", "w"), ("c", "i"), ("1", "2"), ("old", "new")])
def test_other_prefixes_of_git_are_none_of_the_path(old: str, new: str) -> None:
    text = changed(1, "a", "b").replace("--- a/", f"--- {old}/").replace("+++ b/", f"+++ {new}/")
    added = (
        f"diff --git {old}/n.py {new}/n.py\nnew file mode 100644\n--- /dev/null\n+++ {new}/n.py\n"
        "@@ -0,0 +1 @@\n+a\n"
    )
    found = read_diff(f"diff --git {old}/{SHAPE} {new}/{SHAPE}\n{text}{added}")

    assert [(file.old_path, file.new_path) for file in found.files] == [
        (SHAPE, SHAPE),
        ("", "n.py"),
    ]
    assert not found.is_malformed


def test_names_of_a_rename_are_those_of_its_own_lines() -> None:
    text = (
        "diff --git src/x.py lib/x.py\nsimilarity index 90%\nrename from src/x.py\n"
        "rename to lib/x.py\n--- src/x.py\n+++ lib/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    )
    file = one(text)

    assert (file.old_path, file.new_path, file.is_renamed) == ("src/x.py", "lib/x.py", True)


@pytest.mark.parametrize("rest", ["\rindex 1..2\r--- a/x.py\r", "\n--- a/x.py\n+++ b/y.py"])
def test_two_names_that_no_line_renames_are_malformed(rest: str) -> None:
    found = read_diff(f"diff --git a/x.py b/x.py{rest}")

    assert found.faults[0].message == "two names of a file that no line renames"
    assert [(file.path, file.is_renamed) for file in found.files] == [("x.py", False)]


def test_times_behind_names_are_cut_off() -> None:
    text = "--- src/x.py\t2024-01-02 10:00:00\n+++ src/x.py\t2024-01-03\n@@ -1 +1 @@\n-a\n+b\n"

    assert one(text).path == "src/x.py"


def test_plain_diff_of_a_backup_is_of_the_file_itself() -> None:
    text = "--- src/x.py.orig\n+++ src/x.py\n@@ -1 +1 @@\n-a\n+b\n"

    assert (one(text).path, one(text).is_renamed) == ("src/x.py", False)


def test_one_name_line_alone_is_malformed_and_still_names_the_file() -> None:
    text = "+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"

    assert one(text).path == "x.py"
    assert faults(text) == [(1, "one of the lines --- and +++ is missing")]


def test_hunk_without_any_file_is_malformed() -> None:
    assert faults("@@ -1 +1 @@\n-a\n+b\n") == [(1, "a hunk before any file is named")]


def test_combined_diff_is_malformed() -> None:
    text = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@@ -1 -1 +1 @@@\n--a\n++b\n"

    assert faults(text)[0] == (4, "a hunk header without line numbers")


def test_hunk_that_comes_twice_counts_once() -> None:
    text = changed(1, "a", "b") + changed(9, "c", "d")

    assert read_diff(text * 2).files == read_diff(text).files


def test_pieces_of_one_file_are_one_file() -> None:
    text = changed(1, "a", "b") + changed(9, "c", "d")

    assert [hunk.old_start for hunk in one(text).hunks] == [1, 9]


def test_faults_are_kept_up_to_a_limit() -> None:
    text = "--- a/x\n+++ b/x\n" + "@@ ... @@\n" * 1000

    assert len(read_diff(text).faults) == FAULTS_KEPT


# --- properties ---------------------------------------------------------------------------------

LINES = st.lists(
    st.tuples(st.sampled_from(" +-"), st.text(st.characters(exclude_characters="\n\r"))),
    max_size=20,
)


def written(lines: list[tuple[str, str]], start: int) -> str:
    old = sum(sign != "+" for sign, _ in lines)
    new = sum(sign != "-" for sign, _ in lines)
    body = "".join(f"{sign}{text}\n" for sign, text in lines)
    return f"--- a/x.py\n+++ b/x.py\n@@ -{start},{old} +{start},{new} @@\n{body}"


@given(LINES, st.integers(1, 10**6))
def test_what_is_written_is_read_again(lines: list[tuple[str, str]], start: int) -> None:
    patch = read_diff(written(lines, start))

    [file] = patch.files
    [hunk] = file.hunks
    assert [(line.sign, line.text) for line in hunk.lines] == lines
    assert patch.faults == ()
    numbers = [line.old for line in hunk.lines if line.sign != "+"]
    assert numbers == list(range(start, start + len(numbers)))


@given(LINES, LINES)
def test_two_files_never_mix(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> None:
    text = written(first, 1) + written(second, 1).replace("x.py", "y.py", 2)
    patch = read_diff(text)

    assert [file.path for file in patch.files] == ["x.py", "y.py"]
    assert [len(file.hunks[0].lines) for file in patch.files] == [len(first), len(second)]


PIECES = st.lists(
    st.sampled_from(
        [
            "diff --git a/x b/x",
            "--- a/x",
            "+++ b/x",
            "+++ /dev/null",
            "@@ -1,2 +1,2 @@",
            "@@ ... @@",
            "+a",
            "-b",
            " c",
            "",
            "\\ No newline at end of file",
            "rename from q",
            "GIT binary patch",
            "literal 3",
            "Binary files a/x and b/x differ",
            '--- "a/\\',
            "\r",
            "\0",
            "\ud800",
        ]
    )
)


@given(PIECES)
def test_nothing_raises_and_every_fault_names_a_line(pieces: list[str]) -> None:
    patch = read_diff("\n".join(pieces))

    assert isinstance(patch, Patch)
    assert all(1 <= fault.line <= len(pieces) for fault in patch.faults)
    assert all(file.path for file in patch.files)
    assert len({(file.old_path, file.new_path) for file in patch.files}) == len(patch.files)
