"""Web process, worker and, where asked for, the stand-in judge: started together, ended together.

For one machine. In production a process manager starts the same commands, see
`docs/deployment.md`.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from django.conf import settings

from judgeweb import staticfiles

STOP_WITHIN_S = 20


class PortTaken(Exception):
    """Something else listens on the port already."""


def check_port_is_free(host: str, port: int) -> None:
    """Raise PortTaken where the web process could not listen."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(f"{host}:{port} is in use: {error.strerror}") from error


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def web_command(host: str, port: int) -> list[str]:
    """WSGI under granian: synchronous middleware makes ASGI slower here (ADR 0003)."""
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "judgeweb.wsgi:application"),
        *("--host", host, "--port", str(port), "--workers", "1", "--blocking-threads", "8"),
        *("--backlog", "1024", "--log-level", "warning", "--no-ws"),
    ]


def worker_command(concurrency: int = 1) -> list[str]:
    """A worker with the sweeper's clock inside. One child drains many requests at once."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "judgeweb.celery", "worker", "-B"),
        *("--concurrency", str(concurrency), "--loglevel", "warning"),
        *("--without-gossip", "--without-mingle"),
    ]


def stand_in_command(port: int, latency_ms: int) -> list[str]:
    return [
        *(sys.executable, "-m", "judgeweb.standin"),
        *("--port", str(port), "--latency-ms", str(latency_ms)),
    ]


def start_collecting(environment: Mapping[str, str]) -> subprocess.Popen[bytes] | None:
    """Collect static files in a process of its own, since with DEBUG off they get hashed names.
    None where they are those of the sources already."""
    if staticfiles.are_current():
        return None
    manage = Path(settings.BASE_DIR) / "manage.py"
    return subprocess.Popen(
        [sys.executable, str(manage), "collectstatic", "--noinput", "--verbosity", "0"],
        env={**os.environ, **environment},
    )


def wait_until_answering(url: str, within_s: float) -> bool:
    """Return False when nothing answered in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.1)
    return False


class Family:
    """Child processes that live and die together."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = {**os.environ, **environment}
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.stopping = False

    def start(self, name: str, command: Sequence[str]) -> None:
        self.children[name] = subprocess.Popen(
            command, env=self.environment, start_new_session=True
        )

    def watch(self, ready: Callable[[], None]) -> str:
        """Wait for the first child to end or for a signal; end the rest. Return what to tell
        where a child ended by itself, "" after a signal."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked_to_stop)
        ready()
        while not (self.stopping or (ended := self._ended())):
            time.sleep(0.2)
        if self.stopping:
            ended = ""
            print("\nStopping; what the judge was asked is finished first.", flush=True)
        self.stop()
        return ended and (
            f"The {ended} ended by itself, see the lines above; the rest was stopped. "
            "Start again: what was in hand is judged then."
        )

    def _ended(self) -> str:
        gone = [name for name, child in self.children.items() if child.poll() is not None]
        return " and the ".join(gone)

    def stop(self) -> None:
        """SIGTERM to every group, SIGKILL to those that take too long."""
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + STOP_WITHIN_S
        for child in self.children.values():
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._signal_all(signal.SIGKILL)

    def _asked_to_stop(self, _number: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self.children.values():
            try:
                os.killpg(child.pid, number)
            except ProcessLookupError:
                continue
