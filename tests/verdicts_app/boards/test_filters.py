from datetime import date

import pytest
from django.http import QueryDict

from verdicts_app.boards.filters import BoardFilters


def read(query: str) -> BoardFilters:
    return BoardFilters.from_query(QueryDict(query))


def test_a_view_survives_its_own_address():
    query = (
        "mode=solo&epoch=7c41f0&scenario=s1&category=security&role=dev&theme=a&judge=m"
        "&from=2026-10-26&to=2026-11-30&min=8&by=theme&persona=0&sort=name&bucket=day"
        "&line=a%3Adev&line=b%3Adev"
    )
    found = read(query)
    assert not found.problems
    assert read(found.to_query()) == found


def test_defaults_leave_the_address_empty():
    assert BoardFilters().to_query() == ""
    assert read("").least == 5


def test_a_filter_taken_off_leaves_the_others():
    assert read("role=dev&min=8").without("role") == "min=8"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=yesterday", "from"),
        ("from=0001-01-01", "from"),
        ("to=2026-02-30", "to"),
        ("min=0", "min"),
        ("min=-1", "min"),
        ("min=99999999999999999999", "min"),
        ("min=%C2%B2", "min"),
        ("by=colour", "by"),
        ("persona=maybe", "persona"),
        ("sort=-", "sort"),
        ("epoch=zz", "epoch"),
        ("bucket=hour", "bucket"),
        ("role=%00", "role"),
        ("line=a&line=b&line=c&line=d&line=e", "line"),
    ],
)
def test_what_cannot_be_read_is_named_and_left_out(query, field):
    found = read(query)
    assert [problem.field for problem in found.problems] == [field]
    assert field in str(found.problems[0])
    assert found.to_query() in ("", "line=a&line=b&line=c&line=d")


def test_days_in_the_wrong_order_are_named():
    found = read("from=2026-11-30&to=2026-11-01")
    assert found.end is None
    assert found.start == date(2026, 11, 30)
    assert found.problems[0].field == "to"
