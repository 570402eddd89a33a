"""How a proposal is taken from a response, in the fixed order."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.patches.changes import UNPLACED
from judgeweb.judging.patches.placing import OldLine, old_lines_of
from judgeweb.judging.patches.responses import Form, Proposal, proposal_of
from tests.judging.patches.patching import GOLD, OLD, SHAPE, text_of

FENCED = f"The sum should be a product.\n\n```diff\n{GOLD}```\nThat is all.\n"
REPLACEMENT = f"""Change this:

{SHAPE}
```python
<<<<<<< SEARCH
    return w + h
=======
    return w * h
>>>>>>> REPLACE
```
"""


def known(path: str) -> Sequence[OldLine]:
    return old_lines_of(OLD) if path == SHAPE else []


def read(text: str) -> Proposal:
    return proposal_of(text, known)


def placed(proposal: Proposal) -> dict[str, list[tuple[str, str, int]]]:
    """Changed lines by path."""
    return {
        file.path: [
            (line.sign, line.text.strip(), line.old)
            for hunk in file.hunks
            for line in hunk.lines
            if line.sign != " "
        ]
        for file in proposal.patch.files
    }


PRODUCT = [("-", "return w + h", 2), ("+", "return w * h", 2)]


@pytest.mark.parametrize("name", ["094_good.diff", "097_no_diffgit.diff", "098_no_prefix.diff"])
def test_diff_alone_is_the_whole_response(name: str) -> None:
    found = read(text_of(name))

    assert (found.form, found.prose) == (Form.DIFF, "")
    assert placed(found) == {SHAPE: PRODUCT}


def test_fenced_diff_leaves_the_prose() -> None:
    found = read(FENCED)

    assert (found.form, placed(found)) == (Form.DIFF, {SHAPE: PRODUCT})
    assert found.prose.split("\n")[0] == "The sum should be a product."
    assert "That is all." in found.prose
    assert "return" not in found.prose


@pytest.mark.parametrize("info", ["", "python", "patch", "~~~"])
def test_fence_is_known_as_a_diff_by_its_content(info: str) -> None:
    mark = "~~~" if info == "~~~" else "```"
    found = read(f"Text.\n{mark}{info.strip('~')}\n{GOLD}{mark}\n")

    assert placed(found) == {SHAPE: PRODUCT}


@pytest.mark.parametrize("indent", [2, 3, 4, 7])
def test_fence_in_a_list_is_read_without_its_indent(indent: int) -> None:
    fenced = "\n".join(" " * indent + line for line in f"```diff\n{GOLD}```".split("\n"))
    found = read(f"1. The sum should be a product:\n\n{fenced}\n2. That is all.\n")

    assert placed(found) == {SHAPE: PRODUCT}
    assert not found.patch.is_malformed
    assert "That is all." in found.prose


def test_fence_alone_indented_leaves_its_content_as_it_is() -> None:
    assert placed(read(f"So:\n  ```diff\n{GOLD}  ```\n")) == {SHAPE: PRODUCT}


def test_several_diff_blocks_are_one_patch() -> None:
    other = GOLD.replace("shape.py", "other.py")

    assert placed(read(f"A\n```diff\n{GOLD}```\nB\n```diff\n{other}```\n")) == {
        SHAPE: PRODUCT,
        "src/pkg/other.py": PRODUCT,
    }


def test_a_diff_said_twice_is_meant_once() -> None:
    again = f"{FENCED}\nOnce more, whole:\n\n```diff\n{GOLD}```\n"
    assert read(again).patch == read(FENCED).patch


def test_raw_diff_behind_prose() -> None:
    found = read(f"Here it is.\n\n{GOLD}")

    assert placed(found) == {SHAPE: PRODUCT}
    assert found.prose.strip() == "Here it is."


def test_context_line_like_a_fence_does_not_close_the_block() -> None:
    diff = "--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n ```\n-a\n+b\n ```\n"
    found = read(f"T\n```diff\n{diff}```\n")

    assert placed(found) == {"x.md": [("-", "a", 2), ("+", "b", 2)]}
    assert not found.patch.is_malformed


def test_malformed_diff_says_the_line_of_the_response() -> None:
    text = FENCED.replace("@@ -1,5 +1,5 @@", "@@ ... @@")

    # Line 3 is the fence, 4 "diff --git", 5 index, 6 ---, 7 +++, 8 the hunk.
    assert [fault.line for fault in read(text).patch.faults] == [8, 6]


def test_diff_without_header_takes_the_path_from_the_line_before() -> None:
    found = read(f"In `{SHAPE}`:\n```diff\n-    return w + h\n+    return w * h\n```\n")

    assert placed(found) == {SHAPE: PRODUCT}
    assert found.patch.is_malformed


@pytest.mark.parametrize(
    "title",
    [
        f"```python {SHAPE}",
        f"```{SHAPE}",
        f"```python:{SHAPE}",
        f"**{SHAPE}**\n```python",
        f"File: `{SHAPE}`\n\n```",
        f'```python title="{SHAPE}"',
    ],
)
def test_code_with_its_path(title: str) -> None:
    code = "def area(w, h):\n    return w * h\n\n\ndef perimeter(w, h):"
    found = read(f"Text.\n\n{title}\n{code}\n```\n")

    assert found.form is Form.CODE
    assert placed(found) == {SHAPE: PRODUCT}


def test_code_without_path_is_prose() -> None:
    found = read("Use this:\n```python\nreturn w * h\n```\n")

    assert (found.form, found.prose) == (Form.PROSE, "Use this:\n")


def test_sentence_about_a_file_is_no_title() -> None:
    text = f"I ran the whole script {SHAPE} and got this:\n```\nreturn w * h\n```\n"

    assert read(text).form is Form.PROSE


def test_replacement_is_placed_where_the_old_file_has_it() -> None:
    found = read(REPLACEMENT)

    assert found.form is Form.REPLACEMENT
    assert placed(found) == {SHAPE: PRODUCT}


def test_replacement_of_lines_that_are_not_there_is_unplaced() -> None:
    found = read(REPLACEMENT.replace("w + h", "w - h"))

    assert {old for _, _, old in placed(found)[SHAPE]} == {UNPLACED}


def test_diff_comes_before_code_and_code_before_replacements() -> None:
    code = f"```python {SHAPE}\nx = 1\n```\n"

    assert read(code + REPLACEMENT).form is Form.CODE
    assert read(code + REPLACEMENT + FENCED).form is Form.DIFF


@pytest.mark.parametrize("text", ["", "\n", " \t\n", "\u200b", "\0"])
def test_blank_is_empty(text: str) -> None:
    assert read(text) == Proposal(Form.EMPTY)


def test_prose_keeps_its_words() -> None:
    assert read("No changes needed.") == Proposal(Form.PROSE, prose="No changes needed.")


FRAGMENTS = f"""```|```diff|~~~|--- a/x|+++ b/x|@@ -1 +1 @@|+a|-b|x/y.py|<<<<<<< SEARCH|=======|
>>>>>>> REPLACE|diff --git a/x b/x|text||\r|{SHAPE}|    return w + h|    return w * h"""


@given(st.lists(st.sampled_from(FRAGMENTS.replace("|\n", "|").split("|"))))
def test_no_mixture_raises(pieces: list[str]) -> None:
    found = read("\n".join(pieces))

    assert (found.form is Form.EMPTY) == (not "".join(pieces).strip())
    assert found.form not in (Form.CODE, Form.REPLACEMENT) or found.patch.files
