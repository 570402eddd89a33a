"""Both sides of a diff in step: whatever a patch holds, every line stands once, in its order."""

from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.patches.diffs import FilePatch, Hunk, Line
from verdicts_app.boards.patch_diff import DiffFile, diff_of

LINES = st.builds(
    Line,
    sign=st.sampled_from([" ", "+", "-"]),
    text=st.sampled_from(["a = 1", "b = 2", "", "# c", "return x"]),
    old=st.integers(-1, 8),
)
PATCHES = st.lists(
    st.builds(
        lambda path, lines: FilePatch(path, path, (Hunk(1, 1, "", tuple(lines)),)),
        st.sampled_from(["a.py", "b.py"]),
        st.lists(LINES, max_size=12),
    ),
    max_size=3,
)


def texts(file: DiffFile, side: str) -> list[tuple[str, str]]:
    cells = [getattr(row, side) for row in file.rows]
    return sorted((cell.sign, cell.text) for cell in cells if cell)


def given_in(patches: list[FilePatch], path: str) -> list[tuple[str, str]]:
    return sorted(
        (line.sign, line.text)
        for patch in patches
        if patch.path == path
        for hunk in patch.hunks
        for line in hunk.lines
    )


@given(PATCHES, PATCHES)
def test_every_line_of_both_sides_stands_once(gold: list[FilePatch], other: list[FilePatch]):
    diff = diff_of(gold, other, {})

    assert {file.path for file in diff.files} == {patch.path for patch in (*gold, *other)}
    for file in diff.files:
        assert texts(file, "gold") == given_in(gold, file.path)
        assert texts(file, "predicted") == given_in(other, file.path)
        numbers = [cell.old for row in file.rows if (cell := row.gold) and cell.old]
        placed = numbers[: len(set(numbers))]
        assert placed == sorted(placed)


def test_lines_added_at_one_place_stand_beside_their_likeness():
    def patch(*added: str) -> FilePatch:
        lines = [Line("+", text, 3) for text in added]
        return FilePatch("a.py", "a.py", (Hunk(3, 3, "def f():", tuple(lines)),))

    [file] = diff_of([patch("a = 1", "b = 2")], [patch("z = 0", "b = 2", "c = 3")], {}).files

    sides = [
        (row.gold.text if row.gold else None, row.predicted.text if row.predicted else None)
        for row in file.rows
        if not row.heading
    ]
    assert sides == [("a = 1", "z = 0"), ("b = 2", "b = 2"), (None, "c = 3")]
    assert file.rows[0].heading == "def f():, line 3"
