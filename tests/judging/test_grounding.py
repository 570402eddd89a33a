import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeweb.judging.grounding import MOST_HINTS, Hint, HintKind, ungrounded

LINEAR_S = 30  # what takes a quadratic search minutes takes this one a fraction of a second


def tokens(response: str, *sources: str) -> list[tuple[str, str]]:
    return [(hint.kind.value, hint.token) for hint in ungrounded(response, sources)]


@pytest.mark.parametrize(
    ("response", "source", "hints"),
    [
        ("See src/quantum/relay.ts:12", "", [("path", "src/quantum/relay.ts"), ("number", "12")]),
        ("See src/a.py:12.", "src/a.py has 12 lines", []),
        ("See ./src/a.py", "src/a.py", []),
        ("See lib/a.py", "src/lib/a.py", []),
        ("See config.yaml and Gemfile.lock", "config.yaml", [("path", "Gemfile.lock")]),
        ("It and/or that, 3/5", "3 of 5", []),
        ("`sealGossamerCache` or drop_require", "drop_require", [("symbol", "sealGossamerCache")]),
        ("calls purge() twice", "purged", [("symbol", "purge")]),
        ("pass --dry-run or --force", "--force", [("symbol", "--dry-run")]),
        ("dry run it with --dry-run", "a dry run", [("symbol", "--dry-run")]),
        ("1,200 rows, 1200 rows, 13 rows", "1200 rows and 130", [("number", "13")]),
        ("5 ms, v2", "5ms in v2.0", []),
        ("plain words of prose", "", []),
        ("0 and 1", "", []),
        ("naïveFaçade() here", "naïveFaçade", []),
        (r'{"a_field": "line\nnew_name \u00e9tat"}', "", [("symbol", "new_name")]),
        (r"C:\\new\\test.py", r"C:\new\test.py", []),
    ],
)
def test_ungrounded(response: str, source: str, hints: list[tuple[str, str]]) -> None:
    assert tokens(response, source) == hints


def test_any_source_grounds_a_token_and_words_may_be_spread() -> None:
    assert tokens("src/a.py loadInvoice 7", "src/a.py", "loadInvoice 7") == []


def test_hint_says_where_its_token_stands_first() -> None:
    text = json.dumps({"why": 'é "quoted"\nsee src/ghost/x.py and src/ghost/x.py'})

    [hint] = ungrounded(text, ())

    assert hint == Hint(HintKind.PATH, "src/ghost/x.py", hint.start, hint.end)
    assert hint.start == text.index("src/ghost")
    assert text[hint.start : hint.end] == "src/ghost/x.py"


def test_hints_of_a_kind_are_bounded() -> None:
    text = " ".join(f"src/a{i}/x.py fooBar{i} {i}77" for i in range(200))

    found = tokens(text)

    assert len(found) == 3 * MOST_HINTS


@pytest.mark.parametrize(
    "text",
    [
        "/" * 150_000,
        "a/" * 75_000,
        "a." * 75_000,
        "1," * 75_000,
        '"' * 150_000,
        ('"' + "a" * 199) * 750,
        "\\" * 150_000,
        "--" * 75_000,
        " ".join(f"src/a{i}/b.py fooBar{i} {i}" for i in range(6000)),
    ],
    ids=["slashes", "path", "dots", "digits", "quotes", "open quotes", "escapes", "dashes", "all"],
)
def test_hostile_text_of_150_kb_takes_linear_time(text: str) -> None:
    started = time.monotonic()
    ungrounded(text, (text[:75_000], "nothing " * 20_000))

    assert time.monotonic() - started < LINEAR_S


@given(st.text(alphabet=st.sampled_from(list('aB_/.-1,\\"n: (u')), max_size=80))
def test_everything_is_grounded_in_itself_and_hints_quote_the_response(text: str) -> None:
    for hint in ungrounded(text, ()):
        assert text[hint.start : hint.end] == hint.token
    assert [h for h in ungrounded(text, (text,)) if h.kind is not HintKind.NUMBER] == []
