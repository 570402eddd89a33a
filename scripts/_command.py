"""Run the command after `--` with more environment, beside a service that is stopped afterwards."""

import os
import signal
import subprocess
import sys


def command_after_dashes() -> list[str]:
    if len(sys.argv) < 3 or sys.argv[1] != "--":
        sys.exit(f"usage: {sys.argv[0]} -- command [argument ...]")
    return sys.argv[2:]


def exit_on_termination() -> None:
    """Turn SIGTERM into SystemExit, so that the `with` around the service is left in order."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def run(command: list[str], **environment: str) -> int:
    """Return the command's exit status; an interrupt is the command's own to answer first."""
    with subprocess.Popen(command, env={**os.environ, **environment}) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            return process.wait()
        except SystemExit:
            process.terminate()
            raise
