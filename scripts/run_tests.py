"""Run the tests as `make test` does; arguments go to pytest.

First on SQLite with the embedded broker, then on PostgreSQL with Redis. On each, the tests that
need the machine to themselves run one at a time, the others two at a time (those in the browser
by file, since a file shares its server). All parts run even
if one fails; the closing line of every part is printed again at the end.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ROOT = SCRIPTS.parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
ALONE = "(worker or serial)"
TWO_AT_A_TIME = ["-n", "2"]
# The core and the stand-in know no database: once is enough. It is for the command `judge`, too,
# whose processes take minutes to start: what it plans and records is tested on both elsewhere.
ONCE = [
    "--ignore=tests/judging",
    "--ignore=tests/standin",
    "--ignore=tests/verdicts_app/commands/test_judge.py",
]
# pytest's own exit codes.
PASSED, INTERRUPTED, USAGE_ERROR, NONE_COLLECTED = 0, 2, 4, 5


@dataclass(frozen=True)
class Part:
    title: str
    markers: str
    options: list[str]
    # Scripts that run the rest of the line beside a service.
    services: tuple[str, ...] = ()

    def command(self, arguments: list[str]) -> list[str]:
        beside = [
            word
            for script in self.services
            for word in (sys.executable, str(SCRIPTS / script), "--")
        ]
        colour = ["--color=yes"] if sys.stdout.isatty() else []
        pytest = [sys.executable, "-m", "pytest", "-m", self.markers, *self.options, *colour]
        return [*beside, *pytest, *arguments]


def parts(with_browser: bool) -> Iterator[Part]:
    services = ("with_postgres.py", "with_redis.py")
    # In a process of its own: Playwright leaves an event loop running in its thread. What a page
    # looks like does not depend on the database, so SQLite is enough.
    if with_browser:
        yield Part("SQLite, in the browser", "browser", [*TWO_AT_A_TIME, "--dist=loadfile"])
    alone, together = f"{ALONE} and not browser", f"not {ALONE} and not browser"
    yield Part("SQLite, one at a time", f"{alone} and not postgres", [])
    yield Part("SQLite, two at a time", f"{together} and not postgres", TWO_AT_A_TIME)
    yield Part("PostgreSQL and Redis, one at a time", alone, ONCE, services)
    both = [*TWO_AT_A_TIME, *ONCE]
    yield Part("PostgreSQL and Redis, two at a time", together, both, services)


def main(arguments: list[str]) -> int:
    with_browser = browser_is_here()
    if not with_browser and os.environ.get("CI"):
        print("No Chromium: CI does not go on without its browser tests.", file=sys.stderr)
        return 1
    closing_lines, statuses = [], set()
    with tempfile.TemporaryDirectory(prefix="judgeweb-tests-") as data:
        for part in parts(with_browser):
            print(f"\n##### {part.title}", flush=True)
            status, line = run(part.command(arguments), environment(data))
            closing_lines.append(line)
            statuses.add(status)
            if status in (INTERRUPTED, USAGE_ERROR):
                return status
    print("\n##### All parts, in this order")
    if not with_browser:
        print("LEFT OUT: the browser tests. Chromium is missing and only root may install it.")
    print("\n".join(closing_lines), flush=True)
    # A part may be empty, all of them may not.
    return 0 if PASSED in statuses and statuses <= {PASSED, NONE_COLLECTED} else 1


def environment(data: str) -> dict[str, str]:
    """The caller's environment without what points at the caller's own data and services."""
    theirs = {"DATABASE_URL", "CELERY_BROKER_URL", "JUDGEWEB_DATA_DIR", "DJANGO_SETTINGS_MODULE"}
    kept = {name: value for name, value in os.environ.items() if name not in theirs}
    return {**kept, "JUDGEWEB_DATA_DIR": data, "PYTHONUNBUFFERED": "1"}


def run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Pass the output through; return the exit status and the last line that is not empty."""
    last = ""
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=nothing, stdout=pipe, text=True
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                print(line, end="", flush=True)
                last = line.rstrip() or last
        except KeyboardInterrupt:
            process.wait()
            return INTERRUPTED, last
    return process.returncode, last


def browser_is_here() -> bool:
    """Look for Chromium and, as root, install it where it is missing."""
    if any(map(shutil.which, CHROMIUM_NAMES)):
        return True
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("Installing chromium for the browser tests.", flush=True)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    return apt(install) or (apt(["apt-get", "update", "-qq"]) and apt(install))


def apt(command: list[str]) -> bool:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, env=quiet, stdin=nothing, stdout=nothing, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
