"""The demo's start, without its servers."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection

from verdicts_app.management.commands import demo
from verdicts_app.management.commands.demo import Command


@pytest.mark.django_db
def test_the_sample_data_are_loaded_without_a_log_of_queries(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DEBUG = True
    logged: list[tuple[str, bool]] = []

    def note(name: str) -> Any:
        return lambda *_, **__: logged.append((name, connection.queries_logged))

    monkeypatch.setattr(demo, "call_command", note("migrate"))
    monkeypatch.setattr(Command, "load_sample", note("load"))
    monkeypatch.setattr(demo.serving, "start_collecting", note("collect"))
    monkeypatch.setattr(demo, "demo_password", note("password"))
    monkeypatch.setattr(demo, "check_collected", note("collected"))
    Command().handle(host="127.0.0.1", port=0, prepare=True, stand_in=False)
    assert logged == [
        ("collect", True),
        ("migrate", False),
        ("load", False),
        ("password", True),
        ("collected", True),
    ]
