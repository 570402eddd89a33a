"""Real worker processes on the database of the tests."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from judgeweb.serving import clock_command, worker_command
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.work.conftest import answers, plan

__all__ = ["answers", "plan"]

ROOT = Path(__file__).resolve().parents[2]
IN_FLIGHT = 64
LEASE_S = 4

Start = Callable[..., subprocess.Popen[bytes]]


def database_url() -> str:
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    host = quote(str(given["HOST"]), safe="")
    port = f":{given['PORT']}" if given["PORT"] else ""
    return f"postgresql://{given['USER']}:{given['PASSWORD']}@{host}{port}/{given['NAME']}"


@pytest.fixture
def worker_settings(standin: StandInControl, tmp_path: Path, settings: Any) -> dict[str, str]:
    """The environment of workers; this process plans with the same judge."""
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "JUDGEWEB_DATA_DIR": str(tmp_path),
        "ANTHROPIC_API_KEY": "key-of-the-tests",
        "ANTHROPIC_BASE_URL": standin.url,
        "JUDGE_IN_FLIGHT": str(IN_FLIGHT),
        "JUDGE_LEASE_S": str(LEASE_S),
        "JUDGE_SWEEP_S": "1",
        "JUDGE_DRAIN_S": "5",
    }


@pytest.fixture
def start_worker(worker_settings: dict[str, str]) -> Iterator[Start]:
    """start_worker() starts one in a process group of its own; the sweeper's clock ticks beside."""
    started: list[subprocess.Popen[bytes]] = []

    def start_process(command: list[str], **more: str) -> subprocess.Popen[bytes]:
        environment = {**worker_settings, **more}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        started.append(process)
        return process

    def start(**more: str) -> subprocess.Popen[bytes]:
        if not started:
            start_process(clock_command())
        return start_process(worker_command(), **more)

    yield start
    for process in started:
        kill(process)


def kill(worker: subprocess.Popen[bytes]) -> None:
    """With -9, its whole group: no child is left to tidy up."""
    with suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def wait_until(happened: Callable[[], Any], within_s: float, what: str) -> None:
    deadline = time.monotonic() + within_s
    while not happened():
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.02)
