"""The commands of web process, worker, sweeper's clock and stand-in judge, and what they need.

`judgeweb.family` keeps them together on one machine. In production a process manager starts the
same commands, see `docs/deployment.md`.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from judgeweb import staticfiles


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
    """WSGI under granian: synchronous middleware makes ASGI slower here (ADR 0003). Its warnings
    are off: it gives one at each start of more threads than processors, which wait for slow
    clients here and for judgements."""
    return [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "judgeweb.wsgi:application"),
        *("--host", host, "--port", str(port), "--workers", "1", "--blocking-threads", "8"),
        *("--backlog", "1024", "--log-level", "error", "--no-ws"),
        *("--respawn-failed-workers", "--respawn-interval", "1"),
    ]


def worker_command(concurrency: int = 1) -> list[str]:
    """One child drains many requests at once."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "judgeweb.celery", "worker"),
        *("--concurrency", str(concurrency), "--loglevel", "warning"),
        *("--without-gossip", "--without-mingle"),
    ]


def clock_command() -> list[str]:
    """The sweeper's clock, a process of its own: inside a worker (-B) it can die unnoticed. It
    remembers nothing, so that no file of a killed one is in its way."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "judgeweb.celery", "beat"),
        *("--scheduler", "celery.beat:Scheduler", "--pidfile=", "--loglevel", "warning"),
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
