"""Names of one model, as providers spell them."""

import pytest

from judgeweb.judging.model_names import canonical_model, is_same_model, judges_itself

SPELLINGS = [
    "model-x-1",
    "anthropic/model-x-1",
    "openrouter/anthropic/model-x-1",
    "models/model-x-1",
    "publishers/anthropic/models/model-x-1@20260101",
    "anthropic.model-x-1",
    "us.anthropic.model-x-1-20260101-v1:0",
    "us-gov.anthropic.model-x-1-20260101-v1:0",
    "eu.anthropic.model-x-1-v1",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.model-x-1-v1:0",
    "anthropic.model-x-1-20260101-v1:0:200k",
    "model-x-1@20260101",
    "model-x-1@default",
    "model-x-1-20260101",
    "model-x-1-2026-01-01",
    "model-x-1-latest",
    "model-x-1:latest",
    "anthropic/model-x-1:free",
    "model-x-1-20260101[1m]",
    "MODEL-X-1-20260101",
    " Anthropic/Model-X-1 ",
    "anthropic/model-x.1",
    "model_x_1",
]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_model_is_known_under_every_spelling(name: str) -> None:
    assert canonical_model(name) == "model-x-1"
    assert is_same_model("anthropic/model-x-1", name)
    assert is_same_model(name, "model-x-1-20260101")


@pytest.mark.parametrize(
    "name",
    [
        "other-1",
        "anthropic/other-1",
        "model-x-2",
        "model-x-1-mini",
        "model-x-10",
        "model-x-1.5",
        "model-x",
        "model-x-1-v2",  # without a vendor in front a version is the model's own
        "model-x-1:8b",
        "model-x-1-2411",  # four digits tell releases apart
        "model-x-1-20261301",  # no month 13
        "model-x-1-20260132",
        "model-x-1-19991231",
        "",
        " ",
    ],
)
def test_another_model_is_another(name: str) -> None:
    assert not is_same_model("anthropic/model-x-1", name)
    assert not is_same_model(name, "model-x-1-20260101")


def test_nothing_is_not_the_same_as_nothing() -> None:
    assert not is_same_model("", "")
    assert not is_same_model("anthropic/", "")


def test_a_name_that_is_all_suffix_stays() -> None:
    assert canonical_model(":latest") == ":latest"
    assert canonical_model("v1") == "v1"
    assert canonical_model("gpt-4.1-2026-01-01") == "gpt-4-1"


def test_a_judge_is_known_by_either_of_its_names() -> None:
    assert judges_itself(("alias", "model-x-1-20260101"), "anthropic/model-x-1")
    assert judges_itself(("model-x-1", ""), "model-x-1")
    assert not judges_itself(("alias", ""), "model-x-1")
    assert not judges_itself((), "model-x-1")
