"""Parameters of addresses: what is no word of a closed list, or badly formed, is 422 with field,
value and what was expected; a name that nothing has gives an empty result; a misspelt parameter is
refused."""

from typing import Any

import pytest

from judgeweb.api import api as ninja_api
from judgeweb.judging.modes import MODES
from tests.factories import make_verdict

pytestmark = pytest.mark.django_db

MODE = f"one of {', '.join(MODES)}"
DIGEST = "4 to 64 hexadecimal digits of an epoch"
DAY = "a day such as 2026-11-30"
LEADERBOARD, TRENDS, VERDICTS = "/leaderboard", "/trends", "/verdicts"


def get(client: Any, path: str, **query: str) -> Any:
    return client.get(f"/api/v1{path}", query)


BAD = [
    *((path, "mode", "sollo", MODE) for path in (LEADERBOARD, TRENDS, VERDICTS)),
    *((path, "mode", "Solo", MODE) for path in (LEADERBOARD, TRENDS, VERDICTS)),
    *((path, "epoch", "latest", DIGEST) for path in (LEADERBOARD, TRENDS, VERDICTS)),
    *((path, "epoch", "abc", DIGEST) for path in (LEADERBOARD, TRENDS, VERDICTS)),
    *((path, "from", "2026-13-01", DAY) for path in (LEADERBOARD, TRENDS)),
    *((path, "to", "yesterday", DAY) for path in (LEADERBOARD, TRENDS)),
    *((path, "persona", "no", "1 or 0") for path in (LEADERBOARD, TRENDS)),
    *((path, "format", "xml", "one of json, csv, parquet") for path in (LEADERBOARD, TRENDS)),
    *((path, "scenario", "x" * 201, "a scenario") for path in (LEADERBOARD, TRENDS)),
    (LEADERBOARD, "by", "team", "one of persona, theme, role, model"),
    (LEADERBOARD, "sort", "rank", "one of name, mean, control, other, valid, cost, with - for"),
    (LEADERBOARD, "min", "0", "a whole number from 1 to 9999"),
    (TRENDS, "bucket", "year", "one of day, week, month"),
    (VERDICTS, "live", "yes", "Input should be 'true', 'false' or 'any'"),
    (VERDICTS, "job", "1", "Input should be a valid UUID"),
    (VERDICTS, "limit", "0", "Input should be greater than or equal to 1"),
    (VERDICTS, "after", "-1", "Input should be greater than or equal to 0"),
    ("/scenarios", "inline", "maybe", "Input should be a valid boolean"),
    ("/rubrics/solo", "revision", "first", "Input should be a valid integer"),
    ("/runs/r/verdicts", "dialect", "yaml", "Input should be 'seed', 'index' or 'camel'"),
]


@pytest.mark.parametrize(("path", "field", "value", "expected"), BAD)
def test_a_value_that_cannot_be_meant_is_422(
    api: Any, path: str, field: str, value: str, expected: str
) -> None:
    more = {"call_type": "plan"} if "runs" in path else {}
    response = get(api("read"), path, **{field: value}, **more)

    assert response.status_code == 422
    (fault,) = response.json()["errors"]
    assert (fault["field"], fault["value"]) == (field, value[:80])
    assert fault["expected"].startswith(expected)


@pytest.mark.parametrize(
    ("path", "field", "value"),
    [
        *((path, "mode", "ground-truth") for path in (LEADERBOARD, TRENDS, VERDICTS)),
        *((path, "epoch", "abcd1234") for path in (LEADERBOARD, TRENDS, VERDICTS)),
        *((path, "scenario", "nowhere") for path in (LEADERBOARD, TRENDS, VERDICTS)),
        *(
            (path, field, "nowhere")
            for path in (LEADERBOARD, TRENDS)
            for field in ("category", "role", "theme", "judge")
        ),
        *((VERDICTS, field, "nobody") for field in ("run", "persona")),
        (VERDICTS, "job", "00000000-0000-4000-8000-000000000000"),
        ("/scenarios", "category", "nowhere"),
        ("/calibrations", "scenario", "nowhere"),
    ],
)
def test_a_name_that_nothing_has_gives_nothing(api: Any, path: str, field: str, value: str) -> None:
    make_verdict(total="70")
    response = get(api("read"), path, **{field: value})

    assert response.status_code == 200
    found = response.json()
    assert (found if isinstance(found, list) else found.get("rows", found.get("items", []))) == []
    assert not (isinstance(found, dict) and found.get("lines"))


def test_a_file_that_there_is_none_of_is_404_and_says_what_there_is_none_of(api: Any) -> None:
    response = get(api("read"), "/runs/r/verdicts", call_type="plan")

    assert response.status_code == 404
    assert response.json()["detail"] == "No captures for call_type=plan in run r."


PATHS = ninja_api.get_openapi_schema()["paths"]
READABLE = [path for path, operations in PATHS.items() if "get" in operations]
REQUIRED = {
    path: {
        parameter["name"]: "some"
        for parameter in PATHS[path]["get"].get("parameters", ())
        if parameter["in"] == "query" and parameter["required"]
    }
    for path in READABLE
}


@pytest.mark.parametrize("path", READABLE)
def test_a_misspelt_parameter_is_refused_on_every_route(api: Any, path: str) -> None:
    """Left out, it would answer another question; for what the route takes, nothing is said."""
    address = path.removeprefix("/api/v1").format_map(Anything())
    required = REQUIRED.get(path, {})
    response = get(api("read"), address, mdoe="solo", **required)

    assert response.status_code == 422
    (fault,) = response.json()["errors"]
    assert (fault["field"], fault["value"]) == ("mdoe", "solo")
    assert fault["expected"].startswith(("one of the parameters ", "no parameter"))
    assert get(api("read"), address, **required).status_code in (200, 404)


class Anything(dict[str, str]):
    def __missing__(self, name: str) -> str:
        known = {"verdict_id": "1", "job_id": "00000000-0000-4000-8000-000000000000"}
        return known.get(name, "some").replace("path:", "")


def test_a_misspelt_parameter_of_an_upload_stores_nothing(api: Any) -> None:
    response = api("upload").post(
        "/api/v1/runs/r/responses?dryrun=true",
        {"spec": "a:b", "scenario": "s", "response": "x"},
        content_type="application/json",
    )

    assert response.status_code == 422
    (fault,) = response.json()["errors"]
    assert fault["expected"] == "one of the parameters dry_run, scenario, spec"


def test_the_token_is_asked_for_first(client: Any) -> None:
    assert get(client, VERDICTS, mdoe="solo").status_code == 401
