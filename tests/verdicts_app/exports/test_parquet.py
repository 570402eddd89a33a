"""Parquet: the rows of the view, typed, null where the page has a dash."""

import io
import sys
from datetime import date, timedelta
from typing import Any

import pyarrow.parquet
import pytest

from tests import factories
from tests.factories import NOON
from verdicts_app.boards import leaderboard_data, pass_rates_data, ranked_data, trends_data
from verdicts_app.exports import parquet
from verdicts_app.exports.parquet import parquet_table

COLUMNS = {
    *leaderboard_data.COLUMNS,
    *ranked_data.DUEL_COLUMNS,
    *ranked_data.RELAY_COLUMNS,
    *trends_data.COLUMNS,
    *pass_rates_data.COLUMNS,
}


def read(content: bytes) -> Any:
    return pyarrow.parquet.read_table(io.BytesIO(content))


def types_of(table: Any) -> dict[str, str]:
    return {field.name: str(field.type) for field in table.schema}


@pytest.fixture
def viewer(client: Any, make_user: Any) -> Any:
    client.force_login(make_user("viewer"))
    return client


def test_columns_keep_their_types_where_every_cell_is_null_and_without_rows() -> None:
    columns = ("rank_best", "name", "is_control", "mean", "start")
    expected = {
        "rank_best": "int64",
        "name": "string",
        "is_control": "bool",
        "mean": "double",
        "start": "date32[day]",
    }

    nothing = read(parquet_table(columns, []))
    nulls = read(parquet_table(columns, [dict.fromkeys(columns)]))

    assert types_of(nothing) == types_of(nulls) == expected
    assert nulls.to_pylist() == [dict.fromkeys(columns)]


def test_a_day_is_a_date_and_a_formula_stays_as_it_is() -> None:
    [row] = read(
        parquet_table(("start", "name"), [{"start": "2026-11-02", "name": "=1+1"}])
    ).to_pylist()

    assert row == {"start": date(2026, 11, 2), "name": "=1+1"}


def test_every_typed_column_is_one_of_a_table() -> None:
    typed = parquet.WHOLE | parquet.TEXTS | parquet.DAYS | parquet.TRUTHS

    assert typed <= COLUMNS
    # The rest are numbers of floating point.
    assert {name.split("_")[0] for name in COLUMNS - typed} <= {
        *("mean", "vs", "other", "cost", "share", "rate", "repeat"),
    }


@pytest.mark.django_db
def test_the_leaderboard_as_parquet_holds_what_its_json_holds(viewer: Any) -> None:
    # Five scenarios rank a:dev; b:dev has one, so that it has neither rank nor interval.
    for number in range(5):
        factories.make_verdict("a:dev", f"scenario-{number}", total=70 + number)
        factories.make_verdict("control:dev", f"scenario-{number}", total=60)
    factories.make_verdict("b:dev", "scenario-0", total=50)
    factories.make_persona("control:dev")

    answer = viewer.get("/leaderboard.parquet")
    rows = viewer.get("/leaderboard.json").json()["rows"]

    table = read(answer.content)
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    assert answer["Content-Disposition"].endswith('.parquet"')
    assert tuple(table.column_names) == leaderboard_data.COLUMNS
    assert table.to_pylist() == [
        {name: value for name, value in row.items() if name != "mean_exact"} for row in rows
    ]
    by_name = {row["name"]: row for row in table.to_pylist()}
    assert by_name["a:dev"]["mean"] == 72
    assert by_name["b:dev"]["rank_best"] is None
    assert by_name["b:dev"]["mean_low"] is None


@pytest.mark.django_db
def test_duels_and_relays_as_parquet_hold_what_their_json_holds(viewer: Any) -> None:
    factories.make_comparison()
    factories.make_coherence()

    for mode, columns in (
        ("compare", ranked_data.DUEL_COLUMNS),
        ("coherence", ranked_data.RELAY_COLUMNS),
    ):
        table = read(viewer.get("/leaderboard.parquet", {"mode": mode}).content)
        rows = viewer.get("/leaderboard.json", {"mode": mode}).json()["rows"]
        assert tuple(table.column_names) == columns
        assert table.to_pylist() == rows
        assert rows


@pytest.mark.django_db
def test_trends_and_pass_rates_as_parquet_hold_what_their_json_holds(viewer: Any) -> None:
    factories.make_verdict("a:dev", answered_at=NOON)
    factories.make_verdict("a:dev", answered_at=NOON + timedelta(days=7))
    factories.make_call_verdict(ok=(True, False, True))

    points = [
        {**point, "start": date.fromisoformat(point["start"])}
        for line in viewer.get("/trends.json").json()["lines"]
        for point in line["points"]
        if point
    ]
    rates = [
        {**rate, "start": date.fromisoformat(rate["start"])}
        for rate in viewer.get("/trends.json", {"view": "rates"}).json()["rates"]
    ]

    assert read(viewer.get("/trends.parquet").content).to_pylist() == points
    shown = viewer.get("/trends.parquet", {"view": "rates"})
    assert read(shown.content).to_pylist() == rates
    assert shown["Content-Disposition"] == 'attachment; filename="pass-rates.parquet"'
    assert len(points) == 2
    assert {rate["passed"] for rate in rates} == {0, 1}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/leaderboard.parquet", "/trends.parquet"])
def test_without_the_library_a_sentence_says_what_to_do(
    viewer: Any, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    answer = viewer.get(path)

    assert answer.status_code == 501
    assert "pyarrow, which is not installed here" in answer.content.decode()


@pytest.mark.django_db
def test_the_pages_link_to_parquet_with_their_query(viewer: Any) -> None:
    factories.make_verdict("a:dev")
    factories.make_call_verdict()

    for path, link in (
        ("/?by=theme", "/leaderboard.parquet?by=theme"),
        ("/trends/?bucket=day", "/trends.parquet?bucket=day"),
        ("/trends/?view=rates", "/trends.parquet?view=rates"),
    ):
        assert f'href="{link}"' in viewer.get(path).content.decode()
