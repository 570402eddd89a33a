from verdicts_app.boards.sentences import parameters_in_words


def test_parameters_are_words_and_yes_or_no():
    stored = '{"effort": "medium", "output_mode": "format", "undecidable_allowed": false}'
    assert parameters_in_words(stored) == (
        "effort medium, output mode format, undecidable allowed: no"
    )
    assert parameters_in_words("") == ""


def test_a_parameter_left_to_the_default_is_not_named():
    assert parameters_in_words('{"effort": "", "orders": 2}') == "orders 2"
