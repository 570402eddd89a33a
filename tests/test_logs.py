"""What a request leaves in the log."""

import logging

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from judgeweb.logs import NoTracebackOfRefusals

pytestmark = pytest.mark.django_db


def line_of(record: logging.LogRecord) -> str:
    """As the console handler of the settings writes it."""
    names = settings.LOGGING["handlers"]["console"]["filters"]
    assert [settings.LOGGING["filters"][name]["()"] for name in names] == [
        "judgeweb.logs.NoTracebackOfRefusals"
    ]
    assert NoTracebackOfRefusals().filter(record)
    return logging.Formatter("%(levelname)s %(message)s").format(record)


def test_a_page_that_a_role_may_not_open_is_one_line(
    client: Client, make_user: object, caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(make_user("viewer"))  # type: ignore[operator]

    assert client.get(reverse("audit")).status_code == 403

    (record,) = (record for record in caplog.records if record.name == "django.request")
    assert line_of(record) == "WARNING Forbidden (Permission denied): /audit/"


def test_a_fault_of_the_code_keeps_its_traceback() -> None:
    try:
        raise ValueError("a fault")
    except ValueError as fault:
        info = (ValueError, fault, fault.__traceback__)
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "Error: /x/", (), info)
    record.status_code = 500

    assert "Traceback" in line_of(record)
