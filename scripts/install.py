"""Put one locked set of packages into .venv, once.

    python3 scripts/install.py base     what the application needs to run
    python3 scripts/install.py dev      the same and what tests, lint and benchmarks need

Runs on the system's own Python with nothing but the standard library. pip brings uv
(checked by hash), uv brings the rest (checked by hash, in a tenth of pip's time). A stamp
named after the lock's digest makes the next run skip all of it.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "requirements"
SETS = ("base", "dev")
OLDEST_PYTHON = (3, 11)


def main(chosen: str) -> int:
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        print(
            f"judgeweb needs Python {wanted} or newer, and {sys.executable} is "
            f"{sys.version.split()[0]}. Name another one: make ... PYTHON=python{wanted}",
            file=sys.stderr,
        )
        return 1
    # Two makes at once must not write into one venv.
    with (ROOT / ".venv.lock").open("w") as turnstile:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        if PYTHON.exists() and stamp(chosen).exists():
            return 0
        try:
            make_venv()
            install(chosen)
        except subprocess.CalledProcessError as failure:
            print(f"Installing the {chosen} packages failed: {failure}", file=sys.stderr)
            return 1
    return 0


def lock_of(chosen: str) -> Path:
    return REQUIREMENTS / f"{chosen}.txt"


def stamp(chosen: str) -> Path:
    digest = hashlib.sha256(lock_of(chosen).read_bytes()).hexdigest()
    return VENV / f".{chosen}-{digest[:16]}"


def make_venv() -> None:
    if PYTHON.exists():
        return
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
    except subprocess.CalledProcessError:
        print(
            "Python could not make a virtual environment. On Debian and Ubuntu the module is a "
            "package of its own: apt-get install python3-venv",
            file=sys.stderr,
        )
        raise


def install(chosen: str) -> None:
    # What was true of the venv stops being true now, whichever set comes next.
    for one in SETS:
        for old in VENV.glob(f".{one}-*"):
            old.unlink()
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes"]
    subprocess.run([*pip, "-r", str(lock_of("uv"))], check=True)
    uv = [str(PYTHON), "-m", "uv", "pip"]
    # `sync` gives developers exactly the lock. Running the application only ever adds, so that
    # `make demo` leaves a developer's tools where they are.
    verb = ["sync"] if chosen == "dev" else ["install", "-r"]
    arguments = ["--quiet", "--require-hashes", "--python", str(PYTHON)]
    command = [*uv, *verb, str(lock_of(chosen)), *arguments]
    if subprocess.run(command, env=environment_for_uv(), check=False).returncode:
        print("uv could not install the packages here; pip tries the same lock.", file=sys.stderr)
        subprocess.run([*pip, "-r", str(lock_of(chosen))], check=True)
    stamp(chosen).touch()
    if chosen == "dev":
        # The dev lock holds everything of the base lock.
        stamp("base").touch()


def environment_for_uv() -> dict[str, str]:
    """Tell uv, which reads neither pip.conf nor PIP_*, what pip knows about the index."""
    environment = dict(os.environ)
    for option, variable in (("index-url", "UV_DEFAULT_INDEX"), ("cert", "SSL_CERT_FILE")):
        value = pip_option(option)
        if value:
            environment.setdefault(variable, value)
    environment.setdefault("UV_HTTP_TIMEOUT", "180")
    return environment


def pip_option(name: str) -> str | None:
    """Return pip's setting, the environment's before the files', or None when it has none."""
    for section in (":env:", "install", "global"):
        command = [str(PYTHON), "-m", "pip", "config", "get", f"{section}.{name}"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return answer.stdout.strip().strip("'")
    return None


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in SETS:
        sys.exit(f"usage: install.py {'|'.join(SETS)}")
    sys.exit(main(sys.argv[1]))
