"""`manage.py serve`: web process, worker and sweeper's clock, together."""

import os
import subprocess
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from judgeweb import serving
from judgeweb.family import Family


class Command(BaseCommand):
    help = "Start web process, worker and sweeper's clock together (one machine)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        try:
            serving.check_port_is_free(host, port)
        except serving.PortTaken as error:
            raise CommandError(f"{error}. Choose another with --port.") from error
        environment = serving_environment()
        check_collected(serving.start_collecting(environment))
        family = Family(environment)
        family.start("web process", serving.web_command(host, port))
        family.start("worker", serving.worker_command())
        family.start("sweeper's clock", serving.clock_command())
        ended = family.watch(lambda: self.announce(host, port))
        if ended:
            raise CommandError(ended)

    def announce(self, host: str, port: int) -> None:
        address = f"http://{host}:{port}/"
        if not serving.wait_until_answering(address, 60):
            self.stderr.write(f"Nothing answers at {address} yet; look at the lines above.")
            return
        self.stdout.write(f"judgeweb is ready at {address}")
        self.stdout.flush()


def check_collected(collecting: subprocess.Popen[bytes] | None) -> None:
    """Wait for the collection of static files; refuse to serve without them."""
    if collecting and collecting.wait():
        raise CommandError("The static files were not collected; see the lines above.")


def serving_environment() -> dict[str, str]:
    """What the children need beside our own environment: DEBUG off unless it was asked for,
    with the key that this installation made for itself."""
    if "DEBUG" in os.environ:
        return {}
    return {"DEBUG": "0", "DJANGO_SECRET_KEY": settings.SECRET_KEY}
