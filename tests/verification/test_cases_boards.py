"""Case 112 over HTTP: what has no score never leads, whichever way a board is sorted."""

import json
from typing import Any

import pytest
from django.test import Client

from judgeweb.access import tokens
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(make_user: Any) -> Client:
    _, secret = tokens.create_token(
        user=make_user("viewer"), name="test", scopes=("read",), expires_at=None, actor="test"
    )
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.mark.parametrize(
    ("sort", "means"),
    [("-mean", [90.0, 82.5, 71.0, None, None]), ("mean", [71.0, 82.5, 90.0, None, None])],
)
@pytest.mark.parametrize("least", [1, 5])
def test_case_112_missing_scores_come_last(
    reader: Client, sort: str, means: list[float | None], least: int
) -> None:
    for n, total in enumerate((82.5, None, 90.0, None, 71.0)):
        if total is None:
            factories.make_unjudged(f"p{n}:dev", "s0")
        else:
            factories.make_verdict(f"p{n}:dev", "s0", total=total)

    answer = reader.get("/api/v1/leaderboard", {"sort": sort, "min": least})

    assert [row["mean"] for row in json.loads(answer.content)["rows"]] == means
