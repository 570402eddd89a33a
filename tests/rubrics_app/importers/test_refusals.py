"""What is not read is refused with key and line, before it can do harm."""

import json
import time

import pytest

from rubrics_app.importers import FileRefused, scenario_from
from rubrics_app.importers.tree import MAX_BYTES, MAX_DEPTH

BOMB = b"\n".join(
    [b"a: &a [x, x, x, x, x, x, x, x, x]"]
    + [
        f"{name}: &{name} [{', '.join(['*' + above] * 9)}]".encode()
        for above, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"", "holds 0 documents; one is expected"),
        (b"a: 1\n---\nb: 2\n", "holds 2 documents; one is expected"),
        (b"- a\n- b\n", "line 1, a scenario is a map of keys, but this is a list"),
        (b"name: a\ntitle: b: c\n", "line 2, not YAML: mapping values are not allowed"),
        (b'{"name": "a",}', "line 1, not JSON: "),
        (b'{"name": "a", "prompt": "p", "weight": NaN}', "NaN is not a JSON number"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"name: a\x00b", "not YAML: "),
        (b"prompt: p\n", "line 1, name: is required and says nothing"),
        (b"name: a\nprompt: '  '\n", "line 1, prompt: is required and says nothing"),
        (b"name: a\nprompt: [p]\n", "line 2, prompt: must be text, but is a list"),
        (
            b"name: a\nprompt: !!python/object/apply:os.system ['true']\n",
            "objects are never built",
        ),
        (b"name: a\nprompt: p\nsource: !!set {x}\n", "line 3, source: the tag"),
        (b"name: a\nprompt: p\nsource: &s [*s]\n", "an alias stands inside what it names"),
        (b"name: a\nprompt: p\n[1, 2]: x\n", "line 3, a key must be text"),
        (b"name: a\nprompt: p\ncode: {language: go}\n", "line 3, code.content: is required"),
        (
            b"name: a\nprompt: p\nbaseline_issues: twelve\n",
            "line 3, baseline_issues: text is no shape of a list of items",
        ),
        (
            b"name: a\nprompt: p\nbaseline_issues:\n  high:\n    - id: x\n",
            "line 5, baseline_issues.high[0].description: the item says nothing",
        ),
        (
            b"name: a\nprompt: p\nbaseline_criteria:\n  deep:\n    deeper: [{id: x}]\n",
            "line 5, baseline_criteria.deep: must be a list of items, but is a map",
        ),
        (b"name: a\nprompt: p\ngold_standard: yes please\n", "gold_standard: must be a map"),
    ],
)
def test_file_is_refused_with_its_reason(source: bytes, said: str) -> None:
    with pytest.raises(FileRefused) as refused:
        scenario_from(source)
    assert said in str(refused.value)


def test_alias_bomb_is_refused_at_once() -> None:
    start = time.process_time()
    with pytest.raises(FileRefused, match="more than 100000 values, aliases counted in"):
        scenario_from(BOMB)
    assert time.process_time() - start < 5


def test_document_over_the_size_limit_is_refused_unread() -> None:
    with pytest.raises(FileRefused, match=f"at most {MAX_BYTES} are read"):
        scenario_from(b"name: a\nprompt: " + b"x" * MAX_BYTES)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_refused(opening: bytes) -> None:
    with pytest.raises(FileRefused, match=r"nest"):
        scenario_from(b"name: a\nprompt: p\nsource: " + opening * 500)
    deep = b'{"name": "a", "prompt": "p", "source": ' + b'{"a":' * 200 + b"1" + b"}" * 201
    with pytest.raises(FileRefused, match=f"nested deeper than {MAX_DEPTH} levels"):
        scenario_from(deep)


def test_key_given_twice_is_said_and_the_last_one_counts() -> None:
    reading = scenario_from(b"name: a\nprompt: first\nprompt: second\n")
    assert reading.document.challenge == "second"
    assert [str(note) for note in reading.notes] == [
        "line 3, prompt: the key stands twice; the last one counts"
    ]
    reading = scenario_from(b'{"name": "a", "prompt": "first", "prompt": "second"}')
    assert reading.document.challenge == "second"
    assert [note.place for note in reading.notes] == ["prompt"]


def test_plain_aliases_and_merges_are_read() -> None:
    source = b"""
name: a
prompt: p
source: &base {repo: x, commit: y}
tags: {<<: *base, commit: z}
"""
    extras = json.loads(scenario_from(source).document.extras)
    assert extras["tags"] == {"repo": "x", "commit": "z"}


def test_byte_order_mark_and_crlf_are_fine() -> None:
    reading = scenario_from(b"\xef\xbb\xbfname: a\r\nprompt: |\r\n  one\r\n  two\r\n")
    assert reading.document.challenge == "one\ntwo"


def test_nul_is_shown_as_an_escape() -> None:
    document = scenario_from(b'{"name": "a", "prompt": "p\\u0000q", "title": "t\\ud83d"}').document
    assert document.challenge == "p\\u0000q"
    assert document.title == "t\\ud83d"


@pytest.mark.parametrize("text", ["on", "No", "0o17", "1_000", "1e3", "12:30:45", "0x1F", ".inf"])
def test_scalars_in_text_places_stay_as_written(text: str) -> None:
    assert scenario_from(f"name: {text}\nprompt: p\n".encode()).document.name == text
