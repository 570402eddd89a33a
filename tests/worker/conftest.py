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

from judgeweb.serving import worker_command
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
    """start_worker() starts one in a process group of its own."""
    workers: list[subprocess.Popen[bytes]] = []

    def start(**more: str) -> subprocess.Popen[bytes]:
        worker = subprocess.Popen(
            worker_command(), cwd=ROOT, env={**worker_settings, **more}, start_new_session=True
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        kill(worker)


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
