from verdicts_app.boards.highlight import Quote, segments


def quote(number, start, end):
    return Quote(number, f"item-{number}", f"I-{number}", start, end)


def test_quotes_that_overlap_are_cut_at_every_edge():
    cut = segments("abcdefgh", [quote(1, 1, 5), quote(2, 3, 7)])

    assert [(s.text, s.is_evidence) for s in cut] == [
        ("a", False),
        ("bc", True),
        ("de", True),
        ("fg", True),
        ("h", False),
    ]
    assert [[q.number for q in s.opens] for s in cut] == [[], [1], [2], [], []]
    assert [[q.number for q in s.closes] for s in cut] == [[], [], [1], [2], []]


def test_quotes_of_the_same_place_open_and_close_together():
    cut = segments("abc", [quote(1, 0, 3), quote(2, 0, 3)])

    assert len(cut) == 1
    assert [q.number for q in cut[0].opens] == [1, 2]
    assert [q.number for q in cut[0].closes] == [1, 2]


def test_a_quote_inside_another_stays_lit_to_the_end_of_the_outer_one():
    cut = segments("abcdef", [quote(1, 0, 6), quote(2, 2, 3)])

    assert [s.is_evidence for s in cut] == [True, True, True]
    assert "".join(s.text for s in cut) == "abcdef"


def test_a_quote_beyond_the_text_is_left_out():
    cut = segments("abc", [quote(1, 2, 9), quote(2, 2, 2)])

    assert [(s.text, s.is_evidence) for s in cut] == [("abc", False)]


def test_an_empty_text_gives_no_segments():
    assert segments("", [quote(1, 0, 1)]) == ()
